"""Time in a person's hands: nothing waits for a real clock but what is really elsewhere.

Takes:  a coroutine that waits for a peer, and a clock that only a person moves
Gives:  its result, with the clock moved to what fell due whenever nothing else moved
Never:  waits without a bound

A peer in memory lives on the stepper's own loop and clock, so that a few turns of the loop
show whether it will answer at all. A process lives in real time and is given some of it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.drivers.clock import ManualClock
from workbench.transports.base import TransportKind
from workbench.transports.turn import turn

T = TypeVar("T")

ROUNDS: Final = 500
"""Most turns of time in one command; every loop is bounded."""
_TURNS: Final = 30
_PROCESS_S: Final = 10.0
"""Real seconds a process may take for one step before the stepper's own clock moves on."""
_CLOSING_S: Final = 0.02


async def turns() -> None:
    """Let every callback that is ready run, and those they make ready."""
    for _ in range(_TURNS):
        await turn()


async def settled(work: Coroutine[Any, Any, T], clock: ManualClock, kind: TransportKind) -> T:
    """Wait for a peer; when nothing moves any more, the clock goes to what is due next.

    Args:
        work: ends when the peer has done its part, or a deadline has passed.
        clock: the peer's and the deadlines'.
        kind: how the peer is reached.

    Raises:
        MisuseError: if it does not come to an end.
    """
    task = asyncio.ensure_future(work)
    for _ in range(ROUNDS):
        await turns()
        if not task.done() and kind != "memory":
            await asyncio.wait([task], timeout=_PROCESS_S)
        if task.done():
            return task.result()
        due = clock.next_due()
        if due is None:  # something real is awaited, such as a link that closes
            await asyncio.wait([task], timeout=_CLOSING_S)
        else:
            clock.move_to(due)
    task.cancel()
    raise endless("the peer does not come to an end of it")


async def until(true: Callable[[], bool]) -> None:
    """Wait until a condition holds, or a process has had its time."""
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    for _ in range(ROUNDS):
        await turns()
        if true():
            return
        await asyncio.wait([never], timeout=_PROCESS_S / ROUNDS)


def endless(detail: str) -> MisuseError:
    """Return the error of a command that would go on and on."""
    hint = "Let less time pass at once, or go back."
    return MisuseError(Failure(kind=Kind.MISUSE, stage="recover", detail=f"{detail}.", hint=hint))
