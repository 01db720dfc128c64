"""A link in a person's hands: answers are held back, and the peer can be killed.

Takes:  any endpoint whose transport stays open (memory or stdio)
Gives:  an endpoint whose present transport can hold what the peer says, let it through, or
        end at once
Never:  changes a byte; what is held is handed on whole and in order, or lost with the link

A held answer is the whole point: the peer has done the work and said so, and nobody here
knows. Killing it then, or a moment before it began, looks the same from this side.
"""

import os
import signal
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from workbench.core.errors import CouldNotStart, Failure, Kind
from workbench.core.wire.exchange import ExchangeEnd
from workbench.core.wire.message import RequestId
from workbench.transports.base import (
    Clock,
    Ending,
    Endpoint,
    Receiver,
    Transport,
    TransportKind,
)

KILLED: Final = Ending(reason="was killed by SIGKILL", signal="SIGKILL")


class HeldEndpoint:
    """An endpoint whose latest transport is within reach.

    Args:
        endpoint: makes the real transports.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.link: HeldTransport | None = None
        """The transport of the present lifetime; None before the first."""
        self.starts_fail = False
        """Whether a start ends in a failure instead of a process."""
        self._endpoint = endpoint

    @property
    def kind(self) -> TransportKind:
        """Which sort of transport this makes."""
        return self._endpoint.kind

    @property
    def identity(self) -> str:
        """Text that changes whenever the thing reached changes."""
        return self._endpoint.identity

    def new_transport(self, clock: Clock) -> "HeldTransport":
        """Make the transport of the next lifetime."""
        self.link = HeldTransport(self._endpoint.new_transport(clock), fails=self.starts_fail)
        return self.link


class HeldTransport:
    """One lifetime, and its receiver's stand-in.

    Args:
        inner: the real transport.
        fails: whether opening it fails.
    """

    def __init__(self, inner: Transport, *, fails: bool = False) -> None:
        self.holding = False
        """Whether what the peer says waits here."""
        self.over = False
        """Whether the receiver was told of the end."""
        self._inner = inner
        self._fails = fails
        self._receiver: Receiver | None = None
        self._held: list[Callable[[], None]] = []
        self._killed = False

    @property
    def held(self) -> int:
        """How many things the peer has said that nobody has heard yet."""
        return len(self._held)

    @property
    def stderr_tail(self) -> str:
        """The last lines the peer wrote to stderr so far, safe to show."""
        return str(getattr(self._inner, "stderr_tail", ""))

    async def open(self, receiver: Receiver) -> None:
        """Start the link.

        Raises:
            CouldNotStart: if there is nothing to talk to, or the start was told to fail.
        """
        if self._fails:
            detail = "this start was made to fail"
            raise CouldNotStart(
                Failure(kind=Kind.COULD_NOT_START, detail=detail, stage="transport", rule="PROC-01")
            )
        self._receiver = receiver
        await self._inner.open(self)

    def send(self, frame: bytes) -> None:
        """Queue one frame for writing.

        Raises:
            PipeClosed: if the link has ended.
        """
        self._inner.send(frame)

    async def close(self) -> Ending:
        """End the link in bounded time."""
        self.release()
        return await self._inner.close()

    def kill(self) -> None:
        """End the peer without a word; what it has said and nobody has heard is lost."""
        self._held.clear()
        self._killed = True
        pid = getattr(self._inner, "pid", None)
        if isinstance(pid, int):
            os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # its end is told by the pipe
        else:
            self._end(KILLED)

    def release(self) -> None:
        """Let everything through that was held, in order, and hold nothing more."""
        self.holding = False
        held, self._held = self._held, []
        for said in held:
            said()

    # What the real transport tells (`Receiver`).

    def frame_received(self, frame: bytes, exchange: RequestId | None = None) -> None:
        """Take one frame."""
        self._tell(lambda to: to.frame_received(frame, exchange))

    def frame_dropped(self, size: int, head: bytes, cap: int) -> None:
        """Take word of a frame that was too long."""
        self._tell(lambda to: to.frame_dropped(size, head, cap))

    def exchange_seen(self, exchange: RequestId, status: int, headers: Mapping[str, str]) -> None:
        """Take word of the head of an answer."""
        self._tell(lambda to: to.exchange_seen(exchange, status, headers))

    def exchange_ended(self, end: ExchangeEnd) -> None:
        """Take word of an exchange without an answer."""
        self._tell(lambda to: to.exchange_ended(end))

    def life_seen(self) -> None:
        """Take the first sign of life."""
        self._tell(lambda to: to.life_seen())

    def transport_closed(self, ending: Ending) -> None:
        """Take the end; it comes after what is held."""
        if self._held:
            self._held.append(partial(self._end, ending))
        else:
            self._end(ending)

    def _tell(self, say: Callable[[Receiver], Any]) -> None:
        if self._killed:
            return
        if self.holding:
            self._held.append(partial(self._say, say))
        else:
            self._say(say)

    def _say(self, say: Callable[[Receiver], Any]) -> None:
        if self._receiver is not None and not self.over:
            say(self._receiver)

    def _end(self, ending: Ending) -> None:
        if self._receiver is not None and not self.over:
            self.over = True
            self._receiver.transport_closed(ending)
