"""Several clients beside each other: what each makes of the same peers.

Takes:  faults by name, several peers at once, or the peers of a configuration
Gives:  a `Comparison`: verdicts side by side, each held against what the specification says
Never:  imports another client, or runs one in the caller's own environment

The other clients run in environments of their own, and a fake is a process that any client
can reach. What was measured last is kept in the package: `kept()` needs no network.
"""

from workbench.comparison.kept import kept
from workbench.comparison.values import Comparison

__all__ = ["Comparison", "kept"]
