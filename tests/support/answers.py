"""Right and wrong answers to the exercises, as sections of a file an exercise, or of several.

A section begins with a line such as::

    # %% right: a coroutine
    # %% wrong: asks for ever -> late
    # %% wrong: downgrades -> initialize ERA-03

and is run by itself, as the cell of a notebook would be. Where a wrong answer is the first
right one but for some lines, it says only those::

    # %% wrong: makes every id a text -> wrong-id LINT-02
    # -     answer = {"id": number}
    # +     answer = {"id": str(number)}
"""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.exercises.exercise import Exercise

FOLDER: Final = Path(__file__).resolve().parents[1] / "exercises" / "answers"
_HEAD: Final = re.compile(r"^# %% (right|wrong): (.+?)(?: -> ([a-z-]+)(?: ([A-Z]+-\d\d))?)?$")
_EDIT: Final = re.compile(r"# [-+](?: |$)")


class Given(Struct, frozen=True, kw_only=True):
    """One answer."""

    exercise: str
    right: bool
    words: str
    """What it does, in the words of its head."""
    mistake: str | None
    """The key the judge has to give; None for a right answer."""
    rule: str | None
    """The rule the judge has to name."""
    source: str
    """The text of the cell."""

    def __str__(self) -> str:
        return f"{self.exercise}-{'right' if self.right else 'wrong'}-{self.words}"


def files_of(exercise: Exercise) -> list[Path]:
    """Return where the answers to an exercise are: e07_name.py, then e07_name_….py."""
    return sorted(FOLDER.glob(f"e{exercise.number:02d}_{exercise.name.replace('-', '_')}*.py"))


def answers(exercise: Exercise) -> list[Given]:
    """Read all answers to one exercise, in the order of its files."""
    texts = [path.read_text("utf-8") for path in files_of(exercise)]
    cut = [re.split(r"^(?=# %% )", text, flags=re.M)[1:] for text in texts]
    read = [_read(exercise, section) for sections in cut for section in sections]
    first = next((given.source for given in read if given.right), "")
    return [replace(given, source=_edited(given, first)) for given in read]


def made(given: Given, name: str) -> Any:
    """Run an answer's text by itself and return what it calls `name`; None without one."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(given.source, f"<{given}>", "exec"), namespace)
    return namespace.get(name)


def _edited(given: Given, first: str) -> str:
    """Return the text of an answer that may be told as a difference from the first right one."""
    lines = [line for line in given.source.splitlines() if line]
    if not lines or not all(_EDIT.match(line) for line in lines):
        return given.source
    source = first
    for old, new in _pairs(lines):
        assert old and old in source, f"{given}: the first right answer has no {old!r}"
        source = source.replace(old, new)
    return source


def _pairs(lines: list[str]) -> Iterator[tuple[str, str]]:
    runs = [(sign, [line[4:] for line in run]) for sign, run in groupby(lines, itemgetter(2))]
    for place, (sign, run) in enumerate(runs):
        if sign == "-":
            after = runs[place + 1 : place + 2]
            yield "\n".join(run), "\n".join(after[0][1]) if after else ""


def _read(exercise: Exercise, section: str) -> Given:
    head, _, source = section.partition("\n")
    found = _HEAD.match(head)
    assert found, f"{exercise.name}: {head!r} is no head of an answer"
    kind, words, mistake, rule = found.groups()
    assert (kind == "right") == (mistake is None), head
    return Given(
        exercise=exercise.name,
        right=kind == "right",
        words=words,
        mistake=mistake,
        rule=rule,
        source=source,
    )
