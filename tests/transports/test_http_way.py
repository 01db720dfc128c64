"""One request, to one address, and nothing anywhere else."""

import asyncio
from typing import Any

import pytest
from aiohttp import web
from desk import Desk, Visit
from posted import play, request, with_transport

from workbench.core.wire.exchange import Trouble
from workbench.transports.http import HttpTransport

SECRETS = {"Authorization": "Bearer abcdef", "X-Api-Key": "uvwxyz"}


async def echo(visit: Visit) -> web.StreamResponse:
    return visit.json(visit.reply({}))


def test_nobody_at_the_address_means_nothing_was_sent(heard: Any) -> None:
    """Ours: an outage is told apart from a lost answer."""

    async def run() -> None:
        async with Desk(echo) as desk:
            url = desk.url

        async def story(transport: HttpTransport) -> None:
            transport.send(request())
            end = await heard.end()
            assert (end.trouble, end.status) == (Trouble.UNREACHABLE, None)
            assert "could not be reached" in end.seen

        await with_transport(url, heard, story)

    asyncio.run(run())


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_to_the_same_origin_keeps_method_body_and_headers(
    heard: Any, status: int
) -> None:
    """Fault matrix H18; RFC 9110 section 15.4: 307 and 308 keep the request as it is."""

    async def answer(visit: Visit) -> web.StreamResponse:
        if visit.path == "/mcp":
            return web.Response(status=status, headers={"Location": "/new?a=b"})
        return visit.json(visit.reply({}))

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        await heard.until(lambda: bool(heard.frames))
        first, second = desk.visits
        assert (second.method, second.path, second.body) == ("POST", "/new?a=b", first.body)
        assert second.headers["authorization"] == "Bearer abcdef"

    play(answer, heard, story, headers=SECRETS)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_origin_is_refused_and_learns_nothing(
    heard: Any, status: int
) -> None:
    """Case H12; fault matrix H18: a second local port that records headers gets none."""

    async def run() -> None:
        async with Desk(echo) as other:

            async def answer(visit: Visit) -> web.StreamResponse:
                return web.Response(status=status, headers={"Location": other.url})

            async with Desk(answer) as desk:

                async def story(transport: HttpTransport) -> None:
                    transport.send(request())
                    end = await heard.end()
                    assert (end.trouble, end.status) == (Trouble.REDIRECT, status)
                    assert "redirects to" in end.seen

                await with_transport(desk.url, heard, story, SECRETS)
            assert other.visits == []

    asyncio.run(run())


@pytest.mark.parametrize(
    "target",
    [
        "//127.0.0.1:1/mcp",
        "https://127.0.0.1/mcp",
        "http://u:p@HERE/mcp",
        "ftp://x/",
        "http://[::1",
    ],
)
def test_a_redirect_that_only_looks_local_is_refused(heard: Any, target: str) -> None:
    """Case H12: scheme, host, port and user info all count."""

    async def answer(visit: Visit) -> web.StreamResponse:
        here = target.replace("HERE", visit.headers["host"])
        return web.Response(status=307, headers={"Location": here})

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        end = await heard.end()
        assert end.trouble is Trouble.REDIRECT
        assert "u:p" not in end.seen
        assert len(desk.visits) == 1

    play(answer, heard, story)


def test_redirects_in_a_circle_end(heard: Any) -> None:
    """Design 7.9: everything is bounded."""

    async def answer(visit: Visit) -> web.StreamResponse:
        return web.Response(status=307, headers={"Location": "/mcp"})

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        assert "more than 5 times" in (await heard.end()).seen
        assert len(desk.visits) == 6

    play(answer, heard, story)


def test_the_final_address_is_named_when_a_followed_redirect_brought_a_page(heard: Any) -> None:
    """Case H10: status, media type and final URL."""

    async def answer(visit: Visit) -> web.StreamResponse:
        if visit.path == "/mcp":
            return web.Response(status=307, headers={"Location": "/login"})
        return web.Response(text="<html>", content_type="text/html")

    async def story(transport: HttpTransport, desk: Desk) -> None:
        transport.send(request())
        assert "/login" in (await heard.end()).seen

    play(answer, heard, story)


def test_a_proxy_gets_what_is_not_for_this_machine(heard: Any) -> None:
    """Case H13: proxies from the environment are honoured."""

    async def run() -> None:
        async with Desk(echo) as proxy:
            environ = {"http_proxy": f"http://127.0.0.1:{proxy.port}"}

            async def story(transport: HttpTransport) -> None:
                transport.send(request())
                await heard.until(lambda: bool(heard.frames))

            await with_transport("http://tools.example/mcp", heard, story, environ=environ)
            assert proxy.visits[0].headers["host"] == "tools.example"

    asyncio.run(run())


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_dead_proxy_does_not_catch_this_machine(heard: Any, name: str) -> None:
    """Case H13: loopback bypasses the proxy."""
    environ = {"HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"}

    async def run() -> None:
        async with Desk(echo) as desk:

            async def story(transport: HttpTransport) -> None:
                transport.send(request())
                await heard.until(lambda: bool(heard.frames))

            await with_transport(f"http://{name}:{desk.port}/mcp", heard, story, environ=environ)

    asyncio.run(run())


def test_a_proxy_that_is_dead_is_named_without_its_password(heard: Any) -> None:
    """Case H13: the rule is shown in the error; X01: no secret is."""
    environ = {"http_proxy": "http://user:secret@127.0.0.1:1"}

    async def story(transport: HttpTransport) -> None:
        transport.send(request())
        end = await heard.end()
        assert end.trouble is Trouble.UNREACHABLE
        assert "proxy http://127.0.0.1:1 (from the environment)" in end.seen
        assert "secret" not in end.seen

    asyncio.run(with_transport("http://tools.example/mcp", heard, story, environ=environ))
