"""The instructor's panel, clicked in Python: shown at once, hidden till the vote, exported."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest
from kernels import eventually

from fakes import Fake, FakeError, error, library, modern, on
from fakes.library.situations import Cast
from workbench import Journal
from workbench.classroom.panel import InstructorPanel
from workbench.views.panels.instructor import HIDDEN, InstructorView

HOSTILE = "<img src=x onerror=window.pwned=1>"


@pytest.fixture
def panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InstructorPanel]:
    """A panel in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    made = InstructorPanel(library, seed=4)
    yield made
    made.close()


def states(widget: Any) -> str:
    """Return the state of a widget and of all below it: everything a browser is told."""
    state = {k: v for k, v in widget.get_state().items() if k != "children"}
    below = [states(child) for child in getattr(widget, "children", ())]
    return "\n".join([json.dumps(state, default=str, ensure_ascii=False), *below])


def left_over() -> list[Any]:
    me = psutil.Process(os.getpid())
    ports = [one for one in me.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
    return [*me.children(recursive=True), *ports]


class Hostile:
    """A catalogue whose every text is hostile; one situation cannot be made."""

    def __init__(self, *more: tuple[str, str]) -> None:
        self._all = [(HOSTILE, HOSTILE), *more]

    def casts(self) -> list[tuple[str, str]]:
        return self._all

    beside = staticmethod(library.beside)

    def cast(self, name: str, *, discovery_timeout_s: float = 1.0) -> Cast:
        if name == "broken":
            raise FakeError(f"{HOSTILE} is broken")
        evil = modern(HOSTILE, tools=[HOSTILE]).script(
            on("tools/call").then(error(-32000, HOSTILE))
        )
        peers: Mapping[str, Fake] = {HOSTILE.replace("/", ""): evil}
        return Cast(name=name, about=HOSTILE, peers=peers)


def test_nothing_is_played_before_somebody_chooses(panel: InstructorPanel) -> None:
    """Ours: a clean state at first."""
    assert panel.shown is None and "Verdict" not in str(panel)
    assert panel.to_text().endswith("Choose a situation, or surprise the class.")


def test_a_choice_is_shown_at_once_verdict_story_report_and_diagram(
    panel: InstructorPanel,
) -> None:
    """Fault matrix P02: strict, and then with permission."""
    panel.form.cast.value = "P02-error-32601"
    text = str(panel)
    for part in (
        "Verdict on peer: unavailable [ERA-10: ",
        "connect peer: unavailable.",
        "1 peer: 0 ready, 1 unavailable",
        "error -32601 Method not found (id 1)",
    ):
        assert part in text
    shown = states(panel.widget)
    for part in ("peer: unavailable", "What came of each stage", "Startup report",
                 "text/vnd.mermaid", "nothing found"):  # fmt: skip
        assert part in shown
    panel.form.allow_legacy.value = True
    assert "Verdict on peer: ready, legacy [LEG-00: " in str(panel)
    panel.form.beside.value = ("modern",)
    assert "a-modern-one: ready" in str(panel)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_real_transport_is_played_when_asked_for(panel: InstructorPanel, transport: str) -> None:
    """Ours: a process starts when somebody presses the button, and none is left."""
    before = left_over()
    panel.form.cast.value = "P12-exit-with-stderr"
    panel.form.transport.value = transport
    assert panel.shown is None and "Press “Show it”" in str(panel)
    panel.play.click()
    assert "unavailable" in str(panel) and f"{transport}, era -" in str(panel)
    assert eventually(lambda: left_over() == before)


def test_a_surprise_is_nowhere_before_the_reveal(panel: InstructorPanel) -> None:
    """Ours: neither in a widget nor in the text twin; twenty surprises, all rows."""
    for number in range(20):
        panel.form.family.value = "any"
        panel.surprise.click()
        hidden = panel._hidden
        assert hidden is not None and panel.shown is None
        row = next(one for one in hidden.report.peers if one.peer == hidden.subject)
        told = states(panel.widget) + str(panel) + repr(panel)
        # The names of the two peers without a fault are words of the form, too.
        cast = hidden.plan.cast if hidden.plan.cast not in ("modern", "legacy") else hidden.about
        for secret in (cast, hidden.about, row.reason, hidden.journal.diagram().text):
            assert secret and secret not in told, (number, secret)
        assert "Verdict" not in told and HIDDEN in told
        panel.reveal.click()
        assert hidden.plan.cast in states(panel.widget) and hidden.about in str(panel)


def test_the_check_for_secrets_can_fail(panel: InstructorPanel) -> None:
    """Ours: a check must be able to fail; the lists would give a situation away."""
    assert "P11-silence" in states(panel.widget)


def test_the_class_votes_and_is_told_how_it_did(panel: InstructorPanel) -> None:
    """Ours: predict first; the same seed draws the same surprise."""
    other = InstructorView(panel.stage, chance=Random(4))
    other.surprise.click()
    panel.surprise.click()
    assert panel._hidden is not None and other._hidden is not None
    assert panel._hidden.plan == other._hidden.plan
    panel.booth.fields["unavailable"].value = 12
    panel.booth.fields["ready, legacy"].value = 4
    panel.booth.for_rule.click()
    assert "  unavailable: 12" in str(panel)
    panel.reveal.click()
    assert panel.shown is not None
    right = {"unavailable": 12, "ready, legacy": 4}.get(panel.shown.verdict, 0)
    assert f"{right} of 16 said so" in str(panel)
    assert panel.form.cast.value == panel.shown.plan.cast
    assert "How the class has voted" in states(panel.widget)


def test_a_clue_is_the_peers_own_answer(panel: InstructorPanel) -> None:
    """Ours: evidence without a judgement."""
    panel.surprise.click()
    panel.clue.click()
    assert panel._hidden is not None
    assert panel._hidden.clue() in str(panel)
    assert panel._hidden.plan.cast not in str(panel)


@pytest.mark.parametrize("verb", ["clue", "reveal", "as_notebook", "as_journal"])
def test_what_cannot_be_done_yet_is_said_in_the_panel(panel: InstructorPanel, verb: str) -> None:
    """Ours: an exception of a callback shows nowhere else."""
    getattr(panel, verb).click()
    assert "Error: MisuseError: " in str(panel)
    panel.play.click()
    assert "Error" not in str(panel)


def test_nothing_is_exported_while_the_class_votes(panel: InstructorPanel, tmp_path: Path) -> None:
    """Ours: a file would tell."""
    panel.surprise.click()
    panel.as_journal.click()
    panel.as_notebook.click()
    assert "Reveal it first." in str(panel)
    assert [*tmp_path.iterdir()] == []


def test_the_journal_is_exported_lints_and_can_be_played_again(
    panel: InstructorPanel, tmp_path: Path
) -> None:
    """Docs, record and replay: an export is an incident like any other."""
    panel.form.cast.value = "P02-error-32601"
    panel.form.allow_legacy.value = True
    panel.file.value = "kept"
    panel.as_journal.click()
    assert "Written: kept.jsonl" in str(panel)
    text = (tmp_path / "kept.jsonl").read_text(encoding="utf-8")
    journal = Journal.from_jsonl(text)
    assert panel.shown is not None and journal.entries() == panel.shown.journal.entries()
    assert len(journal.lint()) == 0
    again = InstructorPanel(_Only(Fake.from_journal(text)))
    again.form.allow_legacy.value = True
    again.play.click()
    assert again.shown is not None
    assert (again.shown.verdict, again.shown.rule) == (panel.shown.verdict, panel.shown.rule)
    assert (again.shown.ended, again.shown.called) == (panel.shown.ended, panel.shown.called)
    panel.as_journal.click()
    assert "kept.jsonl is there already. Choose another name." in str(panel)


class _Only:
    """A catalogue of one recorded peer."""

    beside = staticmethod(library.beside)

    def __init__(self, fake: Fake) -> None:
        self._fake = fake

    def casts(self) -> list[tuple[str, str]]:
        return [("recorded", "what was recorded")]

    def cast(self, name: str, *, discovery_timeout_s: float = 1.0) -> Cast:
        return Cast(name=name, about="what was recorded", peers={"peer": self._fake})


def test_a_notebook_is_exported(panel: InstructorPanel, tmp_path: Path) -> None:
    """Ours: see tests/classroom/test_lesson.py for what it does."""
    panel.form.cast.value = "P11-silence"
    panel.as_notebook.click()
    written = json.loads((tmp_path / "demonstration.ipynb").read_text(encoding="utf-8"))
    assert written["nbformat"] == 4 and "P11-silence" in json.dumps(written)


@pytest.mark.parametrize("transport", ["memory", "stdio", "http"])
def test_the_instructor_goes_on_step_by_step_and_reset_leaves_nothing(
    panel: InstructorPanel, transport: str
) -> None:
    """Ours: one click; no process and no port is left."""
    before, fresh = left_over(), str(panel).rpartition("\n")[0]
    panel.form.cast.value = "P02-error-32601"
    panel.form.transport.value = transport
    panel.step.click()
    assert panel.stepping is not None
    for _ in range(3):
        panel.stepping.step.click()
    others = panel.stepping.widget.children
    assert "ERA-10" in panel.stepping.to_text() and panel.stepping.to_text() in str(panel)
    if transport != "memory":
        assert left_over() != before, "a process, or a port"
    panel.clean.click()
    assert eventually(lambda: left_over() == before)
    assert panel.stepping is None and panel.shown is None
    assert panel.widget.comm is not None and others[0].comm is None, "its own widgets stay"
    assert str(panel).rpartition("\n")[0] == fresh
    assert "no process and no port is open" in str(panel)


def test_reset_ends_a_vote(panel: InstructorPanel) -> None:
    """Ours: a clean state in one click, whatever was going on."""
    panel.surprise.click()
    panel.clean.click()
    assert panel._hidden is None and not panel.form.cast.disabled
    panel.play.click()
    assert panel.shown is not None and panel.shown.plan.cast == "P01-valid"


def test_hostile_text_stays_text_and_an_error_of_a_catalogue_is_shown() -> None:
    """Design 7.10: in widgets, in the diagram, in the text twin."""
    panel = InstructorPanel(Hostile())
    panel.play.click()
    panel.surprise.click()
    panel.reveal.click()
    places = [panel._verdict, panel._story, panel._report, panel._picture_text, panel._result]
    html = "".join(place.value for place in places)
    assert "<img" not in html and "&lt;img" in html
    assert "<img" not in panel._picture.outputs[0]["data"]["text/vnd.mermaid"]
    panel.close()
    panel = InstructorPanel(Hostile(("broken", "no such thing")))
    panel.form.cast.value = "broken"
    assert "Error: FakeError: " in str(panel)
    assert "<img" not in panel._error.value
    panel.close()
