"""What holds for every test: nothing here is judged by the wall clock."""

import os

from hypothesis import HealthCheck, settings

# A busy machine must not turn a property into a failure. On a build machine the examples
# are the same in every run; at a desk they are new ones each time.
settings.register_profile(
    "workbench",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("workbench")
