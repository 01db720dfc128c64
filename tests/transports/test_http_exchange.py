"""What comes back for one POST: answers, errors, pages, streams that break."""

import asyncio
from typing import Any

import pytest
from aiohttp import web
from desk import Desk, Visit, event, for_ever
from posted import play, request

from workbench.core.wire.exchange import Trouble
from workbench.transports.http import HttpTransport


def _said(status: int, body: str = "", media: str = "", **headers: str) -> Any:
    async def answer(visit: Visit) -> web.StreamResponse:
        named = {"Content-Type": media} if media else {}
        return web.Response(status=status, body=body.encode(), headers={**named, **headers})

    return answer


ERROR = '{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no"}}'


@pytest.mark.parametrize("carried", ["1", "null"])
def test_an_error_in_the_body_of_an_error_status_is_the_answer(heard: Any, carried: str) -> None:
    """Fault matrix H03 to H05; spec: inspect the body of a 400 before anything else."""

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        await heard.until(lambda: len(heard.frames) == 1)

    play(_said(400, ERROR % carried, "application/json"), heard, story)
    assert (heard.ends, heard.exchanges) == ([], [1])


@pytest.mark.parametrize(
    ("answer", "trouble", "seen"),
    [
        (_said(400), Trouble.STATUS, "empty body"),
        (_said(400, ERROR % '"1"', "application/json"), Trouble.STATUS, "another id"),
        (_said(400, '{"error":"nope"}', "application/json"), Trouble.STATUS, "application/json"),
        (_said(400, '{"jsonrpc":"2.0","id":1,"result":{}}'), Trouble.STATUS, "HTTP 400"),
        (_said(404, "<html>", "text/html"), Trouble.STATUS, "text/html"),
        (_said(405), Trouble.STATUS, "405"),
        (_said(401), Trouble.AUTH, "no challenge"),
        (
            _said(401, **{"WWW-Authenticate": 'Bearer realm="x", nonce="hide-me"'}),
            Trouble.AUTH,
            "Bearer realm=x",
        ),
        (_said(403, ERROR % "1", "application/json"), Trouble.AUTH, "403"),
        (_said(500, ERROR % "1", "application/json"), Trouble.SERVER, "500"),
        (_said(502, "<html>", "text/html"), Trouble.SERVER, "502"),
        (_said(503, **{"Retry-After": "7"}), Trouble.SERVER, "Retry-After 7"),
        (_said(429), Trouble.SERVER, "429"),
        (_said(202), Trouble.NO_ANSWER, "202"),
        (_said(200, "", "application/json"), Trouble.NO_ANSWER, "empty body"),
        (_said(200, "<html>", "text/html"), Trouble.NO_ANSWER, "text/html"),
        (_said(200, '{"jsonrpc":"2.0","id":1,"result":{}}'), Trouble.NO_ANSWER, "octet-stream"),
        (_said(200, "data: {", "text/event-stream"), Trouble.NO_ANSWER, "middle of an event"),
        (_said(200, "", "text/event-stream"), Trouble.NO_ANSWER, "without an answer"),
        (_said(302, Location="/elsewhere"), Trouble.REDIRECT, "302"),
        (_said(307), Trouble.REDIRECT, "does not say where"),
    ],
)
def test_an_exchange_without_an_answer_ends_at_once_and_says_how(
    heard: Any, answer: Any, trouble: Trouble, seen: str
) -> None:
    """Fault matrix H06 to H18; cases E09, E12, H06, H10."""

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        end = await heard.end()
        assert (end.request_id, end.trouble) == (1, trouble)
        assert seen in end.seen
        assert "hide-me" not in end.seen

    play(answer, heard, story)
    assert heard.frames == []


@pytest.mark.parametrize(
    "body", [b'{"jsonrpc":"2.0","id":9,"result":{}}', b"[]", b"{", b'"text"', b"\xff"]
)
@pytest.mark.parametrize("streamed", [False, True])
def test_what_is_no_answer_is_handed_on_and_then_the_exchange_ends(
    heard: Any, body: bytes, streamed: bool
) -> None:
    """Fault matrix C03, C09: recorded, never matched, and nobody waits for ever."""

    async def answer(visit: Visit) -> web.StreamResponse:
        if not streamed:
            return visit.json(body)
        response = await visit.stream(event(body))
        await response.write_eof()
        return response

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        assert (await heard.end()).trouble is Trouble.NO_ANSWER

    play(answer, heard, story)
    assert heard.frames == [body]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_body_over_the_cap_is_dropped_and_the_next_answer_is_read(
    heard: Any, streamed: bool
) -> None:
    """Fault matrix C09: memory stays bounded."""

    async def answer(visit: Visit) -> web.StreamResponse:
        body = visit.reply("x" * 5_000 if visit.message["id"] == 1 else "y")
        if not streamed:
            return visit.json(body)
        response = await visit.stream(event(body))
        await response.write_eof()
        return response

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request(1))
        assert (await heard.end()).trouble is Trouble.NO_ANSWER
        transport.send(request(2))
        await heard.until(lambda: len(heard.frames) == 1)

    play(answer, heard, story, frame_cap=1_000)
    (dropped,) = heard.dropped
    assert dropped[0] > 1_000 and dropped[2] == 1_000


@pytest.mark.parametrize("when", ["at once", "in the body", "in the stream"])
def test_a_connection_that_breaks_ends_the_exchange(heard: Any, when: str) -> None:
    """Case H06: reset; the waiter is woken at once."""
    cut = asyncio.Event()

    async def answer(visit: Visit) -> web.StreamResponse:
        if when == "in the body":
            response = web.StreamResponse(
                headers={"Content-Type": "application/json", "Content-Length": "100"}
            )
            await response.prepare(visit.request)
            await response.write(b'{"jsonrpc"')
        elif when == "in the stream":
            await visit.stream(event(b'{"jsonrpc":"2.0","method":"x"}', id="3"), b"data: {")
        await cut.wait()
        visit.cut()
        await for_ever()
        raise AssertionError

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        if when == "in the stream":
            await heard.until(lambda: bool(heard.frames))
        cut.set()
        end = await heard.end()
        assert end.trouble in (Trouble.BROKEN, Trouble.NO_ANSWER)
        assert len(desk.visits) == 1, "it may have run, so it is not sent again"

    play(answer, heard, story)


def test_a_byte_order_mark_in_front_of_the_answer_changes_nothing(heard: Any) -> None:
    """Fault matrix C09: the answer is one, so nothing is noted about an exchange without."""

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        await heard.until(lambda: bool(heard.frames))
        assert heard.ends == []

    body = '\ufeff{"jsonrpc":"2.0","id":1,"result":{}}'
    play(_said(200, body, "application/json"), heard, story)
