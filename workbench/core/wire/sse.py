r"""Bytes to server-sent events, independent of how the bytes arrive.

Takes:  chunks of any size
Gives:  whole events, and a record of each event over the cap
Never:  holds more than the cap, and never gives out an event that the stream did not end

A line ends in CR, LF or CRLF, wherever the chunks are cut. The data stay bytes: whether
they are UTF-8 and JSON is for the codec to say, event by event.
Spec: the HTML standard, "Interpreting an event stream"; case H08.
"""

import re
from typing import Final

from msgspec import Struct

from workbench.core.wire.framing import DEFAULT_FRAME_CAP, Oversized

LONGEST_RETRY_MS: Final = 30_000
"""A server may ask for a longer pause; nobody waits longer than this."""

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BOM: Final = b"\xef\xbb\xbf"
_HEAD: Final = 200
_FIELD_ROOM: Final = len(b"data: ")


class SseEvent(Struct, frozen=True):
    """One event."""

    data: bytes
    """The data lines, joined by line feeds."""
    kind: str = "message"
    """The event's type; JSON-RPC messages travel in "message"."""


class SseParser:
    """Collects chunks of one stream and gives out events.

    Args:
        cap: most bytes of data in one event; must be positive.
        last_event_id: where a stream that goes on here was left.
    """

    def __init__(self, cap: int = DEFAULT_FRAME_CAP, last_event_id: str = "") -> None:
        if cap <= 0:
            raise ValueError(f"the event cap must be positive, not {cap}")
        self.last_event_id = last_event_id
        """The id to resume after, from the last event that was ended; "" when there is none."""
        self.retry_ms: int | None = None
        """The pause the server asked for before a reconnection, in milliseconds, bounded."""
        self._cap = cap
        self._rest = bytearray()
        self._rest_size = 0
        self._first = True
        self._after_cr = False
        self._id = last_event_id
        self._lines: list[bytes] = []
        self._size = 0
        self._kind = ""

    @property
    def is_inside(self) -> bool:
        """Whether an event has begun and not ended; if the stream ends now, it is void."""
        return bool(self._rest_size or self._size)

    def feed(self, chunk: bytes) -> list[SseEvent | Oversized]:
        """Take the next bytes and return the events they complete, in order."""
        if self._after_cr and chunk:
            self._after_cr = False
            # The line ended with the carriage return; its line feed came in this chunk.
            chunk = chunk[1:] if chunk.startswith(b"\n") else chunk
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        *ended, rest = _LINE_END.split(chunk)
        done: list[SseEvent | Oversized] = []
        for part in ended:
            self._end_line(part, done)
        self._hold(rest)
        return done

    def _hold(self, part: bytes) -> None:
        self._rest_size += len(part)
        # One more than any line that can be whole: the line is then known to be too long.
        room = self._cap + _FIELD_ROOM + len(_BOM) + 1 - len(self._rest)
        self._rest += part[: max(room, 0)]

    def _end_line(self, part: bytes, done: list[SseEvent | Oversized]) -> None:
        if self._rest_size:
            self._hold(part)
            line, size = bytes(self._rest), self._rest_size
            self._rest, self._rest_size = bytearray(), 0
        else:
            line, size = part, len(part)
        if self._first:
            self._first = False
            if line.startswith(_BOM):
                line, size = line[len(_BOM) :], size - len(_BOM)
        if size:
            # Cut to the same length whether it came in one chunk or in many.
            self._field(line[: self._cap + _FIELD_ROOM], size)
        else:
            self._dispatch(done)

    def _field(self, line: bytes, size: int) -> None:
        name, colon, value = line.partition(b":")
        if value.startswith(b" "):
            value = value[1:]
        if name == b"data":
            self._data(value, len(value) + size - len(line))
        elif size > len(line):
            return  # a field that is too long means nothing
        elif name == b"event":
            self._kind = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            self.retry_ms = min(int(value[:9]), LONGEST_RETRY_MS)

    def _data(self, value: bytes, size: int) -> None:
        self._size += size + 1
        if self._size - 1 <= self._cap:
            self._lines.append(value)
            return
        # The head alone is kept; what it needs is in the first lines.
        head = b"\n".join([*self._lines, value])[: min(_HEAD, self._cap)]
        self._lines = [head]

    def _dispatch(self, done: list[SseEvent | Oversized]) -> None:
        self.last_event_id = self._id
        size = self._size - 1
        if size > self._cap:
            done.append(Oversized(size, self._lines[0]))
        elif size > 0:
            done.append(SseEvent(b"\n".join(self._lines), self._kind or "message"))
        self._clear()

    def _clear(self) -> None:
        self._lines = []
        self._size = 0
        self._kind = ""
