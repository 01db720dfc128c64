"""Where the fakes of a trial are: on the judge's side, with everything they hear.

Takes:  the peers of one trial; frames, each with the time its sender says it is
Gives:  what the peers say to each frame and when; and afterwards the whole transcript
Never:  waits, and never holds more than a bounded number of frames

An answer reaches it through handles only (`peer`), in the same process or, when a
submission is graded, from another one. Whoever sends names the time: a waiting answer
moves its own clock, so that no trial needs real seconds. A lie about the time gains nothing.
"""

import math
import threading
from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol

from msgspec import Struct

from fakes import Fake
from fakes.engine import State, begin, react
from fakes.events import FakeEvent, InputEnded, Started
from fakes.events import Heard as HeardEvent
from fakes.hosts.schedule import Schedule
from fakes.outputs import Do, End, Forget, Write, WriteStderr
from fakes.steps import Effect
from workbench.core.journal.journal import Journal
from workbench.core.wire.framing import LineFramer
from workbench.core.wire.message import RequestId
from workbench.exercises.errors import PeerGone
from workbench.exercises.exercise import Heard, heard

MOST_FRAMES: Final = 5_000
"""Received in one trial; more is no answer but a flood."""
LONGEST_FRAME: Final = 1_048_576
"""Bytes of one received frame."""
MOST_LINKS: Final = 200
"""Connections in one trial."""


class Said(Struct, frozen=True, kw_only=True):
    """Something a peer does, and when."""

    at: float
    """Seconds of the clock that its cause was given with."""
    kind: Literal["bytes", "stderr", "end", "forget"]
    data: bytes = b""
    status: int = 0
    """Of "end"."""
    request_id: RequestId | None = None
    """Of "forget": drop what is pending for this request. Of the others: they belong to it."""


class Port(Protocol):
    """What a handle speaks through: a booth here, or the way to one."""

    def open(self, peer: str, now: float) -> tuple[int, tuple[Said, ...]]:
        """Open a connection; return its number and what the peer says by itself."""

    def feed(self, link: int, frame: bytes, now: float) -> tuple[Said, ...]:
        """Send one frame; return what the peer says to it."""

    def end(self, link: int, now: float) -> tuple[Said, ...]:
        """End our side; return what the peer says to that."""


class Booth:
    """The peers of one trial.

    Args:
        peers: name to fake.
        secret: chance, for what a fake hands out and must get back unchanged.
    """

    def __init__(self, peers: Mapping[str, Fake], secret: bytes = b"booth") -> None:
        self.journal = Journal()
        self.heard: list[Heard] = []
        self.effects: dict[str, list[str]] = {name: [] for name in peers}
        self.lifetimes: dict[str, int] = dict.fromkeys(peers, 0)
        self.call = 0
        """Number of the call that is being made; set by whoever plays the trial."""
        self.flooded = False
        self._peers = dict(peers)
        self._secret = secret
        self._links: dict[int, _Link] = {}
        self._opened = 0
        self._closed = False
        # An answer may use several threads; a transcript has one order.
        self._lock = threading.RLock()

    def close(self) -> None:
        """Let nobody in any more: what an answer left running finds every peer gone."""
        with self._lock:
            self._closed = True
            for link in self._links.values():
                self._note_due(link, math.inf)
            self._links.clear()

    def open(self, peer: str, now: float) -> tuple[int, tuple[Said, ...]]:
        """Open a connection (`Port`).

        Raises:
            PeerGone: if the trial is over, or there is no such peer.
        """
        with self._lock:
            if self._closed or peer not in self._peers:
                raise PeerGone(f"{peer} is not there any more")
            self._opened += 1
            self._check(self._opened <= MOST_LINKS)
            self.lifetimes[peer] += 1
            program = self._peers[peer].program
            link = _Link(peer, self.lifetimes[peer], begin(program, self._secret))
            self._links[self._opened] = link
            return self._opened, self._react(link, Started(link.lifetime), _time(now))

    def feed(self, link: int, frame: bytes, now: float) -> tuple[Said, ...]:
        """Take one frame (`Port`).

        Raises:
            PeerGone: if the connection has ended, the trial is over, or it is a flood.
        """
        with self._lock:
            here = self._link(link)
            self._check(len(self.heard) < MOST_FRAMES and len(frame) <= LONGEST_FRAME)
            now = _time(now)
            self._note_due(here, now)
            self.journal.sent(now, here.peer, frame)
            self.heard.append(heard(here.peer, here.lifetime, self.call, frame))
            return self._react(here, HeardEvent(frame), now)

    def end(self, link: int, now: float) -> tuple[Said, ...]:
        """Take the end of the client's side (`Port`).

        Raises:
            PeerGone: if the connection has ended already.
        """
        with self._lock:
            here = self._link(link)
            said = self._react(here, InputEnded(), _time(now))
            self._note_due(here, math.inf)
            self._links.pop(link, None)
            return said

    def _link(self, number: int) -> "_Link":
        link = self._links.get(number)
        if link is None or self._closed:
            raise PeerGone("the connection has ended")
        return link

    def _check(self, fine: bool) -> None:
        if not fine:
            self.flooded = True
            self.close()
            raise PeerGone("too much was sent")

    def _react(self, link: "_Link", event: FakeEvent, now: float) -> tuple[Said, ...]:
        link.state, outputs = react(link.state, event, now)
        said = tuple(one for output in outputs if (one := self._said(link, output)) is not None)
        self._note_due(link, now)
        return said

    def _note_due(self, link: "_Link", now: float) -> None:
        """Put into the journal what was said by now, so that it stands where it was heard."""
        while due := link.unsaid.pop(now):
            at, frame = due[0]
            if frame is None:
                self.journal.closed(at, link.peer, "the peer has ended the connection")
            else:
                self.journal.received(at, link.peer, frame)

    def _said(self, link: "_Link", output: Any) -> Said | None:
        match output:
            case Write(at=at, line=line, drop_with=with_):
                data = b"".join(line.pieces())
                for frame in link.framer.feed(data):
                    if isinstance(frame, bytes):
                        link.unsaid.add(at, (at, frame))
                return Said(at=at, kind="bytes", data=data, request_id=with_)
            case WriteStderr(at=at, line=line):
                return Said(at=at, kind="stderr", data=b"".join(line.pieces()))
            case Do(step=Effect(text)):
                self.effects[link.peer].append(text)
            case Forget(at=at, request_id=cancelled):
                return Said(at=at, kind="forget", request_id=cancelled)
            case End(at=at, status=status):
                link.unsaid.add(at, (at, None))
                return Said(at=at, kind="end", status=status)
        return None


class _Link:
    def __init__(self, peer: str, lifetime: int, state: State) -> None:
        self.peer, self.lifetime, self.state = peer, lifetime, state
        self.framer = LineFramer()
        self.unsaid: Schedule[tuple[float, bytes | None]] = Schedule()
        """What is not in the journal yet; None is the end."""


def _time(now: float) -> float:
    # It comes from the answer's process, so it may be anything.
    return now if math.isfinite(now) else 0.0
