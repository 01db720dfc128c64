"""Answers in every style are called, and what they do comes back in plain values."""

from functools import partial
from typing import Any, Final

import pytest

from fakes import modern
from workbench.exercises.answerer import ANSWER, Answerer
from workbench.exercises.booth import Booth
from workbench.exercises.exercise import Function, Input, Outcome, Output, ThePeer, ThePeers

BOOTH: Final = {"a": modern("a"), "b": modern("b")}


def answerer(answer: Any, invoke: Any = None) -> Answerer:
    """Return the answer's side for an answer whose verb is "run"."""
    return Answerer(answer, "run", Booth(BOOTH), invoke or (lambda *_: None), 10.0)


def called(answer: Any, *args: Any) -> Outcome:
    """Call an answer once."""
    return answerer(answer).call(ANSWER, args)


def function(x: int) -> int:
    """Add one."""
    return x + 1


async def coroutine(x: int) -> int:
    """Add one."""
    return x + 1


class WithMethod:
    """Has the method the exercise asks for."""

    def run(self, x: int) -> int:
        """Add one."""
        return x + 1


class WithAsyncMethod:
    """Has it as a coroutine."""

    async def run(self, x: int) -> int:
        """Add one."""
        return x + 1


class Callable:
    """Is called itself."""

    def __call__(self, x: int) -> int:
        """Add one."""
        return x + 1


class AsyncCallable:
    """Is called itself, and awaited."""

    async def __call__(self, x: int) -> int:
        """Add one."""
        return x + 1


STYLES: Final = [
    function,
    coroutine,
    WithMethod,
    WithMethod(),
    WithMethod().run,
    WithAsyncMethod,
    WithAsyncMethod(),
    Callable,
    Callable(),
    AsyncCallable,
    AsyncCallable(),
    partial(function),
    partial(coroutine),
    lambda x: coroutine(x),
]


@pytest.mark.parametrize("style", STYLES)
def test_every_style_is_called(style: Any) -> None:
    """Ours: what is learned is the protocol, not a style."""
    assert (called(style, 6).value, called(style, 6).type) == (7, "int")


@pytest.mark.parametrize(
    ("style", "kind"),
    [
        (lambda peer: type(peer).__name__, "Peer"),
        (WithMethod, "raised"),
        (None, "empty"),
        (..., "empty"),
        (7, "no call"),
        (object(), "no call"),
    ],
)
def test_what_is_handed_in_may_be_anything(style: Any, kind: str) -> None:
    """Ours: one clear ending for each."""
    outcome = called(style, ThePeer("a"))
    assert kind in (outcome.ended, outcome.value)


def test_a_coroutine_gets_handles_to_await() -> None:
    """Ours: both colours; also in a method, a partial, an object."""

    async def kind(peer: Any) -> str:
        return type(peer).__name__

    class Kind:
        async def run(self, peer: Any) -> str:
            return type(peer).__name__

    class Called:
        async def __call__(self, peer: Any) -> str:
            return type(peer).__name__

    for style in (kind, Kind, Kind(), partial(kind), Called()):
        assert called(style, ThePeer("a")).value == "AsyncPeer"


def test_the_same_peer_is_the_same_handle_in_every_call() -> None:
    """Ours: a connection lasts over the calls of a trial."""
    held: list[Any] = []
    one = answerer(lambda peer, peers: held.extend([peer, *peers.values()]))
    one.call(ANSWER, (ThePeer("a"), ThePeers(("b", "a"))))
    one.call(ANSWER, (ThePeer("b"), ThePeers(("a",))))
    assert [peer.name for peer in held] == ["a", "b", "a", "b", "a"]
    assert len({id(peer) for peer in held}) == 2


def test_streams_and_functions_are_arguments_too() -> None:
    """Ours: a loop over stdin and stdout is an exercise as well."""

    def echo(source: Any, target: Any, shout: Any) -> None:
        target.write(shout(source.read().decode()).encode())

    outcome = answerer(echo, lambda name, args: f"{name}: {args[0].upper()}").call(
        ANSWER, (Input(b"tea"), Output(), Function("up"))
    )
    assert outcome.written == b"up: TEA"


def test_a_closed_stream_is_an_empty_one() -> None:
    """Ours: an answer may close what it was given."""
    assert called(lambda target: target.close(), Output()).written == b""


@pytest.mark.parametrize("style", ["function", "coroutine", "class"])
def test_what_an_answer_makes_can_be_called(style: str) -> None:
    """Ours: an answer with a memory is made anew for each trial."""

    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def run(self, step: int) -> int:
            self.count += step
            return self.count

    async def later() -> Counter:
        return Counter()

    made: Any = {"function": lambda: Counter(), "coroutine": later, "class": Counter}[style]
    one = answerer(made)
    first, second = one.make(), one.make()
    assert (first.held, second.held) == (1, 2)
    assert [one.call(1, (2,)).value, one.call(1, (2,)).value, one.call(2, (1,)).value] == [2, 4, 1]


def test_an_error_says_where() -> None:
    """Ours: the line of the answer, not of what it called."""
    source = "def run(x):\n    y = {}\n    return y['missing']\n"
    namespace: dict[str, Any] = {}
    exec(compile(source, "<cell>", "exec"), namespace)
    outcome = called(namespace["run"], 1)
    assert (outcome.ended, outcome.error, outcome.text) == ("raised", "KeyError", "'missing'")
    assert outcome.line.startswith("line 3")
    assert "LookupError" in outcome.bases


class Mute(Exception):
    """Cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "text"), [(Mute(), "cannot be shown"), (ValueError("\x1b[31m"), "\\x1b[31m")]
)
def test_an_error_is_shown_safely(error: Exception, text: str) -> None:
    """Ours: its text is somebody's code and somebody's peer."""

    def run(_: int) -> None:
        raise error

    assert text in called(run, 1).text


def test_a_value_whose_text_never_ends_is_late() -> None:
    """Ours: it is made plain in the answer's own time."""

    class Endless:
        def __str__(self) -> str:
            while True:
                pass

    one = Answerer(lambda: Endless(), "run", Booth({}), lambda *_: None, 0.2)
    assert one.call(ANSWER, ()).ended == "late"
