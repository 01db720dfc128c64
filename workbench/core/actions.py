"""What a negotiation wants done, in the imperative.

Takes:  nothing; these are plain values the core returns
Gives:  the vocabulary every driver must perform, in the order given
"""

from typing import Any, TypeAlias

from msgspec import Struct

from workbench.core.errors import Failure
from workbench.core.wire.message import RequestId
from workbench.core.wire.versions import Era


class Send(Struct, frozen=True):
    """Serialize this body and send it now."""

    body: dict[str, Any]
    method: str
    request_id: RequestId | None = None


class SetDeadline(Struct, frozen=True):
    """Report `DeadlinePassed` at this clock time (seconds); replaces an earlier deadline."""

    at: float


class Reopen(Struct, frozen=True):
    """End this transport entirely, then open a fresh one to the same endpoint."""


class Decide(Struct, frozen=True, kw_only=True):
    """Note in the journal which rule moved the negotiation, and why."""

    state: str
    evidence: str
    next_state: str
    rule: str
    seen: str


class Record(Struct, frozen=True):
    """Note in the journal a frame that answers nothing we asked."""

    what: str


class Settled(Struct, frozen=True, kw_only=True):
    """The verdict, good for this transport's lifetime and no longer."""

    era: Era
    version: str
    server_capabilities: dict[str, Any]
    server_info: dict[str, Any]
    """Self-reported and unverified; `{}` when the peer did not say."""
    client_capabilities: dict[str, Any]
    """What every later request to this peer declares."""
    instructions: str = ""
    ttl_ms: int | None = None
    cache_scope: str | None = None
    deviations: tuple[str, ...] = ()
    """What was tolerated, for the report."""
    rule: str
    evidence: str
    seen: str
    next_id: int
    """First request id that was never used with this peer."""


class Settle(Struct, frozen=True):
    """Negotiation is over, with an era."""

    settled: Settled


class Fail(Struct, frozen=True):
    """Negotiation is over, without one; the peer is unavailable."""

    failure: Failure
    evidence: str


Action: TypeAlias = Send | SetDeadline | Reopen | Decide | Record | Settle | Fail
