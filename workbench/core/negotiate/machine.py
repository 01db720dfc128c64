"""The only mover of a negotiation: look the row up, do what it says.

Takes:  a snapshot, an event, and the clock time in seconds
Gives:  the next snapshot, and the actions a driver must perform in order
Never:  decides anything the table does not say

Source: design section 3; seed card "Stdio era probe".
"""

from typing import Any, Final

from msgspec.structs import replace

from workbench.core.actions import (
    Action,
    Decide,
    Fail,
    Record,
    Reopen,
    Send,
    SetDeadline,
    Settle,
    Settled,
)
from workbench.core.errors import Failure, InternalError, Kind
from workbench.core.events import Event, Received, StartFailed
from workbench.core.negotiate.evidence import Evidence, classify
from workbench.core.negotiate.signs import NOISE_ORDER, Sign
from workbench.core.negotiate.snapshot import Negotiation, State
from workbench.core.negotiate.table import TRANSITIONS, Do, Policy, Row
from workbench.core.rulebook.rules import RULES
from workbench.core.wire.envelope import legacy_request, modern_request, notification
from workbench.core.wire.keys import DISCOVER, INITIALIZE, INITIALIZED
from workbench.core.wire.message import ErrorReply, Result
from workbench.core.wire.versions import Era

Outcome = tuple[Negotiation, tuple[Action, ...]]

_KINDS: Final = {
    Sign.NO_MUTUAL_VERSION: Kind.NO_MUTUAL_VERSION,
    Sign.VERSION_DEAD_END: Kind.NO_MUTUAL_VERSION,
    Sign.AUTH_NEEDED: Kind.AUTH_NEEDED,
    Sign.SERVER_TROUBLE: Kind.HTTP_STATUS,
    Sign.REDIRECTED: Kind.HTTP_STATUS,
    Sign.UNREACHABLE: Kind.COULD_NOT_START,
}
"""Failures that are not about an unknown era."""


def step(snapshot: Negotiation, event: Event, now: float, policy: Policy = TRANSITIONS) -> Outcome:
    """Move a negotiation by one event.

    Args:
        snapshot: where it stands; not changed.
        event: what happened.
        now: clock time in seconds.
        policy: the table to apply; a learner may pass an edited copy.

    Raises:
        InternalError: if the table has no row for what was seen.
    """
    evidence = classify(event, snapshot)
    row = policy.get((snapshot.state, evidence.sign))
    if row is None:
        raise InternalError(
            Failure(
                kind=Kind.INTERNAL,
                stage="negotiate",
                detail=f"no policy row for ({snapshot.state}, {evidence.sign})",
                hint="Please report this with the journal.",
            )
        )
    after = replace(_without_answered(snapshot, event), state=row.next)
    decided = Decide(
        state=str(snapshot.state),
        evidence=str(evidence.sign),
        next_state=str(row.next),
        rule=row.rule,
        seen=evidence.seen,
    )
    moved, actions = _perform(after, evidence, row, event, now)
    return moved, (decided, *actions)


def _perform(after: Negotiation, evidence: Evidence, row: Row, event: Event, now: float) -> Outcome:
    match row.do:
        case Do.PROBE:
            return _probe(after, now, first=True)
        case Do.CORRECT:
            return _correct(after, evidence, now)
        case Do.SHORTEN:
            return _shorten(after, now)
        case Do.RECORD:
            return _record(after, evidence)
        case Do.REOPEN:
            return _reopened(after), (Reopen(),)
        case Do.INITIALIZE:
            return _initialize(after, now)
        case Do.SETTLE_MODERN:
            return after, (Settle(_modern(after, evidence, row)),)
        case Do.SETTLE_LEGACY:
            sent = Send(notification(INITIALIZED), INITIALIZED)
            return after, (sent, Settle(_legacy(after, evidence, row)))
        case Do.REFUSE:
            return after, (Fail(_failure(after, evidence, row, event), str(evidence.sign)),)


def _without_answered(snapshot: Negotiation, event: Event) -> Negotiation:
    if not isinstance(event, Received) or not isinstance(event.message, Result | ErrorReply):
        return snapshot
    left = tuple(asked for asked in snapshot.discover_ids if asked != event.message.id)
    return replace(snapshot, discover_ids=left) if left != snapshot.discover_ids else snapshot


def _probe(after: Negotiation, now: float, *, first: bool = False) -> Outcome:
    terms, request_id = after.terms, after.next_id
    body = modern_request(
        request_id, DISCOVER, {}, after.version, after.capabilities, terms.client_info
    )
    wait_ms = terms.discovery_timeout_ms
    if first and not after.alive:
        wait_ms += terms.startup_grace_ms
    moved, deadline = _waiting(after, now, wait_ms)
    moved = replace(moved, next_id=request_id + 1, discover_ids=(*after.discover_ids, request_id))
    return moved, (Send(body, DISCOVER, request_id), deadline)


def _correct(after: Negotiation, evidence: Evidence, now: float) -> Outcome:
    refused = (evidence.refused_version,) if evidence.refused_version else ()
    corrected = replace(
        after,
        version=evidence.version or after.version,
        refused_versions=(*after.refused_versions, *refused),
        capabilities=evidence.capabilities or after.capabilities,
        header_corrected=after.header_corrected or evidence.sign is Sign.HEADER_MISMATCH,
        noise=None,
        noise_seen="",
    )
    return _probe(corrected, now)


def _shorten(after: Negotiation, now: float) -> Outcome:
    alive = replace(after, alive=True)
    handshaking = after.state is State.HANDSHAKING
    terms = after.terms
    wait_ms = terms.legacy_probe_timeout_ms if handshaking else terms.discovery_timeout_ms
    at = now + wait_ms / 1000
    if after.deadline_at is None or at >= after.deadline_at:
        return alive, ()
    return replace(alive, deadline_at=at, waited_ms=round(wait_ms)), (SetDeadline(at),)


def _record(after: Negotiation, evidence: Evidence) -> Outcome:
    heard = after
    if evidence.noise is not None and NOISE_ORDER[evidence.noise] >= NOISE_ORDER[after.noise]:
        heard = replace(after, noise=evidence.noise, noise_seen=evidence.seen)
    return heard, (Record(evidence.seen),)


def _reopened(after: Negotiation) -> Negotiation:
    return replace(after, alive=False, discover_ids=(), deadline_at=None, noise=None, noise_seen="")


def _initialize(after: Negotiation, now: float) -> Outcome:
    terms, request_id = after.terms, after.next_id
    params = {
        "protocolVersion": terms.legacy_revisions[-1],
        "capabilities": after.capabilities,
        "clientInfo": terms.client_info,
    }
    wait_ms = terms.legacy_probe_timeout_ms + (0 if after.alive else _fresh_grace(after))
    moved, deadline = _waiting(after, now, wait_ms)
    moved = replace(
        moved,
        next_id=request_id + 1,
        initialize_id=request_id,
        noise=None,
        noise_seen="",
    )
    body = legacy_request(request_id, INITIALIZE, params)
    return moved, (Send(body, INITIALIZE, request_id), deadline)


def _fresh_grace(after: Negotiation) -> float:
    # A process that stayed silent through the probe has had its start-up grace; only one
    # that was started afresh for the handshake gets it again.
    return 0 if after.discover_ids else after.terms.startup_grace_ms


def _waiting(after: Negotiation, now: float, wait_ms: float) -> tuple[Negotiation, SetDeadline]:
    at = now + wait_ms / 1000
    return replace(after, deadline_at=at, waited_ms=round(wait_ms)), SetDeadline(at)


def _modern(after: Negotiation, evidence: Evidence, row: Row) -> Settled:
    discovery = evidence.discovery
    assert discovery is not None and evidence.version is not None
    return Settled(
        era=Era.MODERN,
        version=evidence.version,
        server_capabilities=discovery.capabilities,
        server_info=discovery.server_info,
        client_capabilities=after.capabilities,
        instructions=discovery.instructions,
        ttl_ms=discovery.ttl_ms,
        cache_scope=discovery.cache_scope,
        deviations=discovery.deviations,
        rule=row.rule,
        evidence=str(evidence.sign),
        seen=evidence.seen,
        next_id=after.next_id,
    )


def _legacy(after: Negotiation, evidence: Evidence, row: Row) -> Settled:
    handshake = evidence.handshake
    assert handshake is not None
    return Settled(
        era=Era.LEGACY,
        version=handshake.version,
        server_capabilities=handshake.capabilities,
        server_info=handshake.server_info,
        client_capabilities=after.capabilities,
        instructions=handshake.instructions,
        rule=row.rule,
        evidence=str(evidence.sign),
        seen=evidence.seen,
        next_id=after.next_id,
    )


def _failure(after: Negotiation, evidence: Evidence, row: Row, event: Event) -> Failure:
    if isinstance(event, StartFailed):
        return event.failure
    rule = RULES[row.rule]
    facts: dict[str, Any] = {"code": evidence.code, "data": evidence.data}
    ours = ", ".join(after.terms.modern_revisions)
    no_version = evidence.sign in (Sign.NO_MUTUAL_VERSION, Sign.VERSION_DEAD_END)
    return Failure(
        kind=_KINDS.get(evidence.sign, Kind.ERA_UNKNOWN),
        stage="negotiate",
        detail=f"{evidence.seen}{f' (we speak {ours})' if no_version else ''}. {rule.sentence}",
        rule=row.rule,
        hint=rule.hint,
        number=evidence.number,
        **facts,
    )
