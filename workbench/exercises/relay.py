"""The words between a judge and an answer that lives in another process.

Takes:  a connected socket
Gives:  `Relay`: one message at a time, as msgpack behind its length
Never:  takes a message that is too long, or waits beyond a deadline that was given

A judge says `Begin`, `Make`, `Do`, `Reply` and `Bye`; the answer's side says `Hello`,
`Open`, `Feed`, `End`, `Invoke` and `Ended`. Only plain values cross, and they are checked
against these types on arrival: the answer's side may send what it likes.
"""

import socket
import time
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from workbench.exercises.booth import Said
from workbench.exercises.exercise import Function, Input, Outcome, Output, ThePeer, ThePeers

LONGEST: Final = 8 * 1024 * 1024
"""Bytes of one message."""
_HEAD: Final = 4
_CHUNK: Final = 65_536


class Given(Struct, frozen=True, tag="given"):
    """An argument that is a plain value."""

    value: Any


Sent: TypeAlias = Given | ThePeer | ThePeers | Input | Output | Function


class Begin(Struct, frozen=True, tag="begin"):
    """A new trial of what the answer's side calls `answer`."""

    trial: int
    answer: str
    verb: str
    seconds: float


class Make(Struct, frozen=True, tag="make"):
    """Call the answer without arguments and hold what it returns."""


class Do(Struct, frozen=True, tag="do"):
    """Call something that is held."""

    held: int
    args: tuple[Sent, ...]


class Reply(Struct, frozen=True, tag="reply"):
    """The answer to `Open`, `Feed`, `End` or `Invoke` with that ticket."""

    ticket: int
    link: int = 0
    said: tuple[Said, ...] = ()
    value: Any = None
    gone: str | None = None
    """Text of a `PeerGone` to raise instead."""
    error: str | None = None
    """Text of another error to raise instead."""


class Bye(Struct, frozen=True, tag="bye"):
    """Nothing more is wanted."""


class Hello(Struct, frozen=True, tag="hello"):
    """The first word of the answer's side."""

    token: str


class Open(Struct, frozen=True, tag="open"):
    """See `booth.Port.open`."""

    ticket: int
    trial: int
    peer: str
    now: float


class Feed(Struct, frozen=True, tag="feed"):
    """See `booth.Port.feed`."""

    ticket: int
    trial: int
    link: int
    frame: bytes
    now: float


class End(Struct, frozen=True, tag="end"):
    """See `booth.Port.end`."""

    ticket: int
    trial: int
    link: int
    now: float


class Invoke(Struct, frozen=True, tag="invoke"):
    """Call one of the trial's functions."""

    ticket: int
    trial: int
    name: str
    args: tuple[Any, ...]


class Ended(Struct, frozen=True, tag="ended"):
    """How the call that was asked for has ended."""

    outcome: Outcome


ToAnswer: TypeAlias = Begin | Make | Do | Reply | Bye
Asked: TypeAlias = Open | Feed | End | Invoke
ToJudge: TypeAlias = Hello | Asked | Ended


class Broken(Exception):
    """Raised when the other side is gone, is late, or says what is no word of these."""


class Relay:
    """One end of the connection.

    Args:
        connection: a connected stream socket; this end owns it.
        words: the union of messages this end takes.
    """

    def __init__(self, connection: socket.socket, words: Any) -> None:
        self._socket = connection
        self._decoder = msgspec.msgpack.Decoder(words)
        self._encode = msgspec.msgpack.Encoder().encode

    def close(self) -> None:
        """Close the connection; harmless when that has been done."""
        self._socket.close()

    def send(self, message: ToAnswer | ToJudge) -> None:
        """Send one message.

        Raises:
            Broken: if the other side is gone.
        """
        body = self._encode(message)
        try:
            self._socket.sendall(len(body).to_bytes(_HEAD, "big") + body)
        except OSError as problem:
            raise Broken(f"the connection is gone: {problem}") from None

    def receive(self, ends_at: float | None = None) -> Any:
        """Return the next message.

        Args:
            ends_at: monotonic seconds to wait until; None waits as long as the other lives.

        Raises:
            Broken: if there is none in time, or it is none.
        """
        size = int.from_bytes(self._exactly(_HEAD, ends_at), "big")
        if size > LONGEST:
            raise Broken(f"a message of {size} bytes")
        try:
            return self._decoder.decode(self._exactly(size, ends_at))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as problem:
            raise Broken(f"no message: {type(problem).__name__}") from None

    def _exactly(self, size: int, ends_at: float | None) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            left = None if ends_at is None else ends_at - time.monotonic()
            if left is not None and left <= 0:
                raise Broken("too late")
            try:
                self._socket.settimeout(left)
                part = self._socket.recv(min(size - len(parts), _CHUNK))
            except OSError as problem:
                raise Broken(f"the connection is gone: {problem}") from None
            if not part:
                raise Broken("the other side is gone")
            parts += part
        return bytes(parts)


def sent(argument: Any) -> Sent:
    """Return an argument of a call in the form in which it is sent."""
    if isinstance(argument, ThePeer | ThePeers | Input | Output | Function):
        return argument
    return Given(argument)
