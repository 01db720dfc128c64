"""What waits to be written to one pipe.

Takes:  frames, as fast as they come
Gives:  one write for all frames of one turn of the loop, each with its line end
Never:  holds more than the cap and one frame for a peer that does not read

Where one call follows another, waiting for the end of the turn gathers nothing and costs a
turn, in which the peer could be at work already. So the first frame in a hurry leaves at
once; what else is sent in that turn is gathered as usual.
"""

import asyncio
from typing import Final

UNREAD_CAP: Final = 64 * 1024 * 1024
"""Bytes that may wait for a peer that does not read, before more is refused."""


class Outbox:
    """The way into one pipe.

    Args:
        loop: the loop of the pipe.
        pipe: asyncio's end of it.
        cap: how many bytes may wait.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, pipe: asyncio.WriteTransport, cap: int = UNREAD_CAP
    ) -> None:
        self._loop = loop
        self._pipe = pipe
        self._cap = cap
        self._queue: list[bytes] = []
        self._queued = 0
        self.in_a_hurry = False
        """Whether the next frame leaves at once: nothing else is likely to come in its turn."""

    def put(self, frame: bytes) -> bool:
        """Queue one frame (without line end); it leaves at the end of this turn, or at once.

        Returns:
            False, and the frame is not taken, when more than the cap is waiting to be read
            by the peer.
        """
        if self._queued + self._pipe.get_write_buffer_size() > self._cap:
            return False
        if not self._queue:
            if self.in_a_hurry and not self._pipe.is_closing():
                self.in_a_hurry = False
                self._pipe.write(frame + b"\n")
                return True
            self._loop.call_soon(self._flush)
        self._queue.append(frame)
        self._queued += len(frame)
        return True

    def close(self) -> None:
        """Write what is queued, then let the peer see the end of its input."""
        self._flush()
        self._pipe.close()

    def abort(self) -> None:
        """Close the pipe although the peer has not read everything."""
        if self._pipe.get_write_buffer_size():
            self._pipe.abort()

    def _flush(self) -> None:
        if not self._queue:
            return
        queue, self._queue, self._queued = self._queue, [], 0
        # A pipe the peer has closed would log each write.
        if not self._pipe.is_closing():
            queue.append(b"")
            self._pipe.write(b"\n".join(queue))
