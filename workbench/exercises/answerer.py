"""The answer's side of a trial: calls it, in whatever style it was written.

Takes:  the answer, a port to the peers, and calls as data
Gives:  one `Outcome` a call, in plain values
Never:  judges anything

A function, a coroutine function, an object or a class will do: an object is called, or its
method of the name the exercise asks for; a class is made into an object first. Whoever
writes `async def` gets an `AsyncPeer`, everybody else a `Peer`.
"""

import inspect
import io
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Final

from msgspec.structs import replace

from workbench.core.text.visible import visible
from workbench.exercises.booth import Port
from workbench.exercises.bounded import Ran, bounded
from workbench.exercises.exercise import Function, Input, Outcome, Output, ThePeer, ThePeers
from workbench.exercises.peer import AsyncPeer, Peer
from workbench.exercises.plain import plain

ANSWER: Final = 0
"""The number of the answer itself among the things that can be called."""
_TEXT: Final = 300
_HERE: Final = __name__.rpartition(".")[0]

Invoke = Callable[[str, tuple[Any, ...]], Any]
"""Calls one of the trial's functions, by name, with plain arguments."""


class NoCall(Exception):
    """Raised for what cannot be called; never shown as an error of the answer's own code.

    Args:
        value: what it is.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(f"it is of type {type(value).__name__}")
        self.value = value


class Answerer:
    """One answer during one trial.

    Args:
        answer: what the student made.
        verb: the method to call on an object that cannot be called itself.
        port: the way to the peers.
        invoke: the way to the trial's functions.
        seconds: what one call may take.
    """

    def __init__(self, answer: Any, verb: str, port: Port, invoke: Invoke, seconds: float) -> None:
        self._held: list[Any] = [answer]
        self._verb, self._port, self._invoke, self._seconds = verb, port, invoke, seconds
        self._peers: dict[tuple[str, bool], Peer | AsyncPeer] = {}

    def make(self) -> Outcome:
        """Call the answer without arguments and hold what it returns."""
        return self._run(lambda: _checked(self._held[ANSWER])(), io.BytesIO(), hold=True)

    def call(self, held: int, args: Iterable[Any]) -> Outcome:
        """Call something that is held.

        Args:
            held: its number; 0 is the answer.
            args: plain values and `Argument`s.
        """
        target = self._held[held]
        written = io.BytesIO()

        def work() -> Any:
            function = _function(target, self._verb)
            waits = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
                getattr(function, "__call__", None)  # noqa: B004 - the method, not whether
            )
            return function(*[self._given(one, waits, written) for one in args])

        return self._run(work, written, hold=False)

    def _run(self, work: Callable[[], Any], written: io.BytesIO, *, hold: bool) -> Outcome:
        kept: list[Any] = []

        def whole() -> Any:
            value = work()
            return _later(value, kept) if inspect.isawaitable(value) else _done(value, kept)

        ran = bounded(whole, self._seconds)
        outcome = replace(_outcome(ran), printed=ran.printed, written=_content(written))
        if outcome.ended == "returned" and hold:
            self._held.append(kept[0])
            outcome = replace(outcome, held=len(self._held) - 1)
        return outcome

    def _given(self, argument: Any, waits: bool, written: io.BytesIO) -> Any:
        match argument:
            case ThePeer(name):
                return self._peer(name, waits)
            case ThePeers(names):
                return {name: self._peer(name, waits) for name in names}
            case Input(data):
                return io.BytesIO(data)
            case Output():
                return written
            case Function(name):
                return lambda *args: self._invoke(name, tuple(plain(one) for one in args))
        return argument

    def _peer(self, name: str, waits: bool) -> Peer | AsyncPeer:
        key = (name, waits)
        if key not in self._peers:
            self._peers[key] = (AsyncPeer if waits else Peer)(name, self._port)
        return self._peers[key]


def _checked(answer: Any) -> Any:
    if not callable(answer):
        raise NoCall(answer)
    return answer


def _function(target: Any, verb: str) -> Any:
    if inspect.isclass(target):
        target = target()
    method = getattr(target, verb, None)
    if not inspect.isroutine(target) and callable(method):
        return method
    return _checked(target)


async def _later(value: Any, kept: list[Any]) -> Any:
    return _done(await value, kept)


def _done(value: Any, kept: list[Any]) -> Any:
    # On the answer's own thread and in its own time: a property or a __str__ may loop.
    kept.append(value)
    return type(value).__name__, plain(value)


def _content(written: io.BytesIO) -> bytes:
    return b"" if written.closed else written.getvalue()


def _outcome(ran: Ran) -> Outcome:
    if ran.late:
        return Outcome(ended="late", stuck=ran.stuck)
    error = ran.error
    if error is None:
        name, value = ran.value
        return Outcome(ended="returned", type=name, value=value)
    if isinstance(error, NoCall):
        nothing = error.value is None or error.value is ...
        return Outcome(ended="empty" if nothing else "no call", text=visible(str(error), _TEXT))
    if isinstance(error, SystemExit):
        return Outcome(ended="exited", error="SystemExit", line=_line(error.__traceback__))
    return Outcome(
        ended="raised",
        error=type(error).__name__,
        bases=tuple(kind.__name__ for kind in type(error).__mro__),
        text=_text(error),
        line=_line(error.__traceback__),
    )


def _text(error: BaseException) -> str:
    try:
        return visible(str(error), _TEXT)
    except Exception:
        return "an error that cannot be shown"


def _line(trace: TracebackType | None) -> str:
    """Return the last line of the answer's own code, as far as it can be told."""
    theirs = [
        frame
        for frame in traceback.extract_tb(trace)
        if frame.name != "<lambda>" and not _ours(frame.filename)
    ]
    if not theirs:
        return ""
    code = f": {theirs[-1].line}" if theirs[-1].line else ""
    return visible(f"line {theirs[-1].lineno}{code}", _TEXT)


def _ours(filename: str) -> bool:
    libraries = ("/workbench/", "/fakes/", "/asyncio/", "/lib/python")
    plain_name = filename.replace("\\", "/")
    return any(part in plain_name for part in libraries)
