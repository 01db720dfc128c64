"""Real time that a test can move forward, so that what is cached grows old at once."""

from workbench.drivers.clock import SystemClock


class SkippingClock(SystemClock):
    """Monotonic real time, plus what was skipped; timers that wait do not notice."""

    def __init__(self) -> None:
        self._skipped_s = 0.0

    def now(self) -> float:
        """Return seconds that never go back."""
        return super().now() + self._skipped_s

    def skip(self, seconds: float) -> None:
        """Let everything be that much older."""
        self._skipped_s += seconds
