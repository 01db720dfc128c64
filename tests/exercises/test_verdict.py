"""A verdict shows what was seen, safely, in every form; hints come one by one."""

import json
from typing import Any, Final

import pytest

from workbench import RULES
from workbench.core.journal.journal import Journal
from workbench.exercises import Verdict, find, verdicts_frame
from workbench.exercises.exercise import Finding

HOSTILE: Final = "<img src=x onerror=alert(1)> \x1b[31m $x$"


def failed(**changes: Any) -> Verdict:
    """Return a verdict in which everything is somebody else's text."""
    journal = Journal()
    journal.sent(0.0, HOSTILE, HOSTILE.encode())
    finding = Finding(key="k", seen=HOSTILE, rule="ERA-03", frame=HOSTILE.encode() + b"\xff")
    how: dict[str, Any] = {
        "finding": finding,
        "situation": HOSTILE,
        "hints": ("nudge", "pointer", "solution"),
        "passed": 2,
        "trials": 5,
        "journal": journal,
        "printed": f"{HOSTILE}\n\n2\n3\n4\n5\n6",
    }
    return Verdict(find(1), "FAILED", **{**how, **changes})


PASSED: Final = Verdict(find(1), "PASS", passed=5, trials=5)


def test_hints_come_one_by_one_and_by_number() -> None:
    """Ours: three levels; who asks on gets the last again."""
    verdict = failed()
    asked = [verdict.hint() for _ in range(4)]
    assert [one.split(": ")[1] for one in asked] == ["nudge", "pointer", "solution", "solution"]
    assert verdict.hint(1) == "Hint 1 of 3: nudge"
    assert verdict.hint() == "Hint 2 of 3: pointer"
    assert verdict.hint(99) == "Hint 3 of 3: solution"
    assert "nothing left" in PASSED.hint()


def test_a_verdict_is_true_when_it_is_passed() -> None:
    """Ours: assert check(…) reads as it should."""
    assert PASSED
    assert not failed()


def test_the_text_says_everything() -> None:
    """Ours: nothing depends on a browser."""
    text = failed().to_text()
    assert "FAILED     exercise 1, A refused version: 2 of 5 trials" in text
    for name in ("situation", "seen", "rule", "frame", "printed", "hint"):
        assert f"\n{name}" in text
    assert RULES["ERA-03"].sentence in text
    assert str(failed()) == repr(failed()) == text
    assert PASSED.to_text() == "PASS       exercise 1, A refused version: 5 of 5 trials"


@pytest.mark.parametrize("form", ["text", "html", "line", "json", "diagram"])
def test_hostile_text_stays_text(form: str) -> None:
    """Ours: design 7.10: peers, answers and prints are data."""
    verdict = failed()
    shown = {
        "text": verdict.to_text(),
        "html": verdict._repr_html_(),
        "line": verdict.line(),
        "json": verdict.to_json(),
        "diagram": verdict.diagram().source,
    }[form]
    assert "\x1b" not in shown
    assert "\\xff" in shown or form not in ("text", "html")
    if form in ("html", "diagram"):
        assert "<img" not in shown
    if form == "line":
        assert "\n" not in shown


def test_the_html_says_in_words_what_the_colour_says() -> None:
    """WCAG 2.2, 1.4.1: colour is not the only means; headers have a scope."""
    html = failed()._repr_html_()
    assert "<strong>FAILED</strong>" in html
    assert html.count('scope="row"') == html.count("<tr>")
    assert 'role="status"' in html
    assert set(failed()._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_a_row_for_the_gradebook() -> None:
    """Ours: the same names in JSON and frame; absent is absent."""
    rows = [failed(), PASSED]
    frame = verdicts_frame(rows)
    assert list(frame["status"]) == ["FAILED", "PASS"]
    assert list(frame["rule"].isna()) == [False, True]
    assert json.loads(PASSED.to_json()) == {
        "exercise": 1,
        "name": "refused-version",
        "status": "PASS",
        "rule": None,
        "mistake": None,
        "seen": None,
        "passed": 5,
        "trials": 5,
    }
    assert len(failed().to_frame()) == 1


def test_only_so_much_of_what_was_printed_is_shown() -> None:
    """Ours: five lines help, a thousand hide the verdict."""
    assert failed().to_text().count("\nprinted") == 5


def test_there_is_something_to_draw_when_a_frame_crossed() -> None:
    """Ours: an empty diagram helps nobody."""
    assert failed().crossed
    assert not PASSED.crossed
