"""Plays a fake on an in-process link.

Takes:  a program, a recording, the client's clock
Gives:  a peer for `workbench.transports.memory`
Never:  uses a time source or a loop of its own: due outputs wait on the client's clock
"""

import os
from collections.abc import Callable

from fakes.engine import begin, react
from fakes.events import FakeEvent, Heard, InputEnded, Started, Told
from fakes.outputs import Do, End, Forget, Output, Write, WriteStderr
from fakes.program import Program
from fakes.recording import Recording
from fakes.steps import Effect, Step
from workbench.core.wire.message import RequestId, same_id
from workbench.transports.base import Clock, Timer
from workbench.transports.memory import MemoryLink


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
        self._waiting: list[tuple[Timer, RequestId | None]] = []

    def started(self, link: MemoryLink) -> None:
        """Take the link; what the fake says at its start comes on the next turn of the loop."""
        self._link = link
        self._recording.lifetimes += 1
        self._recording.live.append(self._tell)
        lifetime = self._recording.lifetimes
        # Not from inside `open`: a link that ended there would have ended before it began.
        self._later(self._clock.now(), lambda: self._react(Started(lifetime)), None)

    def frame_received(self, frame: bytes) -> None:
        """Take one frame from the client."""
        self._recording.note(frame)
        self._react(Heard(frame))

    def input_ended(self) -> None:
        """Take the end of the client's output."""
        self._react(InputEnded())

    def _tell(self, steps: tuple[Step, ...]) -> None:
        self._react(Told(steps))

    def _react(self, event: FakeEvent) -> None:
        if self._link is None:
            return
        now = self._clock.now()
        self._state, outputs = react(self._state, event, now)
        self._recording.used |= self._state.used
        for output in outputs:
            if output.at <= now:
                self._do(output)
            else:
                self._wait(output)

    def _wait(self, output: Output) -> None:
        drop_with = output.drop_with if isinstance(output, Write | Do) else None
        self._later(output.at, lambda: self._do(output), drop_with)

    def _later(self, at: float, callback: Callable[[], None], drop_with: RequestId | None) -> None:
        self._waiting.append((self._clock.call_at(at, callback), drop_with))

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
        for timer, drop_with in self._waiting:
            if same_id(cancelled, drop_with):
                timer.cancel()

    def _end(self, link: MemoryLink, status: int) -> None:
        self._link = None
        for timer, _ in self._waiting:
            timer.cancel()
        self._waiting.clear()
        if self._tell in self._recording.live:
            self._recording.live.remove(self._tell)
        link.end(status)
