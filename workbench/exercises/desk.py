"""The answer's side when a submission is graded: runs in the kernel, judges nothing.

Takes:  the kernel's variables, and where the judge is
Gives:  what the answer does: frames, and what came out of it
Never:  sees a fake, a trial or a verdict

The answer can change everything in this process, this module included. That gains nothing:
whatever happens here, the judge sees frames and outcomes, and a process that produces the
right ones for peers it does not know has solved the exercise.
"""

import itertools
import socket
import threading
from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any, Final

from workbench.exercises.answerer import Answerer
from workbench.exercises.booth import Said
from workbench.exercises.errors import PeerGone
from workbench.exercises.exercise import Outcome
from workbench.exercises.relay import (
    Begin,
    Broken,
    Bye,
    Do,
    End,
    Ended,
    Feed,
    Given,
    Hello,
    Invoke,
    Make,
    Open,
    Relay,
    Reply,
    ToAnswer,
)

CONNECT_S: Final = 10.0


def attend(variables: Mapping[str, Any], host: str, port: int, token: str) -> None:
    """Serve one judge until it says goodbye or is gone.

    Args:
        variables: where the answers are, by name.
        host: of the judge.
        port: of the judge.
        token: proves that this is the kernel it waits for.
    """
    connection = socket.create_connection((host, port), CONNECT_S)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    relay = Relay(connection, ToAnswer)
    relay.send(Hello(token))
    _Desk(variables, relay).serve()


class _Desk:
    def __init__(self, variables: Mapping[str, Any], relay: Relay) -> None:
        self._variables, self._relay = variables, relay
        self._tasks: SimpleQueue[Begin | Make | Do | None] = SimpleQueue()
        self._replies: dict[int, SimpleQueue[Reply]] = {}
        self._tickets = itertools.count(1)
        self._lock = threading.Lock()

    def serve(self) -> None:
        """Do what is asked for, one thing at a time; a thread of its own listens."""
        reader = threading.Thread(target=self._read, name="exercise-desk", daemon=True)
        reader.start()
        answerer: Answerer | None = None
        try:
            while (task := self._tasks.get()) is not None:
                if isinstance(task, Begin):
                    answerer = self._begin(task)
                elif answerer is not None:
                    self._say(Ended(_done(answerer, task)))
        except Broken:
            pass
        finally:
            self._relay.close()

    def ask(self, words: Any) -> Reply:
        """Send what `words` makes of a new ticket, and return the reply to it.

        Raises:
            PeerGone: if the judge says so, or is gone.
        """
        ticket, waiting = next(self._tickets), SimpleQueue[Reply]()
        self._replies[ticket] = waiting
        try:
            self._say(words(ticket))
        except Broken:
            raise PeerGone("the judge is gone") from None
        reply = waiting.get()
        if reply.gone is not None:
            raise PeerGone(reply.gone)
        if reply.error is not None:
            raise RuntimeError(reply.error)
        return reply

    def _say(self, message: Any) -> None:
        with self._lock:
            self._relay.send(message)

    def _begin(self, task: Begin) -> Answerer:
        way = _Way(self, task.trial)
        answer = self._variables.get(task.answer)
        return Answerer(answer, task.verb, way, way.invoke, task.seconds)

    def _read(self) -> None:
        try:
            while not isinstance(message := self._relay.receive(), Bye):
                if isinstance(message, Reply):
                    waiting = self._replies.pop(message.ticket, None)
                    if waiting is not None:
                        waiting.put(message)
                else:
                    self._tasks.put(message)
        except Broken:
            pass
        self._tasks.put(None)
        for waiting in self._replies.values():
            waiting.put(Reply(0, gone="the judge is gone"))


class _Way:
    """The port to the peers of one trial (`booth.Port`), and to its functions."""

    def __init__(self, desk: _Desk, trial: int) -> None:
        self._desk, self._trial = desk, trial

    def open(self, peer: str, now: float) -> tuple[int, tuple[Said, ...]]:
        reply = self._desk.ask(lambda ticket: Open(ticket, self._trial, peer, now))
        return reply.link, reply.said

    def feed(self, link: int, frame: bytes, now: float) -> tuple[Said, ...]:
        return self._desk.ask(lambda ticket: Feed(ticket, self._trial, link, frame, now)).said

    def end(self, link: int, now: float) -> tuple[Said, ...]:
        return self._desk.ask(lambda ticket: End(ticket, self._trial, link, now)).said

    def invoke(self, name: str, args: tuple[Any, ...]) -> Any:
        return self._desk.ask(lambda ticket: Invoke(ticket, self._trial, name, args)).value


def _done(answerer: Answerer, task: Make | Do) -> Outcome:
    if isinstance(task, Make):
        return answerer.make()
    args = [one.value if isinstance(one, Given) else one for one in task.args]
    return answerer.call(task.held, args)
