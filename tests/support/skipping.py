"""Real time that a test can move forward, so that what is cached grows old at once."""

from collections.abc import Callable

from workbench.drivers.clock import SystemClock
from workbench.transports.base import Timer


class SkippingClock(SystemClock):
    """Monotonic real time, plus what was skipped; timers that wait do not notice."""

    def __init__(self) -> None:
        super().__init__()
        self._skipped_s = 0.0

    def now(self) -> float:
        """Return seconds that never go back."""
        return super().now() + self._skipped_s

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Run `callback` once as much real time has passed as is left until `when`."""
        return super().call_at(when - self._skipped_s, callback)

    def skip(self, seconds: float) -> None:
        """Let everything be that much older."""
        self._skipped_s += seconds
