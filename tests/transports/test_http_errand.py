"""A peer's text cannot send us anywhere it likes."""

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from desk import Desk, Visit

from workbench.transports import http_errand
from workbench.transports.http_credentials import NoCredentials, Reply
from workbench.transports.http_errand import refuse_errand, run_errand

PUBLIC = "https://mcp.example.com/mcp"
HERE = "http://127.0.0.1:8000/mcp"


@pytest.mark.parametrize(
    ("target", "peer", "why"),
    [
        ("https://auth.example.com/token", PUBLIC, ""),
        ("https://mcp.example.com/.well-known/x", PUBLIC, ""),
        ("http://localhost:9000/token", HERE, ""),
        ("http://127.0.0.1:9000/token", "http://localhost:1/mcp", ""),
        ("https://auth.example.com/token", HERE, ""),
        ("http://tools.lan/token", "http://tools.lan/mcp", ""),
        ("https://10.0.0.5/token", "https://10.0.0.4/mcp", ""),
        ("http://auth.example.com/token", PUBLIC, "is not https"),
        ("http://auth.example.com/token", HERE, "is not https"),
        ("http://169.254.169.254/latest", PUBLIC, "is inside"),
        ("https://10.0.0.5/token", PUBLIC, "is inside"),
        ("https://[::1]/token", PUBLIC, "is inside"),
        ("https://[::ffff:10.0.0.5]/token", PUBLIC, "is inside"),
        ("https://2130706433/token", PUBLIC, "is inside"),
        ("https://0x7f.0.0.1/token", PUBLIC, "is inside"),
        ("http://localhost:6379/", PUBLIC, "is inside"),
        ("https://someone@auth.example.com/token", PUBLIC, "holds user info"),
        ("file:///etc/passwd", PUBLIC, "is no http"),
        ("/token", PUBLIC, "is no http"),
    ],
)
def test_where_a_peer_may_send_us(target: str, peer: str, why: str) -> None:
    """Spec: security best practices, server-side request forgery; RFC 9728 section 7.7."""
    refused = refuse_errand(target, peer)
    assert refused.startswith(why) and bool(refused) == bool(why)


def play(answer: Any, target: str = "/token", method: str = "POST") -> tuple[Reply, Visit]:
    async def run() -> tuple[Reply, Visit]:
        async with Desk(answer) as desk, aiohttp.ClientSession() as session:
            url = desk.url.removesuffix("/mcp") + target
            request = (method, url, {"X-Own": "1"}, b"a=b" if method == "POST" else b"")
            return await run_errand(session, desk.url, {}, request), desk.visits[0]

    return asyncio.run(run())


def test_an_errand_carries_its_own_headers_and_its_body() -> None:
    """Ours: the answer comes read, and says nothing about how it was packed."""

    async def answer(visit: Visit) -> web.StreamResponse:
        return visit.json(b"{}", status=201, Warning="x")

    reply, visit = play(answer)
    assert (reply.status, reply.body, visit.body) == (201, b"{}", b"a=b")
    assert visit.headers["x-own"] == "1"
    names = {name.lower() for name, _ in reply.headers}
    assert "warning" in names and "content-length" not in names


def test_a_redirect_is_brought_back_and_not_followed() -> None:
    """Spec: security best practices, validate redirect targets."""

    async def answer(visit: Visit) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "http://169.254.169.254/"})

    reply, visit = play(answer, "/.well-known/x", "GET")
    assert (reply.status, visit.method) == (302, "GET")


def test_an_endless_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design section 7.9: everything is bounded."""
    monkeypatch.setattr(http_errand, "CAP", 100)

    async def answer(visit: Visit) -> web.StreamResponse:
        return web.Response(body=b"x" * 101)

    with pytest.raises(NoCredentials, match="more than 100 bytes"):
        play(answer)


def test_an_answer_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design section 7.9: everything is bounded."""
    monkeypatch.setattr(http_errand, "LIMIT_S", 0.05)

    async def answer(visit: Visit) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(NoCredentials, match="did not answer within 0.05 s"):
        play(answer)


def test_nobody_there_is_told_without_the_query() -> None:
    """Design section 5: query values are secrets."""

    async def run() -> None:
        async with Desk(lambda visit: None) as desk:  # type: ignore[arg-type, return-value]
            url = desk.url
        async with aiohttp.ClientSession() as session:
            await run_errand(session, url, {}, ("GET", url + "?key=hidden", {}, b""))

    with pytest.raises(NoCredentials, match="could not be asked") as told:
        asyncio.run(run())
    assert "hidden" not in str(told.value)
