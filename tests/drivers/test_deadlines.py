"""One timer for the deadlines of one peer, on a clock that is moved by hand."""

import asyncio
from collections.abc import Callable
from typing import Any

from workbench.drivers.clock import ManualClock
from workbench.drivers.deadlines import Deadline, Deadlines
from workbench.drivers.patience import Patience
from workbench.transports.turn import turn


class Line:
    """What a request went over."""

    held_s = 0.0


class Desk:
    """Deadlines, and what they ended."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.line = Line()
        self.ended: list[tuple[int, float]] = []
        self.asked: list[float] = []
        call_at = self.clock.call_at

        def noted(when: float, callback: Callable[[], None]) -> Any:
            self.asked.append(when)
            return call_at(when, callback)

        self.clock.call_at = noted  # type: ignore[method-assign]
        self.deadlines = Deadlines(self.clock, lambda key, _, waited: self.end(key, waited))

    def end(self, key: int, waited_s: float) -> None:
        self.ended.append((key, waited_s))

    def add(self, key: int, timeout_s: float, patience: Patience | None = None) -> None:
        now = self.clock.now()
        one = Deadline(
            now + timeout_s, now, self.line, self.line.held_s, "tools/call", timeout_s, patience
        )
        self.deadlines.add(key, one)

    async def move(self, to: float) -> list[tuple[int, float]]:
        self.clock.move_to(to)
        for _ in range(3):
            await turn()
        ended, self.ended = self.ended, []
        return ended


def test_each_ends_at_its_time_and_an_earlier_one_that_came_later_first() -> None:
    """Ours: no deadline early, none late, each once."""

    async def story() -> None:
        desk = Desk()
        desk.add(1, 3.0)
        desk.add(2, 1.0)
        desk.add(3, 2.0)
        assert await desk.move(0.9) == []
        assert await desk.move(2.0) == [(2, 2.0), (3, 2.0)]
        assert await desk.move(2.9) == []
        assert await desk.move(9.0) == [(1, 9.0)]
        assert await desk.move(99.0) == [] and desk.deadlines.open == {}

    asyncio.run(story())


def test_ten_thousand_calls_that_are_answered_ask_for_one_timer() -> None:
    """Ours: what nearly never happens must cost nearly nothing."""

    async def story() -> None:
        desk = Desk()
        for key in range(10_000):
            desk.add(key, 30.0)
            del desk.deadlines.open[key]
        assert desk.asked == [30.0]
        desk.add(10_001, 31.0)
        assert await desk.move(30.0) == [] and desk.asked == [30.0, 31.0]
        assert await desk.move(31.0) == [(10_001, 31.0)]

    asyncio.run(story())


def test_a_crowd_that_ends_one_by_one_is_not_looked_through_for_each() -> None:
    """Ours: with very many open requests, some end a few milliseconds late."""

    async def story() -> None:
        desk = Desk()
        for key in range(5_000):
            desk.add(key, 1.0 + key * 1e-7)
        ended = 0
        while desk.deadlines.open:
            ended += len(await desk.move(desk.asked[-1]))
        assert ended == 5_000 and len(desk.asked) < 50
        assert desk.clock.now() < 1.01

    asyncio.run(story())


def test_progress_and_a_sign_in_put_a_deadline_off() -> None:
    """Field case R06; design 7.10: signing in counts against no deadline."""

    async def story() -> None:
        desk = Desk()
        patience = Patience(desk.clock, 1.0, max_timeout_s=100.0)
        patience.begin()
        desk.add(1, 1.0, patience)
        desk.add(2, 1.0)
        desk.line.held_s = 4.0
        assert await desk.move(1.0) == []
        assert await desk.move(4.9) == []
        assert await desk.move(5.0) == [(1, 5.0), (2, 5.0)]

    asyncio.run(story())


def test_one_end_that_fails_takes_no_other_along() -> None:
    """Ours: the failure goes to the loop's handler, and later deadlines still come."""

    async def story() -> None:
        desk, told = Desk(), []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: told.append(str(context["exception"]))
        )
        end = desk.end

        def failing(key: int, waited_s: float) -> None:
            end(key, waited_s)
            if key == 1:
                raise RuntimeError("the first is broken")

        desk.end = failing  # type: ignore[method-assign]
        for key, timeout_s in ((1, 1.0), (2, 1.0), (3, 2.0)):
            desk.add(key, timeout_s)
        assert await desk.move(1.0) == [(1, 1.0), (2, 1.0)]
        assert await desk.move(2.0) == [(3, 2.0)]
        assert told == ["the first is broken"]

    asyncio.run(story())


def test_a_clock_that_leaps_makes_nobody_wait_for_the_old_timer() -> None:
    """Ours: a machine that slept; what is asked after it ends in its own time."""

    async def story() -> None:
        desk, leapt = Desk(), [0.0]
        now = desk.clock.now
        desk.clock.now = lambda: now() + leapt[0]  # type: ignore[method-assign]
        desk.add(1, 30.0)
        leapt[0] = 60.0
        desk.add(2, 0.5)
        assert await desk.move(0.0) == []
        assert desk.asked == [30.0, 60.0]  # in the clock's own time, nothing leapt
        assert [key for key, _ in await desk.move(60.0)] == [1, 2]

    asyncio.run(story())


def test_a_peer_that_is_closed_leaves_no_timer() -> None:
    """Ours: a closed client may be used on another event loop."""

    async def story() -> None:
        desk = Desk()
        desk.add(1, 1.0)
        desk.deadlines.forget()
        assert desk.clock.next_due() is None
        desk.deadlines.open.clear()
        desk.add(2, 5.0)
        assert await desk.move(5.0) == [(2, 5.0)]

    asyncio.run(story())
