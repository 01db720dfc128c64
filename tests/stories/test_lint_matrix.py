"""Lint finds what each ready-made fake commits, no more and no less, and nothing in the rest.

The row ids stand in the test ids: `pytest -k P14`. A row that is legal behaviour (silence,
an end, an honest error, something allowed that few expect) is listed with nothing to find.
"""

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from faulty import HTTP_TIMING, in_memory, over_http

from fakes import FAULTS, fault
from fakes.library.index import find
from workbench import MultiServerClient
from workbench.core.rulebook.rules import RULES
from workbench.lint import CHECKS, Finding
from workbench.lint.checks import MODEL_RULE

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
LATE_S: Final = HTTP_TIMING["discovery_timeout_ms"] / 1_000

COMMITTED: Final[dict[str, dict[str, int]]] = {
    # The probe.
    "P03-header-mismatch-once": {"LINT-21": 1},
    "P04": {"LINT-21": 2},
    "P04-then-unknown-method": {"LINT-21": 1},
    "P10-no-data": {"LINT-19": 2},
    "P10-same-version": {"LINT-19": 1},
    "P13": {"LINT-01": 3},
    "P14": {"LINT-01": 2},
    "P15": {"LINT-02": 1},
    "P16": {"LINT-32": 1},
    "P16-envelope": {"LINT-01": 1},
    "P16-empty": {"LINT-09": 2, "LINT-32": 2},
    "P17": {"LINT-08": 1},
    "P18": {"LINT-22": 1},
    "P19": {"LINT-22": 1},
    "P21": {"LINT-01": 4},
    # The handshake, where it is permitted.
    "L03": {"LINT-02": 1},
    "L05": {"LINT-01": 1},
    "L06": {"LINT-01": 1},
    "L07": {"LINT-32": 1},
    "L08": {"LINT-32": 1},
    "L09-name-empty": {"LINT-25": 1},
    "L09-name-number": {"LINT-32": 1},
    "L09-version-empty": {"LINT-25": 1},
    "L09-version-number": {"LINT-32": 1},
    "L10": {"LINT-25": 1},
    "L11": {"LINT-25": 1},
    "L12": {"LINT-01": 1},
    # Listings.
    "C01-no-result-type": {"LINT-08": 1},
    "C05": {"LINT-26": 1},
    "C06": {"LINT-32": 1},
    "C06-schema-header": {"LINT-27": 1},
    "C06-schema-keyword": {"LINT-27": 1},
    "C07-alternating-cursors": {"LINT-28": 1},
    "C07-repeating-cursor": {"LINT-28": 1},
    # Calls.
    "C02": {"LINT-08": 1},
    "C03": {"LINT-02": 1},
    "C03-twice": {"LINT-03": 1},
    "C09-64-MiB": {"LINT-01": 1},
    "C09-BOM": {"LINT-01": 1},
    "C09-NaN": {"LINT-01": 1},
    "C09-bad-utf-8": {"LINT-01": 1},
    "C09-batch": {"LINT-01": 1},
    "C10-nothing": {"LINT-10": 1},
    "C10-sampling": {"LINT-10": 1},
    "C10-unknown-kind": {"LINT-10": 1},
    "C11-modern-ping": {"LINT-12": 1},
    "C11-legacy-sampling": {"LINT-13": 1},
    "C12-wrong-id": {"LINT-14": 1},
    # HTTP.
    "H03-header-mismatch": {"LINT-21": 2},
    "H03-header-mismatch-once": {"LINT-21": 1},
    "H05-mutual-version": {"LINT-19": 1},
    "H05-no-data": {"LINT-19": 2},
    "H11-400-broken-json": {"LINT-30": 1},
    "H11-400-odd-error": {"LINT-30": 1},
    "H12-401-bare": {"LINT-31": 1},
    "H14": {"LINT-29": 1},
    "H15": {"LINT-29": 1},
    "H17-after-progress": {"LINT-15": 1},
    "H17-reset": {"LINT-15": 1},
    "H17-another-id": {"LINT-02": 1},
}
"""Variant, or row where its variants commit the same -> rule -> how often."""

LEGAL: Final[dict[str, str]] = {
    "P01": "everything is right",
    "P02": "an honest error of an old server",
    "P05": "an honest error",
    "P06": "an honest error",
    "P07": "an honest error",
    "P08": "an honest error",
    "P09": "an honest error, whatever a client makes of it",
    "P11": "silence",
    "P12": "an end",
    "P20": "slowness",
    "P22": "stderr is free",
    "L01": "everything is right",
    "L02": "silence",
    "L04": "an honest error",
    "L13": "an end",
    "C01-legacy": "old results have no resultType",
    "C04": "an end",
    "C07-empty-cursor": 'the cursor "" is a cursor',
    "C07-pages": "everything is right",
    "C08": "many announcements, each of them right",
    "C09-1-byte-chunks": "pieces mean nothing",
    "C09-5-MB-line": "length has no limit",
    "C09-CRLF": "a carriage return is white space",
    "C09-deep": "depth has no limit",
    "C09-line-separators": "they are content",
    "C09-no-line-end": "the end of the stream ends the last line too",
    "C10-confirm": "everything is right",
    "C10-for-ever": "rounds have no limit",
    "C10-state-only": "everything is right",
    "C11-legacy-ping": "either side may ping",
    "C12-ends-with-result": "everything is right",
    "C12-ends-without-result": "an end",
    "C12-no-ack": "silence",
    "C12-partial-ack": "a server agrees to what it likes",
    "C12-refused": "an honest error",
    "C13": "a list may change",
    "C14": "what a process does with signals is in no frame",
    "H01": "everything is right",
    "H02": "everything is right",
    "H04": "an honest error",
    "H05-disjoint-versions": "an honest error",
    "H05-legacy-versions": "an honest error",
    "H06": "a status without a body",
    "H07": "a status without a body",
    "H08": "an honest error",
    "H09": "an honest error of an old server",
    "H10": "a status without a body",
    "H11-400-html": "an error page",
    "H11-400-odd-json": "JSON that does not claim to be JSON-RPC",
    "H11-400-text": "an error page",
    "H12-401": "a challenge",
    "H12-401-probe-only": "a challenge",
    "H12-403": "a challenge",
    "H13": "trouble, honestly told",
    "H16": "silence",
    "H17-clean-mid-event": "an end",
    "H17-empty-stream": "an end",
    "H17-mid-event": "an end",
    "H18": "a redirect",
}
"""Variant, or row -> why there is nothing to find."""


def listed(name: str) -> str:
    """Return the entry of a variant: its own, or its row's."""
    for key in (name, name[:3]):
        if key in COMMITTED or key in LEGAL:
            return key
    raise KeyError(name)


def found(name: str, allow_legacy: bool) -> tuple[Finding, ...]:
    """Play one variant and lint what was recorded."""
    if name[0] == "H":
        journal = over_http(fault(name, discovery_timeout_s=LATE_S), allow_legacy)
    else:
        journal = in_memory(name, fault(name), allow_legacy)
    return journal.lint().findings


def committed(name: str, allow_legacy: bool) -> dict[str, int]:
    """Return what a variant commits in one visit."""
    if (name[0] == "L" or "legacy-sampling" in name) and not allow_legacy:
        return {}  # it is refused before its handshake
    return COMMITTED.get(listed(name), {})


@pytest.mark.parametrize("allow_legacy", [False, True], ids=["strict", "legacy-allowed"])
@pytest.mark.parametrize("name", FAULTS)
def test_lint_finds_what_a_fake_commits_and_no_more(name: str, allow_legacy: bool) -> None:
    """Fault matrix, row by row; the client at the other end commits nothing."""
    findings = found(name, allow_legacy)
    told = [one.line() for one in findings]
    assert Counter(one.rule for one in findings) == Counter(committed(name, allow_legacy)), told
    assert {one.by for one in findings} <= {"server"}, told
    assert all(one.number > 0 and one.peer == "peer" for one in findings)


def test_every_variant_is_listed_once_and_nothing_else_is() -> None:
    """Ours: a fault without an entry would pass as legal."""
    assert set(COMMITTED) & set(LEGAL) == set()
    assert {listed(name) for name in FAULTS} == {*COMMITTED, *LEGAL}
    assert {rule for rules in COMMITTED.values() for rule in rules} <= set(RULES)


def test_the_figures_in_the_documentation_are_those_of_the_table() -> None:
    """Ours: the tests above show that as many are found, and no others."""
    total = sum(sum(committed(name, flag).values()) for name in FAULTS for flag in (False, True))
    page = " ".join((DOCS / "lint.md").read_text(encoding="utf-8").split())
    assert f"{len(FAULTS)} fakes, {total} violations committed, {total} found" in page


def test_every_lint_rule_has_a_check_and_every_check_a_rule() -> None:
    """Ours: the table and the rulebook are one list."""
    ids = {rule for rule in RULES if rule.startswith("LINT-")}
    assert {*CHECKS, MODEL_RULE} == ids


def test_a_row_that_commits_something_else_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a check must be able to fail."""
    monkeypatch.setitem(COMMITTED, "P14", {"LINT-01": 1})
    with pytest.raises(AssertionError):
        test_lint_finds_what_a_fake_commits_and_no_more("P14-not-json", False)


HONEST: Final = ("modern", "legacy", "dual_era", "silent", "paging", "colliding", "everything")


@pytest.mark.parametrize("way", ["memory", "http"])
@pytest.mark.parametrize("name", HONEST)
def test_nothing_is_found_in_honest_traffic(name: str, way: str) -> None:
    """Ours: a lint that cries wolf is switched off; colliding names are no fault of a peer."""
    fake: Any = find(name)
    journal = in_memory(name, fake, True) if way == "memory" else over_http(fake, True)
    findings = journal.lint()
    assert findings.frames >= 4
    assert findings.to_text() == f"{findings.frames} frames, nothing found"


def test_several_peers_in_one_record_are_judged_apart() -> None:
    """Fault matrix M01 to M09: names that clash and eras that differ are no fault of a peer."""
    with MultiServerClient() as client:
        for name in ("colliding", "modern", "legacy", "P14-not-json"):
            client.add_server(name, find(name), allow_legacy=name == "legacy")
        client.connect_all()
        client.discover_tools()
        client.merge()
        for tool in client.menu.names if client.menu else ():
            client.call(tool)
        findings = client.journal.lint()
    assert {one.peer for one in findings} == {"P14-not-json"}
    assert findings.counted() == {"LINT-01": 2}
