"""What lint found, shown: text, JSON, Markdown, a frame, HTML."""

import json

from told import Told

from workbench.core.text.redact import MARK
from workbench.lint import Finding, Findings

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m|"


def hostile() -> Findings:
    told = Told()
    told.hear(HOSTILE.encode())
    told.ask(1, "tools/call", {"name": "x"})
    told.answer(1, {"resultType": HOSTILE, "content": []})
    findings = told.journal.lint()
    assert isinstance(findings, Findings)
    return findings


def test_a_line_says_where_who_what_which_rule_and_its_source() -> None:
    """Ours: a finding makes sense by itself."""
    told = Told()
    told.hear(b"hello")
    (one,) = told.journal.lint()
    assert isinstance(one, Finding)
    assert one.line().startswith("frame 1, p, by the server: not JSON")
    assert one.line().endswith(
        "[LINT-01; spec: basic/index, messages; spec: basic/transports/stdio]"
    )
    assert (one.level, one.stated.id) == ("must", "LINT-01")


def test_counts_sides_and_summary() -> None:
    """Ours: figures for a table."""
    findings = hostile()
    assert findings.counted() == {"LINT-01": 1, "LINT-08": 1}
    assert (len(findings), len(findings.by("client")), bool(findings)) == (2, 0, True)
    assert findings.summary() == "3 frames, 2 findings"
    assert Findings(frames=1).summary() == "1 frame, nothing found"
    assert Findings(dropped=2).summary() == "0 frames, nothing found; 2 older entries are missing"
    assert not Findings()


def test_a_peers_text_stays_text_in_every_form() -> None:
    """Design 7.10: server text is data."""
    findings = hostile()
    html = findings._repr_html_() or ""
    assert html.startswith("<table") and "<img" not in html
    for shown in (findings.to_text(), findings.to_json(), findings.to_markdown(), html):
        assert "\x1b" not in shown
    assert "<img" not in findings.to_markdown()
    frame = findings.to_frame()
    assert list(frame["rule"]) == ["LINT-01", "LINT-08"]
    assert len(Findings().to_frame()) == 0
    assert "nothing found" in (Findings()._repr_html_() or "")
    assert Findings().to_markdown() == "0 frames, nothing found\n"


def test_json_holds_everything_a_program_needs() -> None:
    """Ours: `lint --json`."""
    value = json.loads(hostile().to_json())
    assert (value["frames"], value["dropped"]) == (3, 0)
    assert set(value["findings"][0]) == {
        "frame", "peer", "by", "rule", "level", "what", "sentence", "source", "hint",
    }  # fmt: skip


def test_a_secret_the_journal_knows_is_in_no_finding() -> None:
    """Design 5."""
    told = Told()
    told.journal.redactor.add("hush-hush")
    told.hear(b"hush-hush")
    text = told.said()
    assert "hush" not in text and MARK in text
