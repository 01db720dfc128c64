"""Handlers, run under a policy."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest
from driven import driven, turns

from workbench.core.errors import Failure, Kind
from workbench.core.inputs.handlers import Handlers
from workbench.core.inputs.inputs import Elicitation, InputPolicy, RootsWanted, Sampling, Wanted
from workbench.core.inputs.replies import accept, decline
from workbench.core.journal.journal import Journal
from workbench.drivers.answering import Answering
from workbench.drivers.clock import ManualClock
from workbench.drivers.schemas import Schemas

FORM = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "green"], "default": "red"},
        "age": {"type": "integer", "minimum": 18},
        "score": {"type": "number", "default": 95.5},
        "ok": {"type": "boolean", "default": True},
    },
    "required": ["age"],
}
ASKED = Elicitation(peer="p", key="k", message="?", schema=FORM)
URL = Elicitation(peer="p", key="k", message="?", mode="url", url="https://a.example/")
ROOTS = RootsWanted(peer="p", key="k")


def sampling(tokens: int = 400) -> Sampling:
    params = {"messages": [], "maxTokens": min(tokens, 400)}
    return Sampling(peer="p", key="k", params=params, requested_tokens=tokens)


def desk(clock: Any = None, journal: Any = None, **handlers: Any) -> Answering:
    return Answering(Handlers(**handlers), Schemas(), clock or ManualClock(), journal or Journal())


def answered(wanted: Wanted, **handlers: Any) -> Any:
    async def story() -> Any:
        async with asyncio.timeout(5):
            answering = desk(**handlers)
            return await answering.answer(wanted, answering.budget())

    return asyncio.run(story())


def test_an_accepted_form_carries_its_defaults() -> None:
    """Field case M05: enum, number, boolean, default."""
    reply = answered(ASKED, elicitation=lambda asked: {"age": 20})
    content = {"age": 20, "colour": "red", "score": 95.5, "ok": True}
    assert reply == {"action": "accept", "content": content}


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({}, "age"),
        ({"age": 17}, "$.age"),
        ({"age": 1.5}, "$.age"),
        ({"age": "20"}, "$.age"),
        ({"age": 20, "colour": "blue"}, "$.colour"),
        ({"age": 20, "ok": "yes"}, "$.ok"),
        ({"age": 20, "score": None}, "$.score"),
    ],
)
def test_an_answer_that_does_not_fit_is_not_sent(content: Any, path: str) -> None:
    """Spec: clients should validate responses against the schema; rule INPUT-05."""
    failure = answered(ASKED, elicitation=lambda asked: accept(content))
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.rule) == (Kind.INPUT_REFUSED, "INPUT-05")
    assert path in failure.detail


def test_a_no_needs_to_fit_nothing() -> None:
    """Rule INPUT-07: declining is an answer."""
    assert answered(ASKED, elicitation=lambda asked: decline()) == {"action": "decline"}
    assert answered(ASKED, elicitation=lambda asked: None) == {"action": "cancel"}
    assert answered(URL, url_elicitation=lambda asked: False) == {"action": "decline"}


def test_consent_is_asked_of_its_own_handler() -> None:
    """Rule INPUT-08: who answers forms does not consent to addresses."""
    seen: list[str] = []

    def consent(asked: Elicitation) -> bool:
        seen.append(asked.url)
        return True

    assert answered(URL, url_elicitation=consent) == {"action": "accept"}
    assert seen == ["https://a.example/"]
    assert answered(URL, elicitation=lambda asked: True).rule == "CALL-05"


async def _slow(asked: Any) -> str:
    await asyncio.wait([asyncio.ensure_future(turns(3))])
    return "yes"


@pytest.mark.parametrize(
    "handler",
    [
        lambda asked: "yes",
        _slow,
        lambda asked: _slow(asked),
        type("M", (), {"__call__": lambda self, asked: "yes"})(),
    ],
)
def test_functions_coroutine_functions_and_objects_can_answer(handler: Any) -> None:
    """Ours: what can be called is a handler."""
    reply = answered(sampling(), sampling=handler)
    assert reply["content"] == {"type": "text", "text": "yes"}


def test_a_plain_function_runs_on_a_thread_of_its_own() -> None:
    """Design section 7.8: the reader is never blocked."""
    seen: list[threading.Thread] = []
    answered(ROOTS, roots=lambda asked: seen.append(threading.current_thread()) or [])
    assert seen[0] is not threading.main_thread() and seen[0].daemon


def test_the_loop_goes_on_while_a_function_waits_for_a_person() -> None:
    """Design section 7.8: handlers may take minutes."""

    async def story() -> None:
        decided = threading.Event()
        answering = desk(sampling=lambda asked: "late" if decided.wait(5) else "never")
        task = asyncio.ensure_future(answering.answer(sampling(), answering.budget()))
        await turns(50)
        assert not task.done()
        decided.set()
        assert (await task)["content"]["text"] == "late"

    asyncio.run(story())


def test_roots_may_be_a_list() -> None:
    """Ours: most applications have a fixed list."""
    assert answered(ROOTS, roots=["/a"]) == {"roots": [{"uri": "file:///a"}]}
    assert answered(ROOTS, roots=lambda asked: None).kind is Kind.CANCELLED


@pytest.mark.parametrize(
    ("approve", "passes"),
    [(None, True), (lambda asked: True, True), (lambda asked: False, False),
     (lambda asked: None, False), (lambda asked: "yes", False)],
)  # fmt: skip
def test_a_sampling_request_passes_only_with_a_plain_yes(approve: Any, passes: bool) -> None:
    """Spec: client/sampling: a human in the loop can deny; rule INPUT-06."""
    asked: list[Any] = []
    policy = InputPolicy(approve_sampling=approve)
    reply = answered(sampling(), sampling=lambda one: asked.append(one) or "x", policy=policy)
    assert (len(asked) == 1) == passes
    assert isinstance(reply, Failure) != passes
    if isinstance(reply, Failure):
        assert (reply.kind, reply.rule) == (Kind.CANCELLED, "INPUT-07")


def test_the_approval_may_be_a_coroutine_function_and_may_fail() -> None:
    """Ours: a widget is asked asynchronously."""

    async def yes(asked: Any) -> bool:
        return True

    assert (
        answered(sampling(), sampling=lambda asked: "x", policy=InputPolicy(approve_sampling=yes))[
            "role"
        ]
        == "assistant"
    )
    broken = InputPolicy(approve_sampling=lambda asked: 1 / 0)
    failure = answered(sampling(), sampling=lambda asked: "x", policy=broken)
    assert failure.rule == "INPUT-05"


def test_the_budget_ends() -> None:
    """Rule INPUT-06: a bounded number of requests a call."""

    async def story() -> list[Any]:
        answering = desk(sampling=lambda asked: "x", policy=InputPolicy(sampling_calls=2))
        budget = answering.budget()
        replies = [await answering.answer(sampling(), budget) for _ in range(3)]
        budget.refill()
        return [*replies, await answering.answer(sampling(), budget)]

    replies = asyncio.run(story())
    assert [isinstance(reply, Failure) for reply in replies] == [False, False, True, False]
    assert (replies[2].kind, replies[2].rule) == (Kind.INPUT_REFUSED, "INPUT-06")


def test_lowered_tokens_are_noted() -> None:
    """Seed card, defaults: what is changed is said."""
    journal = Journal()

    async def story() -> None:
        answering = desk(journal=journal, sampling=lambda asked: "x")
        await answering.answer(sampling(4_000), answering.budget())

    asyncio.run(story())
    assert "lowered from 4000 to 400" in journal.to_text()


@pytest.mark.parametrize(
    "problem",
    [ValueError("mine"), StopIteration("odd"), KeyboardInterrupt(), SystemExit(3), TimeoutError()],
)
def test_a_handler_that_raises_ends_this_call_and_nothing_else(problem: BaseException) -> None:
    """Ours: what a handler does is named with file and line, and the loop survives."""

    def fail(asked: Any) -> None:
        raise problem

    failure = answered(sampling(), sampling=fail)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.rule) == (Kind.INPUT_REFUSED, "INPUT-05")
    assert type(problem).__name__ in failure.detail


def test_the_place_of_the_fault_is_shown() -> None:
    """Ours: a traceback that is lost must leave an address."""
    assert "test_answering.py:" in answered(sampling(), sampling=lambda asked: 1 / 0).detail


def test_a_person_who_never_answers_ends_the_call_at_the_bound() -> None:
    """Rule INPUT-09; the bound is the policy's, not the peer's deadline."""

    async def story() -> tuple[Any, float]:
        clock = ManualClock()

        async def never(asked: Any) -> None:
            await asyncio.Event().wait()

        answering = desk(clock, elicitation=never, policy=InputPolicy(answer_timeout_s=600))
        reply = await driven(answering.answer(ASKED, answering.budget()), clock)
        return reply, clock.now()

    failure, now = asyncio.run(story())
    assert (failure.kind, failure.rule, now) == (Kind.TOOK_TOO_LONG, "INPUT-09", 600.0)


def test_a_handler_that_cancels_itself_gave_no_answer() -> None:
    """Ours: a cancelled dialog is the user's no, not the caller's."""

    async def give_up(asked: Any) -> None:
        raise asyncio.CancelledError

    failure = answered(sampling(), sampling=give_up)
    assert (failure.kind, failure.rule) == (Kind.CANCELLED, "INPUT-07")


def test_a_cancelled_call_cancels_its_handler() -> None:
    """Ours: a dialog does not outlive the call it belongs to."""
    ended: list[str] = []

    async def ask(asked: Any) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def story() -> None:
        answering = desk(elicitation=ask)
        task = asyncio.ensure_future(answering.answer(ASKED, answering.budget()))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await turns()

    asyncio.run(story())
    assert ended == ["cancelled"]


def _all(*wanted: Wanted, **handlers: Any) -> Coroutine[Any, Any, Any]:
    answering = desk(**handlers)
    return answering.answer_all(wanted, answering.budget())


def test_a_round_is_answered_in_order_one_question_at_a_time() -> None:
    """Ours: a person sees one dialog."""
    seen: list[str] = []
    one, two = (Elicitation(peer="p", key=key, message="", schema=FORM) for key in "ba")

    def ask(asked: Elicitation) -> Any:
        seen.append(asked.key)
        return decline()

    responses = asyncio.run(_all(one, two, elicitation=ask))
    assert (seen, list(responses)) == (["b", "a"], ["b", "a"])


def test_the_first_failure_ends_the_round() -> None:
    """Ours: nobody is asked for a call that has ended."""
    seen: list[str] = []
    failure = asyncio.run(
        _all(sampling(), ASKED, sampling=lambda asked: None, elicitation=seen.append)
    )
    assert isinstance(failure, Failure) and seen == []
