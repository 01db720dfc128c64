"""A call that has to end: on a thread of its own, with a deadline.

Takes:  a function, or one that returns an awaitable, and seconds
Gives:  its value, or what it raised, or that it was late
Never:  lets the caller wait longer than the deadline and a moment for the stopping

How an endless call is stopped: a coroutine is cancelled; into everything else `Stopped` is
raised from outside. For code that catches even that, the exception raises itself again as
soon as it is caught, until the call is left: loops written in Python end by it. A call
that waits inside C for ever (a lock, a socket) cannot be stopped from within a process: it
stays behind on a daemon thread, silenced, and `Ran.stuck` says so, as it does should a loop
hold out all the same. Where a whole submission
is graded, its process is ended afterwards, and everything with it.
"""

import asyncio
import ctypes
import inspect
import itertools
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from workbench.exercises.quiet import Quiet

STOPPING_S: Final = 2.0
"""How long a late call is being stopped, in seconds."""
CANCELLING_S: Final = 0.1
"""How long a cancelled coroutine may take for itself before it is interrupted."""
_CLOSING: Final = 100
_QUIET: Final = staticmethod(lambda: None)
_AGAIN_S: Final = 0.002
_TURN_S: Final = 0.000_2
"""How long one thread runs before another has its turn, while a call is being stopped: what is
raised from outside arrives where the turn ends, and that should be in many places."""
_POLITE: Final = 50
"""How often `Stopped` is raised as any exception before it raises itself again."""
_EVERY: Final = 5
"""One in so many raises itself again from then on."""
_RAISE: Final = ctypes.PYFUNCTYPE(None, ctypes.c_ulong, ctypes.py_object)(
    ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
)
"""Raises an exception of a type in the thread of an identity, at its next step."""


class Stopped(BaseException):
    """Raised inside a call that passed its deadline."""


def _stubborn(thread: int) -> type[Stopped]:
    """Return a `Stopped` that is raised again in the thread whenever one of it is made.

    One is made when one is raised or caught, by C code, so that nothing of the thread's own
    runs in between: the next one is raised inside the very handler that caught this one.
    """
    kind: Any = type("Stopped", (Stopped,), {})
    kind.__init__ = staticmethod(partial(_RAISE, thread, kind))
    stubborn: type[Stopped] = kind
    return stubborn


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
        self._left = False
        self._kind: Any = type("Stopped", (Stopped,), {})
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def run(self) -> None:
        self._quiet.catch_me()
        try:
            value = self._work()
            if inspect.isawaitable(value):
                value = self._run_to_its_end(value)
            self.ran.value = value
        except BaseException as error:
            # First of all, and without a call: from here on nothing raises itself again.
            self._left = True
            self._kind.__init__ = _QUIET
            self.ran.error = error
        # One or two that were on their way may still arrive, at any call.
        try:
            self._finish()
        except BaseException:
            try:
                self._finish()
            except BaseException:
                self._finish()

    def _finish(self) -> None:
        with self._lock:
            self._left = True
        if self._loop is not None:
            if self._loop.is_running():
                # It was interrupted in its own farewell. Nobody runs it any more.
                asyncio._set_running_loop(None)
                self._loop._thread_id = None  # type: ignore[attr-defined]
            self._loop.close()
        self.finished.set()

    def _run_to_its_end(self, value: Any) -> Any:
        runner, coroutine = asyncio.Runner(), self._awaited(value)
        try:
            return runner.run(coroutine)
        finally:
            try:
                _close(runner)
            finally:
                # Here, where it can be interrupted, and not wherever it is thrown away.
                coroutine.close()

    async def _awaited(self, value: Any) -> Any:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        try:
            return await value
        except BaseException:
            self._left = True
            self._kind.__init__ = _QUIET
            raise

    def cancel(self) -> None:
        """Cancel the coroutine, if it is one."""
        if self._task is not None:
            self._soon(self._task.cancel)

    def interrupt(self, *, politely: bool) -> None:
        """Raise `Stopped` in it; harmless when it is over.

        Args:
            politely: once, and an earlier one is raised no more; else until the call is left,
                and its event loop too.
        """
        if not politely and self._loop is not None:
            # What it leaves undone is nobody's news.
            self._loop.set_exception_handler(lambda *_: None)
            self._soon(self._loop.stop)
        with self._lock:
            if self._left or self.ident is None:
                return
            if politely:
                self._kind.__init__ = _QUIET
            else:
                self._kind = _stubborn(self.ident)
            _RAISE(self.ident, self._kind)

    def _soon(self, do: Callable[[], Any]) -> None:
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(do)
        except RuntimeError:
            return  # It is closed.


def _close(runner: asyncio.Runner) -> None:
    # The same here: a loop that was left is closed whatever arrives.
    for _ in range(_CLOSING):
        try:
            runner.close()
        except Stopped:
            continue
        return


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
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_S)
    try:
        ends_at = time.monotonic() + STOPPING_S
        for turn in itertools.count():
            # A loop may catch at one place, round after round, what is raised again at once, and
            # let go what is raised at another; so both ways take turns.
            worker.interrupt(politely=turn < _POLITE or turn % _EVERY > 0)
            if worker.finished.wait(_AGAIN_S) or time.monotonic() > ends_at:
                return
    finally:
        sys.setswitchinterval(usual_s)
