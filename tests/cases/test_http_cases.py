"""Field cases about HTTP: headers made from the body, streams that end, and strange pages."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest
from aiohttp import web
from cased import LIMIT_S, PATIENT, rows_of
from desk import Desk, Visit, event

from fakes import Fake, empty, html, modern, on, reply
from workbench import AsyncMultiServerClient, MultiServerClient, PeerConfig
from workbench.core.errors import MisuseError, OutcomeUnknown
from workbench.core.wire.headers import decode_header_value

Story = Callable[[AsyncMultiServerClient], Awaitable[Any]]


def mirrored(header: str, type: str = "string") -> dict[str, Any]:
    return {"type": type, "x-mcp-header": header}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def listing(*tools: Any) -> Any:
    hints = {"resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "public"}
    return reply({**hints, "tools": list(tools)})


def play(fake: Fake, story: Story, *, listed: bool = True, **settings: Any) -> Any:
    """Connect over HTTP, list and merge, then run a story; bounded."""

    async def run(url: str) -> Any:
        async with AsyncMultiServerClient() as client, asyncio.timeout(LIMIT_S):
            client.add_server("peer", PeerConfig(name="peer", url=url), **PATIENT, **settings)
            if listed:
                await client.connect_all()
                await client.discover_tools()
                client.merge()
            return await story(client)

    with fake.over_http() as url:
        return asyncio.run(run(url))


@pytest.mark.parametrize("path", ["cold cache", "stale schema", "by alias"])
def test_H01_the_headers_of_a_call_are_the_same_on_every_path(path: str) -> None:
    """Rule HTTP-08: there is one builder; after -32020 one new list and one more try."""
    new = tool("find", region=mirrored("New"))
    peer = modern("peer", tools=[new])
    if path == "stale schema":
        old = on("tools/list").nth(1).then(listing(tool("find", region=mirrored("Old"))))
        peer = peer.script(old)

    async def story(client: AsyncMultiServerClient) -> None:
        assert (await client.call("find", {"region": "x"})).text

    play(peer, story, listed=path != "cold cache")
    calls = [one for one in peer.exchanges if one.body["method"] == "tools/call"]
    assert calls[-1].headers["mcp-param-new"] == "x"
    wanted = [400, 200] if path == "stale schema" else [200]
    assert [one.status for one in calls] == wanted


VALUES: Final[list[tuple[Any, str | None]]] = [
    *((text, text) for text in ("naïve", " x ", "a\nb", "=?base64?eA==?=", "")),
    (None, None),
    (True, "true"),
    (1.0, "1"),
]


@pytest.mark.parametrize(("value", "meant"), VALUES)
def test_H04_every_value_has_one_header_form_or_none(value: Any, meant: str | None) -> None:
    """Spec: value encoding; the server decodes each header and compares it with the body."""
    kind = {bool: "boolean", float: "integer"}.get(type(value), "string")
    peer = modern("peer", tools=[tool("find", region=mirrored("Region", kind))])

    async def story(client: AsyncMultiServerClient) -> None:
        arguments = {"region": value}
        assert (await client.call("find", arguments, check_arguments=False)).text

    play(peer, story)
    (call,) = [one for one in peer.exchanges if one.body["method"] == "tools/call"]
    raw = call.headers.get("mcp-param-region")
    assert call.status == 200
    assert (None if raw is None else decode_header_value(raw)) == meant
    assert raw is None or raw.isascii()


def test_H04_a_number_no_two_parties_read_alike_is_not_sent() -> None:
    """Rule HTTP-07: an integer beyond the safe range stops the call before anything is sent."""
    peer = modern("peer", tools=[tool("find", region=mirrored("Region", "integer"))])

    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(MisuseError) as caught:
            await client.call("find", {"region": 2**53 + 1})
        assert caught.value.failure.rule == "HTTP-07"

    play(peer, story)
    assert "tools/call" not in peer.methods()


NESTED: Final = {"type": "object", "properties": {"region": mirrored("Deep")}}
VOID: Final = {
    "empty": tool("empty", a=mirrored("")),
    "space": tool("space", a=mirrored("two words")),
    "line": tool("line", a=mirrored("a\r\nX-Evil: 1")),
    "twice": tool("twice", a=mirrored("Same"), b=mirrored("same")),
    "number": tool("number", a=mirrored("Number", "number")),
    "items": tool("items", a={"type": "array", "items": mirrored("Items")}),
    "choice": tool("choice", a={"anyOf": [mirrored("Choice")]}),
}
SOUND: Final = [
    tool("good", size=mirrored("Size", "integer")),
    tool("nested", place=NESTED, region={"type": "string"}),
]


def test_H05_a_void_annotation_costs_its_own_tool_over_http_alone() -> None:
    """Rule LIST-07; fault matrix C06: elsewhere an annotation means nothing."""
    peer = modern("peer", tools=[*SOUND, *VOID.values()])

    async def story(client: AsyncMultiServerClient) -> None:
        assert client.menu is not None and set(client.menu.names) == {"good", "nested"}
        dropped = client.report().peers[0].dropped
        assert {one.name: one.rule for one in dropped} == dict.fromkeys(VOID, "LIST-07")
        assert all(one.reason for one in dropped)
        arguments = {"region": "elsewhere", "place": {"region": "here"}}
        assert not (await client.call("nested", arguments)).is_error
        assert not (await client.call("good", {"size": 2**53 - 1})).is_error
        with pytest.raises(MisuseError):
            await client.call("good", {"size": 2**53})

    play(peer, story)
    calls = [one for one in peer.exchanges if one.body["method"] == "tools/call"]
    assert [one.headers.get("mcp-param-deep") for one in calls] == ["here", None]
    assert [one.headers.get("mcp-param-size") for one in calls] == [None, str(2**53 - 1)]
    with peer.over_stdio() as argv, MultiServerClient() as client:
        client.add_server("peer", argv, **PATIENT)
        client.connect_all()
        client.discover_tools()
        assert set(client.merge().names) == {"good", "nested", *VOID}
        assert not client.call("good", {"size": 2**53}).is_error


PROGRESS: Final = (
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'
)
ENDS: Final = ("clean", "reset", "empty", "another id")


@pytest.mark.parametrize("how", ENDS)
def test_H06_a_stream_without_the_answer_wakes_whoever_waits_for_it(how: str) -> None:
    """Rule HTTP-05: at once, nothing is repeated by itself, and the next call is another one."""
    ids: list[Any] = []
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

    async def answer(visit: Visit) -> web.StreamResponse:
        method = visit.message["method"]
        if method == "server/discover":
            known = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            return visit.json(visit.reply({**hints, **known}))
        if method == "tools/list":
            return visit.json(visit.reply({**hints, "tools": [tool("t")]}))
        ids.append(visit.message["id"])
        done = {"resultType": "complete", "content": []}
        if len(ids) > 1:
            return visit.json(visit.reply(done))
        if how == "empty":
            return web.Response(status=200, content_type="text/event-stream")
        body = visit.reply(done, id=4_711) if how == "another id" else PROGRESS
        response = await visit.stream(event(body))
        if how == "reset":
            visit.cut()
        else:
            await response.write_eof()
        return response

    async def story() -> None:
        async with Desk(answer) as desk, AsyncMultiServerClient() as client:
            client.add_server("peer", PeerConfig(name="peer", url=desk.url), **PATIENT)
            # Half an hour for the call: only the end of the stream can end it.
            async with asyncio.timeout(LIMIT_S):
                await client.connect_all()
                await client.discover_tools()
                client.merge()
                with pytest.raises(OutcomeUnknown):
                    await client.call("t", timeout_s=1_800)
                assert len(ids) == 1
                assert not (await client.call("t")).is_error

    asyncio.run(story())
    assert len(ids) == len(set(ids)) == 2


PAGE: Final = "<html><body><h1>It works!</h1>" + "x" * 500 + "</body></html>"


@pytest.mark.parametrize(
    ("step", "rule", "seen"),
    [
        (html(200, PAGE), "ERA-24", ["200", "text/html", "It works!"]),
        (html(502, PAGE), "HTTP-02", ["502", "text/html", "It works!"]),
        (empty(200), "ERA-24", ["200", "empty body"]),
    ],
    ids=["page", "gateway", "nothing"],
)
def test_H10_a_page_is_shown_for_what_it_is(step: Any, rule: str, seen: list[str]) -> None:
    """Fault matrix H13, H15: status, type, the beginning of the text, and no verdict."""
    peer = modern("peer").script(on("server/discover").then(step))
    with peer.over_http() as url:
        row = rows_of({"peer": PeerConfig(name="peer", url=url)}, **PATIENT)["peer"]
        shown = f"{row.reason} {row.evidence}"
    assert (row.status, row.era, row.rule) == ("unavailable", None, rule)
    assert [text for text in seen if text not in shown] == [], shown
    assert "x" * 250 not in shown, "the beginning only"
    assert "address" in row.hint or "later" in row.hint


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_H13_no_proxy_stands_between_us_and_this_machine(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule of the way: loopback goes past every proxy, however it is written."""
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

    async def serve(request: web.BaseRequest) -> web.StreamResponse:
        asked = await request.json()
        known = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {**hints, **known}}
        return web.json_response(answer)

    async def story() -> Any:
        server = web.Server(serve)
        loop = asyncio.get_running_loop()
        host = "::1" if name == "[::1]" else "127.0.0.1"
        listening = await loop.create_server(server, host, 0)
        port = listening.sockets[0].getsockname()[1]
        async with AsyncMultiServerClient() as client:
            config = PeerConfig(name="peer", url=f"http://{name}:{port}/mcp")
            client.add_server("peer", config, **PATIENT)
            row = (await client.connect_all()).peers[0]
        listening.close()
        await server.shutdown(0.05)
        return row

    row = asyncio.run(story())
    assert row.status == "ready", row.reason


def test_H13_a_dead_proxy_for_somewhere_else_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same variables do catch another machine, and the reason says so."""
    for variable in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    config = PeerConfig(name="peer", url="http://tools.example/mcp")
    row = rows_of({"peer": config}, **PATIENT)["peer"]
    assert row.status == "unavailable" and "proxy http://127.0.0.1:1" in row.reason
