"""An exercise in a real JupyterLab: nothing yet, a wrong answer with its diagram, the right one."""

from collections.abc import Iterator
from typing import Final

import pytest
from answers import Given, answers
from lab import Lab
from opened import HOSTILE, PICTURES, Opened, visit
from playwright.sync_api import Browser, Locator, expect

from workbench.exercises import find
from workbench.exercises.registry import notebook_name

EXERCISE: Final = find(1)
ANSWER_CELL: Final = 2
"""Its place among the code cells."""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def opened(lab: Lab, browser: Browser) -> Iterator[Opened]:
    """The first exercise, open in a page of its own."""
    path = f"exercises/{notebook_name(EXERCISE)}"
    with visit(browser, lab.at(path), height=4000) as notebook:
        yield notebook


def write(opened: Opened, source: str) -> None:
    """Put an answer into the answer cell, as a student does."""
    cell = opened.page.locator(".jp-CodeCell").nth(ANSWER_CELL).locator(".cm-content")
    expect(cell).to_contain_text("negotiate")
    cell.click()
    opened.page.keyboard.press("Control+A")
    opened.page.keyboard.insert_text(source)


def verdict(opened: Opened) -> Locator:
    """Return the verdict that is shown."""
    return opened.page.locator(".jp-CodeCell [role=status]")


def answer(words: str) -> Given:
    """Return the answer whose head says so."""
    return next(given for given in answers(EXERCISE) if words in given.words)


def test_an_exercise_is_solved_step_by_step(opened: Opened) -> None:
    """Ours: a student sees what is missing, what went wrong, and that it is right."""
    opened.run_all()
    expect(verdict(opened)).to_contain_text("NOT YET")
    expect(opened.diagrams).to_have_count(0)

    write(opened, answer("downgrades").source)
    opened.run_all()
    expect(verdict(opened)).to_contain_text("FAILED")
    expect(verdict(opened).get_by_role("rowheader", name="rule")).to_be_visible()
    expect(verdict(opened)).to_contain_text("ERA-03")
    expect(verdict(opened).locator("code")).to_contain_text('"method":"initialize"')
    expect(opened.diagrams).to_have_count(1)
    expect(opened.page.get_by_text("Hint 1 of 3")).to_be_visible()
    opened.picture(PICTURES / "exercise_failed.png")

    write(opened, answer("a plain function").source)
    opened.run_all()
    expect(verdict(opened)).to_contain_text("PASS")
    expect(opened.diagrams).to_have_count(0)
    opened.picture(PICTURES / "exercise_passed.png")
    opened.assert_clean()


def test_what_an_answer_says_stays_text(opened: Opened) -> None:
    """Design 7.10: an answer's words and a peer's are data, in a verdict as in a table."""
    hostile = (
        f"def negotiate(peer, versions):\n    print({HOSTILE!r})\n    raise ValueError({HOSTILE!r})"
    )
    write(opened, hostile)
    opened.run_all()
    expect(verdict(opened)).to_contain_text(f"ValueError: {HOSTILE}")
    expect(verdict(opened).locator("img")).to_have_count(0)
    opened.assert_clean()
