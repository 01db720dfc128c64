"""Plays a trial: opens the booth, makes the calls, and hands over what was seen.

Takes:  a trial, and the way to whoever makes its calls
Gives:  `Seen`
Never:  judges; and never waits for an answer, which whoever makes the calls has to bound
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeAlias

from workbench.exercises.answerer import ANSWER, Answerer
from workbench.exercises.booth import MOST_FRAMES, Booth, Port
from workbench.exercises.errors import PeerGone
from workbench.exercises.exercise import Outcome, Seen, Trial

Invoke: TypeAlias = Callable[[str, tuple[Any, ...]], Any]


class Caller(Protocol):
    """Makes the calls of one trial."""

    def make(self) -> Outcome:
        """Call the answer without arguments and hold what it returns."""

    def call(self, held: int, args: Iterable[Any]) -> Outcome:
        """Call something that is held; 0 is the answer."""


MakeCaller: TypeAlias = Callable[[Port, Invoke], Caller]
"""Makes a caller for one trial, which reaches the peers and the functions through these."""


def play(trial: Trial, make_caller: MakeCaller) -> Seen:
    """Play one trial to its end, or to the first call that did not simply return or raise."""
    booth, invoked = Booth(trial.peers), list[tuple[str, tuple[Any, ...]]]()

    def invoke(name: str, args: tuple[Any, ...]) -> Any:
        if len(invoked) >= MOST_FRAMES:
            booth.flooded = True
            raise PeerGone("too much was asked")
        invoked.append((name, args))
        return trial.functions[name](*args)

    caller = make_caller(booth, invoke)
    outcomes: list[Outcome] = []
    target = ANSWER
    for number, call in enumerate(trial.calls):
        booth.call = number
        outcome = caller.make() if call.make else caller.call(target, call.args)
        if booth.flooded:
            outcome = Outcome(ended="flooded", printed=outcome.printed)
        outcomes.append(outcome)
        if outcome.ended not in ("returned", "raised") or (call.make and outcome.held is None):
            break
        target = outcome.held if call.make and outcome.held is not None else target
    booth.close()
    return Seen(
        outcomes=tuple(outcomes),
        heard=tuple(booth.heard),
        effects={name: tuple(done) for name, done in booth.effects.items()},
        lifetimes=dict(booth.lifetimes),
        invoked=tuple(invoked),
        journal=booth.journal,
    )


def here(answer: Any, verb: str, seconds: float) -> MakeCaller:
    """Make callers for an answer that lives in this process.

    Args:
        answer: what the student made.
        verb: the method to call on an object that cannot be called itself.
        seconds: what one call may take.
    """
    return lambda port, invoke: Answerer(answer, verb, port, invoke, seconds)
