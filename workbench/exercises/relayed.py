"""The other end of a client's memory link, when the fake itself is behind a port.

Takes:  a peer's name, its port, and the client's clock
Gives:  a `MemoryPeer` (see `workbench.transports.memory`)
Never:  decides what is said; the fake does, and this says it at its time
"""

from typing import Final

from fakes.hosts.schedule import Schedule
from workbench.core.wire.message import same_id
from workbench.exercises.booth import Port, Said
from workbench.exercises.errors import PeerGone
from workbench.transports.base import Clock, Timer
from workbench.transports.memory import MemoryLink

GONE: Final = 1
"""Exit status of a peer whose trial is over."""


class RelayedPeer:
    """One lifetime.

    Args:
        name: of the peer.
        port: where its fake is.
        clock: when delayed words are due.
    """

    def __init__(self, name: str, port: Port, clock: Clock) -> None:
        self._name, self._port, self._clock = name, port, clock
        self._link: MemoryLink | None = None
        self._number = 0
        self._waiting: Schedule[Said] = Schedule()
        self._timer: Timer | None = None

    def started(self, link: MemoryLink) -> None:
        """Take the link, and open the one behind the port."""
        self._link = link
        try:
            self._number, said = self._port.open(self._name, self._clock.now())
        except PeerGone:
            self._end(GONE)
        else:
            self._take(said)

    def frame_received(self, frame: bytes) -> None:
        """Take one frame from the client."""
        if self._link is None:
            return
        try:
            said = self._port.feed(self._number, frame, self._clock.now())
        except PeerGone:
            self._end(GONE)
        else:
            self._take(said)

    def input_ended(self) -> None:
        """Take the end of the client's output."""
        if self._link is None:
            return
        try:
            said = self._port.end(self._number, self._clock.now())
        except PeerGone:
            self._end(0)
        else:
            self._take(said)

    def _take(self, said: tuple[Said, ...]) -> None:
        for one in said:
            if one.kind == "forget":
                self._forget(one)
            else:
                self._waiting.add(one.at, one)
        self._do_due()

    def _forget(self, cancelled: Said) -> None:
        gone = cancelled.request_id
        self._waiting.drop(lambda one: gone is not None and same_id(gone, one.request_id))

    def _do_due(self) -> None:
        while self._link is not None and (due := self._waiting.pop(self._clock.now())):
            self._do(self._link, due[0])
        if self._timer is not None:
            self._timer.cancel()
        at = None if self._link is None else self._waiting.next_at
        self._timer = None if at is None else self._clock.call_at(at, self._do_due)

    def _do(self, link: MemoryLink, said: Said) -> None:
        if said.kind == "bytes":
            link.write(said.data)
        elif said.kind == "stderr":
            link.write_stderr(said.data)
        elif said.kind == "end":
            self._end(said.status)

    def _end(self, status: int) -> None:
        link, self._link = self._link, None
        self._waiting.clear()
        if link is not None:
            link.end(status)
