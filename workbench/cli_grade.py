"""`mcp-workbench grade`: what notebooks that were handed in are worth.

Takes:  the arguments of the command
Gives:  a line an answer on stdout, or JSON, and the exit status
Never:  shows an output of a notebook; lines are made of what the grader saw itself

Exit status: 0 all passed; 1 some did not; 2 a notebook could not be used.

Source: design section 6.
"""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from workbench.core.errors import ConfigError, Failure, Kind

if TYPE_CHECKING:
    from workbench.exercises.grading import Graded

OK: Final = 0
NOT_PASSED: Final = 1
BAD_INPUT: Final = 2
TIMEOUT_S: Final = 20.0
TOTAL_S: Final = 180.0

Verb = Callable[..., argparse.ArgumentParser]


def add_grade(verbs: Any, verb: Verb) -> None:
    """Add the command.

    Args:
        verbs: the sub-parsers of the program.
        verb: adds one, as the other commands are added.
    """
    grade = verb(verbs, "grade", run, "Grade solved exercise notebooks in fresh kernels.")
    grade.add_argument("notebooks", nargs="+", metavar="NOTEBOOK", help="a solved notebook")
    grade.add_argument("--json", action="store_true", help="print JSON, for a gradebook")
    grade.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT_S,
        metavar="S",
        help="seconds for one cell, and for one call of an answer (%(default)g)",
    )
    grade.add_argument(
        "--total",
        type=float,
        default=TOTAL_S,
        metavar="S",
        help="seconds for one notebook (%(default)g)",
    )
    grade.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="decides the names and versions in the trials; drawn anew if left out",
    )


def run(arguments: argparse.Namespace) -> int:
    """Grade, print, and return the exit status.

    Raises:
        ConfigError: if a time limit is not positive.
    """
    for option in ("timeout", "total"):
        seconds: float = getattr(arguments, option)
        if not (math.isfinite(seconds) and seconds > 0):
            raise ConfigError(
                Failure(
                    kind=Kind.CONFIG,
                    stage="grade",
                    detail=f"--{option} {seconds:g} is no positive time",
                    hint="Give seconds > 0.",
                )
            )
    # It loads the fakes and what runs kernels, which no other command needs.
    from workbench.exercises.grading import grade

    rows = []
    for row in grade(
        arguments.notebooks,
        timeout_s=arguments.timeout,
        total_s=arguments.total,
        seed=arguments.seed,
    ):
        rows.append(row)
        if not arguments.json:
            print(row.line(), flush=True)  # noqa: T201 - stdout is this command's product
    if arguments.json:
        print(json.dumps([row.to_dict() for row in rows], indent=2))  # noqa: T201
    return status_of(rows)


def status_of(rows: "Sequence[Graded]") -> int:
    """Return the exit status for these rows."""
    statuses = {row.status for row in rows}
    if "UNUSABLE" in statuses:
        return BAD_INPUT
    return OK if statuses <= {"PASS"} else NOT_PASSED
