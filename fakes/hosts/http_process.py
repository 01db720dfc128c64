"""Plays a fake over HTTP as this very process, until it is interrupted.

Takes:  a program, a port, files to keep a record in
Gives:  the URL, as one line on stdout, then the exit status
Never:  outlives SIGINT or SIGTERM, and never ends because of what a client does
"""

import asyncio
import os
import signal
import sys

import msgspec

from fakes.hosts.http import HttpHost
from fakes.hosts.http_visit import Settings
from fakes.hosts.stdio import Files
from fakes.program import Program
from fakes.recording import Recording
from workbench.core.text.visible import sample

TAKEN = 1
"""Exit status when the port cannot be had."""


class FileRecording(Recording):
    """Keeps nothing but what goes into files, so that it can run for days.

    Args:
        files: where received bodies and effects are appended.
    """

    def __init__(self, files: Files) -> None:
        super().__init__()
        self._files = files

    def note(self, frame: bytes) -> None:
        """Append one received body."""
        if self._files.record:
            try:
                line = msgspec.json.encode(msgspec.json.decode(frame))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                line = msgspec.json.encode(sample(frame))
            _append(self._files.record, line + b"\n")

    def did(self, text: str) -> None:
        """Append one effect."""
        if self._files.effects:
            _append(self._files.effects, f"{text}\n".encode())

    def opened(self, exchange: object) -> int:
        """Keep nothing."""
        return 0

    def update(self, number: int, **changes: object) -> None:
        """Keep nothing."""


def run_http(program: Program, port: int, files: Files) -> int:
    """Serve `program` on 127.0.0.1 until SIGINT or SIGTERM; return the exit status.

    Args:
        program: what to play.
        port: 0 takes a free one.
        files: where to keep a record.
    """
    try:
        asyncio.run(_serve(program, port, files))
    except OSError as problem:
        print(f"fakes: port {port} cannot be had: {problem.strerror}", file=sys.stderr)  # noqa: T201
        return TAKEN
    return 0


async def _serve(program: Program, port: int, files: Files) -> None:
    enough = asyncio.Event()
    loop = asyncio.get_running_loop()
    for wanted in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(wanted, enough.set)
    host = HttpHost(program, FileRecording(files), Settings(port=port), _to_stderr)
    print(await host.start(), flush=True)  # noqa: T201
    await enough.wait()
    await host.stop()


def _to_stderr(text: bytes) -> None:
    sys.stderr.buffer.write(text)
    sys.stderr.buffer.flush()


def _append(path: str, data: bytes) -> None:
    """Append in one write, so that several processes can share a file."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, data)
    finally:
        os.close(file)
