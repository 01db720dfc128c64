"""An HTTP server that answers each request the way a test says, and remembers them all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Self

from aiohttp import web

LIMIT_S = 5.0

Answer = Callable[["Visit"], Awaitable[web.StreamResponse]]


class Visit:
    """One request, with its body read."""

    def __init__(self, request: web.BaseRequest, body: bytes) -> None:
        self.request = request
        self.method = request.method
        self.path = request.path_qs
        self.headers = {name.lower(): value for name, value in request.headers.items()}
        self.body = body
        self.left = asyncio.Event()
        """Set when the client has gone before the answer was complete."""

    @property
    def message(self) -> dict[str, Any]:
        return json.loads(self.body)

    def reply(self, result: Any, **changes: Any) -> bytes:
        """Return the bytes of a success answer to this very request."""
        return json.dumps(
            {"jsonrpc": "2.0", "id": self.message["id"], "result": result, **changes}
        ).encode()

    async def stream(self, *chunks: bytes, headers: dict[str, str] | None = None) -> Any:
        """Begin an event stream and write these chunks; the caller ends it."""
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", **(headers or {})}
        )
        await response.prepare(self.request)
        for chunk in chunks:
            await response.write(chunk)
        return response

    def json(self, body: bytes, status: int = 200, **headers: str) -> web.Response:
        return web.Response(
            body=body, status=status, headers={"Content-Type": "application/json", **headers}
        )

    def cut(self) -> None:
        """Break the connection without any goodbye."""
        assert self.request.transport is not None
        self.request.transport.abort()


class Desk:
    """Listens on 127.0.0.1 as long as the block lasts.

    Args:
        answer: makes the response to one visit.
    """

    def __init__(self, answer: Answer) -> None:
        self.visits: list[Visit] = []
        self.news = asyncio.Event()
        self._answer = answer

    async def __aenter__(self) -> Self:
        self._web = web.Server(self._serve, handler_cancellation=True, access_log=None)
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(self._web, "127.0.0.1", 0)
        self.port = self._listening.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._listening.close()
        await self._web.shutdown(0.05)
        await self._listening.wait_closed()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds; it is looked at after each visit and departure."""
        async with asyncio.timeout(LIMIT_S):
            while not condition():
                self.news.clear()
                await self.news.wait()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        visit = Visit(request, await request.read())
        self.visits.append(visit)
        self.news.set()
        try:
            return await self._answer(visit)
        except (asyncio.CancelledError, ConnectionError):
            visit.left.set()
            self.news.set()
            raise


def event(data: bytes, **fields: str) -> bytes:
    """Return the bytes of one server-sent event."""
    lines = [f"{name}: {value}\n".encode() for name, value in fields.items()]
    return b"".join(lines) + b"data: " + data + b"\n\n"


async def for_ever() -> None:
    """Wait until somebody cancels."""
    await asyncio.Event().wait()
