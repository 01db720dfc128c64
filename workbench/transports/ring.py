"""The last bytes of a stream that may be endless.

Takes:  chunks of any size
Gives:  the newest bytes, as lines that are safe to show
Never:  holds more than twice its size, whatever is written and with or without line ends
"""

from typing import Final

from workbench.core.text.visible import sample

STDERR_CAP: Final = 16 * 1024
"""Bytes of a peer's stderr kept for the report."""
_LINES: Final = 20
_LINE_CHARS: Final = 300


class ByteRing:
    """Keeps the newest `cap` bytes.

    Args:
        cap: how many bytes to keep; must be positive.
    """

    __slots__ = ("_cap", "_held")

    def __init__(self, cap: int = STDERR_CAP) -> None:
        if cap <= 0:
            raise ValueError(f"a ring must hold something, not {cap} bytes")
        self._cap = cap
        self._held = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; the oldest make room."""
        if len(chunk) >= self._cap:
            self._held[:] = chunk[-self._cap :]
            return
        self._held += chunk
        # Cutting only at twice the size keeps a stream of tiny chunks cheap.
        if len(self._held) > 2 * self._cap:
            del self._held[: -self._cap]

    def newest(self) -> bytes:
        """Return the bytes kept, oldest first, at most `cap` of them."""
        return bytes(self._held[-self._cap :])

    def tail(self, lines: int = _LINES) -> str:
        """Return the last `lines` lines as visible text; blank lines are left out."""
        kept = [line for line in self.newest().splitlines() if line.strip()]
        return "\n".join(sample(line, _LINE_CHARS) for line in kept[-lines:])
