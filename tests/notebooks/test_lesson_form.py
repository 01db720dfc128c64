"""The form of a lesson: aim, prediction, demonstration, break it yourself, summary, pointers."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from workbench import RULES

FOLDER: Final = Path(__file__).resolve().parents[2] / "notebooks"
NO_LESSONS: Final = frozenset({"20_instructor.ipynb", "90_benchmarks.ipynb"})
"""Written for who teaches: nothing to predict, nothing to break."""
LESSONS: Final = sorted(path for path in FOLDER.glob("*.ipynb") if path.name not in NO_LESSONS)
SHORTEST_MIN, LONGEST_MIN = 15, 25

Notebook = dict[str, Any]

_MINUTES: Final = re.compile(r"(\d+)(?: to (\d+))? minutes")
_GUESS: Final = re.compile(r"\b(\w+_guess)\b")
_RULE: Final = re.compile(r"`([A-Z]+-\d\d)`")
_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^##? .*$", re.MULTILINE)
_TITLE: Final = re.compile(r"# [^\n]+\?\n")


def read(path: Path) -> Notebook:
    """Return a notebook as it is in its file."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(notebook, dict)
    return notebook


def faults(notebook: Notebook) -> list[str]:
    """Return what a lesson lacks of its form; nothing when it has all of it."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return [*_beginning(cells), *_prediction(cells), *_breaking(cells), *_end(cells)]


def _beginning(cells: list[tuple[str, str]]) -> Iterator[str]:
    title = cells[0][1]
    if not _TITLE.match(title):
        yield "the title is no question"
    if "**After this lesson you can** " not in title:
        yield "no aim"
    minutes = [int(n) for found in _MINUTES.findall(title) for n in found if n]
    if not minutes or min(minutes) < SHORTEST_MIN or max(minutes) > LONGEST_MIN:
        yield f"not between {SHORTEST_MIN} and {LONGEST_MIN} minutes"


def _prediction(cells: list[tuple[str, str]]) -> Iterator[str]:
    place = _place(cells, "Predict first")
    if place is None or "?" not in cells[place][1]:
        yield "no prediction question"
        return
    kind, source = cells[place + 1]
    guesses = _GUESS.findall(source.partition("=")[0]) if kind == "code" else []
    if not guesses:
        yield "no cell for the guess right after the question"
    if any(kind == "code" for kind, _ in cells[:place]):
        yield "something is shown before it is predicted"
    later = "".join(source for kind, source in cells[place + 2 :] if kind == "code")
    yield from (f"{guess} is never compared" for guess in guesses if guess not in later)


def _breaking(cells: list[tuple[str, str]]) -> Iterator[str]:
    place = _place(cells, "Break it yourself")
    if place is None:
        yield "nothing to break"
        return
    if "\n- " not in cells[place][1]:
        yield "no suggestion what to change"
    if cells[place + 1][0] != "code":
        yield "no cell to break right after the suggestions"


def _end(cells: list[tuple[str, str]]) -> Iterator[str]:
    place = _place(cells, "What you have seen")
    if place is None:
        yield "no summary"
        return
    if place < (_place(cells, "Break it yourself") or 0):
        yield "the summary is not at the end"
    summary = cells[place][1]
    head, *rows = [line for line in summary.splitlines() if line.startswith("|")] or [""]
    if not rows:
        yield "no table in the summary"
    named = set(_RULE.findall(summary))
    if not named & set(RULES):
        yield "no pointer to a rule"
    if "specification" not in head or not any(row.rstrip(" |").endswith("*") for row in rows):
        yield "no pointer to the specification"
    if "**One question to take along:**" not in summary:
        yield "no question to take along"


def _place(cells: list[tuple[str, str]], words: str) -> int | None:
    """Return where the heading with these words stands."""
    for place, (kind, source) in enumerate(cells):
        if kind == "markdown" and any(words in head for head in _HEADING.findall(source)):
            return place
    return None


def links(notebook: Notebook) -> list[str]:
    """Return every link to another file, as it is written."""
    texts = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
    return [one for text in texts for one in _LINK.findall(text) if "://" not in one]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_its_form(path: Path) -> None:
    """Ours: design, notebooks: whoever knows one lesson finds the way in each of them."""
    assert faults(read(path)) == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_lesson_links_only_to_what_is_there(path: Path) -> None:
    """Ours: a learner follows it."""
    assert [one for one in links(read(path)) if not (FOLDER / one).is_file()] == []


def test_the_first_lesson_leads_to_all_others() -> None:
    """Ours: it is what `make lab` opens."""
    others = {path.name for path in LESSONS[1:]}
    assert others - set(links(read(LESSONS[0]))) == set()


@pytest.mark.parametrize("place", range(1, len(LESSONS) - 1))
def test_a_lesson_leads_to_the_one_before_and_the_one_after(place: int) -> None:
    """Ours: nobody has to go back to the list of files."""
    told = links(read(LESSONS[place]))
    assert LESSONS[place - 1].name in told
    assert LESSONS[place + 1].name in told


# -- the checks can fail


def changed(edit: Callable[[str], str]) -> Notebook:
    """Return the first lesson with every text edited."""
    lesson = copy.deepcopy(read(LESSONS[0]))
    for cell in lesson["cells"]:
        cell["source"] = edit("".join(cell["source"]))
    return lesson


def without(*ids: str) -> Notebook:
    """Return the first lesson without some of its cells."""
    lesson = copy.deepcopy(read(LESSONS[0]))
    assert set(ids) <= {cell["id"] for cell in lesson["cells"]}
    lesson["cells"] = [cell for cell in lesson["cells"] if cell["id"] not in ids]
    return lesson


def moved_to_the_front(name: str) -> Notebook:
    """Return the first lesson with one cell right behind the title."""
    lesson = copy.deepcopy(read(LESSONS[0]))
    cells = lesson["cells"]
    cells.insert(1, cells.pop(next(i for i, c in enumerate(cells) if c["id"] == name)))
    return lesson


def replaced(old: str, new: str) -> Notebook:
    """Return the first lesson with one text in place of another."""
    assert old in json.dumps(read(LESSONS[0]), ensure_ascii=False)
    return changed(lambda text: text.replace(old, new))


@pytest.mark.parametrize(
    ("lesson", "fault"),
    [
        (replaced("have to do?", "have to do"), "the title is no question"),
        (replaced("**After this lesson you can**", "You will"), "no aim"),
        (replaced("about 15 minutes", "about 5 minutes"), "not between 15 and 25 minutes"),
        (replaced("about 15 minutes", "some time"), "not between 15 and 25 minutes"),
        (without("predict"), "no prediction question"),
        (without("guess"), "no cell for the guess right after the question"),
        (moved_to_the_front("imports"), "something is shown before it is predicted"),
        (without("check-ready"), "ready_guess is never compared"),
        (without("break-head"), "nothing to break"),
        (without("break"), "no cell to break right after the suggestions"),
        (without("summary"), "no summary"),
        (moved_to_the_front("summary"), "the summary is not at the end"),
        (changed(lambda text: re.sub(r"`[A-Z]+-\d\d`", "", text)), "no pointer to a rule"),
        (changed(lambda text: text.replace("`MERGE-", "`MARGE-").replace("`ERA-", "`AERA-")
                 .replace("`LEG-", "`LAG-").replace("`LIST-", "`LOST-").replace("`CACHE-", "`CASH-")
                 .replace("`ROUTE-", "`ROOT-").replace("`WIRE-", "`WARE-")),
         "no pointer to a rule"),
        (replaced("| specification |", "| where |"), "no pointer to the specification"),
        (replaced("**One question to take along:**", "So:"), "no question to take along"),
    ],
)  # fmt: skip
def test_a_lesson_without_a_part_is_found(lesson: Notebook, fault: str) -> None:
    """Ours: a check must be able to fail."""
    assert fault in faults(lesson)


def test_a_link_to_nothing_is_found() -> None:
    """Ours: a check must be able to fail."""
    lesson = replaced("(01_one_message.ipynb)", "(01_two_messages.ipynb)")
    assert [one for one in links(lesson) if not (FOLDER / one).is_file()] == [
        "01_two_messages.ipynb"
    ]
