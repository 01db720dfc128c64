"""Exercises that are checked by what crosses the wire.

::

    from workbench.exercises import Unavailable, check, exercises

    exercises()             # what there is
    check(1, negotiate)     # a verdict: PASS, NOT YET or FAILED, with rule, frame and hints

An exercise is data and a pure judge (`exercise`); a booth of fakes records what an answer
sends (`booth`), whoever calls it does so under a deadline (`bounded`), and the same judge
looks at it in a notebook (`checking`) and when a submission is graded (`grading`).

This package and the pytest plugin are the only places of `workbench` that know the fakes.
"""

from workbench.exercises.checking import check, judged, peer_of
from workbench.exercises.errors import NotPassed, PeerGone, Unavailable, Unreadable
from workbench.exercises.registry import exercises, find
from workbench.exercises.verdict import Verdict, verdicts_frame

__all__ = [
    "NotPassed",
    "PeerGone",
    "Unavailable",
    "Unreadable",
    "Verdict",
    "check",
    "exercises",
    "find",
    "judged",
    "peer_of",
    "verdicts_frame",
]
