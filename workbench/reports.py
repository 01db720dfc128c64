"""One peer's row of the startup report, from what the drivers know.

Takes:  a member of the pool, its configuration, the accepted menu, and what has changed
Gives:  a `PeerReport` of plain values
Never:  asks a peer anything

Source: design section 6.
"""

from workbench.core.config.config import PeerConfig
from workbench.core.errors import Failure
from workbench.core.menu.menu import Menu
from workbench.core.pins.drift_watch import DriftWatch
from workbench.core.report import PeerReport, ToolName
from workbench.core.tool import Listing
from workbench.core.wire.versions import Era
from workbench.drivers.owner import Status, Verdict
from workbench.drivers.pool import Member


def peer_report(
    name: str, member: Member, config: PeerConfig, menu: Menu | None, drift: DriftWatch
) -> PeerReport:
    """Return the row of one peer as things stand."""
    verdict, listed = member.owner.verdict, member.listing
    settled = verdict.settled
    ready = member.owner.status is Status.READY
    items = menu.items if menu is not None and ready else ()
    failure = listed.failure if ready and listed is not None else verdict.failure
    info = settled.server_info if settled else {}
    return PeerReport(
        peer=name,
        transport=member.owner.endpoint.kind,
        status="ready" if ready else "unavailable",
        era=settled.era if settled and ready else None,
        version=settled.version if settled and ready else None,
        cache_scope=listed.cache_scope if listed and ready and not listed.failure else None,
        tools=tuple(ToolName(i.canonical, i.local) for i in items if i.peer == name),
        allow_legacy=config.allow_legacy,
        ready_ms=verdict.ready_ms if ready else None,
        reason=_reason(verdict, failure, member.owner.status),
        evidence=verdict.evidence or None,
        rule=failure.rule if failure else settled.rule if settled else None,
        hint=("" if ready else member.owner.hint()) or (failure.hint if failure else ""),
        deviations=(*_deviations(config, verdict), *_remarks(name, listed, drift)),
        dropped=listed.dropped if listed else (),
        server=" ".join(str(info[k]) for k in ("name", "version") if k in info),
    )


def _deviations(config: PeerConfig, verdict: Verdict) -> tuple[str, ...]:
    settled = verdict.settled
    seen = settled.deviations if settled else ()
    # Shown whether it was used or not: it weakens every answer of this peer. A legacy peer
    # owes no resultType, so for that one it changes nothing.
    legacy = settled is not None and settled.era is Era.LEGACY
    named = config.accept_missing_result_type and not legacy
    ours = ("accept_missing_result_type",) if named else ()
    return (*ours, *(("trust_annotations",) if config.trust_annotations else ()), *seen)


def _remarks(name: str, listed: Listing | None, drift: DriftWatch) -> tuple[str, ...]:
    if listed is None:
        return ()
    stale = (listed.stale,) if listed.stale else ()
    return (*stale, *(one.line() for one in drift.pending(name)))


def _reason(verdict: Verdict, failure: Failure | None, status: Status) -> str:
    if failure is not None:
        return failure.detail
    return verdict.settled.seen if verdict.settled else f"the peer is {status}"
