"""Plays a fake on an in-process link.

Takes:  a program, a recording, the client's clock
Gives:  a peer for `workbench.transports.memory`
Never:  uses a time source or a loop of its own: due outputs wait on the client's clock
"""

import asyncio
import os
import threading
from concurrent.futures import Future
from typing import Final

from fakes.engine import begin, react
from fakes.events import FakeEvent, Heard, InputEnded, Started, Told
from fakes.hosts.schedule import Schedule
from fakes.outputs import Do, End, Forget, Output, Write, WriteStderr
from fakes.program import Program
from fakes.recording import Recording
from fakes.steps import Effect, Step
from workbench.core.wire.message import RequestId, same_id
from workbench.transports.base import Clock, Timer
from workbench.transports.memory import MemoryLink

_PATIENCE_S: Final = 5.0
"""Longest wait of another thread for the loop to do what it was told, in seconds."""


class MemoryHost:
    """One lifetime of a fake in memory (`workbench.transports.memory.MemoryPeer`).

    Args:
        program: what to play.
        recording: where to keep what is received.
        clock: when delayed outputs are due.
    """

    def __init__(self, program: Program, recording: Recording, clock: Clock) -> None:
        self._state = begin(program, os.urandom(32))
        self._recording = recording
        self._clock = clock
        self._link: MemoryLink | None = None
        self._starts: Started | None = None
        """What is to be heard before anything else; None once it was."""
        self._waiting: Schedule[Output] = Schedule()
        self._timer: Timer | None = None

    def started(self, link: MemoryLink) -> None:
        """Take the link; what the fake says at its start comes on the next turn of the loop."""
        self._link = link
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._recording.lifetimes += 1
        self._recording.live.append(self._tell)
        lifetime = self._recording.lifetimes
        self._starts = Started(lifetime)
        # Not from inside `open`: a link that ended there would have ended before it began.
        self._clock.call_at(self._clock.now(), self._begin)

    def frame_received(self, frame: bytes) -> None:
        """Take one frame from the client."""
        self._begin()  # a client that is quick may write before the loop's next turn
        self._recording.note(frame)
        self._react(Heard(frame))

    def input_ended(self) -> None:
        """Take the end of the client's output."""
        self._begin()
        self._react(InputEnded())

    def _begin(self) -> None:
        starts, self._starts = self._starts, None
        if starts is not None:
            self._react(starts)

    def _tell(self, steps: tuple[Step, ...]) -> None:
        """Do steps that no client asked for; from any thread, and done on return."""
        if threading.get_ident() == self._thread:
            self._react(Told(steps))
            return
        if self._loop.is_closed():
            return  # the client is gone, and its links with it
        done: Future[None] = Future()

        def do() -> None:
            try:
                self._react(Told(steps))
                done.set_result(None)
            except Exception as problem:  # the teller's to see, not the loop's
                done.set_exception(problem)

        # A cell speaks from its own thread, and the client lives on another one's loop.
        self._loop.call_soon_threadsafe(do)
        done.result(_PATIENCE_S)

    def _react(self, event: FakeEvent) -> None:
        if self._link is None:
            return
        now = self._clock.now()
        self._state, outputs = react(self._state, event, now)
        self._recording.used |= self._state.used
        for output in outputs:
            self._waiting.add(output.at, output)
        self._do_due()

    def _do_due(self) -> None:
        while due := self._waiting.pop(self._clock.now()):
            self._do(due[0])
        if self._timer is not None:
            self._timer.cancel()
        at = self._waiting.next_at
        self._timer = None if at is None else self._clock.call_at(at, self._do_due)

    def _do(self, output: Output) -> None:
        link = self._link
        if link is None:
            return
        match output:
            case Write(line=line):
                for piece in line.pieces():
                    link.write(piece)
            case WriteStderr(line=line):
                for piece in line.pieces():
                    link.write_stderr(piece)
            case Do(step=Effect(text)):
                self._recording.effects.append(text)
            case Forget(request_id=cancelled):
                self._forget(cancelled)
            case End(status=status):
                self._end(link, status)

    def _forget(self, cancelled: RequestId) -> None:
        self._waiting.drop(
            lambda one: isinstance(one, Write | Do) and same_id(cancelled, one.drop_with)
        )

    def _end(self, link: MemoryLink, status: int) -> None:
        self._link = None
        self._waiting.clear()
        if self._tell in self._recording.live:
            self._recording.live.remove(self._tell)
        link.end(status)
