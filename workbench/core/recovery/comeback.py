"""One peer, lost and brought back: every turn of that story as a pure function.

Takes:  where the peer stands, what happened, the time, and one random number
Gives:  where it stands now, and what is worth saying, each with its rule
Never:  starts anything; `workbench.core.recovery.restart` holds the arithmetic of pauses

Two drivers move this: the client, and a stepper that remembers every `Standing`, so that a
person can go back.

Source: design section 7.7; fault matrix C04; field case R01.
"""

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.errors import Kind
from workbench.core.recovery.restart import (
    History,
    RecoveryPolicy,
    Restart,
    Verdict,
    became_ready,
    decide,
    forgiven,
    started,
    went_away,
)


class Standing(Struct, frozen=True, kw_only=True):
    """What is known of one peer's starts, and what is planned."""

    history: History = History()
    was_ready: bool = False
    """Only a peer that was ready once is brought back by itself."""
    plan: Restart | None = None
    """What is done about its absence; None while it is there, or was never ready."""


class Said(Struct, frozen=True):
    """One line for the journal."""

    what: str
    rule: str | None
    detail: str = ""


Turn = tuple[Standing, tuple[Said, ...]]
"""Where the peer stands after an event, and what is said about it."""


def came_up(standing: Standing, now: float, policy: RecoveryPolicy) -> Turn:
    """Take note of a start that led to a ready peer; any plan is done with."""
    history = started(standing.history, now, policy)
    back = (Said("the peer is back", "RECOV-01"),) if history.failures else ()
    return Standing(history=became_ready(history, now), was_ready=True), back


def stayed_down(
    standing: Standing, now: float, chance: float, policy: RecoveryPolicy, kind: Kind | None
) -> Turn:
    """Take note of a start that failed, and plan the next one.

    Args:
        standing: so far.
        now: clock seconds.
        chance: a random number from 0 to 1, for the pause.
        policy: in force.
        kind: of the failure, where there is one.
    """
    history = started(standing.history, now, policy)
    return _away(replace(standing, history=history), now, chance, policy, kind)


def went_down(
    standing: Standing, now: float, chance: float, policy: RecoveryPolicy, kind: Kind | None
) -> Turn:
    """Take note that a ready peer is gone, and plan its return; see `stayed_down`."""
    history = standing.history
    if history.ready_at is None:  # it was gone before anybody heard that it was ready
        history = started(history, now, policy)
    return _away(replace(standing, history=history), now, chance, policy, kind)


def by_hand(standing: Standing) -> Turn:
    """Wipe the slate: somebody restarts the peer, whatever its budget."""
    clean = replace(standing, history=forgiven(standing.history), plan=None)
    return clean, (Said("restarted by hand", None),)


def wanted_now(standing: Standing, now: float, policy: RecoveryPolicy) -> tuple[Standing, Restart]:
    """Decide about a start that somebody waits for; only the budget can forbid it.

    Returns:
        Where the peer stands, with a new plan if it was forbidden, and the decision.
    """
    # What was seen as hopeless may be tried again by whoever asks, within the budget.
    counted = History(starts=standing.history.starts, ready_at=standing.history.ready_at)
    decided = decide(counted, now, 0.0, policy, urgent=True)
    if decided.verdict is Verdict.NOW:
        return replace(standing, plan=None), decided
    return replace(standing, plan=decided), decided


def in_words(plan: Restart, now: float) -> Said:
    """Return a plan as it is written down: the verdict, and for how long."""
    when = "" if plan.at is None or plan.at <= now else f" for {plan.at - now:.1f} s"
    return Said(f"{plan.verdict}{when}", plan.rule, plan.why)


def _away(
    standing: Standing, now: float, chance: float, policy: RecoveryPolicy, kind: Kind | None
) -> Turn:
    history = went_away(standing.history, now, policy, kind)
    if not standing.was_ready:  # a startup's failure is for a person to see
        return replace(standing, history=history, plan=None), ()
    plan = decide(history, now, chance, policy)
    said = [in_words(plan, now)]
    if history.failures == policy.notice_after:
        said.append(Said(f"it has failed {history.failures} times in a row", "RECOV-02"))
    return replace(standing, history=history, plan=plan), tuple(said)
