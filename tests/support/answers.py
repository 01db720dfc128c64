"""Right and wrong answers to the exercises, as sections of one file an exercise.

A section begins with a line such as::

    # %% right: a coroutine
    # %% wrong: asks for ever -> late
    # %% wrong: downgrades -> initialize ERA-03

and is run by itself, as the cell of a notebook would be.
"""

import re
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from workbench.exercises.exercise import Exercise

FOLDER: Final = Path(__file__).resolve().parents[1] / "exercises" / "answers"
_HEAD: Final = re.compile(r"^# %% (right|wrong): (.+?)(?: -> ([a-z-]+)(?: ([A-Z]+-\d\d))?)?$")


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


def file_of(exercise: Exercise) -> Path:
    """Return where the answers to an exercise are."""
    return FOLDER / f"e{exercise.number:02d}_{exercise.name.replace('-', '_')}.py"


def answers(exercise: Exercise) -> list[Given]:
    """Read all answers to one exercise, in the order of the file."""
    _, *sections = re.split(r"^(?=# %% )", file_of(exercise).read_text("utf-8"), flags=re.M)
    return [_read(exercise, section) for section in sections]


def made(given: Given, name: str) -> Any:
    """Run an answer's text by itself and return what it calls `name`; None without one."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(given.source, f"<{given}>", "exec"), namespace)
    return namespace.get(name)


def _read(exercise: Exercise, section: str) -> Given:
    head, _, source = section.partition("\n")
    found = _HEAD.match(head)
    assert found, f"{file_of(exercise).name}: {head!r} is no head of an answer"
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
