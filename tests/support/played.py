"""One peer in memory, ready to be called, for as long as a story lasts."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from driven import driven

from fakes import Fake
from workbench import AsyncMultiServerClient, ManualClock

Story = Callable[[AsyncMultiServerClient, ManualClock], Coroutine[Any, Any, None]]


def play(peer: Fake, story: Story, **options: Any) -> AsyncMultiServerClient:
    """Run a story with one peer, connected, listed and merged."""

    async def work() -> AsyncMultiServerClient:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, **options)
        client.add_server("peer", peer, call_timeout_s=10.0)
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        async with asyncio.timeout(10):
            await story(client, clock)
        await driven(client.aclose(), clock)
        return client

    return asyncio.run(work())
