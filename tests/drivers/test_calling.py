"""Requests seen through: progress, deadlines, log messages, trace context; in memory."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from driven import driven, turns
from opentelemetry import trace
from played import play

from fakes import PROGRESS_TOKEN, Fake, answer_default, delay, fault, modern, notify, on
from workbench import AsyncMultiServerClient, Handlers, ManualClock, MultiServerClient
from workbench.calls import LOG_LEVELS
from workbench.core.errors import MisuseError, TookTooLong
from workbench.core.wire.keys import LOG_LEVEL_KEY
from workbench.drivers.patience import LogMessage, Progress


def called(peer: Fake) -> list[dict[str, Any]]:
    return [body for body in peer.received if body["method"] == "tools/call"]


def progress(value: Any, token: Any = PROGRESS_TOKEN, **more: Any) -> Any:
    return notify("notifications/progress", {"progressToken": token, "progress": value, **more})


def test_progress_reaches_its_own_call() -> None:
    """Spec: basic/patterns/progress."""
    seen: dict[str, list[Any]] = {"a": [], "b": []}
    peer = modern("peer", tools=["a", "b"]).script(
        on("tools/call")
        .where(name="a")
        .then(progress(0.5, total=2, message="half"), progress(2), answer_default()),
        on("tools/call").then(delay(1.0), progress(7), answer_default()),
    )

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        calls = (client.call(name, on_progress=seen[name].append) for name in "ab")
        await driven(_gathered(*calls), clock)

    play(peer, story)
    assert seen["a"] == [
        Progress(peer="peer", progress=0.5, total=2.0, message="half"),
        Progress(peer="peer", progress=2.0),
    ]
    assert [one.progress for one in seen["b"]] == [7.0]
    tokens = [body["params"]["_meta"]["progressToken"] for body in called(peer)]
    assert len(set(tokens)) == 2


async def _gathered(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    return await asyncio.gather(*work)


def test_a_call_that_wants_no_progress_sends_no_token() -> None:
    """Spec: a token asks for notifications."""
    peer = modern("peer", tools=["t"])

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await client.call("t")
        assert "progressToken" not in called(peer)[0]["params"]["_meta"]

    play(peer, story)


def ticking(*values: Any, token: Any = PROGRESS_TOKEN) -> Fake:
    """A tool that makes progress every 4 s and is never done."""
    steps = [step for value in values for step in (delay(4.0), progress(value, token))]
    return modern("peer", tools=["t"]).script(on("tools/call").then(*steps))


@pytest.mark.parametrize(
    ("peer", "ends_at"),
    [
        (ticking(*range(1, 40)), 30.0),
        (ticking(1, 2), 13.0),
        (ticking(1, 1, 1), 9.0),
        (ticking(1, 2, 3, token="progress-999"), 5.0),
        (ticking("1"), 5.0),
    ],
)
def test_progress_moves_the_deadline_up_to_the_hard_limit(peer: Fake, ends_at: float) -> None:
    """Field case R06: for ever ends at the maximum; foreign and idle progress moves nothing."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        begun_at = clock.now()
        with pytest.raises(TookTooLong) as caught:
            work = client.call("t", timeout_s=5.0, max_timeout_s=30.0, on_progress=lambda one: None)
            await driven(work, clock)
        assert clock.now() - begun_at == ends_at
        assert caught.value.failure.rule == "CALL-03"
        await turns()
        cancelled = peer.received[-1]
        assert cancelled["method"] == "notifications/cancelled"
        assert cancelled["params"]["requestId"] == called(peer)[0]["id"]

    outcomes = play(peer, story).outcomes
    assert [str(one.ended) for one in outcomes] == ["timed out"]


def test_without_a_callback_progress_moves_nothing() -> None:
    """Ours: `timeout_s` alone is the whole deadline."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        begun_at = clock.now()
        with pytest.raises(TookTooLong):
            await driven(client.call("t", timeout_s=5.0), clock)
        assert clock.now() - begun_at == 5.0

    play(ticking(1, 2, 3), story)


def test_progress_after_the_answer_is_ignored() -> None:
    """Field case R06; spec: notifications must stop after completion."""
    seen: list[Any] = []
    peer = modern("peer", tools=["t"]).script(
        on("tools/call").then(progress(1), answer_default(), progress(2))
    )

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await client.call("t", on_progress=seen.append)
        await turns()
        assert "CALL-09" in client.journal.to_text()

    play(peer, story)
    assert [one.progress for one in seen] == [1.0]


def test_log_messages_are_asked_for_and_handed_on() -> None:
    """Spec: server/utilities/logging: the level travels with this very request."""
    seen: list[LogMessage] = []
    said = notify("notifications/message", {"level": "error", "data": "full"})
    peer = modern("peer", tools=["t"]).script(on("tools/call").then(said, answer_default()))

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await client.call("t", log_level="warning", on_log=seen.append)
        await client.call("t")
        with pytest.raises(MisuseError, match="loud"):
            await client.call("t", log_level="loud")

    play(peer, story)
    levels = [body["params"]["_meta"].get(LOG_LEVEL_KEY) for body in called(peer)]
    assert (levels, len(seen), len(LOG_LEVELS)) == (["warning", None], 1, 8)


SPAN = trace.SpanContext(1, 2, is_remote=False, trace_flags=trace.TraceFlags(1))
PARENT = "00-00000000000000000000000000000001-0000000000000002-01"


def test_the_active_span_travels_with_the_call_from_both_clients() -> None:
    """Spec: basic/index, OpenTelemetry trace context."""
    peer = modern("peer", tools=["t"])

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with trace.use_span(trace.NonRecordingSpan(SPAN)):
            await client.call("t")
        await client.call("t", trace={"traceparent": "mine", "other": "x"})
        await client.call("t")

    play(peer, story)
    with MultiServerClient() as client:
        client.add_server("peer", peer)
        with trace.use_span(trace.NonRecordingSpan(SPAN)):
            client.call("t")
    metas = [body["params"]["_meta"] for body in called(peer)]
    assert [meta.get("traceparent") for meta in metas] == [PARENT, "mine", None, PARENT]
    assert all("other" not in meta for meta in metas)


def test_the_time_a_person_takes_is_not_counted_against_the_peer() -> None:
    """Rule INPUT-09."""
    clocks: list[ManualClock] = []

    async def decide(asked: Any) -> Any:
        decided = asyncio.Event()
        clocks[0].call_at(clocks[0].now() + 600, decided.set)
        await decided.wait()
        return {"sure": True}

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        clocks.append(clock)
        await driven(client.call("search", timeout_s=1.0, max_timeout_s=2.0), clock)
        assert clock.now() >= 600

    handlers = Handlers(elicitation=decide)
    outcomes = play(fault("C10-confirm"), story, handlers=handlers).outcomes
    assert [str(one.ended) for one in outcomes] == ["result"]


def test_a_call_that_may_not_wait_is_not_sent() -> None:
    """Rule CALL-09: what is left of the hard limit is nothing."""
    peer = modern("peer", tools=["t"])

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(TookTooLong):
            await client.call("t", max_timeout_s=0.0)

    outcomes = play(peer, story).outcomes
    assert [(str(one.ended), one.rule) for one in outcomes] == [("timed out", "CALL-09")]
    assert called(peer) == []


def test_rounds_share_the_hard_limit() -> None:
    """Rule CALL-09: three rounds of 0.75 s do not fit into 2 s."""
    asking = fault("C10-for-ever").program.rules[0]
    slow = modern("peer", tools=["t"]).script(on("tools/call").then(delay(0.75), *asking.then))

    async def sure(asked: Any) -> Any:
        return {"sure": True}

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(TookTooLong):
            await driven(client.call("t", timeout_s=1.0, max_timeout_s=2.0), clock)
        assert clock.now() == 2.0

    outcomes = play(slow, story, handlers=Handlers(elicitation=sure)).outcomes
    assert [(str(one.ended), one.sent) for one in outcomes] == [("timed out", 3)]
