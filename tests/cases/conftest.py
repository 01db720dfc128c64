"""Nothing that a case started outlives it."""

import time
from collections.abc import Iterator

import psutil
import pytest

from workbench.transports.guardian import GUARDIAN

LIMIT_S = 5.0


@pytest.fixture(autouse=True)
def nobody_left() -> Iterator[None]:
    """Insist that a test ends every process it began."""
    before = {process.pid for process in psutil.Process().children()}
    yield
    before.add(GUARDIAN.pid or 0)
    ends_at = time.monotonic() + LIMIT_S
    while left := [one for one in psutil.Process().children() if one.pid not in before]:
        if time.monotonic() > ends_at:
            break
        psutil.wait_procs(left, timeout=0.1)
    assert left == [], "these processes outlived their case"
