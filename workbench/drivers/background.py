"""One event loop on one background thread, for callers that have none or another.

Takes:  coroutines from any thread
Gives:  their results, synchronously
Never:  patches, borrows or needs the caller's loop: a notebook's kernel keeps its own

Field cases J03, J04, J08, J16–J19; notes on kernels whose cells are tasks of their own.
"""

import asyncio
import concurrent.futures
import sys
import threading
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.transports.turn import turn

T = TypeVar("T")

if sys.platform == "win32":
    OWN_LOOP: Final = asyncio.ProactorEventLoop
else:
    OWN_LOOP: Final = asyncio.SelectorEventLoop
"""A loop that can start processes, whatever policy a notebook has set for its own."""

_STOP_S: Final = 5.0
"""How long a cancelled call, or a stopping loop, may take to clean up, in seconds."""


class BackgroundLoop:
    """Starts its thread with the first coroutine, ends it with `stop`.

    Args:
        name: name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def started(self) -> bool:
        """Whether the thread is running."""
        return self._loop is not None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop and wait for its result.

        An interrupt (the Stop button, Ctrl-C) cancels the coroutine, waits briefly for it
        to clean up, and is raised again.

        Raises:
            MisuseError: if called from the loop's own thread, where it could only hang.
        """
        if self._thread is threading.current_thread():
            work.close()
            raise MisuseError(
                Failure(
                    kind=Kind.MISUSE,
                    stage="call",
                    detail="the synchronous client was used inside its own event loop",
                    hint="Inside a callback or a handler use AsyncMultiServerClient and await.",
                )
            )
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise
        except BaseException:
            if not future.done():
                future.cancel()
                self._settle()
            raise

    def stop(self) -> None:
        """End the loop and its thread; harmless when it never started. Bounded."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_STOP_S)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                started = threading.Event()
                loop = OWN_LOOP()
                self._thread = threading.Thread(
                    target=_serve, args=(loop, started), name=self._name, daemon=True
                )
                self._thread.start()
                started.wait()
                self._loop = loop
            return self._loop

    def _settle(self) -> None:
        # One turn of the loop after the cancellation is enough for the peer to be told;
        # the wait is bounded because the interrupt must not hang.
        if self._loop is not None and not self._loop.is_closed():
            passed = asyncio.run_coroutine_threadsafe(_turns(), self._loop)
            concurrent.futures.wait([passed], timeout=_STOP_S)


async def _turns() -> None:
    for _ in range(2):
        await turn()


def _serve(loop: asyncio.AbstractEventLoop, started: threading.Event) -> None:
    asyncio.set_event_loop(loop)
    loop.call_soon(started.set)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=_STOP_S))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
