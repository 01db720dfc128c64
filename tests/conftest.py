"""What holds for every test: nothing is judged by the wall clock, and nothing is left running."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from loops import left_over, loops

# A busy machine must not turn a property into a failure. On a build machine the examples
# are the same in every run; at a desk they are new ones each time.
settings.register_profile(
    "workbench",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("workbench")

# Whoever starts the tests in the background of a script has them born deaf to Ctrl-C, and
# every process they start as well; what is tested is a program that hears it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def every_loop_ends() -> Iterator[None]:
    """Whoever opens a client closes it: what is left over slows and disturbs the tests after it."""
    before = loops()
    yield
    assert left_over(before) == [], "something that this test opened was not closed"
