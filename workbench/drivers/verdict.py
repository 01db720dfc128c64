"""Where a peer stands, and how it came there.

Takes:  nothing; an owner builds these values
Gives:  `Status` and `Verdict`, what pools and reports read of a peer
"""

from enum import StrEnum

from msgspec import Struct

from workbench.core.actions import Settled
from workbench.core.errors import Failure


class Status(StrEnum):
    """Where a peer stands."""

    IDLE = "not connected"
    CONNECTING = "connecting"
    READY = "ready"
    UNAVAILABLE = "unavailable"


class Verdict(Struct, frozen=True, kw_only=True):
    """How the latest negotiation ended, or how a ready peer was lost."""

    settled: Settled | None = None
    failure: Failure | None = None
    evidence: str = ""
    ready_ms: float | None = None
    """Milliseconds from the start of connecting to the verdict."""
