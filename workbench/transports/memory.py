"""Two ends in one process: where a fake, or any Python object, plugs in as a peer.

The bytes take the same path as on a pipe, through the same framer, so that a peer may
split a frame, forget its line end or write garbage here exactly as it could on stdio.

Source: design section 3; lifecycle mirrors 2026-07-28 basic/transports/stdio.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from workbench.core.errors import Failure, Kind, PipeClosed
from workbench.core.wire.framing import DEFAULT_FRAME_CAP, LineFramer, Oversized
from workbench.transports.base import Clock, Ending, Receiver, TransportKind
from workbench.transports.ring import ByteRing

CLOSE_GRACE_S: Final = 0.5
"""How long a closing link waits for what the peer still has to say."""


class MemoryLink(Protocol):
    """What a peer object is given to speak with."""

    def write(self, chunk: bytes) -> None:
        """Write bytes to the client; line ends are the peer's own business."""

    def write_stderr(self, chunk: bytes) -> None:
        """Write diagnostics, kept as the stderr tail of the ending."""

    def end(self, exit_status: int = 0) -> None:
        """End the link from the peer's side, as a process that exits."""


class MemoryPeer(Protocol):
    """What an object must offer to be reached in memory."""

    def started(self, link: MemoryLink) -> None:
        """The link is open; keep it to speak with."""

    def frame_received(self, frame: bytes) -> None:
        """The client sent one frame (without its line end)."""

    def input_ended(self) -> None:
        """The client will send nothing more; finish and call `link.end()`."""


class MemoryEndpoint:
    """A recipe that builds a new peer object for each lifetime.

    Args:
        make_peer: called once per transport lifetime with the clock in force.
        identity: what the endpoint is called in pins and cache keys.
    """

    kind: TransportKind = "memory"

    def __init__(self, make_peer: Callable[[Clock], MemoryPeer], identity: str) -> None:
        self.identity = identity
        self._make_peer = make_peer

    def new_transport(self, clock: Clock) -> "MemoryTransport":
        """Make a transport to a new peer object."""
        return MemoryTransport(self._make_peer(clock))


class MemoryTransport:
    """One lifetime of an in-process link.

    Args:
        peer: the other end.
        frame_cap: longest accepted frame, in bytes.
    """

    def __init__(self, peer: MemoryPeer, frame_cap: int = DEFAULT_FRAME_CAP) -> None:
        self._peer = peer
        self._cap = frame_cap
        self._framer = LineFramer(frame_cap)
        self._receiver: Receiver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stderr = ByteRing()
        self._early: list[Callable[[], None]] | None = []
        self._alive = False
        self._closing = False
        self._ended = asyncio.Event()
        self._ending: Ending | None = None

    async def open(self, receiver: Receiver) -> None:
        """Start the link; the peer hears about it before this returns.

        What the peer says at once is told to the receiver on the next turn of the loop,
        never before this has returned.
        """
        self._receiver = receiver
        self._peer.started(self)
        self._loop = asyncio.get_running_loop()
        self._loop.call_soon(self._begin)

    def send(self, frame: bytes) -> None:
        """Hand one frame to the peer on the next turn of the loop.

        Raises:
            PipeClosed: if the link has ended.
        """
        if self._loop is None or self._ending is not None or self._closing:
            raise PipeClosed(
                Failure(kind=Kind.PIPE_CLOSED, detail="the link is closed", stage="transport")
            )
        self._loop.call_soon(self._deliver, frame)

    async def close(self) -> Ending:
        """End the link: input end first, then a bounded wait for the peer's last words."""
        if self._ending is None and self._loop is not None and not self._closing:
            self._closing = True
            self._loop.call_soon(self._peer.input_ended)
        if self._loop is not None:
            try:
                await asyncio.wait_for(self._ended.wait(), CLOSE_GRACE_S)
            except TimeoutError:
                pass
            finally:
                # Also for a cancelled caller: a link in memory has nothing to wait for.
                self._finish(Ending(reason="closed by us", by_us=True))
        return self._ending or Ending(reason="never opened", by_us=True)

    def write(self, chunk: bytes) -> None:
        """Take bytes from the peer (`MemoryLink`)."""
        if self._early is not None:
            self._early.append(partial(self.write, chunk))
        elif chunk and self._ending is None:
            self._live()
            self._push(self._framer.feed(chunk))

    def write_stderr(self, chunk: bytes) -> None:
        """Take diagnostics from the peer (`MemoryLink`)."""
        if self._early is not None:
            self._early.append(partial(self.write_stderr, chunk))
        elif chunk and self._ending is None:
            self._live()
            self._stderr.feed(chunk)

    def end(self, exit_status: int = 0) -> None:
        """End from the peer's side (`MemoryLink`)."""
        if self._early is not None:
            self._early.append(partial(self.end, exit_status))
            return
        if self._ending is not None:
            return
        self._push(self._framer.end())
        reason = "closed by us" if self._closing else f"exited with status {exit_status}"
        self._finish(Ending(reason=reason, exit_status=exit_status, by_us=self._closing))

    def _begin(self) -> None:
        early, self._early = self._early or [], None
        for said in early:
            said()

    def _deliver(self, frame: bytes) -> None:
        if self._ending is None:
            self._peer.frame_received(frame)

    def _live(self) -> None:
        if not self._alive and self._receiver is not None:
            self._alive = True
            self._receiver.life_seen()

    def _push(self, frames: list[bytes | Oversized]) -> None:
        if self._receiver is None:
            return
        for frame in frames:
            if isinstance(frame, Oversized):
                self._receiver.frame_dropped(frame.size, frame.head, self._cap)
            else:
                self._receiver.frame_received(frame)

    def _finish(self, ending: Ending) -> None:
        if self._ending is not None:
            return
        self._ending = Ending(
            reason=ending.reason,
            exit_status=ending.exit_status,
            by_us=ending.by_us,
            stderr_tail=self._stderr.tail(),
        )
        self._ended.set()
        if self._receiver is not None:
            self._receiver.transport_closed(self._ending)
