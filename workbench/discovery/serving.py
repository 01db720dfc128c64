"""The catalogue on the standard streams: a line in, a line out, until the input ends.

Takes:  a catalogue, and two binary streams
Gives:  one line for each message that gets an answer
Never:  ends because of a line, or holds more than the cap of one

Spec: 2026-07-28 basic/transports/stdio.
"""

from collections.abc import Iterator
from typing import IO, Final

from workbench.core.wire.codec import decode, encode, too_long
from workbench.core.wire.framing import LineFramer, Oversized
from workbench.core.wire.message import Incoming
from workbench.discovery.catalogue import Catalogue

MAX_REQUEST_BYTES: Final = 1_048_576
"""Longest accepted line; a longer one is answered with -32700."""
_CHUNK: Final = 65_536


def serve(catalogue: Catalogue, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer every message until the input ends.

    Args:
        catalogue: decides each answer.
        incoming: where messages come from.
        outgoing: where answers go; flushed after each.

    Raises:
        BrokenPipeError: if nobody reads the answers any more.
    """
    for message in _messages(incoming):
        body = catalogue.answer(message)
        if body is not None:
            outgoing.write(encode(body) + b"\n")
            outgoing.flush()


def _messages(incoming: IO[bytes]) -> Iterator[Incoming]:
    framer = LineFramer(MAX_REQUEST_BYTES)
    while chunk := incoming.readline(_CHUNK):
        yield from (_message(frame) for frame in framer.feed(chunk))
    yield from (_message(frame) for frame in framer.end())


def _message(frame: bytes | Oversized) -> Incoming:
    if isinstance(frame, Oversized):
        return too_long(frame.size, frame.head, MAX_REQUEST_BYTES)
    return decode(frame)
