"""Time that moves by itself, without anybody waiting for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from workbench.drivers.clock import ManualClock

T = TypeVar("T")


async def driven(work: Coroutine[Any, Any, T], clock: ManualClock) -> T:
    """Run `work`; whenever nothing moves any more, move the clock to what is due next."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await turns()
        due = clock.next_due()
        if task.done():
            break
        if due is None:
            # Something real is awaited (a link that closes): a short real wait, bounded
            # by whatever the task itself is bounded by.
            await asyncio.wait([task], timeout=0.02)
        else:
            clock.advance(max(0.0, due - clock.now()))
    return task.result()


async def turns(count: int = 25) -> None:
    """Let every callback that is ready run, and those they make ready."""
    loop = asyncio.get_running_loop()
    for _ in range(count):
        passed = loop.create_future()
        loop.call_soon(passed.set_result, None)
        await passed
