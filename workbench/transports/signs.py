"""What asyncio notices about a child process, passed on without detours.

Takes:  the callbacks of an asyncio subprocess transport
Gives:  the same signs, each told apart, to one listener
Never:  decides anything; what the signs mean is the listener's business
"""

import asyncio
import signal
from collections.abc import Callable
from typing import Final, Protocol, cast

from workbench.transports.groups import KILL, adopt, let_go, send_signal

PIPE_BYTES: Final = 64 * 1024
"""What a pipe holds on Linux."""


class Listener(Protocol):
    """Who wants to know."""

    def chunk_arrived(self, fd: int, chunk: bytes) -> None:
        """Bytes arrived on stream 1 or 2."""

    def pipe_ended(self, fd: int) -> None:
        """Stream 0, 1 or 2 has ended."""

    def exited(self, status: int) -> None:
        """The process exited and was buried; negative means a signal ended it."""

    def released(self) -> None:
        """All of the above has happened, and every file of ours is closed."""


class Signs(asyncio.SubprocessProtocol):
    """Passes on the signs of one process; puts its group under guard when it starts.

    Args:
        listener: told about everything, on the loop of the process.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._process: asyncio.SubprocessTransport | None = None

    def abandon(self) -> None:
        """Kill the process and its group; for a start that was given up half-way."""
        if self._process is not None:
            group = self._process.get_pid()
            send_signal(group, KILL)
            let_go(group)
            self._process.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process runs (asyncio)."""
        self._process = cast(asyncio.SubprocessTransport, transport)
        adopt(self._process.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Pass on bytes that came before a `Direct` was in place (asyncio)."""
        self._listener.chunk_arrived(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Pass on the end of one stream (asyncio)."""
        self._listener.pipe_ended(fd)

    def process_exited(self) -> None:
        """Pass on the exit (asyncio)."""
        status = self._process.get_returncode() if self._process is not None else None
        self._listener.exited(status if status is not None else 255)

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass on that everything is released (asyncio)."""
        self._listener.released()


class Direct(asyncio.Protocol):
    """Stands in for asyncio's protocol of one pipe, whose data would cost a turn of the loop.

    Args:
        take: given each chunk at once.
        before: the protocol replaced; still told of the end.
    """

    def __init__(self, take: Callable[[bytes], None], before: asyncio.BaseProtocol) -> None:
        self._take = take
        self._before = before

    def data_received(self, data: bytes) -> None:
        """Hand on a chunk (asyncio)."""
        self._take(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Hand on the end (asyncio)."""
        self._before.connection_lost(exc)


def shorten(transport: asyncio.BaseTransport | None, take: Callable[[bytes], None]) -> None:
    """Hand what a pipe brings straight to `take`, and ask it for no more than it can hold.

    asyncio would spend a turn of the loop on each chunk. It also asks for 256 KiB at a time,
    and a buffer of that size is fetched from the system and given back for each answer,
    however short: that costs more than all the rest of the way.

    Args:
        transport: asyncio's end of the pipe; None when there is none.
        take: given each chunk at once.
    """
    pipe = cast(asyncio.ReadTransport | None, transport)
    before = pipe.get_protocol() if pipe is not None else None
    if pipe is None or before is None:
        return
    pipe.set_protocol(Direct(take, before))
    if hasattr(pipe, "max_size"):
        pipe.max_size = PIPE_BYTES


def signal_name(number: int) -> str:
    """Return the name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
