"""An endpoint is compared with its pin before each lifetime, and then left alone."""

import asyncio
import threading

import pytest

from workbench.core.errors import CouldNotStart, Failure, Kind
from workbench.transports.base import Ending
from workbench.transports.pinned import PinnedEndpoint

REFUSED = Failure(kind=Kind.COULD_NOT_START, detail="differs", rule="PIN-02")


class Opened:
    """A transport that remembers what was asked of it."""

    pid = 7

    def __init__(self, done: list[str]) -> None:
        self.done = done

    async def open(self, receiver: object) -> None:
        self.done.append("open")

    def send(self, frame: bytes) -> None:
        self.done.append("send")

    async def close(self) -> Ending:
        self.done.append("close")
        return Ending(reason="closed by us", by_us=True)


class Recipe:
    """An endpoint that makes them."""

    kind = "stdio"
    identity = "recipe"

    def __init__(self) -> None:
        self.done: list[str] = []

    def new_transport(self, clock: object) -> Opened:
        return Opened(self.done)


def test_every_lifetime_is_checked_before_it_is_opened(heard) -> None:
    """Design section 5: a difference is found before the start, also of the tenth process."""
    recipe, answers, threads = Recipe(), [None, REFUSED, None], []

    def check() -> Failure | None:
        recipe.done.append("check")
        threads.append(threading.current_thread())
        return answers.pop(0)

    async def story() -> None:
        endpoint = PinnedEndpoint(recipe, check)
        assert (endpoint.kind, endpoint.identity) == ("stdio", "recipe")
        first = endpoint.new_transport(None)
        assert recipe.done == []
        await first.open(heard)
        first.send(b"{}")
        assert (await first.close()).by_us
        assert first.pid == 7, "whatever else the transport has can be reached"
        with pytest.raises(CouldNotStart) as caught:
            await endpoint.new_transport(None).open(heard)
        assert caught.value.failure is REFUSED
        await endpoint.new_transport(None).open(heard)

    asyncio.run(story())
    assert recipe.done == ["check", "open", "send", "close", "check", "check", "open"]
    # A digest of a large program takes a while; other peers must not wait for it.
    assert threading.main_thread() not in threads
