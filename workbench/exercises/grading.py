"""Grades notebooks that were handed in.

Takes:  paths; seconds for a cell or a call, and for a whole notebook
Gives:  `Graded` rows: a verdict for each answer, or one line why there is none
Never:  believes an output of the notebook, its check cells or its imports

Each notebook gets one fresh kernel in an empty folder that is its home, with next to
nothing in its environment. The cells up to an answer are run there; then the kernel is
asked to call the answer (`desk`), while fakes, trials and judge are here (`judging`). So
redefining `check`, patching `workbench` or printing PASS changes nothing; the names, ids and
versions of the trials, and their order, are drawn anew each time.

Defended: anything a notebook does inside its own process; loops, blocking, exits, floods,
crashes. Not defended: a process of the same user that attacks the grader itself or files
of this installation. Grade hostile submissions in a container or as another user.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from workbench.core.text.visible import visible
from workbench.exercises.checking import judged
from workbench.exercises.exercise import Exercise
from workbench.exercises.judging import Session
from workbench.exercises.kernel_room import KernelRoom, Trouble
from workbench.exercises.showing import rows_frame
from workbench.exercises.submission import Answer, Submission, Unusable, read_submission
from workbench.exercises.verdict import Verdict

if TYPE_CHECKING:
    import pandas

TIMEOUT_S: Final = 20.0
"""For one cell, and for one call of an answer."""
TOTAL_S: Final = 180.0
"""For a whole notebook."""
COLUMNS: Final = (
    "notebook", "exercise", "name", "status", "rule", "mistake", "seen", "passed", "trials"
)  # fmt: skip


class Graded(Struct, frozen=True, kw_only=True):
    """One answer of one notebook, or one notebook without any."""

    notebook: str
    exercise: Exercise | None = None
    """None when the notebook could not be used."""
    verdict: Verdict | None = None
    problem: str = ""
    """Why there is no verdict, one safe line."""

    @property
    def status(self) -> str:
        """A verdict's status; FAILED without one; UNUSABLE without an answer."""
        if self.verdict is not None:
            return self.verdict.status
        return "FAILED" if self.exercise is not None else "UNUSABLE"

    def line(self) -> str:
        """Return one line that is safe for a terminal."""
        where = visible(self.notebook)
        if self.verdict is not None:
            return f"{where}: {self.verdict.line()}"
        if self.exercise is None:
            return f"{where}: {self.status} {self.problem}"
        return f"{where}: {self.exercise.number} {self.exercise.name}: FAILED {self.problem}"

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row for a gradebook."""
        row: dict[str, Any] = dict.fromkeys(COLUMNS)
        if self.exercise is not None:
            row |= {"exercise": self.exercise.number, "name": self.exercise.name}
        if self.verdict is not None:
            row |= self.verdict.to_dict()
        else:
            row["seen"] = self.problem
        return {**row, "notebook": visible(self.notebook), "status": self.status}


def grade(
    paths: Iterable[str | Path],
    *,
    timeout_s: float = TIMEOUT_S,
    total_s: float = TOTAL_S,
    seed: int | None = None,
) -> Iterator[Graded]:
    """Grade notebooks one after the other; each row comes as soon as it is there.

    Args:
        paths: of the notebooks.
        timeout_s: seconds for one cell, and for one call of an answer.
        total_s: seconds for one notebook.
        seed: decides what trials leave to chance; None draws one nobody can guess.
    """
    for path in paths:
        yield from _one(path, timeout_s, total_s, seed)


def graded_frame(rows: Sequence[Graded]) -> "pandas.DataFrame":
    """Return one row an answer."""
    return rows_frame([row.to_dict() for row in rows], COLUMNS)


def _one(path: str | Path, timeout_s: float, total_s: float, seed: int | None) -> list[Graded]:
    try:
        submission = read_submission(path)
    except Unusable as problem:
        return [Graded(notebook=str(path), problem=str(problem))]
    chance = Random(secrets.randbits(64) if seed is None else seed)
    return _in_a_kernel(submission, timeout_s, total_s, chance)


def _in_a_kernel(
    submission: Submission, timeout_s: float, total_s: float, chance: Random
) -> list[Graded]:
    rows: list[Graded] = []
    trouble = ""
    with KernelRoom(timeout_s, total_s) as room:
        for answer in submission.answers:
            verdict = None
            if not trouble:
                try:
                    verdict = _answer(room, answer, timeout_s, chance)
                except Trouble as problem:
                    trouble = str(problem)
            row = Graded(
                notebook=submission.path,
                exercise=answer.exercise,
                verdict=verdict,
                problem="" if verdict is not None else trouble,
            )
            rows.append(row)
    return rows


def _answer(room: KernelRoom, answer: Answer, timeout_s: float, chance: Random) -> Verdict:
    for number, source in answer.before:
        # A cell of somebody's experiments may fail; the answer may do without it.
        room.run(number, source, may_fail=True)
    room.run(answer.cell, answer.source, may_fail=False)
    with room.connected() as relay:
        session = Session(relay, answer.exercise, timeout_s)
        try:
            return judged(answer.exercise, session.make_caller, chance, shuffled=True)
        finally:
            session.close()
