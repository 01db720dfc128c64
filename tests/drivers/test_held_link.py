"""A link in a person's hands, without a driver."""

import asyncio
from typing import Any

import pytest

from fakes import modern
from workbench.core.errors import CouldNotStart
from workbench.drivers.clock import ManualClock
from workbench.drivers.hand_time import turns
from workbench.drivers.held_link import KILLED, HeldEndpoint, HeldTransport
from workbench.transports.base import Ending


class Ear:
    """A receiver that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def frame_received(self, frame: bytes, exchange: Any = None) -> None:
        self.heard.append(frame)

    def frame_dropped(self, size: int, head: bytes, cap: int) -> None:
        self.heard.append(("dropped", size, cap))

    def exchange_seen(self, exchange: Any, status: int, headers: Any) -> None:
        self.heard.append(("head", status))

    def exchange_ended(self, end: Any) -> None:
        self.heard.append(("exchange", end))

    def life_seen(self) -> None:
        self.heard.append("life")

    def transport_closed(self, ending: Ending) -> None:
        self.heard.append(ending.reason)


def linked() -> tuple[HeldTransport, Ear]:
    link, ear = HeldEndpoint(modern()).new_transport(ManualClock()), Ear()
    return link, ear


def test_what_is_held_comes_whole_and_in_order() -> None:
    """Ours: the gate only delays, also the end."""

    async def story() -> None:
        link, ear = linked()
        await link.open(ear)
        link.holding = True
        link.frame_received(b"1")
        link.frame_dropped(9, b"2", 3)
        link.exchange_seen(1, 200, {})
        link.transport_closed(Ending(reason="gone"))
        assert ear.heard == [] and link.held == 4
        link.release()
        assert ear.heard == [b"1", ("dropped", 9, 3), ("head", 200), "gone"] and link.over

    asyncio.run(story())


def test_what_is_held_is_lost_with_the_peer() -> None:
    """Fault matrix C04: the answer was on its way; nobody here can know."""

    async def story() -> None:
        link, ear = linked()
        await link.open(ear)
        link.holding = True
        link.frame_received(b"1")
        link.kill()
        link.frame_received(b"2")
        link.life_seen()
        link.release()
        link.transport_closed(Ending(reason="again"))
        assert ear.heard == [KILLED.reason] and link.held == 0
        await link.close()

    asyncio.run(story())


def test_a_start_can_be_made_to_fail_and_leaves_nothing() -> None:
    """Ours: backoff can be watched with any peer."""

    async def story() -> None:
        fake = modern()
        endpoint = HeldEndpoint(fake)
        endpoint.starts_fail = True
        with pytest.raises(CouldNotStart, match="made to fail"):
            await endpoint.new_transport(ManualClock()).open(Ear())
        await turns()
        assert fake.lifetimes == 0
        assert (endpoint.kind, endpoint.identity) == (fake.kind, fake.identity)

    asyncio.run(story())
