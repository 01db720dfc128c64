"""One turn of the event loop, also for a task that is cancelled in it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from workbench.transports.turn import turn


async def fragile() -> None:
    """A turn that minds being cancelled: the future has its end already."""
    passed = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(passed.set_result, None)
    await passed


def complaints(one_turn: Callable[[], Awaitable[None]]) -> list[Any]:
    """Cancel a task in the middle of its turn; return what the loop complains about."""
    heard: list[Any] = []

    async def waits() -> None:
        await one_turn()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, about: heard.append(about["exception"]))
        task = asyncio.ensure_future(waits())
        loop.call_soon(task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task
        await turn()

    asyncio.run(run())
    return heard


def test_a_task_that_is_cancelled_in_its_turn_leaves_no_complaint() -> None:
    """Ours: asyncio prints one on stderr, where it looks like a fault of whoever reads it."""
    assert complaints(turn) == []


def test_a_complaint_would_be_heard() -> None:
    """Ours: a check must be able to fail."""
    (problem,) = complaints(fragile)
    assert isinstance(problem, asyncio.InvalidStateError)


def test_what_was_ready_has_run_after_a_turn() -> None:
    """Ours: that is what a turn is for."""
    ran: list[str] = []

    async def run() -> None:
        asyncio.get_running_loop().call_soon(ran.append, "others")
        await turn()
        ran.append("the one that waited")

    asyncio.run(run())
    assert ran == ["others", "the one that waited"]
