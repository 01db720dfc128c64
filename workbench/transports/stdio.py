"""A peer as a child process that speaks over its standard streams.

Takes:  a pinned command, the child's whole environment, a working directory
Gives:  whole frames, the first sign of life, and how it ended, to one receiver
Never:  shares a stream or a process group with the child, waits without a bound, or leaves
        a process, an open file or a thread behind

Three signs of the end are watched apart, because they come in any order or not at all: the
exit of the process, the end of its output, the end of its stderr. What is still in a pipe
is delivered first. The way down is in `ladder`, the last resort in `groups`.

Spec: 2026-07-28 basic/transports/stdio.
"""

import asyncio
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, cast

from workbench.core.errors import CouldNotStart, Failure, Kind, MisuseError, PipeClosed
from workbench.core.wire.framing import DEFAULT_FRAME_CAP, LineFramer, Oversized
from workbench.transports.base import Clock, Ending, Receiver, TransportKind
from workbench.transports.groups import guard_exit
from workbench.transports.ladder import Graces, Ladder
from workbench.transports.launch import (
    check_directory,
    refused_by_system,
    resolve_command,
    started,
)
from workbench.transports.outbox import Outbox
from workbench.transports.ring import ByteRing
from workbench.transports.signs import Signs, shorten, signal_name

DRAIN_S: Final = 0.2
"""How long one sign of the end waits for the others; a grandchild may hold a stream open."""
_RELEASE_S: Final = 1.0
_STDIN, _STDOUT, _STDERR = 0, 1, 2


class StdioEndpoint:
    """A recipe that starts the same command for each lifetime.

    Args:
        command: program and arguments; the program is looked up now, on the child's PATH.
        env: the whole environment of the child, see `launch.child_environment`.
        cwd: working directory; None means ours.
        frame_cap: longest accepted frame, in bytes.
        eof_grace_s: how long a closing child may take after the end of its input.
        term_grace_s: how long its group may take after SIGTERM.
        kill_grace_s: how long the system may take to end it after SIGKILL.

    Raises:
        MisuseError: if `command` is empty.
    """

    kind: TransportKind = "stdio"

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str | None = None,
        frame_cap: int = DEFAULT_FRAME_CAP,
        eof_grace_s: float = 2.0,
        term_grace_s: float = 1.0,
        kill_grace_s: float = 1.0,
    ) -> None:
        if not command:
            raise MisuseError(
                Failure(kind=Kind.MISUSE, detail="an empty command", stage="transport")
            )
        self._env = dict(env)
        self._cwd = cwd
        self._command = _pinned(command, self._env, cwd)
        self._cap = frame_cap
        self._graces = Graces(eof_grace_s, term_grace_s, kill_grace_s)

    @property
    def command(self) -> tuple[str, ...]:
        """Absolute path of the program, and its arguments."""
        return tuple(self._command)

    @property
    def identity(self) -> str:
        """Program, arguments, directory and environment *names*, as JSON."""
        return json.dumps(
            {"command": self._command, "cwd": self._cwd, "env": sorted(self._env)},
            ensure_ascii=False,
        )

    def new_transport(self, clock: Clock) -> "StdioTransport":
        """Make a transport; `clock` is not used, a process lives in real time."""
        return StdioTransport(self._command, self._env, self._cwd, self._cap, self._graces)


class StdioTransport:
    """One lifetime of a child process.

    Args:
        command: program and arguments.
        env: the whole environment of the child.
        cwd: working directory; None means ours.
        frame_cap: longest accepted frame, in bytes.
        graces: how patient the end is.
    """

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None = None,
        frame_cap: int = DEFAULT_FRAME_CAP,
        graces: Graces | None = None,
    ) -> None:
        self._command, self._env, self._cwd = list(command), dict(env), cwd
        self._cap = frame_cap
        self._framer = LineFramer(frame_cap)
        self._stderr = ByteRing()
        self._graces = graces or Graces()
        self._open_pipes = {_STDIN, _STDOUT, _STDERR}
        self._early: list[tuple[int, bytes]] | None = []
        self._alive = self._closing = False
        self._status: int | None = None
        self._ending: Ending | None = None
        self._bottom: bool | None = None
        self._lost = self._swept = False
        self._drain: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._input: Outbox | None = None
        self._receiver: Receiver
        self._process: asyncio.SubprocessTransport
        self._ladder: Ladder
        self._gone: asyncio.Future[None]

    @property
    def pid(self) -> int | None:
        """Process id of the child, equal to its group; None before it was started."""
        return self._process.get_pid() if self._loop is not None else None

    @property
    def stderr_tail(self) -> str:
        """The last lines written to stderr so far, safe to show."""
        return self._stderr.tail()

    async def open(self, receiver: Receiver) -> None:
        """Start the process.

        Raises:
            CouldNotStart: if there is no such program or directory, or the system refused.
            MisuseError: if this transport was opened before.
        """
        if self._loop is not None:
            raise MisuseError(Failure(kind=Kind.MISUSE, detail="opened twice", stage="transport"))
        loop = asyncio.get_running_loop()
        self._receiver = receiver
        self._process = await self._spawn(loop)
        self._loop = loop
        self._gone = loop.create_future()
        self._ladder = Ladder(
            loop, self._process.get_pid(), self._graces, self._end_input, self._descended
        )
        pipe = self._process.get_pipe_transport(_STDIN)
        if _STDIN in self._open_pipes:
            self._input = Outbox(loop, cast(asyncio.WriteTransport, pipe))
        shorten(self._process.get_pipe_transport(_STDOUT), self._take_output)
        shorten(self._process.get_pipe_transport(_STDERR), self._take_stderr)
        loop.call_soon(self._begin)  # the receiver hears nothing before this has returned

    def send(self, frame: bytes) -> None:
        """Queue one frame; all frames of one turn of the loop leave in one write.

        Raises:
            PipeClosed: if the process has ended, is being closed, closed its input, or
                leaves 64 MiB unread.
        """
        if self._input is None or self._closing or self._ending is not None:
            raise _closed(self._why_closed())
        if not self._input.put(frame):
            raise _closed("the peer does not read its input")

    async def close(self) -> Ending:
        """End the process and its group; see `ladder` for the steps and their bounds.

        What the peer still writes meanwhile is delivered. A cancelled caller waits for the
        end all the same (it is bounded), so that a dying loop leaves nothing behind.
        """
        if self._loop is None:
            return self._ending or Ending(reason="never opened", by_us=True)
        self._closing = True
        self._ladder.begin()
        cancelled: asyncio.CancelledError | None = None
        while not self._gone.done():
            try:
                await asyncio.wait([self._gone])
            except asyncio.CancelledError as asked:
                cancelled = asked
        if cancelled is not None:
            raise cancelled
        return self._ending or Ending(reason="closed by us", by_us=True)

    def _why_closed(self) -> str:
        if self._closing:
            return "the link was closed by us"
        if self._ending is not None:
            return f"the peer {self._ending.reason}"
        return "the link is not open" if self._loop is None else "the peer closed its input"

    # The start.

    async def _spawn(self, loop: asyncio.AbstractEventLoop) -> asyncio.SubprocessTransport:
        program = resolve_command(
            self._command[0], search_path=self._env.get("PATH", os.defpath), cwd=self._cwd
        )
        check_directory(self._cwd)
        guard_exit()
        signs = Signs(self)
        start = partial(
            loop.subprocess_exec,
            lambda: signs,
            program,
            *self._command[1:],
            env=self._env,
            cwd=self._cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            # On Windows: an interrupt meant for us does not reach the child.
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        try:
            process, _ = await started(start)
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            raise refused_by_system(program, problem) from problem
        except asyncio.CancelledError:
            signs.abandon()
            raise
        return process

    def _begin(self) -> None:
        early, self._early = self._early or [], None
        for fd, chunk in early:
            self.chunk_arrived(fd, chunk)
        self._settle()
        if self._status is not None:
            self._ladder.leader_exited()

    # What the process does: called by `signs`.

    def chunk_arrived(self, fd: int, chunk: bytes) -> None:
        """Take bytes that came before the short way was in place."""
        if self._early is not None:
            self._early.append((fd, chunk))
        elif fd == _STDOUT:
            self._take_output(chunk)
        else:
            self._take_stderr(chunk)

    def pipe_ended(self, fd: int) -> None:
        """Take the end of one stream; nothing more comes from it."""
        self._open_pipes.discard(fd)
        if fd == _STDIN:
            self._input = None
        self._settle()

    def exited(self, status: int) -> None:
        """Take the exit status, negative for a signal, as `subprocess` has it."""
        self._status = status
        if self._early is None:
            self._settle()
            self._ladder.leader_exited()

    def released(self) -> None:
        """Take the news that every pipe is closed and the process is buried."""
        self._lost = True
        if self._swept and not self._gone.done():
            self._gone.set_result(None)

    def _take_output(self, chunk: bytes) -> None:
        if not self._alive:
            self._first_byte()
        if self._ending is None:
            frames = self._framer.feed(chunk)
            if len(frames) == 1 and self._input is not None:
                self._input.in_a_hurry = True  # one answer alone: one call alone may follow
            self._deliver(frames)

    def _take_stderr(self, chunk: bytes) -> None:
        if not self._alive:
            self._first_byte()
        self._stderr.feed(chunk)

    def _first_byte(self) -> None:
        self._alive = True
        if self._ending is None:
            self._receiver.life_seen()

    def _deliver(self, frames: list[bytes | Oversized]) -> None:
        for frame in frames:
            if type(frame) is Oversized:
                self._receiver.frame_dropped(frame.size, frame.head, self._cap)
            else:
                self._receiver.frame_received(frame)

    # The end.

    def _end_input(self) -> None:
        if self._input is not None:
            self._input.close()

    def _settle(self) -> None:
        """Decide whether the signs so far mean the end, now or after a short wait."""
        if self._ending is not None or self._early is not None:
            return
        silent = _STDOUT not in self._open_pipes
        exited = self._status is not None
        if exited and silent and _STDERR not in self._open_pipes:
            self._end(self._observed())
        elif self._drain is None and self._loop is not None and (exited or silent):
            self._drain = self._loop.call_later(DRAIN_S, self._drained)

    def _drained(self) -> None:
        self._drain = None
        if self._status is not None or not self._closing:
            self._end(self._observed())

    def _observed(self) -> Ending:
        status = self._status
        killed = signal_name(-status) if status is not None and status < 0 else None
        if self._closing:
            reason = "closed by us"
        elif status is None:
            reason = "closed its output"
        else:
            reason = f"was killed by {killed}" if killed else f"exited with status {status}"
        return Ending(
            reason=reason,
            exit_status=None if killed else status,
            signal=killed,
            stderr_tail=self._stderr.tail(),
            by_us=self._closing,
        )

    def _end(self, ending: Ending) -> None:
        if self._ending is not None:
            return
        if self._drain is not None:
            self._drain.cancel()
        self._deliver(self._framer.end())
        self._ending = ending
        self._ladder.begin()
        self._receiver.transport_closed(ending)
        if self._bottom is not None:
            self._sweep(self._bottom)

    def _descended(self, gone: bool) -> None:
        self._bottom = gone
        # While the drain runs, the output may still hold bytes that nobody has read.
        if self._ending is not None:
            self._sweep(gone)
        elif self._drain is None:
            self._end(self._observed())

    def _sweep(self, gone: bool) -> None:
        """Close every pipe; a process that left the group may hold the other ends for ever."""
        if self._swept or self._loop is None:
            return
        self._swept = True
        if self._input is not None:
            self._input.abort()
        self._process.close()
        if self._lost or not gone:
            self.released()
        else:
            self._loop.call_later(_RELEASE_S, self.released)


def _pinned(command: Sequence[str], env: Mapping[str, str], cwd: str | None) -> list[str]:
    try:
        program = resolve_command(command[0], search_path=env.get("PATH", os.defpath), cwd=cwd)
    except CouldNotStart:
        program = command[0]  # Opening says why; a peer that cannot start is a row, not a crash.
    return [program, *command[1:]]


def _closed(detail: str) -> PipeClosed:
    return PipeClosed(
        Failure(kind=Kind.PIPE_CLOSED, detail=detail, stage="transport", rule="PROC-04")
    )
