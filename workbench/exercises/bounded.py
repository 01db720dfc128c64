"""A call that has to end: on a thread of its own, with a deadline.

Takes:  a function, or one that returns an awaitable, and seconds
Gives:  its value, or what it raised, or that it was late
Never:  lets the caller wait longer than the deadline and a moment for the stopping

How an endless call is stopped: a coroutine is cancelled; into everything else `Stopped` is
raised from outside, again and again for a moment, which ends any loop written in Python. A
call that waits inside C for ever (a lock, a socket) cannot be stopped from within a
process: it stays behind on a daemon thread, silenced, and `Ran.stuck` says so. Where a
whole submission is graded, its process is ended afterwards, and everything with it.
"""

import asyncio
import ctypes
import inspect
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from workbench.exercises.quiet import Quiet

STOPPING_S: Final = 2.0
"""How long a late call is being stopped, in seconds."""
CANCELLING_S: Final = 0.1
"""How long a cancelled coroutine may take for itself before it is interrupted."""
_CLOSING: Final = 100
_AGAIN_S: Final = 0.001
_SWITCH_S: Final = 1e-5
"""How long a thread runs on undisturbed while one is being stopped. A loop that catches
everything is left only when it is hit outside its `try`, so it has to be hit often."""


class Stopped(BaseException):
    """Raised inside a call that passed its deadline."""


class Ran:
    """How a call went."""

    def __init__(self) -> None:
        self.value: Any = None
        self.error: BaseException | None = None
        self.late = False
        self.stuck = False
        self.printed = ""


class _Work(threading.Thread):
    def __init__(self, work: Callable[[], Any], quiet: Quiet) -> None:
        super().__init__(name="answer", daemon=True)
        self.ran = Ran()
        self.finished = threading.Event()
        self._work, self._quiet = work, quiet
        self._lock = threading.Lock()
        self._over = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def run(self) -> None:
        self._quiet.catch_me()
        try:
            try:
                value = self._work()
                if inspect.isawaitable(value):
                    value = self._run_to_its_end(value)
                self.ran.value = value
            finally:
                with self._lock:
                    self._over = True
        except BaseException as error:
            self.ran.error = error
        self.finished.set()

    def _run_to_its_end(self, value: Any) -> Any:
        runner = asyncio.Runner()
        try:
            return runner.run(self._awaited(value))
        finally:
            self._close(runner)

    def _close(self, runner: asyncio.Runner) -> None:
        # An interrupt that was on its way may arrive here; a loop is not left open for it.
        for _ in range(_CLOSING):
            try:
                runner.close()
            except Stopped:
                continue
            return

    async def _awaited(self, value: Any) -> Any:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        return await value

    def cancel(self) -> None:
        """Cancel the coroutine, if it is one."""
        with self._lock:
            if self._loop is not None and self._task is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._task.cancel)

    def interrupt(self) -> None:
        """Raise `Stopped` in it, once; harmless when it is over."""
        with self._lock:
            if self._over or self.ident is None:
                return
            ident = ctypes.c_ulong(self.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(Stopped))


def bounded(work: Callable[[], Any], seconds: float) -> Ran:
    """Run `work` on a thread and wait at most `seconds` for it.

    An interrupt of the caller (the stop button) stops the call and is raised again.
    """
    with Quiet() as quiet:
        worker = _Work(work, quiet)
        try:
            worker.start()
            in_time = worker.finished.wait(seconds)
        except BaseException:
            _stop(worker)
            raise
        if not in_time:
            _stop(worker)
            stuck = not worker.finished.is_set()
            worker.ran = _late(stuck)
            if stuck:
                quiet.stay()
        worker.ran.printed = quiet.text
        return worker.ran


def _late(stuck: bool) -> Ran:
    ran = Ran()
    ran.late, ran.stuck = True, stuck
    return ran


def _stop(worker: _Work) -> None:
    worker.cancel()
    if worker.finished.wait(CANCELLING_S):
        return
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    ends_at = time.monotonic() + STOPPING_S
    try:
        while time.monotonic() < ends_at:
            worker.interrupt()
            if worker.finished.wait(_AGAIN_S):
                return
    finally:
        sys.setswitchinterval(before)
