"""What the tests of real transports need: a receiver that remembers, and a head count."""

import asyncio
import os
import threading
import time
from collections.abc import Callable

import psutil
import pytest

from workbench.core.wire.exchange import ExchangeEnd
from workbench.transports.base import Ending

LIMIT_S = 5.0


class Heard:
    """A receiver that keeps everything and can wait for it."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.dropped: list[tuple[int, bytes, int]] = []
        self.endings: list[Ending] = []
        self.exchanges: list[int | str | None] = []
        self.ends: list[ExchangeEnd] = []
        self.heads: list[tuple[int | str, int]] = []
        self.order: list[str] = []
        self._news: asyncio.Event | None = None

    def frame_received(self, frame: bytes, exchange: int | str | None = None) -> None:
        self.frames.append(frame)
        self.exchanges.append(exchange)
        self._note("frame")

    def frame_dropped(self, size: int, head: bytes, cap: int) -> None:
        self.dropped.append((size, head, cap))
        self._note("dropped")

    def exchange_seen(self, exchange: int | str, status: int, headers: object) -> None:
        self.heads.append((exchange, status))

    def exchange_ended(self, end: ExchangeEnd) -> None:
        self.ends.append(end)
        self._note("end")

    def life_seen(self) -> None:
        self._note("life")

    def transport_closed(self, ending: Ending) -> None:
        self.endings.append(ending)
        self._note("closed")

    def _note(self, what: str) -> None:
        self.order.append(what)
        if self._news is not None:
            self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds; it is looked at after each thing heard."""
        self._news = asyncio.Event()
        async with asyncio.timeout(LIMIT_S):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def end(self, count: int = 1) -> ExchangeEnd:
        """Wait until that many exchanges have ended without an answer; return the latest."""
        await self.until(lambda: len(self.ends) >= count)
        return self.ends[count - 1]

    async def ending(self) -> Ending:
        """Wait for the end of the transport."""
        await self.until(lambda: bool(self.endings))
        return self.endings[0]


@pytest.fixture
def heard() -> Heard:
    """One receiver."""
    return Heard()


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """A bounded wait for a condition nobody announces."""

    def wait(condition: Callable[[], bool]) -> None:
        ends_at, never = time.monotonic() + LIMIT_S, threading.Event()
        while not condition():
            assert time.monotonic() < ends_at, "it did not happen in time"
            never.wait(0.01)

    return wait


def _alive(group: int) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            # The dead of a container whose process 1 buries nobody do not count.
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


@pytest.fixture
def alive() -> Callable[[int], list[int]]:
    """Tells who of a process group still runs."""
    return _alive
