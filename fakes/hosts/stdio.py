"""Plays a fake as this very process, over its standard streams.

Takes:  a program, and files to keep a record in
Gives:  the exit status
Never:  blocks on a delay: one loop waits for input or for the next due output, whichever
        comes first; and never outlives a lost client for ever, whatever is scripted

No asyncio and no threads, so that a child starts in the time Python itself needs.
"""

import os
import select
import signal
import time
from typing import Final

import msgspec

from fakes.engine import State, begin, react
from fakes.events import FakeEvent, Heard, InputEnded, Started
from fakes.hosts.schedule import Schedule
from fakes.line import Line
from fakes.outputs import Do, End, Forget, Output, Write, WriteStderr
from fakes.program import Program
from fakes.steps import Effect, Grandchild, Stubborn
from workbench.core.text.visible import sample
from workbench.core.wire.framing import LineFramer, Oversized
from workbench.core.wire.message import RequestId, same_id

_STDIN: Final = 0
_STDOUT: Final = 1
_STDERR: Final = 2
_MOST_KEPT: Final = 65_536
"""Bytes of one frame that are written down; the whole of it crosses all the same."""
_AFTER_EOF_S: Final = 120.0
"""A fake told to ignore the end of its input gives up after this long, so that a test
that dies leaves nothing behind for ever."""


class Files(msgspec.Struct, frozen=True, kw_only=True):
    """Where a process writes down what a fake in memory would remember; None is nowhere."""

    record: str | None = None
    """Every received line, one JSON value a line (a line that is not JSON as a string)."""
    effects: str | None = None
    """Every effect, one a line."""
    frames: str | None = None
    """Every line both ways, one object a line: who it is from ("client", "server", or
    "process" for its start and end), and its beginning as text."""
    lives: str | None = None
    """Grows by one byte per process, which is how a process knows its number."""


def run(program: Program, files: Files) -> int:
    """Play `program` until it ends; return the exit status."""
    # The terminal's Ctrl-C goes to the whole group; a traceback would help nobody.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _Host(begin(program, os.urandom(32)), files).play()


class _Host:
    def __init__(self, state: State, files: Files) -> None:
        self._state = state
        self._files = files
        self._due: Schedule[Output] = Schedule()
        self._status: int | None = None
        self._mute = False
        self._framer = LineFramer()

    def play(self) -> int:
        lifetime = _append(self._files.lives, b".") if self._files.lives else 1
        self._keep("process", b"started")
        self._react(Started(lifetime))
        hearing, give_up_at = True, None
        while self._status is None:
            timeout = self._until_due(give_up_at)
            ready, _, _ = select.select([_STDIN] if hearing else [], [], [], timeout)
            if ready:
                hearing = self._hear()
                give_up_at = None if hearing else time.monotonic() + _AFTER_EOF_S
            self._do_due()
            if give_up_at is not None and time.monotonic() >= give_up_at:
                return 0
        self._keep("process", f"exited with status {self._status}".encode())
        return self._status

    def _until_due(self, give_up_at: float | None) -> float | None:
        times = [at for at in (self._due.next_at, give_up_at) if at is not None]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _hear(self) -> bool:
        chunk = os.read(_STDIN, 65_536)
        for frame in self._framer.feed(chunk) if chunk else self._framer.end():
            # A frame over the cap is answered like any other text that is not JSON.
            self._take(frame.head if isinstance(frame, Oversized) else frame)
        if not chunk:
            self._react(InputEnded())
        return bool(chunk)

    def _take(self, frame: bytes) -> None:
        if self._files.record:
            _append(self._files.record, _as_json(frame) + b"\n")
        self._keep("client", frame)
        self._react(Heard(frame))

    def _react(self, event: FakeEvent) -> None:
        if self._status is not None:
            return
        self._state, outputs = react(self._state, event, time.monotonic())
        for output in outputs:
            if isinstance(output, Forget):
                self._forget(output.request_id)
            else:
                self._due.add(output.at, output)
        self._do_due()

    def _do_due(self) -> None:
        while self._status is None and (due := self._due.pop(time.monotonic())):
            self._do(due[0])

    def _do(self, output: Output) -> None:
        match output:
            case Write(line=line):
                self._write(_STDOUT, line)
            case WriteStderr(line=line):
                self._write(_STDERR, line)
            case Do(step=Effect(text)):
                if self._files.effects:
                    _append(self._files.effects, f"{text}\n".encode())
            case Do(step=Stubborn()):
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            case Do(step=Grandchild(seconds)):
                _spawn(seconds)
            case End(stays=True):
                self._mute = True
                os.close(_STDOUT)
            case End(status=status):
                self._status = status

    def _write(self, fd: int, line: Line) -> None:
        if self._mute and fd == _STDOUT:
            return
        if fd == _STDOUT:
            self._keep("server", line.data.rstrip(b"\n"))
        try:
            for piece in line.pieces():
                rest = memoryview(piece)
                while rest:
                    rest = rest[os.write(fd, rest) :]
        except BrokenPipeError:
            # The client stopped reading; a real server learns of it the same way.
            self._mute = self._mute or fd == _STDOUT

    def _keep(self, sender: str, frame: bytes) -> None:
        if self._files.frames:
            text = bytes(frame[:_MOST_KEPT]).decode("utf-8", "backslashreplace")
            kept = msgspec.json.encode({"from": sender, "frame": text})
            _append(self._files.frames, kept + b"\n")

    def _forget(self, cancelled: RequestId) -> None:
        self._due.drop(
            lambda one: isinstance(one, Write | Do) and same_id(cancelled, one.drop_with)
        )


def _append(path: str, data: bytes) -> int:
    """Append in one write, so that several processes can share a file; return its size."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, data)
        return os.fstat(file).st_size
    finally:
        os.close(file)


def _as_json(frame: bytes) -> bytes:
    try:
        return msgspec.json.encode(msgspec.json.decode(frame))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return msgspec.json.encode(sample(frame))


def _spawn(seconds: float) -> None:
    import subprocess
    import sys

    source = f"import signal; signal.setitimer(signal.ITIMER_REAL, {seconds}); signal.pause()"
    subprocess.Popen([sys.executable, "-S", "-c", source], stdin=subprocess.DEVNULL)
