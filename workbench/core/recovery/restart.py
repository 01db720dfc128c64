"""When a peer that was lost is started again, and when that is left alone.

Takes:  the history of one peer's starts, the time, and one random number
Gives:  `Restart`: now, wait, open circuit, or give up, with the rule
Never:  counts a start as good because it answered: only because it stayed up

The history belongs to the peer, not to a connection: it is what connections have in common,
and a server that starts well and ends at once would otherwise be started for ever.

Source: design section 7.7; field case R01; seed skill, recovery.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.errors import Kind

HOPELESS: Final = frozenset(
    {Kind.CONFIG, Kind.MISUSE, Kind.AUTH_NEEDED, Kind.NO_MUTUAL_VERSION, Kind.INTERNAL}
)
"""Failures that starting again cannot mend."""


class RecoveryPolicy(Struct, frozen=True, kw_only=True):
    """How eagerly a lost peer is brought back; all times in seconds."""

    first_delay_s: float = 0.5
    """Before the first restart; doubled with each start that did not stay up."""
    cap_s: float = 30.0
    """Longest of those delays."""
    jitter: float = 0.2
    """Part of a delay that chance takes away, 0 to 1: many peers must not return at once."""
    healthy_s: float = 10.0
    """A peer that stayed up this long starts with a clean slate when it is lost again."""
    starts: int = 8
    """Most starts within `window_s`, by whatever they are caused but an explicit restart."""
    window_s: float = 60.0
    notice_after: int = 3
    """Failures in a row after which the journal says so plainly."""
    give_up_after: int = 12
    """Failures in a row after which only an explicit restart helps."""


class History(Struct, frozen=True, kw_only=True):
    """What is remembered of one peer's starts."""

    starts: tuple[float, ...] = ()
    """Clock seconds of the latest starts, oldest first."""
    ready_at: float | None = None
    """Since when it is up; None while it is not."""
    failures: int = 0
    """Starts in a row that failed or did not stay up, and the loss of a peer that had."""
    hopeless: bool = False
    """The latest failure is one that starting again cannot mend."""


class Verdict(StrEnum):
    """What is done about a peer that is away."""

    NOW = "restart now"
    WAIT = "wait"
    OPEN = "circuit open"
    GIVE_UP = "give up"


class Restart(Struct, frozen=True):
    """What is done, when, and why."""

    verdict: Verdict
    at: float | None
    """Clock seconds of the next start; None after giving up."""
    rule: str
    why: str


def started(history: History, now: float, policy: RecoveryPolicy) -> History:
    """Count a start."""
    kept = (*history.starts, now)[-policy.starts :] if policy.starts > 0 else ()
    return replace(history, starts=kept, ready_at=None, hopeless=False)


def became_ready(history: History, now: float) -> History:
    """Note that a start led to a peer that can be used."""
    return replace(history, ready_at=now)


def went_away(
    history: History, now: float, policy: RecoveryPolicy, kind: Kind | None = None
) -> History:
    """Note that a peer was lost, or that a start failed.

    Args:
        history: so far.
        now: clock seconds.
        policy: says how long is long enough to count as healthy.
        kind: of the failure, where there is one.
    """
    stayed = history.ready_at is not None and now - history.ready_at >= policy.healthy_s
    failures = 1 if stayed else history.failures + 1
    return replace(history, ready_at=None, failures=failures, hopeless=kind in HOPELESS)


def forgiven(history: History) -> History:
    """Return a clean slate: somebody restarts the peer by hand."""
    return History(ready_at=history.ready_at)


def decide(
    history: History, now: float, chance: float, policy: RecoveryPolicy, *, urgent: bool = False
) -> Restart:
    """Decide about a peer that is away.

    Args:
        history: of the peer.
        now: clock seconds.
        chance: a random number from 0 to 1, drawn by the caller.
        policy: in force.
        urgent: somebody is waiting for the peer, so that no pause is made; the budget holds.
    """
    if history.hopeless:
        return Restart(Verdict.GIVE_UP, None, "RECOV-04", "starting it again cannot mend that")
    if history.failures >= policy.give_up_after:
        why = f"{history.failures} failures in a row"
        return Restart(Verdict.GIVE_UP, None, "RECOV-04", why)
    free_at = budget_free_at(history, now, policy)
    if free_at is None:
        return Restart(Verdict.GIVE_UP, None, "RECOV-03", "no start is allowed")
    wait_s = 0.0 if urgent else delay_s(history.failures, chance, policy)
    if free_at > now + wait_s:
        why = f"{policy.starts} starts within {policy.window_s:g} s"
        return Restart(Verdict.OPEN, free_at, "RECOV-03", why)
    if wait_s <= 0:
        why = "somebody waits for it" if urgent else "no pause is configured"
        return Restart(Verdict.NOW, now, "RECOV-01", why)
    why = f"failure {history.failures} in a row" if history.failures > 1 else "it was lost"
    return Restart(Verdict.WAIT, now + wait_s, "RECOV-01", why)


def budget_free_at(history: History, now: float, policy: RecoveryPolicy) -> float | None:
    """Return from when on a start is within the budget: `now`, later, or None for never."""
    if policy.starts <= 0:
        return None
    latest = history.starts[-policy.starts :]
    if len(latest) < policy.starts:
        return now
    return max(now, latest[0] + policy.window_s)


def delay_s(failures: int, chance: float, policy: RecoveryPolicy) -> float:
    """Return the pause after so many failures in a row, capped, with jitter taken off."""
    doubled = min(policy.first_delay_s * 2.0 ** min(max(failures, 1) - 1, 32), policy.cap_s)
    return doubled * (1.0 - policy.jitter * min(max(chance, 0.0), 1.0))
