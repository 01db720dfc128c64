"""The link in memory behaves as a pipe does."""

import asyncio
from collections.abc import Callable

import pytest

from workbench.core.errors import PipeClosed
from workbench.transports.memory import MemoryEndpoint, MemoryLink, MemoryTransport


class Peer:
    """The other end, with what it does given as functions of its link."""

    def __init__(
        self,
        at_start: Callable[[MemoryLink], None] | None = None,
        at_frame: Callable[[MemoryLink, bytes], None] | None = None,
        at_end: Callable[[MemoryLink], None] | None = None,
    ) -> None:
        self._at_start, self._at_frame, self._at_end = at_start, at_frame, at_end
        self.frames: list[bytes] = []

    def started(self, link: MemoryLink) -> None:
        self._link = link
        if self._at_start:
            self._at_start(link)

    def frame_received(self, frame: bytes) -> None:
        self.frames.append(frame)
        if self._at_frame:
            self._at_frame(self._link, frame)

    def input_ended(self) -> None:
        if self._at_end:
            self._at_end(self._link)


def test_endpoint_makes_a_new_peer_for_each_lifetime(heard) -> None:
    """Ours: a restarted peer remembers nothing."""
    peers: list[Peer] = []

    def make(clock) -> Peer:
        peers.append(Peer())
        return peers[-1]

    endpoint = MemoryEndpoint(make, "memory:peer")
    endpoint.new_transport(None)
    endpoint.new_transport(None)
    assert len(peers) == 2
    assert (endpoint.kind, endpoint.identity) == ("memory", "memory:peer")


def test_frames_cross_in_order_and_however_they_are_cut(heard) -> None:
    """Case S08: the bytes take the same framer as on a pipe."""

    def answer(link: MemoryLink, frame: bytes) -> None:
        for byte in frame + b"\r\n":
            link.write(bytes([byte]))

    async def run() -> None:
        link = MemoryTransport(Peer(at_frame=answer, at_end=lambda link: link.end()))
        await link.open(heard)
        link.send(b"one")
        link.send(b"two")
        await heard.until(lambda: len(heard.frames) == 2)
        ending = await link.close()
        assert (ending.reason, ending.exit_status, ending.by_us) == ("closed by us", 0, True)

    asyncio.run(run())
    assert heard.frames == [b"one", b"two"]
    assert heard.order == ["life", "frame", "frame", "closed"]


def test_nothing_is_heard_before_open_has_returned(heard) -> None:
    """Seam: `transport_closed` comes after `open` succeeded, also from a peer that dies at once."""

    def die(link: MemoryLink) -> None:
        link.write_stderr(b"no key\n")
        link.write(b"banner")
        link.end(2)

    async def run() -> None:
        link = MemoryTransport(Peer(at_start=die))
        await link.open(heard)
        assert heard.order == []
        ending = await heard.ending()
        assert (ending.reason, ending.exit_status) == ("exited with status 2", 2)
        assert (ending.stderr_tail, ending.by_us) == ("no key", False)
        assert await link.close() == ending

    asyncio.run(run())
    assert heard.frames == [b"banner"]
    assert heard.order == ["life", "frame", "closed"]


def test_long_frame_is_dropped_and_the_next_one_is_read(heard) -> None:
    """Case S04, in memory."""

    async def run() -> None:
        peer = Peer(at_start=lambda link: link.write(b"x" * 50 + b"\nok\n"))
        link = MemoryTransport(peer, frame_cap=10)
        await link.open(heard)
        await heard.until(lambda: bool(heard.frames))
        await link.close()

    asyncio.run(run())
    assert heard.dropped == [(50, b"x" * 50, 10)]
    assert heard.frames == [b"ok"]


def test_last_words_after_the_end_of_input_are_delivered(heard) -> None:
    """Ours: a late answer is recorded, not lost."""

    def last_words(link: MemoryLink) -> None:
        link.write(b"late")
        link.end(0)

    async def run() -> None:
        link = MemoryTransport(Peer(at_end=last_words))
        await link.open(heard)
        await link.close()

    asyncio.run(run())
    assert heard.frames == [b"late"]
    assert heard.order[-1] == "closed"


def test_peer_that_never_ends_is_cut_off_once_for_all_who_close(heard) -> None:
    """Seam: `transport_closed` is called exactly once, however many close at a time."""

    async def run() -> None:
        link = MemoryTransport(Peer())
        await link.open(heard)
        first, second = await asyncio.gather(link.close(), link.close())
        assert first == second == await link.close()

    asyncio.run(run())
    assert heard.order == ["closed"]


def test_cancelled_close_still_ends_the_link(heard) -> None:
    """Ours: a loop that is being torn down leaves no half-closed link."""

    async def run() -> None:
        link = MemoryTransport(Peer())
        await link.open(heard)
        closing = asyncio.ensure_future(link.close())
        asyncio.get_running_loop().call_soon(closing.cancel)
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert heard.order == ["closed"]

    asyncio.run(run())


def test_closed_link_takes_no_frames(heard) -> None:
    """Seam: `send` raises once the link has ended or is being closed."""

    async def run() -> None:
        link = MemoryTransport(Peer(at_end=lambda link: link.end()))
        with pytest.raises(PipeClosed):
            link.send(b"before")
        assert (await link.close()).reason == "never opened"
        await link.open(heard)
        await link.close()
        with pytest.raises(PipeClosed):
            link.send(b"after")

    asyncio.run(run())
