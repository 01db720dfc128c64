"""Requests of legacy servers, answered by the same handlers."""

import asyncio
from typing import Any

import pytest
from driven import turns

from workbench.core.inputs.handlers import Handlers
from workbench.core.inputs.inputs import InputPolicy
from workbench.core.inputs.models import fake_model
from workbench.core.journal.journal import Journal
from workbench.core.wire.message import Notification, Request
from workbench.drivers.answering import Answering
from workbench.drivers.clock import ManualClock
from workbench.drivers.schemas import Schemas
from workbench.drivers.server_requests import ServerRequests

MESSAGE = {"role": "user", "content": {"type": "text", "text": "hi"}}
SAMPLE = {"messages": [MESSAGE], "maxTokens": 4_000}
FORM = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}


def asked(
    *requests: Request, handlers: Handlers, declared: Any = None, refill: bool = False
) -> list[dict[str, Any]]:
    """Hand over requests one after the other; return what was sent back."""

    async def story() -> list[dict[str, Any]]:
        clock, journal = ManualClock(), Journal()
        desk = ServerRequests(Answering(handlers, Schemas(), clock, journal), clock, journal)
        replies: list[dict[str, Any]] = []
        for request in requests:
            if refill:
                desk.refill("p")
            known = handlers.capabilities() if declared is None else declared
            taken = desk.take("p", request, known, replies.append)
            if not taken:
                replies.append({"taken": False})
            while desk._tasks:
                await asyncio.wait(desk._tasks.values(), timeout=5)
        return replies

    return asyncio.run(story())


def test_each_kind_is_answered_by_its_handler() -> None:
    """Spec: 2025-11-25 client features."""
    handlers = Handlers(sampling=fake_model("yes"), elicitation=lambda one: {}, roots=["/home/me"])
    replies = asked(
        Request(1, "sampling/createMessage", SAMPLE),
        Request("b", "elicitation/create", FORM),
        Request(3, "roots/list", {}),
        handlers=handlers,
    )
    assert [reply["id"] for reply in replies] == [1, "b", 3]
    assert replies[0]["result"]["content"]["text"] == "yes"
    assert replies[1]["result"] == {"action": "accept", "content": {}}
    assert replies[2]["result"] == {"roots": [{"uri": "file:///home/me"}]}


@pytest.mark.parametrize("method", ["ping", "tools/list", "mind/read", "elicitation/create"])
def test_what_was_not_declared_is_left_to_the_link(method: str) -> None:
    """Field case E20: everything else is answered -32601, by whoever reads the wire."""
    (reply,) = asked(Request(1, method, {}), handlers=Handlers(roots=[]))
    assert reply == {"taken": False}


@pytest.mark.parametrize(
    ("request_", "handlers", "code"),
    [
        (Request(1, "sampling/createMessage", {}), Handlers(sampling=len), -32602),
        (
            Request(1, "sampling/createMessage", {**SAMPLE, "tools": []}),
            Handlers(sampling=len),
            -32601,
        ),
        (Request(1, "sampling/createMessage", SAMPLE), Handlers(sampling=lambda one: None), -1),
        (Request(1, "sampling/createMessage", SAMPLE), Handlers(sampling=lambda one: 7), -32603),
        (Request(1, "roots/list", {}), Handlers(roots=lambda one: 1 / 0), -32603),
    ],
)
def test_every_refusal_is_one_error_answer(request_: Request, handlers: Any, code: int) -> None:
    """Spec: 2025-11-25 client/sampling, error handling; no request stays without an answer."""
    (reply,) = asked(request_, handlers=handlers)
    assert (reply["id"], reply["error"]["code"]) == (1, code)
    assert "test_server_requests" not in reply["error"]["message"], "paths stay here"


def test_no_and_dismissal_are_answers_of_an_elicitation() -> None:
    """Rule INPUT-07, for legacy peers too."""
    (reply,) = asked(
        Request(1, "elicitation/create", FORM), handlers=Handlers(elicitation=lambda one: None)
    )
    assert reply["result"] == {"action": "cancel"}


@pytest.mark.parametrize("refill", [False, True])
def test_the_sampling_budget_is_refilled_by_a_call_of_ours(refill: bool) -> None:
    """Rule INPUT-06: a legacy request names no call."""
    handlers = Handlers(sampling=fake_model(), policy=InputPolicy(sampling_calls=1))
    requests = [Request(n, "sampling/createMessage", SAMPLE) for n in (1, 2)]
    replies = asked(*requests, handlers=handlers, refill=refill)
    assert ("result" in replies[0], "result" in replies[1]) == (True, refill)


def test_a_cancelled_request_is_not_answered_and_closing_ends_the_rest() -> None:
    """Spec: 2025-11-25 basic/utilities/cancellation."""

    async def story() -> None:
        clock, journal = ManualClock(), Journal()

        async def never(one: Any) -> None:
            await asyncio.Event().wait()

        handlers = Handlers(elicitation=never)
        desk = ServerRequests(Answering(handlers, Schemas(), clock, journal), clock, journal)
        replies: list[Any] = []
        for number in (1, 2):
            request = Request(number, "elicitation/create", FORM)
            assert desk.take("p", request, handlers.capabilities(), replies.append)
        again = Request(2, "elicitation/create", FORM)
        assert not desk.take("p", again, handlers.capabilities(), replies.append)
        await turns()
        for wrong in (7, "1", None, True, [1]):
            desk.hear("p", Notification("notifications/cancelled", {"requestId": wrong}))
        desk.hear("p", Notification("notifications/progress", {"requestId": 1}))
        await turns()
        assert len(desk._tasks) == 2
        desk.hear("p", Notification("notifications/cancelled", {"requestId": 1}))
        await turns()
        assert list(desk._tasks) == [("p", 2)]
        await desk.close()
        await turns()
        assert (desk._tasks, replies) == ({}, [])
        await desk.close()

    asyncio.run(story())
