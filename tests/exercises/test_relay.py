"""The words between judge and answer cross a socket whole, bounded and in time."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from workbench.exercises.booth import Said
from workbench.exercises.exercise import Function, Input, Outcome, Output, ThePeer, ThePeers
from workbench.exercises.relay import (
    LONGEST,
    Begin,
    Broken,
    Do,
    Ended,
    Feed,
    Given,
    Hello,
    Relay,
    Reply,
    ToAnswer,
    ToJudge,
    sent,
)


@pytest.fixture
def ends() -> Iterator[tuple[Relay, Relay]]:
    """Judge and answer, connected."""
    ours, theirs = socket.socketpair()
    judge, answer = Relay(ours, ToJudge), Relay(theirs, ToAnswer)
    yield judge, answer
    judge.close()
    answer.close()


@pytest.mark.parametrize(
    "message",
    [
        Begin(1, "negotiate", "negotiate", 2.5),
        Do(0, (Given({"a": [1, None]}), ThePeer("x"), ThePeers(("a", "b")))),
        Do(3, (Input(b"\xff"), Output(), Function("f"), Given(b"x"))),
        Reply(7, link=2, said=(Said(at=1.5, kind="bytes", data=b"{}", request_id="one"),)),
        Reply(8, value=[1, "x"], error="no"),
    ],
)
def test_what_a_judge_says_arrives(message: Any, ends: tuple[Relay, Relay]) -> None:
    """Ours: bytes stay bytes, and 1 stays different from "1"."""
    judge, answer = ends
    judge.send(message)
    assert answer.receive() == message


@pytest.mark.parametrize(
    "message",
    [
        Hello("t"),
        Feed(1, 2, 3, b"\x00", 0.25),
        Ended(Outcome(ended="returned", value={"x": [b"y"]}, held=1, printed="p")),
    ],
)
def test_what_an_answer_says_arrives(message: Any, ends: tuple[Relay, Relay]) -> None:
    """Ours: the other way."""
    judge, answer = ends
    answer.send(message)
    assert judge.receive(time.monotonic() + 5) == message


def test_a_plain_value_is_wrapped_and_an_argument_is_not() -> None:
    """Ours: a dict that looks like an argument is still a dict."""
    assert sent({"type": "peer", "name": "x"}) == Given({"type": "peer", "name": "x"})
    assert sent(ThePeer("x")) == ThePeer("x")


def test_a_word_of_the_wrong_direction_breaks_the_line(ends: tuple[Relay, Relay]) -> None:
    """Ours: an answer cannot say what only a judge says."""
    judge, answer = ends
    answer.send(Begin(1, "x", "x", 1.0))
    with pytest.raises(Broken, match="no message"):
        judge.receive(time.monotonic() + 5)


def test_silence_ends_in_time_and_a_closed_end_at_once(ends: tuple[Relay, Relay]) -> None:
    """Ours: every wait of a judge has an end."""
    judge, answer = ends
    with pytest.raises(Broken):
        judge.receive(time.monotonic() + 0.05)
    with pytest.raises(Broken, match="too late"):
        judge.receive(time.monotonic() - 1)
    answer.close()
    with pytest.raises(Broken):
        judge.receive()
    with pytest.raises(Broken):
        for _ in range(100):
            judge.send(Hello("x" * 100_000))


def test_a_giant_message_is_not_read() -> None:
    """Ours: memory is bounded."""
    ours, theirs = socket.socketpair()
    judge = Relay(ours, ToJudge)
    theirs.sendall((LONGEST + 1).to_bytes(4, "big"))
    with pytest.raises(Broken, match="bytes"):
        judge.receive(time.monotonic() + 5)
    judge.close()
    theirs.close()
