"""Nothing that a story started outlives it."""

import os
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from workbench.transports import signs
from workbench.transports.groups import live_groups
from workbench.transports.guardian import GUARDIAN

LIMIT_S = 5.0


class Started:
    """The process groups a test has started, in order."""

    def __init__(self) -> None:
        self.groups: list[int] = []

    def alive(self) -> list[int]:
        """Return who still runs of all these groups, and of our own children."""
        mine = {p.pid for p in psutil.Process().children() if p.pid != GUARDIAN.pid}
        return sorted(p.pid for p in psutil.process_iter() if p.pid in mine or self._in_group(p))

    def _in_group(self, process: psutil.Process) -> bool:
        try:
            # A dead one that nobody buries, as in a container without an init, does not count.
            buried = process.status() == psutil.STATUS_ZOMBIE
            return not buried and os.getpgid(process.pid) in self.groups
        except (ProcessLookupError, psutil.NoSuchProcess):
            return False


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    """Remember every process group, and insist afterwards that nobody of them is left."""
    seen, adopt = Started(), signs.adopt

    def adopted(group: int) -> None:
        seen.groups.append(group)
        adopt(group)

    monkeypatch.setattr(signs, "adopt", adopted)
    yield seen
    ends_at, never = time.monotonic() + LIMIT_S, threading.Event()
    while (left := seen.alive()) and time.monotonic() < ends_at:
        never.wait(0.02)
    assert left == [], "these processes outlived their client"
    assert not set(seen.groups) & live_groups()
