"""Calls over HTTP: each ends in exactly one way, and one exchange's trouble stays its own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fakes import (
    Fake,
    answer_default,
    as_sse,
    ask,
    delay,
    empty,
    error,
    fault,
    hang_up,
    html,
    legacy,
    modern,
    notify,
    on,
    reply,
    silence,
    status,
)
from workbench import AsyncMultiServerClient, MultiServerClient, PeerConfig
from workbench.core.errors import (
    AuthNeeded,
    HttpStatusError,
    MisuseError,
    OutcomeUnknown,
    PeerAway,
    PipeClosed,
    ProtocolViolation,
    Refused,
    TookTooLong,
    WorkbenchError,
)

CALL = on("tools/call")
PROGRESS = notify("notifications/progress", {"progressToken": 1, "progress": 1})

Story = Callable[[AsyncMultiServerClient], Awaitable[None]]


def region_tool(header: str = "Region", name: str = "search", type: str = "string") -> Any:
    argument = {"type": type, "x-mcp-header": header}
    return {"name": name, "inputSchema": {"type": "object", "properties": {"region": argument}}}


def play(fake: Fake, story: Story, **settings: Any) -> AsyncMultiServerClient:
    """Connect, list and merge over HTTP, then run a story; bounded."""

    async def run(url: str) -> AsyncMultiServerClient:
        async with AsyncMultiServerClient() as client, asyncio.timeout(20):
            client.add_server("peer", PeerConfig(name="peer", url=url), **settings)
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            await story(client)
        return client

    with fake.over_http() as url:
        return asyncio.run(run(url))


@pytest.mark.parametrize(
    ("step", "wanted", "rule"),
    [
        (error(-32602, "Unknown tool"), Refused, "CALL-04"),
        (empty(401), AuthNeeded, "HTTP-01"),
        (empty(403), AuthNeeded, "HTTP-01"),
        (status(500), OutcomeUnknown, "HTTP-02"),
        (html(502), OutcomeUnknown, "HTTP-02"),
        (status(503), HttpStatusError, "HTTP-02"),
        (empty(404), HttpStatusError, "HTTP-06"),
        (empty(202), OutcomeUnknown, "HTTP-05"),
        (html(200), OutcomeUnknown, "HTTP-05"),
        (status(200, "[1", None, "application/json"), OutcomeUnknown, "HTTP-05"),
        (status(302, headers={"Location": "/x"}), HttpStatusError, "HTTP-03"),
        (reply({"content": []}, id="other"), OutcomeUnknown, "HTTP-05"),
        (reply({"resultType": "complete"}), ProtocolViolation, "CALL-02"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_call_ends_in_one_way_and_the_next_one_is_answered(
    step: Any, wanted: type[WorkbenchError], rule: str
) -> None:
    """Design 7.7; cases E12, H06, H10, fault matrix C02, C03: the peer itself stays ready."""
    fake = modern(tools=["search"]).script(CALL.nth(1).then(step))

    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(wanted) as caught:
            await client.call("search", {})
        assert caught.value.failure.rule == rule
        assert (await client.call("search", {})).text
        assert client.report().peers[0].status == "ready"

    play(fake, story)
    assert fake.methods().count("tools/call") == 2, "nothing was repeated by itself"


def test_an_error_status_with_the_peers_own_error_is_a_refusal() -> None:
    """Spec: the JSON-RPC error is the answer; a server may send it with 500."""
    body = '{"jsonrpc":"2.0","id":<<id>>,"error":{"code":-32603,"message":"boom"}}'
    fake = modern(tools=["search"]).script(CALL.then(status(500, body, None, "application/json")))

    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(Refused) as caught:
            await client.call("search", {})
        assert caught.value.failure.code == -32603

    play(fake, story)


@pytest.mark.parametrize("how", ["end", "reset", "close"])
def test_a_stream_that_ends_without_the_answer_wakes_the_caller_at_once(how: Any) -> None:
    """Case H06: request lost, error at once; re-issue is a new request with a new id."""
    fake = modern(tools=["search"]).script(CALL.nth(1).then(as_sse(), PROGRESS, hang_up(how)))

    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(OutcomeUnknown):
            await client.call("search", {}, timeout_s=15)

    play(fake, story)
    assert fake.methods().count("tools/call") == 1


def test_an_idempotency_key_permits_one_repetition_with_a_new_id() -> None:
    """Fault matrix C04; seed skill: repeat only with the caller's word."""
    fake = modern(tools=["search"]).script(CALL.nth(1).then(as_sse(), hang_up()))

    async def story(client: AsyncMultiServerClient) -> None:
        assert (await client.call("search", {}, idempotency_key="k")).text

    play(fake, story)
    ids = [body["id"] for body in fake.received if body["method"] == "tools/call"]
    assert len(ids) == 2 and len(set(ids)) == 2


def _left(fake: Fake) -> bool:
    return any(one.ended == "client left" for one in fake.exchanges)


@pytest.mark.parametrize(
    "steps", [(silence(),), (as_sse(), silence())], ids=["no-head", "open-stream"]
)
@pytest.mark.parametrize("by", ["deadline", "caller"])
def test_giving_up_closes_the_stream_and_posts_nothing(steps: Any, by: str) -> None:
    """Spec: basic/patterns/cancellation: over HTTP, closing the stream is the signal (case R05)."""
    fake = modern(tools=["search"]).script(CALL.nth(1).then(*steps))

    async def story(client: AsyncMultiServerClient) -> None:
        if by == "deadline":
            with pytest.raises(TookTooLong):
                await client.call("search", {}, timeout_s=0.3)
        else:
            calling = asyncio.ensure_future(client.call("search", {}))
            await asyncio.to_thread(fake.wait_until, lambda seen: "tools/call" in seen.methods())
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
        await asyncio.to_thread(fake.wait_until, _left)
        assert (await client.call("search", {})).text

    play(fake, story)
    assert "notifications/cancelled" not in fake.methods()


def test_a_legacy_peer_is_told_by_a_message() -> None:
    """Spec 2025-11-25: a disconnection SHOULD NOT be taken for a cancellation."""
    fake = legacy(tools=["search"]).script(CALL.nth(1).then(silence()))

    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(TookTooLong):
            await client.call("search", {}, timeout_s=0.3)
        await asyncio.to_thread(
            fake.wait_until, lambda seen: "notifications/cancelled" in seen.methods()
        )
        assert (await client.call("search", {})).text

    play(fake, story, allow_legacy=True)


def test_fifty_calls_at_once_get_their_own_answers() -> None:
    """Case S20 over HTTP: crossed answers; each exchange is alone."""

    async def story(client: AsyncMultiServerClient) -> None:
        calls = [client.call("search", {"q": str(number)}) for number in range(50)]
        for number, result in enumerate(await asyncio.gather(*calls)):
            assert f'"{number}"' in result.text

    play(modern(tools=["search"]), story)


def test_one_slow_call_does_not_hold_up_the_others() -> None:
    """Spec: each request has a response of its own."""
    fake = modern(tools=["search"]).script(CALL.nth(1).then(delay(1.0), answer_default()))

    async def story(client: AsyncMultiServerClient) -> None:
        slow = asyncio.ensure_future(client.call("search", {"q": "slow"}))
        await asyncio.to_thread(fake.wait_until, lambda seen: "tools/call" in seen.methods())
        assert (await client.call("search", {"q": "fast"})).text
        assert not slow.done()
        assert "slow" in (await slow).text

    play(fake, story)


def test_the_arguments_a_tool_names_are_mirrored_and_the_server_agrees() -> None:
    """Spec: custom headers; the fake checks each header against the body."""
    fake = modern(tools=[region_tool()])

    async def story(client: AsyncMultiServerClient) -> None:
        for value in ("us-west1", "grüße", " padded ", "", "=?base64?x?=", None):
            result = await client.call("search", {"region": value}, check_arguments=False)
            assert result.text
        assert (await client.call("search", {})).text
        with pytest.raises(MisuseError) as caught:
            await client.call("search", {"region": 2**53}, check_arguments=False)
        assert caught.value.failure.rule == "HTTP-07"

    play(fake, story)
    assert [one.status for one in fake.exchanges] == [200] * 9


def test_stale_parameter_headers_are_corrected_once_from_a_new_list() -> None:
    """Case H01; spec, client behavior: -32020, then list again, then one more try."""
    stale = (
        on("tools/list")
        .nth(1)
        .then(
            reply(
                {
                    "resultType": "complete",
                    "tools": [region_tool("Old")],
                    "ttlMs": 3_600_000,
                    "cacheScope": "public",
                }
            )
        )
    )
    fake = modern(tools=[region_tool("New")]).script(stale)

    async def story(client: AsyncMultiServerClient) -> None:
        assert (await client.call("search", {"region": "x"})).text

    client = play(fake, story)
    assert fake.methods()[1:] == ["tools/list", "tools/call", "tools/list", "tools/call"]
    first, second = [one for one in fake.exchanges if one.body["method"] == "tools/call"]
    assert (first.status, "mcp-param-old" in first.headers) == (400, True)
    assert (second.status, second.headers["mcp-param-new"]) == (200, "x")
    assert first.body["id"] != second.body["id"]
    assert "HTTP-08" in {entry.rule for entry in client.journal.entries(kind="decision")}


def test_headers_refused_for_ever_end_the_call_after_one_correction() -> None:
    """Design 7.9: every retry is bounded."""
    fake = modern(tools=["search"]).script(CALL.then(error(-32020, "Header mismatch")))

    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(Refused) as caught:
            await client.call("search", {})
        assert caught.value.failure.code == -32020

    play(fake, story)
    assert fake.methods().count("tools/call") == 2


def test_a_tool_with_a_void_annotation_is_dropped_over_http_alone() -> None:
    """Case H05; fault matrix C06: the others stay, and elsewhere the annotation is nothing."""
    bad = region_tool("two words", "bad")
    fake = modern(tools=[bad, region_tool(name="good"), region_tool("R", "odd", "number")])

    async def story(client: AsyncMultiServerClient) -> None:
        assert client.menu is not None and client.menu.names == ("good",)
        dropped = client.report().peers[0].dropped
        assert {(one.name, one.rule) for one in dropped} == {("bad", "LIST-07"), ("odd", "LIST-07")}

    play(fake, story)
    with MultiServerClient() as client:
        client.add_server("memory", fake)
        client.connect_all()
        client.discover_tools()
        assert set(client.merge().names) == {"bad", "good", "odd"}


def test_a_request_of_a_modern_server_on_a_stream_is_not_answered() -> None:
    """Spec: the server MUST NOT send requests; fault matrix C11."""
    fake = modern(tools=["search"]).script(
        CALL.then(as_sse(), ask("ping", {}, id="s1", wait=False), answer_default())
    )

    async def story(client: AsyncMultiServerClient) -> None:
        assert (await client.call("search", {})).text
        strays = [entry.what for entry in client.journal.entries(kind="stray")]
        assert any("WIRE-02" in what for what in strays)

    play(fake, story)
    assert not [body for body in fake.received if "method" not in body]


def test_a_legacy_ping_during_a_call_is_answered_with_a_post() -> None:
    """Spec 2025-11-25: basic/utilities/ping; fault matrix C11."""
    fake = legacy(tools=["search"]).script(CALL.then(as_sse(), ask("ping", {}), answer_default()))

    async def story(client: AsyncMultiServerClient) -> None:
        assert (await client.call("search", {})).text

    play(fake, story, allow_legacy=True)
    (answer,) = [body for body in fake.received if "method" not in body]
    assert answer["result"] == {}


def test_a_lost_session_makes_the_peer_unavailable_until_the_next_connect() -> None:
    """Spec 2025-11-25: 404 on a session; ours: a new transport, a new verdict."""
    fake = legacy(tools=["search"]).script(CALL.nth(1).then(empty(404)))

    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(WorkbenchError):
            await client.call("search", {})
        assert client.report().peers[0].status == "unavailable"
        with pytest.raises(PeerAway):
            await client.call("search", {})
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        assert (await client.call("search", {})).text

    play(fake, story, allow_legacy=True)
    assert fake.methods().count("initialize") == 2


def test_a_server_that_went_away_is_told_apart_from_a_lost_answer() -> None:
    """Ours: what never left is not "perhaps executed"."""
    fake = fault("H01")

    async def run() -> None:
        async with AsyncMultiServerClient() as client:
            with fake.over_http() as url:
                client.add_server("peer", PeerConfig(name="peer", url=url))
                await client.connect_all()
                await client.discover_tools()
                name = client.merge().names[0]
            with pytest.raises(PipeClosed) as caught:
                await client.call(name, {})
            assert caught.value.failure.rule == "HTTP-04"

    asyncio.run(run())
