"""One subscription to what a peer announces, from the first asking to its end.

Takes:  a frozen `Subscription` and one event
Gives:  the next one, and what is to be done
Never:  takes silence for an agreement, an end for a failure of the peer, or a subscription
        for open that is not

The server keeps nothing over a broken stream and replays nothing. So the same filter is
asked for again, with a new id, and what it covers is read anew once it is acknowledged.

Spec: 2026-07-28 basic/patterns/subscriptions; field cases L01, L02, L04; fault matrix C12.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.recovery.restart import (
    History,
    RecoveryPolicy,
    Verdict,
    became_ready,
    decide,
    started,
    went_away,
)
from workbench.core.text.visible import visible
from workbench.core.wire.message import RequestId

ACKNOWLEDGE_S: Final = 10.0
"""How long a peer may take to acknowledge, in seconds."""
RELISTEN: Final = RecoveryPolicy(starts=12, give_up_after=10)

List: TypeAlias = Literal["tools", "prompts", "resources"]

FILTER_KEYS: Final[dict[List, str]] = {
    "tools": "toolsListChanged",
    "prompts": "promptsListChanged",
    "resources": "resourcesListChanged",
}
URIS_KEY: Final = "resourceSubscriptions"
LIST_CHANGED: Final[dict[str, List]] = {
    f"notifications/{kind}/list_changed": kind for kind in FILTER_KEYS
}
RESOURCE_UPDATED: Final = "notifications/resources/updated"


class Wanted(Struct, frozen=True):
    """What is asked for, or agreed to."""

    lists: tuple[List, ...] = ()
    """Whose changes; sorted."""
    uris: tuple[str, ...] = ()
    """The resources whose content is watched."""

    def __bool__(self) -> bool:
        """Return whether anything is in it."""
        return bool(self.lists or self.uris)

    def to_filter(self) -> dict[str, Any]:
        """Return the filter as it stands in a request."""
        filter_: dict[str, Any] = {FILTER_KEYS[kind]: True for kind in self.lists}
        return {**filter_, URIS_KEY: list(self.uris)} if self.uris else filter_

    def without(self, granted: "Wanted") -> "Wanted":
        """Return what of this is not in `granted`."""
        return Wanted(
            tuple(kind for kind in self.lists if kind not in granted.lists),
            tuple(uri for uri in self.uris if uri not in granted.uris),
        )

    def covers(self, method: str) -> bool:
        """Say whether announcements of this method were asked for."""
        if method == RESOURCE_UPDATED:
            return bool(self.uris)
        return LIST_CHANGED.get(method) in self.lists

    def words(self) -> str:
        """Return it as safe text."""
        return ", ".join([*self.lists, *(visible(uri, 80) for uri in self.uris)]) or "nothing"


def read_filter(value: Any, wanted: Wanted) -> Wanted:
    """Return which part of `wanted` an acknowledged filter agrees to; garbage agrees to none."""
    agreed: Mapping[str, Any] = value if isinstance(value, dict) else {}
    uris = agreed.get(URIS_KEY)
    held = {uri for uri in uris if isinstance(uri, str)} if isinstance(uris, list) else set()
    return Wanted(
        tuple(kind for kind in wanted.lists if agreed.get(FILTER_KEYS[kind]) is True),
        tuple(uri for uri in wanted.uris if uri in held),
    )


def legacy_grant(capabilities: Mapping[str, Any], wanted: Wanted) -> Wanted:
    """Return what of `wanted` a legacy peer's declared capabilities promise."""

    def declares(kind: str, member: str) -> bool:
        declared = capabilities.get(kind)
        return isinstance(declared, dict) and declared.get(member) is True

    return Wanted(
        tuple(kind for kind in wanted.lists if declares(kind, "listChanged")),
        wanted.uris if declares("resources", "subscribe") else (),
    )


class State(StrEnum):
    """Where a subscription stands."""

    OPENING = "asked for"
    LISTENING = "listening"
    WAITING = "ended, asked for again later"
    AWAY = "the peer is away"
    NOTHING = "nothing was granted"
    UNSUPPORTED = "not supported"
    GIVEN_UP = "given up"
    CLOSED = "closed"


OVER: Final = frozenset({State.NOTHING, State.UNSUPPORTED, State.GIVEN_UP, State.CLOSED})
"""States that nothing but a new `listen` leads out of."""


class Subscription(Struct, frozen=True, kw_only=True):
    """One peer's part of a listening."""

    peer: str
    wanted: Wanted
    state: State = State.AWAY
    granted: Wanted = Wanted()
    request_id: RequestId | None = None
    """Id of the request that is open; it is the subscription's id too."""
    opened: int = 0
    """How often it was acknowledged."""
    wake_at: float | None = None
    """Clock seconds at which something is due."""
    history: History = History()
    policy: RecoveryPolicy = RELISTEN
    acknowledge_s: float = ACKNOWLEDGE_S

    @property
    def missing(self) -> Wanted:
        """What was asked for and not agreed to, once there is an agreement."""
        return self.wanted.without(self.granted) if self.opened else Wanted()


# -- what happens --


class PeerReady(Struct, frozen=True):
    """The peer can be asked."""


class PeerLost(Struct, frozen=True):
    """The peer's transport ended."""


class Sent(Struct, frozen=True):
    """The request went out under this id."""

    request_id: RequestId


class Acknowledged(Struct, frozen=True):
    """The peer agreed to this filter, as received."""

    filter: Any


class Announced(Struct, frozen=True):
    """The peer announced something on this subscription."""

    method: str
    uri: str = ""


class Ended(Struct, frozen=True):
    """The request was answered, or its stream broke off."""

    graceful: bool = False
    """True for a result."""
    unsupported: bool = False
    """True for -32601."""
    detail: str = ""


class TimePassed(Struct, frozen=True):
    """`wake_at` has come."""


class Close(Struct, frozen=True):
    """Whoever listens has had enough."""


SubscriptionEvent: TypeAlias = (
    PeerReady | PeerLost | Sent | Acknowledged | Announced | Ended | TimePassed | Close
)

# -- what is to be done --


class Open(Struct, frozen=True):
    """Ask for the subscription, with a new id."""


class Cancel(Struct, frozen=True):
    """End the open request, so that the peer hears of it."""


class Reread(Struct, frozen=True):
    """What was read of these lists and resources is stale."""

    lists: tuple[List, ...] = ()
    resources: bool = False


class Tell(Struct, frozen=True):
    """Let whoever listens, and the journal, know."""

    what: str
    detail: str = ""
    rule: str | None = None
    uri: str = ""


SubscriptionAction: TypeAlias = Open | Cancel | Reread | Tell
Step: TypeAlias = tuple[Subscription, tuple[SubscriptionAction, ...]]


def step(held: Subscription, event: SubscriptionEvent, now: float, chance: float) -> Step:
    """Return the next state and what is to be done.

    Args:
        held: so far.
        event: what happened.
        now: clock seconds.
        chance: a random number from 0 to 1 for the pause, if there will be one.
    """
    if held.state in OVER:
        return held, ()
    match event:
        case Close():
            cancel = (Cancel(),) if held.state in (State.OPENING, State.LISTENING) else ()
            return _settled(held, State.CLOSED), (*cancel, Tell("closed"))
        case PeerReady():
            return _again(held, now, chance) if held.state is State.AWAY else (held, ())
        case PeerLost():
            return _lost(held)
        case Sent(request_id):
            return replace(held, request_id=request_id), ()
        case Acknowledged(filter=agreed):
            return _acknowledged(held, agreed, now)
        case Announced():
            return held, _announced(held, event)
        case Ended():
            return _ended(held, event, now, chance)
        case TimePassed():
            return _time_passed(held, now, chance)


def _settled(held: Subscription, state: State) -> Subscription:
    return replace(held, state=state, request_id=None, wake_at=None)


def _open(held: Subscription, now: float) -> Step:
    asked = replace(
        held,
        state=State.OPENING,
        request_id=None,
        wake_at=now + held.acknowledge_s,
        history=started(held.history, now, held.policy),
    )
    return asked, (Open(),)


def _again(held: Subscription, now: float, chance: float) -> Step:
    """Ask at once when the budget allows it; the peer has just come back."""
    verdict = decide(held.history, now, chance, held.policy, urgent=True)
    if verdict.verdict is Verdict.NOW:
        return _open(held, now)
    return _paused(held, verdict.at, verdict.why)


def _lost(held: Subscription) -> Step:
    if held.state is State.AWAY:
        return held, ()
    # No failure of the subscription: how often the peer is started again is bounded elsewhere.
    history = replace(held.history, ready_at=None)
    away = replace(_settled(held, State.AWAY), history=history)
    return away, (Tell("lost", "the peer's transport ended", "SUB-03"),)


def _acknowledged(held: Subscription, agreed: Any, now: float) -> Step:
    if held.state is not State.OPENING:
        return held, (Tell("acknowledged twice", "", "SUB-01"),)
    granted = read_filter(agreed, held.wanted)
    listening = replace(
        held,
        state=State.LISTENING,
        granted=granted,
        opened=held.opened + 1,
        wake_at=None,
        history=became_ready(held.history, now),
    )
    missing = held.wanted.without(granted)
    if not granted:
        told = Tell("nothing granted", f"asked for {held.wanted.words()}", "SUB-01")
        return _settled(listening, State.NOTHING), (Cancel(), told)
    actions: list[SubscriptionAction] = [
        Tell("listening" if held.opened == 0 else "listening again", f"to {granted.words()}")
    ]
    if missing:
        actions.append(Tell("not granted", missing.words(), "SUB-01"))
    if held.opened:
        actions.append(Reread(granted.lists, resources=bool(granted.uris)))
    return listening, tuple(actions)


def _announced(held: Subscription, event: Announced) -> tuple[SubscriptionAction, ...]:
    kind = LIST_CHANGED.get(event.method)
    if kind is None and event.method != RESOURCE_UPDATED:
        return (Tell("not asked for", visible(event.method, 80), "SUB-07"),)
    reread = Reread((kind,)) if kind is not None else Reread(resources=True)
    if held.state is not State.LISTENING:
        early = Tell("announced before it was acknowledged", visible(event.method, 80), "SUB-07")
        return early, reread
    if not held.wanted.covers(event.method):
        return Tell("not asked for", visible(event.method, 80), "SUB-07"), reread
    told = Tell(f"{kind} changed") if kind is not None else Tell(
        "resource updated", visible(event.uri, 200), uri=event.uri
    )  # fmt: skip
    return told, reread


def _ended(held: Subscription, event: Ended, now: float, chance: float) -> Step:
    if held.state not in (State.OPENING, State.LISTENING):
        return held, ()
    if event.unsupported:
        told = Tell("not supported", event.detail, "SUB-04")
        return _settled(held, State.UNSUPPORTED), (told,)
    what = "ended by the peer" if event.graceful else "dropped"
    return _failed(held, Tell(what, event.detail, "SUB-03"), (), now, chance)


def _time_passed(held: Subscription, now: float, chance: float) -> Step:
    if held.wake_at is None or now < held.wake_at:
        return held, ()
    if held.state is State.WAITING:
        return _open(held, now)
    if held.state is not State.OPENING:
        return held, ()
    detail = f"not acknowledged within {held.acknowledge_s:g} s"
    return _failed(held, Tell("not acknowledged", detail, "SUB-05"), (Cancel(),), now, chance)


def _failed(
    held: Subscription,
    told: Tell,
    first: tuple[SubscriptionAction, ...],
    now: float,
    chance: float,
) -> Step:
    held = replace(held, request_id=None, history=went_away(held.history, now, held.policy))
    verdict = decide(held.history, now, chance, held.policy)
    if verdict.verdict is Verdict.GIVE_UP:
        over = Tell("given up", verdict.why, "SUB-06")
        return _settled(held, State.GIVEN_UP), (*first, told, over)
    if verdict.verdict is Verdict.NOW:
        asked, actions = _open(held, now)
        return asked, (*first, told, *actions)
    waiting, actions = _paused(held, verdict.at, verdict.why)
    return waiting, (*first, told, *actions)


def _paused(held: Subscription, at: float | None, why: str) -> Step:
    if at is None:
        return _settled(held, State.GIVEN_UP), (Tell("given up", why, "SUB-06"),)
    return replace(held, state=State.WAITING, request_id=None, wake_at=at), ()
