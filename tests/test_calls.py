"""Calls of the whole client: checks, deadlines, progress, outcomes; over links in memory."""

import asyncio
import contextlib
import traceback
from typing import Any, Final

import pytest
from driven import driven, turns
from msgspec.structs import replace
from played import play

from fakes import (
    Fake,
    answer_default,
    close,
    error,
    fault,
    modern,
    on,
    reply,
    silence,
)
from workbench import AsyncMultiServerClient, ManualClock
from workbench.core.errors import (
    CallCancelled,
    InputRefused,
    OutcomeUnknown,
    ProtocolViolation,
    Refused,
    TookTooLong,
    UnknownName,
    WorkbenchError,
    WrongArguments,
)
from workbench.core.inputs.handlers import Handlers


def tool(name: str = "t", **members: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def called(peer: Fake) -> list[dict[str, Any]]:
    return [body for body in peer.received if body["method"] == "tools/call"]


# -- arguments and results ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"type": "object", "properties": {"q": {"type": "string"}}}, {"q": 7}),
        ({"type": "object", "required": ["q"]}, {}),
        ({"type": "object", "properties": {"q": {"enum": ["a"]}}}, {"q": "b"}),
        ({"type": "object", "additionalProperties": False}, {"q": "b"}),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
             "properties": {"q": {"type": "integer"}}},
            {"q": "b"},
        ),
    ],
)  # fmt: skip
def test_arguments_that_break_the_schema_are_not_sent(schema: Any, arguments: Any) -> None:
    """Rule CALL-06."""
    peer = modern("peer", tools=[tool(inputSchema=schema)])

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(WrongArguments) as caught:
            await client.call("t", arguments)
        assert caught.value.failure.rule == "CALL-06"
        assert called(peer) == []
        assert (await driven(client.call("t", arguments, check_arguments=False), clock)).text
        assert len(called(peer)) == 1

    outcomes = play(peer, story).outcomes
    assert [(str(one.ended), one.sent) for one in outcomes] == [("refused", 0), ("result", 1)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"q": {"$ref": "http://127.0.0.1:1/schema.json"}}},
        {"$schema": "https://a.example/mine", "type": "object"},
    ],
)
def test_a_tool_whose_schema_cannot_be_used_is_listed_and_not_called(schema: Any) -> None:
    """Rule CALL-08: nothing is fetched, and nothing is taken for permission."""
    peer = modern("peer", tools=[tool(inputSchema=schema)])

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(WrongArguments) as caught:
            await client.call("t", {"q": 1})
        assert caught.value.failure.rule == "CALL-08"
        assert called(peer) == []

    play(peer, story)


OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def answering(patch: dict[str, Any], output: Any = OUTPUT) -> Fake:
    return modern("peer", tools=[tool(outputSchema=output)]).script(
        on("tools/call").then(answer_default(patch=patch))
    )


@pytest.mark.parametrize("structured", [{"n": "x"}, {}, [], None])
def test_a_structured_result_that_breaks_its_schema_is_a_violation(structured: Any) -> None:
    """Rule CALL-07; spec: clients should validate structured results."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(ProtocolViolation) as caught:
            await client.call("t")
        failure = caught.value.failure
        assert failure.rule == "CALL-07"
        assert failure.data["structuredContent"] == structured, "what came is not lost"

    play(answering({"structuredContent": structured}), story)


def test_a_missing_structured_result_is_a_violation() -> None:
    """Spec: server/tools: a server must provide structured results that conform."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(ProtocolViolation, match="missing"):
            await client.call("t")

    play(answering({}), story)


@pytest.mark.parametrize("structured", [{}, {"structuredContent": {"n": "x"}}])
def test_a_tool_error_is_never_hidden_by_its_structure(structured: dict[str, Any]) -> None:
    """Rule CALL-07: `isError` is the tool's own word."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert (await client.call("t")).is_error

    outcomes = play(answering({"isError": True, **structured}), story).outcomes
    assert [str(one.ended) for one in outcomes] == ["tool error"]


def test_a_structured_result_that_fits_is_returned() -> None:
    """Spec: server/tools, structured content may be any JSON value."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert (await client.call("t")).structured == {"n": 1}

    play(answering({"structuredContent": {"n": 1}}), story)


def test_a_result_whose_schema_cannot_be_used_is_shown_unchecked() -> None:
    """Rule CALL-08: the tool has run, so its result is not thrown away."""
    foreign = {"$ref": "https://a.example/x"}

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert (await client.call("t")).structured == {"n": "x"}
        assert "CALL-08" in client.journal.to_text()

    play(answering({"structuredContent": {"n": "x"}}, output=foreign), story)


def test_a_tool_whose_schema_is_none_never_reaches_the_menu() -> None:
    """Fault matrix C06: dropped with a reason, the other tools stay."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert client.menu is not None and client.menu.names == ("search",)
        (dropped,) = client.report().peers[0].dropped
        assert (dropped.name, dropped.rule) == ("broken", "LIST-03")
        assert "properties" in dropped.reason

    play(fault("C06-schema-keyword"), story)


# -- outcomes ----------------------------------------------------------------------------


def _scripted(*steps: Any) -> Fake:
    return modern("peer", tools=["t"]).script(on("tools/call").then(*steps))


@pytest.mark.parametrize(
    ("peer", "ended", "error_type"),
    [
        (_scripted(answer_default()), "result", None),
        (_scripted(answer_default(patch={"isError": True})), "tool error", None),
        (_scripted(error(-32000, "full")), "protocol error", Refused),
        (_scripted(answer_default(patch={"content": 7})), "protocol error", ProtocolViolation),
        (_scripted(silence()), "timed out", TookTooLong),
        (_scripted(close()), "outcome unknown", OutcomeUnknown),
        (fault("C10-nothing"), "protocol error", ProtocolViolation),
        (fault("C10-for-ever"), "refused", InputRefused),
        (fault("C10-sampling"), "cancelled", CallCancelled),
    ],
)
def test_each_call_ends_in_exactly_one_way(peer: Fake, ended: str, error_type: Any) -> None:
    """Design section 7.7."""

    # Coroutine functions: a thread would race with a clock that moves by itself.
    async def sure(asked: Any) -> Any:
        return {"sure": True}

    async def no(asked: Any) -> None:
        return None

    handlers = Handlers(elicitation=sure, sampling=no)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert client.menu is not None
        name = client.menu.names[-1]
        try:
            await driven(client.call(name), clock)
        except WorkbenchError as raised:
            assert error_type is not None and type(raised) is error_type
        else:
            assert error_type is None

    outcomes = play(peer, story, handlers=handlers).outcomes
    assert [str(one.ended) for one in outcomes] == [ended]
    assert outcomes[0].peer == "peer"


def test_a_name_nobody_has_and_a_cancelled_call_are_outcomes_too() -> None:
    """Design section 7.7."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(UnknownName):
            await client.call("nobody")
        task = asyncio.ensure_future(client.call("t"))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    outcomes = play(_scripted(silence()), story).outcomes
    assert [(str(one.ended), one.peer, one.sent) for one in outcomes] == [
        ("refused", "", 0),
        ("cancelled", "peer", 1),
    ]


def test_a_cancelled_call_counts_what_it_had_sent() -> None:
    """Ours: in whatever round it was given up, also while a handler was asked; and of a read."""
    hold = asyncio.Event()
    asked = 0

    async def sure(_: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 2:
            await hold.wait()
        return {"sure": True}

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        for work in (client.call("create"), client.discover_server("peer")):
            task = asyncio.ensure_future(work)
            await turns()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    quiet = fault("C10-for-ever").script(on("server/discover").nth(2).then(silence()))
    outcomes = play(quiet, story, handlers=Handlers(elicitation=sure)).outcomes
    assert [(str(one.ended), one.rounds, one.sent) for one in outcomes] == [
        ("cancelled", 2, 2),
        ("cancelled", 0, 1),
    ]


def test_a_repeat_is_counted() -> None:
    """Rule RETRY-01: two sendings, one outcome."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert (await driven(client.call("create", idempotency_key="k"), clock)).text

    outcomes = play(fault("C04-dies-before"), story).outcomes
    assert [(str(one.ended), one.sent) for one in outcomes] == [("result", 2)]


TRUE: Final = {"idempotentHint": True}


@pytest.mark.parametrize(
    ("trusted", "first", "second", "ends"),
    [
        (True, TRUE, TRUE, ("result", 2)),
        (True, {"readOnlyHint": True}, TRUE, ("result", 2)),
        (False, TRUE, TRUE, ("outcome unknown", 1)),
        (True, {}, TRUE, ("outcome unknown", 1)),
        (True, None, None, ("outcome unknown", 1)),
        (True, {"idempotentHint": False, "readOnlyHint": "yes"}, TRUE, ("outcome unknown", 1)),
        (True, {"destructiveHint": False}, TRUE, ("outcome unknown", 1)),
        (True, TRUE, {"idempotentHint": False}, ("outcome unknown", 1)),
    ],
)
def test_a_tool_declared_harmless_is_called_again_only_for_a_peer_that_is_believed(
    trusted: bool, first: Any, second: Any, ends: tuple[str, int]
) -> None:
    """Rule RETRY-03; spec: server/tools, annotations are untrusted unless the server is trusted."""

    def listed(annotations: Any) -> dict[str, Any]:
        more = {} if annotations is None else {"annotations": annotations}
        return {"resultType": "complete", "tools": [tool("write", **more)]}

    peer = modern("peer", tools=["write"]).script(
        on("tools/list").in_lifetime(1).then(reply(listed(first))),
        on("tools/list").then(reply(listed(second))),
        on("tools/call").in_lifetime(1).then(close()),
    )
    asked: list[Any] = []

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.configs["peer"] = replace(client.configs["peer"], trust_annotations=trusted)
        with contextlib.suppress(OutcomeUnknown):
            await driven(client.call("write", on_retry=asked.append), clock)
        expected = trusted and first and True in first.values()
        assert ("trust_annotations" in client.report().peers[0].deviations) is trusted
        assert len(asked) == (0 if expected else 1), "nobody is asked what is known"

    client = play(peer, story)
    assert [(str(one.ended), one.sent) for one in client.outcomes] == [ends]
    assert len(called(peer)) == ends[1]
    said = [entry.rule for entry in client.journal.entries() if entry.stage == "recover"]
    assert ("RETRY-03" in said) is bool(trusted and first and True in first.values())


def test_a_traceback_shows_no_secret_of_an_error_that_was_cleaned() -> None:
    """Design section 5: exception texts; the one in front of a clean error is one, too."""
    key = "sk-canary-4711"

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.journal.redactor.add(key)
        for level, shown in ((key, 1), ("loud", 2)):
            with pytest.raises(WorkbenchError) as caught:
                await client.call("t", log_level=level)
            told = "".join(traceback.format_exception(caught.value))
            assert key not in told and told.count("is no log level") == shown

    play(_scripted(answer_default()), story)


def test_an_outcome_keeps_no_secret() -> None:
    """Design section 5: secrets never reach a report."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.journal.redactor.add("sk-canary-4711")
        with pytest.raises(Refused):
            await client.call("t")

    outcomes = play(_scripted(error(-1, "bad key sk-canary-4711")), story).outcomes
    assert "canary" not in outcomes.to_text() and "redacted" in outcomes.to_text()
