"""A modern peer over HTTP: one POST a message, real sockets, a server that says anything."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from desk import Desk, Visit, event, for_ever
from posted import play, request

from workbench.core.errors import MisuseError, PipeClosed
from workbench.core.wire.codec import encode
from workbench.core.wire.envelope import notification
from workbench.transports.http import HttpTransport

ROOT = Path(__file__).resolve().parents[2]


async def echo(visit: Visit) -> web.StreamResponse:
    return visit.json(visit.reply({"ok": visit.message["method"]}))


def test_each_message_is_one_post_with_the_headers_of_its_body(heard: Any) -> None:
    """Spec: basic/transports/streamable-http, sending messages and request metadata."""

    async def story(transport: HttpTransport, desk: Desk) -> None:
        frame = request(1, "tools/call", name="naïve", arguments={})
        transport.send(frame)
        await heard.until(lambda: len(heard.frames) == 1)
        (visit,) = desk.visits
        assert (visit.method, visit.path, visit.body) == ("POST", "/mcp", frame)
        assert visit.headers["accept"] == "application/json, text/event-stream"
        assert visit.headers["content-type"] == "application/json"
        assert visit.headers["mcp-protocol-version"] == "2026-07-28"
        assert visit.headers["mcp-method"] == "tools/call"
        assert visit.headers["mcp-name"] == "=?base64?bmHDr3Zl?="
        assert "authorization" not in visit.headers and "cookie" not in visit.headers

    play(echo, heard, story)
    assert (heard.exchanges, heard.ends) == ([1], [])


def test_nothing_is_kept_between_two_messages(heard: Any) -> None:
    """Spec: no session, no Last-Event-ID in this revision; ours: no cookie either."""

    async def answer(visit: Visit) -> web.StreamResponse:
        given = {"Mcp-Session-Id": "abc", "Set-Cookie": "a=b"}
        data = event(visit.reply({}), id="7")
        response = await visit.stream(data, headers=given)
        await response.write_eof()
        return response

    async def story(transport: HttpTransport, desk: Desk) -> None:
        for number in (1, 2, 3):
            transport.send(request(number))
            await heard.until(lambda n=number: len(heard.frames) == n)
        for visit in desk.visits:
            assert visit.method == "POST"
            assert not {"mcp-session-id", "last-event-id", "cookie"} & set(visit.headers)
        assert len(desk.visits) == 3

    play(answer, heard, story)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_json_body_and_an_event_stream_bring_the_same_answer(heard: Any, streamed: bool) -> None:
    """Spec: the client MUST support both."""
    progress = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'

    async def answer(visit: Visit) -> web.StreamResponse:
        if not streamed:
            return visit.json(visit.reply({"n": 1}))
        response = await visit.stream(
            b": hi\r\n\r\n", event(progress), event(visit.reply({"n": 1}))
        )
        await response.write_eof()
        return response

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        await heard.until(lambda: len(heard.frames) == 1 + streamed)

    play(answer, heard, story)
    assert json.loads(heard.frames[-1])["result"] == {"n": 1}
    assert heard.frames[:-1] == [progress] * streamed
    assert heard.order == ["life", *["frame"] * (1 + streamed), "closed"]
    assert set(heard.exchanges) == {1}


def test_many_requests_are_open_at_once_and_answered_in_any_order(heard: Any) -> None:
    """Case S20 over HTTP: each request has a stream of its own."""
    gates = {number: asyncio.Event() for number in range(1, 21)}

    async def answer(visit: Visit) -> web.StreamResponse:
        await gates[visit.message["id"]].wait()
        return visit.json(visit.reply({}))

    async def story(transport: HttpTransport, desk: Desk) -> None:
        for number in gates:
            transport.send(request(number))
        await desk.until(lambda: len(desk.visits) == 20)
        for count, number in enumerate(reversed(gates), start=1):
            gates[number].set()
            await heard.until(lambda n=count: len(heard.frames) == n)

    play(answer, heard, story)
    assert heard.exchanges == list(range(20, 0, -1))


@pytest.mark.parametrize("streamed", [False, True])
def test_giving_up_closes_the_stream_and_says_nothing_else(heard: Any, streamed: bool) -> None:
    """Spec: closing the response stream is the cancellation signal."""

    async def answer(visit: Visit) -> web.StreamResponse:
        if streamed:
            await visit.stream(b": waiting\n\n")
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        await desk.until(lambda: bool(desk.visits))
        if streamed:
            await heard.until(lambda: "life" in heard.order)
        assert transport.give_up(1) is True
        await desk.until(desk.visits[0].left.is_set)
        assert len(desk.visits) == 1, "no notifications/cancelled over modern HTTP"
        assert transport.give_up(1) is True, "giving up what is over is harmless"

    play(answer, heard, story)
    assert (heard.frames, heard.ends) == ([], [])


def test_a_stream_that_goes_on_after_its_answer_is_closed_soon(heard: Any) -> None:
    """Spec: the answer SHOULD end the stream; ours: a server that does not keeps nothing."""

    async def answer(visit: Visit) -> web.StreamResponse:
        await visit.stream(event(visit.reply({})))
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        await heard.until(lambda: len(heard.frames) == 1)
        await desk.until(desk.visits[0].left.is_set)

    play(answer, heard, story)
    assert heard.ends == []


def test_headers_of_the_operator_are_sent_and_cannot_replace_ours(heard: Any) -> None:
    """Design 5: `headers`; ours: what mirrors the body comes from the body."""
    headers = {"X-Key": "k", "accept": "text/html", "MCP-METHOD": "x", "Mcp-Param-A": "y"}

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        await heard.until(lambda: bool(heard.frames))
        sent = desk.visits[0].headers
        assert (sent["x-key"], sent["mcp-method"]) == ("k", "tools/list")
        assert sent["accept"].startswith("application/json") and "mcp-param-a" not in sent

    play(echo, heard, story, headers=headers)


def test_the_arguments_a_tool_wants_mirrored_are_sent_as_headers(heard: Any) -> None:
    """Spec: custom headers from tool parameters."""
    region = {"type": "string", "x-mcp-header": "Region"}
    tool = {"inputSchema": {"type": "object", "properties": {"region": region}}}

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request(1, "tools/call", name="t", arguments={"region": " x "}), tool)
        await heard.until(lambda: bool(heard.frames))
        assert desk.visits[0].headers["mcp-param-region"] == "=?base64?IHgg?="
        with pytest.raises(MisuseError, match="region"):
            transport.send(request(2, "tools/call", name="t", arguments={"region": [1]}), tool)
        assert len(desk.visits) == 1

    play(echo, heard, story)


def test_a_legacy_message_without_a_handshake_is_a_fault_of_ours(heard: Any) -> None:
    """Spec: a modern client sends no notification over HTTP, and no answer."""

    async def story(transport: HttpTransport, desk: Desk) -> None:
        with pytest.raises(MisuseError):
            transport.send(encode(notification("notifications/cancelled", {"requestId": 1})))
        assert desk.visits == []

    play(echo, heard, story)


def test_a_closed_transport_sends_nothing(heard: Any) -> None:
    """Ours: as every transport."""

    async def story(transport: HttpTransport, desk: Desk) -> None:
        first = await transport.close()
        assert await transport.close() == first
        with pytest.raises(PipeClosed):
            transport.send(request())
        assert desk.visits == []

    play(echo, heard, story)
    assert heard.order == ["closed"]


def test_closing_gives_up_what_is_open(heard: Any) -> None:
    """Design 7.9: closing is bounded; what was open hears of the end."""

    async def answer(visit: Visit) -> web.StreamResponse:
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk) -> None:
        for number in range(5):
            transport.send(request(number))
        await desk.until(lambda: len(desk.visits) == 5)
        ending = await transport.close()
        assert ending.by_us
        await desk.until(lambda: all(visit.left.is_set() for visit in desk.visits))

    play(answer, heard, story)


def test_a_modern_peer_never_loads_what_legacy_needs() -> None:
    """Ours: nothing of the legacy branch is reachable from a modern peer."""
    program = (
        "from fakes import modern\n"
        "from workbench import MultiServerClient, PeerConfig\n"
        "import sys\n"
        "with modern('m', tools=['t']).over_http() as url, MultiServerClient() as client:\n"
        "    client.add_server('m', PeerConfig(name='m', url=url), allow_legacy=True)\n"
        "    assert client.call('t', {}).text\n"
        "sys.exit('workbench.transports.http_legacy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 0
