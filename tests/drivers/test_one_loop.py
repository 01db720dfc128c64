"""A client lives on one loop; another one is refused, never waited on."""

import asyncio

import pytest

from workbench.core.errors import MisuseError
from workbench.drivers.one_loop import OneLoop


def test_another_loop_is_refused_until_the_first_one_is_left() -> None:
    """Field case J19."""
    home = OneLoop()

    async def use() -> None:
        home.enter()
        home.enter()

    asyncio.run(use())
    with pytest.raises(MisuseError, match="another event loop, which has ended"):
        asyncio.run(use())
    home.leave()
    asyncio.run(use())


def test_a_loop_that_still_runs_is_told_apart() -> None:
    """Ours: the message says whether closing it there is still possible."""
    home = OneLoop()

    async def use() -> None:
        home.enter()

    async def story() -> None:
        home.enter()
        with pytest.raises(MisuseError, match="still runs"):
            await asyncio.to_thread(asyncio.run, use())

    asyncio.run(story())
