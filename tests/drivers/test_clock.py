"""Time that a test moves, and time that moves itself."""

import asyncio

import pytest

from workbench.drivers.clock import ManualClock, SystemClock


def test_a_manual_clock_fires_what_became_due_in_order() -> None:
    """Ours: time is injected."""

    async def story() -> list[str]:
        clock, fired = ManualClock(), []
        clock.call_at(2.0, lambda: fired.append("two"))
        clock.call_at(1.0, lambda: fired.append("one"))
        clock.call_at(3.0, lambda: fired.append("three"))
        gone = clock.call_at(1.5, lambda: fired.append("gone"))
        gone.cancel()
        assert clock.next_due() == 1.0
        clock.advance(2.0)
        await _turns()
        assert clock.now() == 2.0
        return fired

    assert asyncio.run(story()) == ["one", "two"]


def test_a_callback_already_due_fires_on_the_next_turn() -> None:
    """Ours: a deadline in the past is not lost."""

    async def story() -> list[int]:
        fired: list[int] = []
        ManualClock(5.0).call_at(5.0, lambda: fired.append(1))
        await _turns()
        return fired

    assert asyncio.run(story()) == [1]


def test_a_manual_clock_never_goes_back() -> None:
    """Ours: monotonic by contract."""
    with pytest.raises(ValueError, match="back"):
        ManualClock().advance(-1)
    assert ManualClock().next_due() is None


def test_the_system_clock_fires_and_can_be_cancelled() -> None:
    """Ours: real time behind the same seam."""

    async def story() -> list[str]:
        clock, fired = SystemClock(), []
        done = asyncio.get_running_loop().create_future()
        clock.call_at(clock.now() + 0.02, lambda: done.set_result(None))
        clock.call_at(clock.now(), lambda: fired.append("gone")).cancel()
        await asyncio.wait_for(done, 5)
        return fired

    assert asyncio.run(story()) == []


async def _turns() -> None:
    for _ in range(3):
        passed = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(passed.set_result, None)
        await passed
