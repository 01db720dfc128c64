"""A negotiation at rest: where it stands, and the terms it runs under.

Takes:  the peer's configuration, as `Terms`
Gives:  frozen values, so that going back a step is keeping an old one

Source: design section 3.
"""

from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from workbench.core.negotiate.signs import Sign
from workbench.core.wire.keys import CLIENT_INFO
from workbench.core.wire.message import RequestId
from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS


class State(StrEnum):
    """Where a negotiation is; the flag `allow_legacy` picks the first state, nothing else."""

    PROBING = "probing"
    """`server/discover` is out; the operator allows no legacy probe."""
    PROBING_ALLOWED = "probing, legacy allowed"
    """`server/discover` is out; the operator allows one bounded `initialize`."""
    CORRECTING = "correcting"
    """The peer proved modern; a corrected `server/discover` is out. No way leads to legacy."""
    REOPENING = "reopening"
    """The peer closed on the probe; a fresh transport is being opened for the handshake."""
    HANDSHAKING = "handshaking"
    """The one `initialize` of this transport is out."""
    MODERN = "modern"
    LEGACY = "legacy"
    UNAVAILABLE = "unavailable"


TERMINAL = frozenset({State.MODERN, State.LEGACY, State.UNAVAILABLE})


class Terms(Struct, frozen=True, kw_only=True):
    """What the operator and the client bring to a negotiation. Lengths in milliseconds."""

    allow_legacy: bool = False
    modern_revisions: tuple[str, ...] = MODERN_REVISIONS
    legacy_revisions: tuple[str, ...] = LEGACY_REVISIONS
    discovery_timeout_ms: float = 1_000
    legacy_probe_timeout_ms: float = 1_000
    startup_grace_ms: float = 0
    """Added to the first deadline of a spawned process until its first byte."""
    capabilities: dict[str, Any] = {}
    """Declared from the first request on."""
    can_declare: dict[str, Any] = {}
    """Declared only when the peer says it needs them (-32021)."""
    client_info: dict[str, Any] = field(default_factory=lambda: dict(CLIENT_INFO))
    accept_missing_result_type: bool = False


class Negotiation(Struct, frozen=True, kw_only=True):
    """Everything a negotiation knows. Build the first one with `begin`."""

    terms: Terms
    state: State
    version: str
    """The modern revision the latest probe is written in."""
    capabilities: dict[str, Any]
    """What the latest probe declares."""
    next_id: int = 1
    discover_ids: tuple[RequestId, ...] = ()
    """Probes of this transport lifetime; an answer to any of them counts."""
    initialize_id: RequestId | None = None
    """Set once on a transport lifetime; a second `initialize` is never sent on it."""
    refused_versions: tuple[str, ...] = ()
    """Modern revisions the peer refused; never asked for again."""
    header_corrected: bool = False
    alive: bool = False
    """Whether the present transport has written a byte."""
    deadline_at: float | None = None
    """Clock seconds."""
    waited_ms: int = 0
    """Length of the wait the present deadline ends."""
    noise: Sign | None = None
    """What a deadline will call what was heard so far; None for silence."""
    noise_seen: str = ""


def begin(terms: Terms, next_id: int = 1) -> Negotiation:
    """Return the snapshot before anything happened.

    Args:
        terms: the operator's terms for this peer.
        next_id: first request id to use; ids are never reused for one peer.

    Raises:
        ValueError: if there is no modern revision to ask for, or a timeout is not positive.
    """
    if not terms.modern_revisions:
        raise ValueError("at least one modern revision is needed to probe with")
    if terms.discovery_timeout_ms <= 0 or terms.legacy_probe_timeout_ms <= 0:
        raise ValueError("both probe timeouts must be positive")
    return Negotiation(
        terms=terms,
        state=State.PROBING_ALLOWED if terms.allow_legacy else State.PROBING,
        version=terms.modern_revisions[-1],
        capabilities=terms.capabilities,
        next_id=next_id,
    )
