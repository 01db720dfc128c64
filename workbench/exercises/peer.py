"""What an answer is given to speak with: one peer, as a handle.

Takes:  a name, and the port its fake is behind
Gives:  `Peer` (send, receive, ask, reopen) and `AsyncPeer`, the same with coroutines; both
        are also endpoints, so `client.add_server(peer.name, peer)` works
Never:  waits in real time: `receive(timeout_ms)` moves the handle's own clock

A frame goes out exactly as it was given: nothing is stamped, numbered or corrected.
"""

from collections import deque
from typing import Any, Final

import msgspec

from fakes.hosts.schedule import Schedule
from workbench.core.text.visible import sample, visible
from workbench.core.wire.framing import LineFramer, Oversized
from workbench.core.wire.message import same_id
from workbench.exercises.booth import Port, Said
from workbench.exercises.errors import PeerGone, Unreadable
from workbench.exercises.relayed import RelayedPeer
from workbench.transports.base import Clock, TransportKind
from workbench.transports.memory import MemoryTransport

TIMEOUT_MS: Final = 1_000


class _Handle:
    """Both handles.

    Args:
        name: of the peer.
        port: where its fake is.
    """

    kind: TransportKind = "memory"

    def __init__(self, name: str, port: Port) -> None:
        self.name = name
        self._port = port
        self._line = _Line(name, port)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {visible(self.name)}>"

    @property
    def identity(self) -> str:
        """What a client takes this endpoint for."""
        return f"exercise peer {self.name}"

    @property
    def now_ms(self) -> int:
        """The time here, in milliseconds: it passes only while something is waited for."""
        return round(self._line.now * 1_000)

    @property
    def closed(self) -> bool:
        """Whether the peer has ended this connection."""
        return self._line.ended

    def new_transport(self, clock: Clock) -> MemoryTransport:
        """Make a transport of its own to the peer, for a client."""
        return MemoryTransport(RelayedPeer(self.name, self._port, clock))

    def _reopened(self) -> None:
        self._line.finish()
        self._line = _Line(self.name, self._port, self._line.now)


class Peer(_Handle):
    """A peer to speak with, frame by frame."""

    def send(self, message: Any) -> None:
        """Send one message: a dict as JSON, or bytes or text as they are, without line end.

        Raises:
            PeerGone: if the connection has ended.
            TypeError: if the dict holds something that has no JSON form.
        """
        self._line.send(message)

    def receive(self, timeout_ms: float = TIMEOUT_MS) -> dict[str, Any] | None:
        """Return the next message, or None when there is none in time.

        Raises:
            PeerGone: if the connection has ended and everything was read.
            Unreadable: if the line is no JSON object.
        """
        return self._line.receive(timeout_ms)

    def receive_line(self, timeout_ms: float = TIMEOUT_MS) -> bytes | None:
        """Return the next line whatever it is, without its end, or None.

        Raises:
            PeerGone: if the connection has ended and everything was read.
        """
        return self._line.receive_line(timeout_ms)

    def ask(self, message: Any, timeout_ms: float = TIMEOUT_MS) -> dict[str, Any] | None:
        """Send one message and return the next that arrives, whatever its id, or None."""
        self._line.send(message)
        return self._line.receive(timeout_ms)

    def reopen(self) -> None:
        """Close the connection, if there is one, and open a new one: a fresh server."""
        self._reopened()


class AsyncPeer(_Handle):
    """The same for a coroutine: await what you call."""

    async def send(self, message: Any) -> None:
        """Send one message; see `Peer.send`."""
        self._line.send(message)

    async def receive(self, timeout_ms: float = TIMEOUT_MS) -> dict[str, Any] | None:
        """Return the next message, or None; see `Peer.receive`."""
        return self._line.receive(timeout_ms)

    async def receive_line(self, timeout_ms: float = TIMEOUT_MS) -> bytes | None:
        """Return the next line whatever it is, or None; see `Peer.receive_line`."""
        return self._line.receive_line(timeout_ms)

    async def ask(self, message: Any, timeout_ms: float = TIMEOUT_MS) -> dict[str, Any] | None:
        """Send one message and return the next that arrives, whatever its id, or None."""
        self._line.send(message)
        return self._line.receive(timeout_ms)

    async def reopen(self) -> None:
        """Close the connection, if there is one, and open a new one: a fresh server."""
        self._reopened()


class _Line:
    """One connection with a clock of its own; opened by the first word or wait."""

    def __init__(self, name: str, port: Port, now: float = 0.0) -> None:
        self.now = now
        self.ended = False
        self._name, self._port = name, port
        self._link: int | None = None
        self._framer = LineFramer()
        self._frames: deque[bytes] = deque()
        self._waiting: Schedule[Said] = Schedule()

    def send(self, message: Any) -> None:
        if self.ended:
            raise PeerGone(f"{self._name} has ended the connection")
        frame = message.encode() if isinstance(message, str) else message
        if not isinstance(frame, bytes):
            frame = msgspec.json.encode(message)
        self._take(self._port.feed(self._opened(), frame, self.now))

    def receive(self, timeout_ms: float) -> dict[str, Any] | None:
        line = self.receive_line(timeout_ms)
        if line is None:
            return None
        try:
            body = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise Unreadable(f"{self._name} sent no JSON object: {sample(line, 80)}")
        return body

    def receive_line(self, timeout_ms: float) -> bytes | None:
        if not self._frames and not self.ended:
            self._opened()
            self._wait_until(self.now + max(timeout_ms, 0) / 1_000)
        if self._frames:
            return self._frames.popleft()
        if self.ended:
            raise PeerGone(f"{self._name} has ended the connection")
        return None

    def finish(self) -> None:
        if self._link is not None and not self.ended:
            self.ended = True
            self._port.end(self._link, self.now)

    def _opened(self) -> int:
        if self._link is None:
            self._link, said = self._port.open(self._name, self.now)
            self._take(said)
        return self._link

    def _take(self, said: tuple[Said, ...]) -> None:
        for one in said:
            if one.kind == "forget":
                gone = one.request_id
                self._waiting.drop(
                    lambda late, gone=gone: (  # type: ignore[misc]
                        gone is not None and same_id(gone, late.request_id)
                    )
                )
            else:
                self._waiting.add(one.at, one)
        self._do_due()

    def _wait_until(self, ends_at: float) -> None:
        while not self._frames and not self.ended:
            due = self._waiting.next_at
            if due is None or due > ends_at:
                self.now = ends_at
                return
            self.now = max(self.now, due)
            self._do_due()

    def _do_due(self) -> None:
        while not self.ended and (due := self._waiting.pop(self.now)):
            one = due[0]
            if one.kind == "bytes":
                self._keep(self._framer.feed(one.data))
            elif one.kind == "end":
                self._keep(self._framer.end())
                self.ended = True

    def _keep(self, frames: list[bytes | Oversized]) -> None:
        self._frames.extend(frame for frame in frames if isinstance(frame, bytes))
