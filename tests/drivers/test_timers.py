"""Deadlines that are cheap to have and to cancel, on a loop that is moved by hand."""

import asyncio
from collections.abc import Callable
from typing import Any

from workbench.drivers.clock import SystemClock
from workbench.drivers.timers import Timers


class Hand:
    """Time, and a loop's part in it: what is to run later, what in the next turn."""

    def __init__(self) -> None:
        self.now = 0.0
        self.later: list[tuple[float, Callable[[], None], list[bool]]] = []
        self.soon: list[Callable[[], None]] = []
        self.timers = Timers(self, lambda: self.now)  # type: ignore[arg-type]

    def call_later(self, delay: float, callback: Callable[[], None]) -> Any:
        gone = [False]
        self.later.append((self.now + delay, callback, gone))

        class Handle:
            def cancel(self) -> None:
                gone[0] = True

        return Handle()

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.soon.append(callback)

    def wakes(self) -> list[float]:
        return [when for when, _, gone in self.later if not gone[0]]

    def move(self, to: float) -> None:
        self.now = to
        due = [one for one in self.later if one[0] <= to and not one[2][0]]
        self.later = [one for one in self.later if one[0] > to and not one[2][0]]
        for _, callback, _ in due:
            callback()
        soon, self.soon = self.soon, []
        for callback in soon:
            callback()


def test_callbacks_run_in_the_order_of_their_times_and_only_once() -> None:
    """Ours: an earlier deadline that comes later is still the earlier one."""
    hand, ran = Hand(), []
    hand.timers.add(3.0, lambda: ran.append("three"))
    hand.timers.add(1.0, lambda: ran.append("one"))
    hand.timers.add(2.0, lambda: ran.append("two"))
    hand.move(2.0)
    assert ran == ["one", "two"]
    hand.move(2.9)
    assert ran == ["one", "two"]
    hand.move(3.0)
    hand.move(9.0)
    assert ran == ["one", "two", "three"] and len(hand.timers) == 0


def test_the_loop_is_asked_for_one_wake_alone() -> None:
    """Ours: ten thousand deadlines are one timer of the loop."""
    hand = Hand()
    for index in range(10_000):
        hand.timers.add(30.0 + index, lambda: None)
    assert hand.wakes() == [30.0]
    hand.timers.add(5.0, lambda: None)
    assert hand.wakes() == [5.0]
    hand.move(5.0)
    assert hand.wakes() == [30.0]


def test_a_cancelled_callback_does_not_run_even_when_it_was_due() -> None:
    """Ours: who cancels in the turn in which it is due is in time."""
    hand, ran = Hand(), []
    gone = hand.timers.add(1.0, lambda: ran.append("gone"))
    late = hand.timers.add(1.0, lambda: ran.append("late"))
    hand.timers.add(1.0, late.cancel)
    hand.timers.add(0.5, late.cancel)
    gone.cancel()
    gone.cancel()
    hand.move(1.0)
    assert ran == []


def test_cancelled_deadlines_do_not_pile_up() -> None:
    """Design 7.9: everything is bounded; a call leaves its deadline behind when it ends."""
    hand = Hand()
    kept = [hand.timers.add(60.0 + index, lambda: None) for index in range(10)]
    for _ in range(100_000):
        hand.timers.add(30.0, lambda: None).cancel()
    assert len(hand.timers) < 200
    hand.move(59.0)
    assert len(hand.timers) == len(kept) and hand.wakes() == [60.0]


def test_a_callback_that_fails_does_not_take_the_others_along() -> None:
    """Ours: on a real loop, the failure goes to the loop's handler, the rest is done."""

    async def story() -> list[str]:
        loop, told = asyncio.get_running_loop(), []
        loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        clock, done = SystemClock(), loop.create_future()
        now = clock.now()
        clock.call_at(now, lambda: 1 // 0)
        clock.call_at(now, lambda: done.set_result(None))
        await asyncio.wait_for(done, 5)
        return told

    assert asyncio.run(story()) == ["integer division or modulo by zero"]


def test_one_clock_serves_one_loop_after_another() -> None:
    """Ours: a client may be used in a second `asyncio.run`."""
    clock = SystemClock()

    async def story() -> bool:
        done = asyncio.get_running_loop().create_future()
        clock.call_at(clock.now(), lambda: done.set_result(True))
        return await asyncio.wait_for(done, 5)

    assert asyncio.run(story()) and asyncio.run(story())
