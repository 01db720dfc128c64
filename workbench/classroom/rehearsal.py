"""The synchronous client in a rehearsal: peers in memory, and nobody waits for a deadline.

Takes:  what `MultiServerClient` takes; peers in memory
Gives:  the same verbs and the same decisions; when nothing moves any more while a verb waits,
        the clock goes to what is due next
Never:  changes a decision: only the clock is another one
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from workbench.core.recovery.restart import RecoveryPolicy
from workbench.drivers.clock import ManualClock
from workbench.drivers.hand_time import settled
from workbench.sync_client import MultiServerClient

T = TypeVar("T")


class RehearsalClient(MultiServerClient):
    """A client whose deadlines cost no time: a second of silence is over at once.

    For peers in memory alone, which live on its clock; a process lives in real time.

    Args:
        options: what `MultiServerClient` takes, but for the clock; pauses before a restart
            have no chance in them unless a policy says so.
    """

    def __init__(self, **options: Any) -> None:
        self.clock = ManualClock()
        """Moved by the client itself while a verb waits."""
        # A rehearsal is the same each time; jitter is for many clients of one server.
        if options.get("recover", True) is True:
            options["recover"] = RecoveryPolicy(jitter=0.0)
        super().__init__(**options, clock=self.clock)

    def close(self) -> None:
        """Close every peer and end the thread; safe to call twice."""
        if self._loop.started:
            self._wait(self._inner.aclose())
        super().close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(_moved(work, self.clock))


async def _moved(work: Coroutine[Any, Any, T], clock: ManualClock) -> T:
    task = asyncio.ensure_future(work)

    async def end() -> T:
        return await task

    try:
        return await settled(end(), clock, "memory")
    finally:
        task.cancel()
