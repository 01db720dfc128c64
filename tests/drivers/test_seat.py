"""A live peer that waits for a person (`workbench.drivers.seat`)."""

import asyncio
from typing import Any

from fakes import fault, modern
from workbench.core.events import DeadlinePassed, Opened, Received
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms, begin
from workbench.core.negotiate.table import TRANSITIONS
from workbench.drivers.seat import Seat
from workbench.drivers.verdict import Status


def seated(peer: Any, story: Any) -> Seat:
    """Run a story with a seat, bounded, and end it."""
    seat = Seat("peer", peer, Terms(), Journal())

    async def whole() -> None:
        async with asyncio.timeout(10):
            try:
                await story(seat)
            finally:
                await seat.end()

    asyncio.run(whole())
    return seat


def test_the_peer_is_heard_only_when_somebody_listens() -> None:
    """Ours: what it says meanwhile waits in its order."""

    async def story(seat: Seat) -> None:
        event = await seat.listen(0)
        assert event == Opened()
        snapshot, actions = seat.decide(begin(seat.terms), Opened(), TRANSITIONS)
        await seat.perform(actions)
        heard = [await seat.listen(0), await seat.listen(0)]
        assert [type(one).__name__ for one in heard] == ["LifeSeen", "Received"]
        assert await seat.listen(0) is None, "and then it is silent"
        _, actions = seat.decide(snapshot, heard[1], TRANSITIONS)  # type: ignore[arg-type]
        await seat.perform(actions)

    seat = seated(modern(), story)
    assert seat.status is Status.READY and seat.verdict.settled is not None


def test_a_wait_that_was_in_vain_loses_nothing() -> None:
    """Ours: the next call goes on waiting for the same event."""

    async def story(seat: Seat) -> None:
        await seat.listen(0)
        _, actions = seat.decide(begin(seat.terms), Opened(), TRANSITIONS)
        await seat.perform(actions)
        assert await seat.listen(0.01) is None
        assert await seat.listen(0) is None
        assert seat.clock.now() == 0.0, "nobody moved the clock"
        assert await seat.let_time_pass() == DeadlinePassed(1.0)
        assert seat.clock.now() == 1.0
        assert await seat.let_time_pass() is None, "no other deadline is set"

    seated(fault("P11"), story)


def test_a_decision_can_be_taken_again_until_it_is_performed() -> None:
    """Ours: another table, the same event."""

    async def story(seat: Seat) -> None:
        await seat.listen(0)
        first = seat.decide(begin(seat.terms), Opened(), TRANSITIONS)
        assert seat.decide(begin(seat.terms), Opened(), TRANSITIONS) == first
        await seat.perform(first[1])
        await seat.listen(0)
        heard = await seat.listen(0)
        assert isinstance(heard, Received)
        _, actions = seat.decide(first[0], heard, TRANSITIONS)
        await seat.perform(actions)

    peer = fault("P02")
    seat = seated(peer, story)
    assert seat.status is Status.UNAVAILABLE
    assert peer.methods() == ["server/discover"], "it was asked once"
