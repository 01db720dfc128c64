"""Time that only moves when nothing else does."""

import asyncio

import pytest

from workbench.core.errors import MisuseError
from workbench.drivers.clock import ManualClock
from workbench.drivers.hand_time import ROUNDS, settled, turns, until


def test_the_clock_goes_to_what_is_due_and_no_further() -> None:
    """Ours: a deadline passes without anybody waiting for it."""

    async def story() -> None:
        clock = ManualClock()

        async def work() -> str:
            done = asyncio.get_running_loop().create_future()
            clock.call_at(2.5, lambda: done.set_result("late"))
            return str(await done)

        assert await settled(work(), clock, "memory") == "late"
        assert clock.now() == 2.5
        assert await settled(asyncio.sleep(0, "at once"), clock, "memory") == "at once"  # noqa: TID251
        assert clock.now() == 2.5

    asyncio.run(story())


def test_what_never_ends_is_given_up() -> None:
    """Ours: every loop is bounded; a timer that winds itself up is one."""

    async def story() -> None:
        clock, rung = ManualClock(), []

        def ring() -> None:
            rung.append(clock.now())
            clock.call_at(clock.now() + 1.0, ring)

        ring()
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def work() -> None:
            await never

        with pytest.raises(MisuseError, match="does not come to an end"):
            await settled(work(), clock, "memory")
        assert ROUNDS <= len(rung) <= ROUNDS + 2

    asyncio.run(story())


def test_a_condition_is_asked_again_after_each_turn() -> None:
    """Ours: what a process does is seen when it happens."""

    async def story() -> None:
        seen = []
        asyncio.get_running_loop().call_later(0.03, seen.append, 1)
        await until(lambda: bool(seen))
        assert seen == [1]
        await turns()

    asyncio.run(story())
