"""One loop on one thread, for callers without one."""

import asyncio
import threading

import pytest

from workbench.core.errors import MisuseError
from workbench.drivers.background import BackgroundLoop


@pytest.fixture
def loop():
    background = BackgroundLoop("test loop")
    yield background
    background.stop()


async def where() -> str:
    return threading.current_thread().name


def test_work_runs_on_the_background_thread(loop: BackgroundLoop) -> None:
    """Field case J03."""
    assert loop.run(where()) == "test loop"


def test_it_works_from_inside_a_running_loop_and_from_any_thread(loop: BackgroundLoop) -> None:
    """Field cases J03, J19."""

    async def cell() -> str:
        return loop.run(where())

    assert asyncio.run(cell()) == "test loop"
    assert asyncio.run(cell()) == "test loop"
    names: list[str] = []
    thread = threading.Thread(target=lambda: names.append(loop.run(where())))
    thread.start()
    thread.join(5)
    assert names == ["test loop"]


def test_a_call_from_the_loop_itself_is_refused_not_hung(loop: BackgroundLoop) -> None:
    """Field case J03: a synchronous call inside a callback must raise."""

    async def inside() -> None:
        loop.run(where())

    with pytest.raises(MisuseError, match="AsyncMultiServerClient"):
        loop.run(inside())


def test_an_error_in_the_work_reaches_the_caller(loop: BackgroundLoop) -> None:
    """Ours: nothing is swallowed."""

    async def broken() -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        loop.run(broken())


def test_stop_ends_the_thread_and_cancels_what_is_left() -> None:
    """Ours: leave nothing behind."""
    background, cancelled = BackgroundLoop("short lived"), threading.Event()

    async def forever() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def start() -> None:
        asyncio.get_running_loop().create_task(forever())
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)

    background.run(start())
    background.stop()
    assert cancelled.wait(5)
    assert not [t for t in threading.enumerate() if t.name == "short lived"]
    background.stop()
