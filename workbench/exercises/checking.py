"""`check`: an answer through every trial of its exercise, up to the first that goes wrong.

Takes:  an exercise, what makes its calls, and chance
Gives:  a `Verdict`
Never:  raises for what an answer does; `WORKBENCH_STRICT=1` alone makes a verdict raise
"""

import os
from random import Random
from typing import Any, Final

from fakes import Fake
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.exercises import wire_checks
from workbench.exercises.booth import Booth
from workbench.exercises.errors import NotPassed
from workbench.exercises.exercise import Exercise, Finding, Hints, Seen, Trial
from workbench.exercises.peer import Peer
from workbench.exercises.registry import find
from workbench.exercises.stage import MakeCaller, here, play
from workbench.exercises.verdict import Verdict

TIMEOUT_S: Final = 10.0
"""What one call of an answer may take, in seconds."""
STRICT: Final = "WORKBENCH_STRICT"
"""Environment variable: "1" makes `check` raise for everything but PASS."""


def check(number: int | str, answer: Any, *, timeout_s: float = TIMEOUT_S) -> Verdict:
    """Try an answer, and say what is right or wrong with it.

    What the peers received counts, and what came out; never how the answer is written.

    Args:
        number: of the exercise, or its name.
        answer: a function, a coroutine function, an object or a class; see the task.
        timeout_s: what one call of it may take, in seconds; a later one is stopped.

    Returns:
        The verdict. A notebook shows a failed one with a diagram of what crossed.

    Raises:
        MisuseError: if there is no such exercise, or the timeout is not positive.
        NotPassed: under WORKBENCH_STRICT=1, for everything but a PASS.
    """
    if not timeout_s > 0:
        raise _misuse(f"timeout_s must be positive, not {timeout_s}")
    exercise = find(number)
    # The same trials each time, so that a notebook shows the same each time.
    chance = Random(exercise.number)
    verdict = judged(exercise, here(answer, exercise.verb, timeout_s), chance)
    if os.environ.get(STRICT) == "1" and not verdict:
        raise NotPassed(verdict)
    return verdict


def peer_of(fake: Fake) -> Peer:
    """Return a handle to a fake of your own, to try things out before the check does."""
    return Peer(fake.name, Booth({fake.name: fake}))


def judged(
    exercise: Exercise, make_caller: MakeCaller, chance: Random, *, shuffled: bool = False
) -> Verdict:
    """Play the trials until one goes wrong.

    Args:
        exercise: whose trials and judge.
        make_caller: makes the calls of one trial.
        chance: decides the ids, names and versions the trials leave open.
        shuffled: whether it decides the order too, so that nobody can count along.
    """
    trials = list(exercise.trials(chance))
    if shuffled:
        chance.shuffle(trials)
    for passed, trial in enumerate(trials):
        seen = play(trial, make_caller)
        finding = found(exercise, trial, seen)
        if finding is not None:
            return Verdict(
                exercise,
                "NOT YET" if finding.key == "not-started" else "FAILED",
                finding=finding,
                situation=trial.about,
                hints=hints_for(exercise, finding.key),
                passed=passed,
                trials=len(trials),
                journal=seen.journal,
                printed=seen.last.printed if seen.outcomes else "",
            )
    return Verdict(exercise, "PASS", passed=len(trials), trials=len(trials))


def found(exercise: Exercise, trial: Trial, seen: Seen) -> Finding | None:
    """Return what is wrong in one trial, or None: a pure function of what was seen."""
    for outcome in seen.outcomes:
        bad = wire_checks.ended_badly(outcome)
        if bad is not None:
            return bad
    return exercise.judge(trial, seen)


def hints_for(exercise: Exercise, key: str) -> Hints:
    """Return the hints for a mistake: the exercise's own, else those all exercises share.

    Raises:
        KeyError: if nobody wrote any, which is a mistake of the exercise.
    """
    own = exercise.hints.get(key)
    return own if own is not None else wire_checks.HINTS[key]


def _misuse(detail: str) -> MisuseError:
    hint = "Give seconds > 0."
    return MisuseError(Failure(kind=Kind.MISUSE, stage="exercise", detail=detail, hint=hint))
