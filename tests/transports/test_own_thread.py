"""A plain function runs beside the loop, whatever it does."""

import asyncio
import threading
from typing import Any

import pytest

from workbench.transports.own_thread import in_own_thread


def test_a_function_runs_on_a_thread_nobody_waits_for() -> None:
    """Ours: a person who never answers must not keep the interpreter from ending."""
    threads = []

    def work(value: int) -> int:
        threads.append(threading.current_thread())
        return value + 1

    assert asyncio.run(in_own_thread(work, 1)) == 2
    assert threads[0] is not threading.main_thread() and threads[0].daemon


@pytest.mark.parametrize(
    ("raised", "seen"),
    [
        (ValueError("v"), ValueError),
        (StopIteration("s"), RuntimeError),
        (SystemExit(1), RuntimeError),
    ],
)
def test_what_it_raises_comes_back_and_ends_no_loop(
    raised: BaseException, seen: type[Exception]
) -> None:
    """Ours: a handler that calls sys.exit() does not end every peer."""

    def work(value: Any) -> None:
        raise raised

    with pytest.raises(seen):
        asyncio.run(in_own_thread(work, None))


def test_a_function_that_ends_after_its_loop_disturbs_nobody() -> None:
    """Ours: whoever waited has gone."""
    go, ended = threading.Event(), threading.Event()

    def work(value: Any) -> None:
        go.wait(5)
        ended.set()

    async def run() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_own_thread(work, None), 0.01)

    asyncio.run(run())
    go.set()
    assert ended.wait(5)
