"""The judge's side when a submission is graded: fakes, trials and verdicts are here.

Takes:  a connection to the answer's process
Gives:  callers for `checking.judged`
Never:  believes anything about a frame: it records what arrives here; and never waits for a
        call longer than the call may take

Whoever is on the other side can send any message at any time. A wrong one ends the session.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from workbench.core.text.visible import visible
from workbench.exercises.booth import Port
from workbench.exercises.bounded import STOPPING_S
from workbench.exercises.errors import PeerGone
from workbench.exercises.exercise import Exercise, Outcome
from workbench.exercises.relay import (
    Asked,
    Begin,
    Broken,
    Bye,
    Do,
    End,
    Ended,
    Feed,
    Invoke,
    Make,
    Open,
    Relay,
    Reply,
    sent,
)
from workbench.exercises.stage import Caller, MakeCaller

GRACE_S: Final = STOPPING_S + 5.0
"""For stopping a late call, and for the way there and back on a busy machine, in seconds."""
_GONE: Final = Outcome(ended="gone")

InvokeHere = Callable[[str, tuple[Any, ...]], Any]


class Session:
    """One answer's process during all its trials.

    Args:
        relay: connected, and greeted.
        exercise: whose answer it is.
        seconds: what one call may take.
        grace_s: how much later than that the other side may say so.
    """

    def __init__(
        self, relay: Relay, exercise: Exercise, seconds: float, grace_s: float = GRACE_S
    ) -> None:
        self._relay, self._exercise, self._seconds = relay, exercise, seconds
        self._grace_s = grace_s
        self._trial = 0
        self._asked = 0
        self.broken = False
        """Whether nothing more can be asked of this process."""

    @property
    def make_caller(self) -> MakeCaller:
        """What `judged` takes."""
        return self._caller

    def close(self) -> None:
        """Say goodbye."""
        try:
            self._relay.send(Bye())
        except Broken:
            pass
        self._relay.close()

    def _caller(self, port: Port, invoke: InvokeHere) -> Caller:
        self._trial += 1
        begin = Begin(self._trial, self._exercise.answer, self._exercise.verb, self._seconds)
        try:
            self._relay.send(begin)
        except Broken:
            self.broken = True
        return _Remote(self, port, invoke)

    def run(self, task: Make | Do, port: Port, invoke: InvokeHere) -> Outcome:
        """Have one call made, and serve what it asks for meanwhile."""
        if self.broken:
            return _GONE
        ends_at = time.monotonic() + self._seconds + self._grace_s
        try:
            self._relay.send(task)
            while not isinstance(message := self._relay.receive(ends_at), Ended):
                if not isinstance(message, Asked):
                    raise Broken("a greeting in the middle")
                self._relay.send(self._served(message, port, invoke))
        except Broken:
            self.broken = True
            late = time.monotonic() >= ends_at
            return Outcome(ended="late") if late else _GONE
        # Its process is ended when it is graded, so nothing stays behind.
        return replace(message.outcome, stuck=False)

    def _served(self, asked: Asked, port: Port, invoke: InvokeHere) -> Reply:
        ticket = asked.ticket
        if asked.trial != self._trial:
            return Reply(ticket, gone="that trial is over")
        try:
            match asked:
                case Open(peer=peer, now=now):
                    link, said = port.open(peer, now)
                    return Reply(ticket, link=link, said=said)
                case Feed(link=link, frame=frame, now=now):
                    return Reply(ticket, said=port.feed(link, frame, now))
                case End(link=link, now=now):
                    return Reply(ticket, said=port.end(link, now))
                case Invoke(name=name, args=args):
                    return Reply(ticket, value=invoke(name, args))
        except PeerGone as gone:
            return Reply(ticket, gone=str(gone))
        except Exception as error:
            # A function of the trial may raise on purpose; the answer has to cope.
            return Reply(ticket, error=visible(f"{type(error).__name__}: {error}", 300))


class _Remote:
    """The calls of one trial (`stage.Caller`)."""

    def __init__(self, session: Session, port: Port, invoke: InvokeHere) -> None:
        self._session, self._port, self._invoke = session, port, invoke

    def make(self) -> Outcome:
        return self._session.run(Make(), self._port, self._invoke)

    def call(self, held: int, args: Iterable[Any]) -> Outcome:
        task = Do(held, tuple(sent(one) for one in args))
        return self._session.run(task, self._port, self._invoke)
