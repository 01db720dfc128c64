"""A story about one HTTP transport and the server it talks to."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from desk import Desk

from workbench.core.wire.codec import encode
from workbench.core.wire.envelope import modern_request
from workbench.drivers.clock import SystemClock
from workbench.transports.http import HttpEndpoint, HttpTransport
from workbench.transports.http_address import address_of

Story = Callable[[HttpTransport], Awaitable[None]]


def request(request_id: int = 1, method: str = "tools/list", **params: Any) -> bytes:
    return encode(modern_request(request_id, method, params, "2026-07-28"))


async def with_transport(
    url: str, heard: Any, story: Story, headers: dict[str, str] | None = None, **how: Any
) -> None:
    address = address_of(url, headers or {}, how.pop("environ", {}))
    transport = HttpEndpoint(address, **how).new_transport(SystemClock())
    await transport.open(heard)
    try:
        await story(transport)
    finally:
        await transport.close()
    assert heard.order[-1] == "closed" and len(heard.endings) == 1


def play(
    answer: Any, heard: Any, story: Callable[[Any, Desk], Awaitable[None]], **how: Any
) -> None:
    """Run a story against a server that answers so; leave no task behind."""

    async def run() -> None:
        async with Desk(answer) as desk:
            await with_transport(desk.url, heard, lambda transport: story(transport, desk), **how)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.wait(left, timeout=5) if left else None
        assert [task for task in left if not task.done()] == []

    asyncio.run(run())
