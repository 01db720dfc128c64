"""Every exercise there is.

Takes:  a number or a name
Gives:  the exercise; all of them as a value that shows itself
Never:  holds two with one number or one name; a test sees to it

To add one, write its module and put it into `EXERCISES`; see docs/write_an_exercise.md.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.text.visible import visible
from workbench.exercises import (
    e01_refused_version,
    e02_wrong_revision,
    e03_private_cache,
    e04_reject_policy,
    e05_listen_again,
    e06_stdio_loop,
    e07_mirrored_headers,
    e08_rounds,
    e09_safe_retry,
    e10_capstone,
    e11_sealed_state,
)
from workbench.exercises.exercise import Exercise
from workbench.exercises.showing import rows_frame
from workbench.views.html import table

if TYPE_CHECKING:
    import pandas

EXERCISES: Final[tuple[Exercise, ...]] = (
    e01_refused_version.EXERCISE,
    e02_wrong_revision.EXERCISE,
    e03_private_cache.EXERCISE,
    e04_reject_policy.EXERCISE,
    e05_listen_again.EXERCISE,
    e06_stdio_loop.EXERCISE,
    e07_mirrored_headers.EXERCISE,
    e08_rounds.EXERCISE,
    e09_safe_retry.EXERCISE,
    e10_capstone.EXERCISE,
    e11_sealed_state.EXERCISE,
)
"""By number."""
COLUMNS: Final = ("number", "name", "title", "task", "rules", "answer", "notebook")


class Exercises:
    """The list of exercises; shows itself as a table."""

    def __init__(self, listed: tuple[Exercise, ...] = EXERCISES) -> None:
        self._listed = listed

    def __len__(self) -> int:
        return len(self._listed)

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self._listed)

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return one line an exercise."""
        return "\n".join(f"{one.number:>2}  {one.title}: {one.task}" for one in self._listed)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict an exercise."""
        return [
            {
                "number": one.number,
                "name": one.name,
                "title": one.title,
                "task": one.task,
                "rules": ", ".join(one.rules),
                "answer": one.answer,
                "notebook": notebook_name(one),
            }
            for one in self._listed
        ]

    def to_frame(self) -> "pandas.DataFrame":
        """Return one row an exercise."""
        return rows_frame(self.to_rows(), COLUMNS)

    def _repr_html_(self) -> str:
        heads = ("Number", "Title", "Task", "Rules")
        cells = [(str(e.number), e.title, e.task, ", ".join(e.rules)) for e in self._listed]
        return table("Exercises", heads, cells)


def exercises() -> Exercises:
    """Return every exercise; `.to_frame()` makes a table of them."""
    return Exercises()


def notebook_name(exercise: Exercise) -> str:
    """Return the file name of an exercise's notebook."""
    return f"{exercise.number:02d}_{exercise.name.replace('-', '_')}.ipynb"


def find(number: int | str) -> Exercise:
    """Return the exercise of a number or a name.

    Raises:
        MisuseError: if there is none; offers the nearest.
    """
    for one in EXERCISES:
        if number in (one.number, one.name):
            return one
    names = [one.name for one in EXERCISES]
    close = get_close_matches(str(number), names, n=1)
    near = f"Did you mean {close[0]}? " if close else ""
    raise MisuseError(
        Failure(
            kind=Kind.MISUSE,
            stage="exercise",
            detail=f"there is no exercise {visible(str(number), 60)}",
            hint=f"{near}There are {len(names)}: exercises() lists them.",
        )
    )
