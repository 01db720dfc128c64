r"""Bytes to lines: the stdio framing, independent of how the bytes arrive.

Takes:  chunks of any size
Gives:  whole frames without their line end, and a record of each frame over the cap
Never:  splits on anything but the byte 0x0A (U+2028 and friends are content), and never
        holds more than the cap

Spec: 2026-07-28 basic/transports/stdio, "messages are delimited by newlines".
"""

from typing import Final

from msgspec import Struct

DEFAULT_FRAME_CAP: Final = 16 * 1024 * 1024
"""Longest accepted frame in bytes; far above any sane listing, far below the memory."""
_HEAD: Final = 200


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

    __slots__ = ("_cap", "_head", "_held", "_parts", "_skipping")

    def __init__(self, cap: int = DEFAULT_FRAME_CAP) -> None:
        if cap <= 0:
            raise ValueError(f"the frame cap must be positive, not {cap}")
        self._cap = cap
        self._parts: list[bytes] = []
        self._held = 0
        self._skipping = False
        self._head = b""

    def feed(self, chunk: bytes) -> list[bytes | Oversized]:
        """Take the next bytes and return the frames they complete, in order."""
        first, *rest = chunk.split(b"\n")
        frames: list[bytes | Oversized] = []
        for ended in rest:
            self._hold(first)
            frames.append(self._take())
            first = ended
        self._hold(first)
        return frames

    def end(self) -> list[bytes | Oversized]:
        """Return what is left when the stream ends: at most one frame without a line end."""
        return [self._take()] if self._held else []

    def _hold(self, part: bytes) -> None:
        if not part:
            return
        self._held += len(part)
        if self._skipping:
            return
        self._parts.append(part)
        # One extra byte: the carriage return of a CRLF line end is not content.
        if self._held > self._cap + 1:
            self._head = b"".join(self._parts)[:_HEAD]
            self._parts.clear()
            self._skipping = True

    def _take(self) -> bytes | Oversized:
        size, parts = self._held, self._parts
        self._parts, self._held = [], 0
        if self._skipping:
            self._skipping = False
            return Oversized(size, self._head)
        frame = parts[0] if len(parts) == 1 else b"".join(parts)
        if frame.endswith(b"\r"):
            frame = frame[:-1]
        if len(frame) > self._cap:
            return Oversized(len(frame), frame[:_HEAD])
        return frame
