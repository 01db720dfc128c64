"""Judges say something about any answer, however odd; they never fail themselves."""

from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.exercises import PeerGone, Unreadable, exercises, judged
from workbench.exercises.exercise import Exercise
from workbench.exercises.stage import here

METHODS: Final = (
    "initialize",
    "notifications/initialized",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
    "x",
)
META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
words: Final = st.sampled_from(("2026-07-28", "2025-11-25", "search", "ann", "", "\x1b[31m"))
plain: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 70_000) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
messages: Final = st.fixed_dictionaries(
    {"jsonrpc": st.sampled_from(("2.0", "2.0", "2.0", 2)), "method": st.sampled_from(METHODS)},
    optional={
        "id": st.integers(1, 3) | words,
        "params": plain | st.fixed_dictionaries({"_meta": st.just(META)}, optional={"x": plain}),
    },
)
frames: Final = st.lists(messages | plain | st.binary(max_size=20), max_size=6)


def peers_in(args: tuple[Any, ...]) -> list[Any]:
    """Return whatever in the arguments one can speak with."""
    found = [one for arg in args for one in (arg.values() if isinstance(arg, dict) else [arg])]
    return [one for one in found if hasattr(one, "send")]


def talker(sent: list[Any], value: Any, raised: bool) -> Any:
    """Return an answer that sends these frames to everybody, and then gives this value."""

    def answer(*args: Any) -> Any:
        for peer in peers_in(args):
            try:
                for one in sent:
                    peer.send(one)
                    peer.receive(timeout_ms=10)
            except (PeerGone, Unreadable):
                continue
        if raised:
            raise RuntimeError(str(value))
        return value

    return answer


@pytest.mark.parametrize("exercise", list(exercises()), ids=lambda one: one.name)
@settings(max_examples=60)
@given(sent=frames, value=plain, raised=st.booleans(), seed=st.integers(0, 9))
def test_any_answer_gets_a_verdict(
    exercise: Exercise, sent: list[Any], value: Any, raised: bool, seed: int
) -> None:
    """Ours: a judge is a total function; nobody passes by chance."""
    answer = talker(sent, value, raised)
    makes = exercise.trials(Random(seed))[0].calls[0].make
    verdict = judged(
        exercise,
        here((lambda: answer) if makes else answer, exercise.verb, 10.0),
        Random(seed),
        shuffled=True,
    )
    assert verdict.status == "FAILED", verdict.to_text()
    assert "\x1b" not in verdict.to_text() + verdict._repr_html_()
    assert len(verdict.hints) == 3
