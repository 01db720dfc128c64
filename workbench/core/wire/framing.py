r"""Bytes to lines: the stdio framing, independent of how the bytes arrive.

Takes:  chunks of any size
Gives:  whole frames without their line end, and a record of each frame over the cap
Never:  splits on anything but the byte 0x0A (U+2028 and friends are content), and never
        holds more than the cap

Spec: 2026-07-28 basic/transports/stdio, "messages are delimited by newlines".
"""

from typing import Final, final

from msgspec import Struct

DEFAULT_FRAME_CAP: Final = 16 * 1024 * 1024
"""Longest accepted frame in bytes; far above any sane listing, far below the memory."""
_HEAD: Final = 200


@final
class Oversized(Struct, frozen=True):
    """A frame that passed the cap and was thrown away up to its line end."""

    size: int
    """Bytes seen, the line end not counted."""
    head: bytes
    """The first bytes, for the report."""


class LineFramer:
    """Collects chunks and gives out frames.

    Args:
        cap: longest frame in bytes; must be positive.
    """

    __slots__ = ("_cap", "_ends_in_cr", "_held", "_size")

    def __init__(self, cap: int = DEFAULT_FRAME_CAP) -> None:
        if cap <= 0:
            raise ValueError(f"the frame cap must be positive, not {cap}")
        self._cap = cap
        self._held = bytearray()
        self._size = 0
        self._ends_in_cr = False

    def feed(self, chunk: bytes) -> list[bytes | Oversized]:
        """Take the next bytes and return the frames they complete, in order."""
        end = len(chunk) - 1
        if not self._size and 0 <= end <= self._cap and chunk.find(b"\n") == end:
            # One frame as a whole, which most chunks are.
            return [chunk[:-2] if chunk.endswith(b"\r\n") else chunk[:-1]]
        *ended, rest = chunk.split(b"\n")
        frames = [self._finish(part) for part in ended]
        if rest:
            self._hold(rest)
        return frames

    def end(self) -> list[bytes | Oversized]:
        """Return what is left when the stream ends: at most one frame without a line end."""
        return [self._finish(b"")] if self._size else []

    def _finish(self, part: bytes) -> bytes | Oversized:
        if not self._size and len(part) <= self._cap:
            return part[:-1] if part.endswith(b"\r") else part
        if part:
            self._hold(part)
        # The carriage return of a CRLF line end is not content.
        size, held = self._size - self._ends_in_cr, self._held
        self._held, self._size, self._ends_in_cr = bytearray(), 0, False
        if size > self._cap:
            return Oversized(size, bytes(held[: min(size, _HEAD)]))
        return bytes(memoryview(held)[:size])

    def _hold(self, part: bytes) -> None:
        self._size += len(part)
        self._ends_in_cr = part.endswith(b"\r")
        # One byte more than the cap: it may be the carriage return of a line end.
        if self._size > self._cap + 1:
            self._held = self._held[:_HEAD]
            part = part[: _HEAD - len(self._held)]
        self._held += part
