"""Judge and answer in two processes come to the verdict they come to in one."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final

import pytest
from answers import Given, answers, made

from workbench.exercises import Verdict, exercises, find, judged
from workbench.exercises.desk import attend
from workbench.exercises.exercise import Call, Exercise, Finding, Function, Seen, Trial
from workbench.exercises.judging import Session
from workbench.exercises.relay import Ended, Feed, Hello, Open, Relay, ToJudge
from workbench.exercises.stage import here

SECONDS: Final = 10.0
ALL: Final = [
    given
    for exercise in exercises()
    for given in answers(exercise)
    # What has to be stopped takes its time, and is tried elsewhere.
    if given.mistake not in ("late", "flooded")
]
GIVEN: Final = [one for place, one in enumerate(ALL) if one.right or place % 3 == 0]
"""Every right answer, and every third of the others."""


@contextmanager
def at_a_desk(variables: dict[str, Any]) -> Iterator[Relay]:
    """Run a desk on a thread, connected as a kernel would be."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        desk = threading.Thread(
            target=attend, args=(variables, *listener.getsockname(), "token"), daemon=True
        )
        desk.start()
        connection, _ = listener.accept()
    relay = Relay(connection, ToJudge)
    assert relay.receive() == Hello("token")
    try:
        yield relay
    finally:
        relay.close()
        desk.join(SECONDS)
        assert not desk.is_alive()


def through_a_desk(exercise: Exercise, answer: Any, chance: Random) -> Verdict:
    """Judge an answer that can be reached through a socket alone."""
    with at_a_desk({exercise.answer: answer}) as relay:
        session = Session(relay, exercise, SECONDS)
        try:
            return judged(exercise, session.make_caller, chance)
        finally:
            session.close()


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_an_answer_is_judged_the_same_through_a_socket(given: Given) -> None:
    """Ours: one judge; what a student sees in the notebook is what is graded."""
    exercise = find(given.exercise)
    answer = made(given, exercise.answer)
    near = judged(exercise, here(answer, exercise.verb, SECONDS), Random(5))
    far = through_a_desk(exercise, answer, Random(5))
    assert far.to_dict() == near.to_dict()


@contextmanager
def by_hand(exercise: Exercise, seconds: float) -> Iterator[tuple[Session, socket.socket]]:
    """Give a session, and the bare other end of its connection."""
    ours, theirs = socket.socketpair()
    session = Session(Relay(ours, ToJudge), exercise, seconds, grace_s=0.1)
    try:
        yield session, theirs
    finally:
        session.close()
        theirs.close()


def framed(body: bytes) -> bytes:
    """Put a length in front."""
    return len(body).to_bytes(4, "big") + body


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x00",
        framed(b"junk"),
        framed(b"\xc1" * 50),
        (2**32 - 1).to_bytes(4, "big"),
        framed(b"\x82\xa4type\xa5ended\xa7outcome\x80"),
        framed(b"\x82\xa4type\xa5hello\xa5token\xa1x"),
    ],
    ids=["nothing", "half", "junk", "bytes", "huge", "hollow", "hello"],
)
def test_a_process_that_says_nonsense_is_gone(said: bytes) -> None:
    """Ours: whoever is on the other side may send anything; the judge stays whole."""
    with by_hand(find(1), SECONDS) as (session, theirs):
        theirs.sendall(said)
        theirs.shutdown(socket.SHUT_WR)
        verdict = judged(find(1), session.make_caller, Random(1))
    assert (verdict.status, verdict.mistake) == ("FAILED", "exited")


def test_a_process_that_never_answers_is_late() -> None:
    """Ours: no wait without a bound, also when nothing at all is said."""
    with by_hand(find(1), 0.1) as (session, _):
        verdict = judged(find(1), session.make_caller, Random(1))
    assert verdict.mistake == "late"


def test_a_word_about_a_trial_that_is_over_reaches_nobody() -> None:
    """Ours: what an answer left running cannot put frames into a later trial."""
    with by_hand(find(1), 1.0) as (session, theirs):
        other = Relay(theirs, Any)
        other.send(Open(1, trial=77, peer="museum", now=0.0))
        other.send(Feed(2, trial=77, link=1, frame=b"{}", now=0.0))
        other.send(Ended(outcome=_returned()))
        caller = session.make_caller(_NoPort(), lambda *_: None)
        assert caller.call(0, ()).value == 1
        begin, do, first, second = (other.receive() for _ in range(4))
    assert (begin["type"], do["type"]) == ("begin", "do")
    assert first["gone"] == second["gone"] == "that trial is over"


def test_functions_of_a_trial_are_called_here_and_may_raise() -> None:
    """Ours: an answer is given functions too, and sees their errors."""

    def spell(word: str) -> str:
        if not word:
            raise ValueError("no \x1b word")
        return word.upper()

    trial = Trial(
        name="t",
        about="a",
        calls=(Call(args=(Function("spell"), "tea")), Call(args=(Function("spell"), ""))),
        functions={"spell": spell},
    )
    seen: list[Seen] = []

    def judge(_: Trial, what: Seen) -> Finding | None:
        seen.append(what)
        return None

    exercise = Exercise(
        number=1,
        name="n",
        title="t",
        answer="use",
        task="t",
        rules=(),
        trials=lambda _: (trial,),
        judge=judge,
        hints={},
    )
    assert through_a_desk(exercise, lambda spell, word: spell(word), Random(1))
    first, second = seen[0].outcomes
    assert (first.value, second.ended) == ("TEA", "raised")
    assert "ValueError: no \\x1b word" in second.text
    assert seen[0].invoked == (("spell", ("tea",)), ("spell", ("",)))


class _NoPort:
    def open(self, peer: str, now: float) -> Any:
        raise AssertionError("nobody may get here")

    feed = end = open


def _returned() -> Any:
    from workbench.exercises.exercise import Outcome

    return Outcome(ended="returned", value=1, type="int")
