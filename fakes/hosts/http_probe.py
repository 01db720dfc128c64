"""A tour of an HTTP endpoint: sends the requests that tell a server apart, shows each answer.

Takes:  a program, which is served on a free port for as long as the tour lasts
Gives:  one line per exchange: what was sent, then status, media type and body
Never:  decides anything; what an answer means is the client's business

It is what the lesson on transports calls its probe. Seed card "Run the lessons", "Status
and error codes".
"""

import asyncio
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, Final

import aiohttp
import msgspec
from msgspec import Struct

from fakes.errors import FakeError
from fakes.hosts.http import HttpHost
from fakes.hosts.http_checks import SESSION_HEADER
from fakes.hosts.http_visit import MAX_BODY_BYTES, Settings
from fakes.http_steps import JSON_TYPE, SSE_TYPE
from fakes.program import Program
from fakes.recording import Recording
from workbench.core.text.visible import sample
from workbench.core.wire.envelope import legacy_request, modern_request, notification
from workbench.core.wire.keys import DISCOVER, INITIALIZE, INITIALIZED, TOOLS_CALL, TOOLS_LIST
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN

_PATIENCE_S: Final = 2.0
"""How long one answer is waited for."""
_SHOWN: Final = 160
"""Characters of a body that are shown."""
_ACCEPT: Final = {"Accept": f"{JSON_TYPE}, {SSE_TYPE}"}


class Sent(Struct, frozen=True, kw_only=True):
    """One request of the tour."""

    about: str
    method: str = "POST"
    headers: dict[str, str] = {}
    body: bytes = b""


def probe(program: Program, show: Callable[[str], None]) -> int:
    """Serve `program` on a free port, visit it, show each exchange; return the exit status."""
    try:
        asyncio.run(_tour(program, show))
    except (OSError, FakeError, aiohttp.ClientError) as problem:
        show(f"the probe ended early: {problem}")
        return 1
    return 0


async def _tour(program: Program, show: Callable[[str], None]) -> None:
    host = HttpHost(program, Recording(), Settings())
    url = await host.start()
    session = ""
    try:
        timeout = aiohttp.ClientTimeout(total=_PATIENCE_S)
        async with aiohttp.ClientSession(timeout=timeout) as client:
            for sent in stops(program.server.era):
                head = {"Mcp-Session-Id": session} if session else {}
                line, session = await _visit(client, url, sent, head, session)
                show(line)
    finally:
        await host.stop()


async def _visit(
    client: aiohttp.ClientSession, url: str, sent: Sent, head: dict[str, str], session: str
) -> tuple[str, str]:
    headers = {**head, **sent.headers}
    body = BytesIO(sent.body) if sent.body else None
    try:
        async with client.request(
            sent.method, url, headers=headers, data=body, allow_redirects=False
        ) as answer:
            session = answer.headers.get(SESSION_HEADER, session)
            media = answer.content_type if "Content-Type" in answer.headers else "no body"
            text = sample(await _body(answer, media))[:_SHOWN]
            return f"{sent.about} -> {answer.status} {media} {text}".rstrip(), session
    except TimeoutError:
        return f"{sent.about} -> no answer within {_PATIENCE_S:g} s", session
    except aiohttp.ClientError as problem:
        return f"{sent.about} -> {type(problem).__name__}", session


async def _body(answer: aiohttp.ClientResponse, media: str) -> bytes:
    return await (answer.content.read(2_000) if media == SSE_TYPE else answer.read())


def stops(era: str) -> Iterator[Sent]:
    """Yield the requests of the tour of a server of this era ("dual" gets both tours)."""
    if era != "legacy":
        yield from _modern_stops()
    if era != "modern":
        yield from _legacy_stops()


def _modern_stops() -> Iterator[Sent]:
    call = {"name": "search", "arguments": {"q": "x"}}
    yield _modern("server/discover", DISCOVER)
    yield _modern("tools/list", TOOLS_LIST)
    yield _modern("tools/call", TOOLS_CALL, call, {"Mcp-Name": "search"})
    yield _modern("tools/call without Mcp-Name", TOOLS_CALL, call)
    yield _modern("tools/list, other Mcp-Method", TOOLS_LIST, None, {"Mcp-Method": DISCOVER})
    yield _modern("tools/list of 2099-01-01", TOOLS_LIST, None, {}, "2099-01-01")
    yield _modern("an unknown method", "no/such")
    yield Sent(
        about="tools/list without _meta",
        headers=_headers(LATEST_MODERN, TOOLS_LIST),
        body=msgspec.json.encode(legacy_request(9, TOOLS_LIST)),
    )
    yield _modern("a foreign Origin", DISCOVER, None, {"Origin": "https://evil.example"})
    yield Sent(about="text that is not JSON", headers=_headers(LATEST_MODERN, "x"), body=b"{")
    yield Sent(
        about=f"a body of {MAX_BODY_BYTES + 1} bytes",
        headers=_headers(LATEST_MODERN, "x"),
        body=b" " * (MAX_BODY_BYTES + 1),
    )
    yield Sent(
        about="a notification",
        headers=_headers(LATEST_MODERN, "notifications/none"),
        body=msgspec.json.encode(notification("notifications/none")),
    )
    yield Sent(about="GET", method="GET", headers={"Accept": SSE_TYPE})
    yield Sent(about="DELETE", method="DELETE")


def _legacy_stops() -> Iterator[Sent]:
    hello = {
        "protocolVersion": LATEST_LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1.0.0"},
    }
    yield _legacy("tools/list without a session", legacy_request(1, TOOLS_LIST))
    yield _legacy("initialize", legacy_request(2, INITIALIZE, hello))
    yield _legacy("notifications/initialized", notification(INITIALIZED))
    yield _legacy("tools/list", legacy_request(3, TOOLS_LIST))
    call = {"name": "search", "arguments": {"q": "x"}}
    yield _legacy("tools/call", legacy_request(4, TOOLS_CALL, call))
    yield _legacy(
        "tools/list of 1999-12-31",
        legacy_request(5, TOOLS_LIST),
        {"MCP-Protocol-Version": "1999-12-31"},
    )
    yield Sent(about="DELETE", method="DELETE")
    yield _legacy("tools/list after DELETE", legacy_request(6, TOOLS_LIST))


def _headers(version: str, method: str) -> dict[str, str]:
    return {
        **_ACCEPT,
        "Content-Type": JSON_TYPE,
        "MCP-Protocol-Version": version,
        "Mcp-Method": method,
    }


def _modern(
    about: str,
    method: str,
    params: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    version: str = LATEST_MODERN,
) -> Sent:
    body = msgspec.json.encode(modern_request(1, method, params, version))
    return Sent(about=about, headers={**_headers(version, method), **(headers or {})}, body=body)


def _legacy(about: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> Sent:
    version = {} if body["method"] == INITIALIZE else {"MCP-Protocol-Version": LATEST_LEGACY}
    return Sent(
        about=about,
        headers={**_ACCEPT, "Content-Type": JSON_TYPE, **version, **(headers or {})},
        body=msgspec.json.encode(body),
    )
