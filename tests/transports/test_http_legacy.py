"""A session over HTTP: its id, its standing stream, its end, and what is older still."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from desk import Desk, Visit, event, for_ever
from playbook import HANDSHAKE

from workbench.core.wire.codec import encode
from workbench.core.wire.envelope import legacy_request, notification, result_reply
from workbench.core.wire.exchange import Trouble
from workbench.drivers.clock import ManualClock
from workbench.transports.http import HttpEndpoint, HttpTransport
from workbench.transports.http_address import address_of

SESSION = "d36cb89e-visible-ascii"
INITIALIZE = encode(legacy_request(1, "initialize", {"protocolVersion": "2025-11-25"}))
INITIALIZED = encode(notification("notifications/initialized"))
LIST = encode(legacy_request(2, "tools/list"))

Answer = Callable[[Visit], Awaitable[web.StreamResponse]]


class Old:
    """An honest legacy server, of which a test replaces parts by method name."""

    def __init__(self, session: str = SESSION, **special: Answer) -> None:
        self.session = session
        self.special = special

    async def __call__(self, visit: Visit) -> web.StreamResponse:
        method = visit.message.get("method", "answer") if visit.method == "POST" else visit.method
        special = self.special.get(method.replace("/", "_"))
        if special is not None:
            return await special(visit)
        if method == "initialize":
            given = {"Mcp-Session-Id": self.session} if self.session else {}
            return visit.json(visit.reply(HANDSHAKE), **given)
        if visit.method == "GET":
            return web.Response(status=405)
        if visit.method == "DELETE":
            return web.Response(status=204)
        if "id" not in visit.message or "method" not in visit.message:
            return web.Response(status=202)
        return visit.json(visit.reply({}))


def play(
    answer: Any, heard: Any, story: Callable[[HttpTransport, Desk, ManualClock], Awaitable[None]]
) -> list[Visit]:
    """Run a story against a server; return what the server was asked."""

    async def run() -> list[Visit]:
        clock = ManualClock()
        async with Desk(answer) as desk:
            transport = HttpEndpoint(address_of(desk.url, {}, {})).new_transport(clock)
            await transport.open(heard)
            try:
                await story(transport, desk, clock)
            finally:
                await transport.close()
        return desk.visits

    return asyncio.run(run())


async def introduced(transport: HttpTransport, heard: Any, desk: Desk) -> None:
    """Go through the handshake."""
    transport.send(INITIALIZE)
    await heard.until(lambda: len(heard.frames) == 1)
    transport.send(INITIALIZED)
    await desk.until(lambda: len(desk.visits) >= 2)


def asked(visits: list[Visit]) -> list[str]:
    return [
        visit.message.get("method", "answer") if visit.method == "POST" else visit.method
        for visit in visits
    ]


def test_every_message_after_the_handshake_carries_session_and_revision(heard: Any) -> None:
    """Spec 2025-11-25: basic/transports, session management and protocol version header."""

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        transport.send(LIST)
        await heard.until(lambda: len(heard.frames) == 2)
        await desk.until(lambda: "GET" in asked(desk.visits))

    visits = play(Old(), heard, story)
    first, *others = visits
    assert not {"mcp-session-id", "mcp-protocol-version", "mcp-method"} & set(first.headers)
    for visit in others:
        assert visit.headers["mcp-session-id"] == SESSION
        assert visit.headers["mcp-protocol-version"] == "2025-11-25"
    assert sorted(asked(visits)) == sorted(
        ["initialize", "notifications/initialized", "GET", "tools/list", "DELETE"]
    )
    assert asked(visits)[-1] == "DELETE", "the session is ended when it is no longer needed"


def test_nothing_overtakes_the_end_of_the_handshake(heard: Any) -> None:
    """Spec 2025-11-25: basic/lifecycle; posts have no order of their own."""
    accepted = asyncio.Event()

    async def slow(visit: Visit) -> web.StreamResponse:
        await accepted.wait()
        return web.Response(status=202)

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        transport.send(LIST)
        await asyncio.wait([asyncio.ensure_future(for_ever())], timeout=0.05)
        assert asked(desk.visits) == ["initialize", "notifications/initialized"]
        accepted.set()
        await heard.until(lambda: len(heard.frames) == 2)

    play(Old(notifications_initialized=slow), heard, story)


@pytest.mark.parametrize("given", ["", "not ascii é", "a b"])
def test_without_a_usable_session_id_none_is_sent(heard: Any, given: str) -> None:
    """Spec 2025-11-25: a session id is visible ASCII; a server may have no sessions."""

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        transport.send(LIST)
        await heard.until(lambda: len(heard.frames) == 2)

    visits = play(Old(given), heard, story)
    assert all("mcp-session-id" not in visit.headers for visit in visits)
    assert "DELETE" not in asked(visits)


def test_requests_of_the_server_arrive_on_the_standing_stream_and_answers_are_posted(
    heard: Any,
) -> None:
    """Spec 2025-11-25: listening for messages from the server."""
    ping = encode(legacy_request("s1", "ping"))

    async def standing(visit: Visit) -> web.StreamResponse:
        await visit.stream(event(ping, id="e1"))
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        await heard.until(lambda: len(heard.frames) == 2)
        transport.send(encode(result_reply("s1", {})))
        await desk.until(lambda: "answer" in asked(desk.visits))
        answer = next(visit for visit in desk.visits if b'"s1"' in visit.body)
        assert answer.message == {"jsonrpc": "2.0", "id": "s1", "result": {}}
        assert answer.headers["mcp-session-id"] == SESSION

    play(Old(GET=standing), heard, story)
    assert (heard.frames[1], heard.exchanges[1]) == (ping, None)


def test_a_stream_that_breaks_is_resumed_where_it_was_left_after_the_pause(heard: Any) -> None:
    """Spec 2025-11-25: resumability; the client MUST respect the retry field."""

    async def broken(visit: Visit) -> web.StreamResponse:
        primed = b"id: e7\nretry: 2500\ndata:\n\n"
        response = await visit.stream(primed, event(b'{"jsonrpc":"2.0","method":"n"}', id="e8"))
        await response.write_eof()
        return response

    async def resumed(visit: Visit) -> web.StreamResponse:
        if "last-event-id" not in visit.headers:
            return web.Response(status=405)
        response = await visit.stream(event(b'{"jsonrpc":"2.0","id":2,"result":{}}', id="e9"))
        await response.write_eof()
        return response

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        transport.send(LIST)
        await heard.until(lambda: len(heard.frames) == 2)
        while clock.next_due() is None:
            await asyncio.wait([asyncio.ensure_future(for_ever())], timeout=0.01)
        assert clock.next_due() == 2.5
        assert not any("last-event-id" in visit.headers for visit in desk.visits)
        clock.advance(2.5)
        await heard.until(lambda: len(heard.frames) == 3)
        (again,) = [visit for visit in desk.visits if "last-event-id" in visit.headers]
        assert (again.method, again.headers["last-event-id"]) == ("GET", "e8")

    play(Old(tools_list=broken, GET=resumed), heard, story)
    assert (heard.exchanges[-1], heard.ends) == (2, [])


def test_a_stream_without_ids_that_breaks_is_an_exchange_without_an_answer(heard: Any) -> None:
    """Case H06: no automatic repeat."""

    async def broken(visit: Visit) -> web.StreamResponse:
        response = await visit.stream(event(b'{"jsonrpc":"2.0","method":"n"}'))
        await response.write_eof()
        return response

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        transport.send(LIST)
        end = await heard.end()
        assert (end.request_id, end.trouble) == (2, Trouble.NO_ANSWER)

    play(Old(tools_list=broken), heard, story)


def test_a_standing_stream_that_ends_is_opened_again_after_a_pause(heard: Any) -> None:
    """Spec 2025-11-25: the server MAY close the stream at any time."""

    async def standing(visit: Visit) -> web.StreamResponse:
        note = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
        response = await visit.stream(event(note, id="e1"))
        await response.write_eof()
        return response

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        for count in (1, 2, 3):
            await heard.until(lambda n=count: len(heard.frames) == 1 + n)
            while clock.next_due() is None:
                await asyncio.wait([asyncio.ensure_future(for_ever())], timeout=0.01)
            clock.advance(1.0)
        streams = [visit for visit in desk.visits if visit.method == "GET"]
        assert "last-event-id" not in streams[0].headers
        assert {visit.headers["last-event-id"] for visit in streams[1:]} == {"e1"}

    play(Old(GET=standing), heard, story)


@pytest.mark.parametrize(
    "body", ["", '{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"x"}}']
)
def test_a_session_the_server_has_ended_ends_the_transport(heard: Any, body: str) -> None:
    """Spec 2025-11-25: on 404 a new session begins; here with the next connect."""

    async def gone(visit: Visit) -> web.StreamResponse:
        return web.Response(status=404, text=body, content_type="application/json")

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        transport.send(LIST)
        ending = await heard.ending()
        assert (ending.by_us, "404" in ending.reason) == (False, True)

    visits = play(Old(tools_list=gone), heard, story)
    assert len(heard.endings) == 1
    assert "DELETE" not in asked(visits), "nobody ends a session that is gone"


def test_giving_up_does_not_count_as_telling_the_peer(heard: Any) -> None:
    """Spec 2025-11-25: a disconnection is no cancellation; a notification is."""

    async def never(visit: Visit) -> web.StreamResponse:
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        transport.send(LIST)
        await desk.until(lambda: "tools/list" in asked(desk.visits))
        assert transport.give_up(2) is False

    play(Old(tools_list=never), heard, story)


@pytest.mark.parametrize("status", [400, 404, 405])
def test_the_transport_of_2024_is_recognized_and_not_spoken(heard: Any, status: int) -> None:
    """Spec: backward compatibility; an endpoint event on a GET after a refused initialize."""

    async def refused(visit: Visit) -> web.StreamResponse:
        return web.Response(status=status)

    async def endpoint(visit: Visit) -> web.StreamResponse:
        await visit.stream(event(b"/messages?id=1", event="endpoint"))
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        transport.send(INITIALIZE)
        end = await heard.end()
        assert end.trouble is Trouble.OLD_TRANSPORT
        assert "2024-11-05" in end.seen
        assert asked(desk.visits) == ["initialize", "GET"]

    play(Old(initialize=refused, GET=endpoint), heard, story)


@pytest.mark.parametrize("status", [400, 404, 500, 401])
def test_a_refused_initialize_without_an_endpoint_event_is_what_it_is(
    heard: Any, status: int
) -> None:
    """Ours: the old transport is not guessed; 401 and 5xx are not even looked behind."""

    async def refused(visit: Visit) -> web.StreamResponse:
        return web.Response(status=status)

    async def quiet(visit: Visit) -> web.StreamResponse:
        await visit.stream(b": nothing\n\n")
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        transport.send(INITIALIZE)
        end = await heard.end()
        assert (end.status, end.trouble is not Trouble.OLD_TRANSPORT) == (status, True)

    visits = play(Old(initialize=refused, GET=quiet), heard, story)
    assert asked(visits) == ["initialize", "GET"][: 1 + (status in (400, 404))]


def test_a_server_that_does_not_answer_the_goodbye_cannot_hold_us(heard: Any) -> None:
    """Design 7.9: closing is bounded."""

    async def never(visit: Visit) -> web.StreamResponse:
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk, clock: ManualClock) -> None:
        await introduced(transport, heard, desk)
        async with asyncio.timeout(5):
            assert (await transport.close()).by_us

    visits = play(Old(DELETE=never), heard, story)
    assert asked(visits)[-1] == "DELETE"
    assert json.loads(visits[1].body) == {"jsonrpc": "2.0", "method": "notifications/initialized"}
