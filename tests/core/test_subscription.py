"""One subscription, moved by events alone."""

from typing import Any

import pytest

from workbench.core.recovery.restart import RecoveryPolicy
from workbench.core.subscription import (
    LIST_CHANGED,
    OVER,
    RESOURCE_UPDATED,
    Acknowledged,
    Announced,
    Cancel,
    Close,
    Ended,
    Open,
    PeerLost,
    PeerReady,
    Reread,
    Sent,
    State,
    Subscription,
    SubscriptionEvent,
    Tell,
    TimePassed,
    Wanted,
    legacy_grant,
    read_filter,
    step,
)

TOOLS = Wanted(("tools",))
BOTH = Wanted(("prompts", "tools"), ("file:///a", "file:///b"))
CHANGED = next(iter(LIST_CHANGED))
POLICY = RecoveryPolicy(jitter=0.0, first_delay_s=1.0, give_up_after=3)


class Line:
    """A subscription with all it wanted done."""

    def __init__(self, wanted: Wanted = TOOLS) -> None:
        self.held = Subscription(peer="p", wanted=wanted, policy=POLICY)
        self.now = 0.0

    def hears(self, *events: SubscriptionEvent) -> list[Any]:
        done: list[Any] = []
        for event in events:
            self.held, actions = step(self.held, event, self.now, 0.0)
            done += actions
        return done

    def listening(self) -> "Line":
        self.hears(PeerReady(), Sent(7), Acknowledged(self.held.wanted.to_filter()))
        assert self.held.state is State.LISTENING
        return self


def words(actions: list[Any]) -> list[tuple[str, str | None]]:
    return [(one.what, one.rule) for one in actions if isinstance(one, Tell)]


def test_a_filter_says_only_what_is_wanted() -> None:
    """Spec: omitting a field is not subscribing to it."""
    assert TOOLS.to_filter() == {"toolsListChanged": True}
    assert BOTH.to_filter() == {
        "promptsListChanged": True,
        "toolsListChanged": True,
        "resourceSubscriptions": ["file:///a", "file:///b"],
    }
    assert not Wanted() and Wanted().words() == "nothing"


@pytest.mark.parametrize(
    ("value", "lists", "uris"),
    [
        (BOTH.to_filter(), BOTH.lists, BOTH.uris),
        ({"toolsListChanged": True, "resourceSubscriptions": ["file:///b", 3]}, ("tools",), ("file:///b",)),
        ({"toolsListChanged": "yes", "resourcesListChanged": True}, (), ()),
        ({}, (), ()),
        (None, (), ()),
        ([True], (), ()),
        ({"resourceSubscriptions": "file:///a"}, (), ()),
    ],
)  # fmt: skip
def test_an_agreement_is_read_strictly_and_never_widens(
    value: Any, lists: tuple[str, ...], uris: tuple[str, ...]
) -> None:
    """Spec: acknowledgment, the subset the server agreed to."""
    granted = read_filter(value, BOTH)
    assert (granted.lists, granted.uris) == (lists, uris)


def test_a_legacy_peer_grants_what_it_declares() -> None:
    """Spec 2025-11-25: listChanged and resources.subscribe."""
    declared = {"tools": {"listChanged": True}, "prompts": {}, "resources": {"subscribe": True}}
    granted = legacy_grant(declared, BOTH)
    assert (granted.lists, granted.uris) == (("tools",), BOTH.uris)
    assert not legacy_grant({"tools": True}, BOTH)


def test_nothing_is_asked_before_the_peer_is_ready() -> None:
    """Ours: a handle may be older than its peer's connection."""
    line = Line()
    assert line.held.state is State.AWAY
    assert line.hears(PeerReady()) == [Open()]
    assert line.held.state is State.OPENING
    assert line.hears(PeerReady()) == []


def test_the_difference_between_asked_and_agreed_is_shown() -> None:
    """Spec: the client should check the acknowledged filter; case L04."""
    line = Line(BOTH)
    line.hears(PeerReady(), Sent(1))
    done = line.hears(Acknowledged({"toolsListChanged": True}))
    assert words(done) == [("listening", None), ("not granted", "SUB-01")]
    assert line.held.state is State.LISTENING
    assert line.held.missing == Wanted(("prompts",), BOTH.uris)


def test_an_empty_agreement_closes_the_useless_stream() -> None:
    """Case L04: nothing honoured."""
    line = Line()
    line.hears(PeerReady(), Sent(1))
    done = line.hears(Acknowledged({}))
    assert Cancel() in done and words(done) == [("nothing granted", "SUB-01")]
    assert line.held.state is State.NOTHING and line.held.request_id is None


def test_a_change_makes_its_list_stale() -> None:
    """Spec: receiving notifications; design 7.4."""
    line = Line(BOTH).listening()
    done = line.hears(Announced("notifications/tools/list_changed"))
    assert Reread(("tools",)) in done and words(done) == [("tools changed", None)]
    done = line.hears(Announced(RESOURCE_UPDATED, "file:///a"))
    assert Reread(resources=True) in done
    assert [one.uri for one in done if isinstance(one, Tell)] == ["file:///a"]


def test_what_was_not_asked_for_is_told_and_still_makes_the_list_stale() -> None:
    """Spec: servers must not send it; a stale list is worse than a broken promise."""
    line = Line().listening()
    done = line.hears(Announced("notifications/prompts/list_changed"))
    assert words(done) == [("not asked for", "SUB-07")] and Reread(("prompts",)) in done
    assert words(line.hears(Announced("notifications/odd"))) == [("not asked for", "SUB-07")]


def test_an_announcement_before_the_acknowledgement_is_told() -> None:
    """Spec: the acknowledgement comes first."""
    line = Line()
    line.hears(PeerReady(), Sent(1))
    done = line.hears(Announced("notifications/tools/list_changed"))
    assert words(done) == [("announced before it was acknowledged", "SUB-07")]


@pytest.mark.parametrize(
    ("end", "what"), [(Ended(graceful=True), "ended by the peer"), (Ended(), "dropped")]
)
def test_an_end_is_told_apart_and_both_are_asked_again(end: Ended, what: str) -> None:
    """Spec: graceful closure; fault matrix C12; seed exercise 5."""
    line = Line(BOTH).listening()
    assert words(line.hears(end)) == [(what, "SUB-03")]
    assert (line.held.state, line.held.wake_at) == (State.WAITING, 1.0)
    assert line.hears(TimePassed()) == []
    line.now = 1.0
    assert line.hears(TimePassed()) == [Open()]
    done = line.hears(Sent(8), Acknowledged(BOTH.to_filter()))
    assert line.held.request_id == 8 and line.held.wanted == BOTH
    assert words(done) == [("listening again", None)]
    assert Reread(BOTH.lists, resources=True) in done


def test_the_first_acknowledgement_reads_nothing_anew() -> None:
    """Ours: nothing was missed yet."""
    line = Line()
    done = line.hears(PeerReady(), Sent(7), Acknowledged(TOOLS.to_filter()))
    assert not any(isinstance(one, Reread) for one in done)


def test_pauses_grow_and_a_healthy_time_resets_them() -> None:
    """Case L02: neither a tight loop nor the end of it."""
    line = Line().listening()
    line.hears(Ended())
    assert line.held.wake_at == 1.0
    line.now = 1.0
    line.hears(TimePassed(), Sent(8), Acknowledged(TOOLS.to_filter()), Ended())
    assert line.held.wake_at == 3.0
    line.now = 3.0
    line.hears(TimePassed(), Sent(9), Acknowledged(TOOLS.to_filter()))
    line.now = 3.0 + POLICY.healthy_s
    line.hears(Ended())
    assert line.held.wake_at == line.now + 1.0


def test_too_many_failures_in_a_row_end_it_visibly() -> None:
    """Ours: every loop is bounded."""
    line = Line().listening()
    for _ in range(POLICY.give_up_after - 1):
        line.hears(Ended())
        line.now = line.held.wake_at or 0.0
        line.hears(TimePassed())
    assert words(line.hears(Ended())) == [("dropped", "SUB-03"), ("given up", "SUB-06")]
    assert line.held.state is State.GIVEN_UP
    assert line.hears(PeerReady(), PeerLost(), Ended(), TimePassed()) == []


def test_a_missing_method_ends_the_feature_and_nothing_else() -> None:
    """Case L04: -32601."""
    line = Line()
    line.hears(PeerReady(), Sent(1))
    assert words(line.hears(Ended(unsupported=True))) == [("not supported", "SUB-04")]
    assert line.held.state is State.UNSUPPORTED


def test_silence_is_no_acknowledgement() -> None:
    """Fault matrix C12: no ack."""
    line = Line()
    line.hears(PeerReady(), Sent(1))
    line.now = line.held.acknowledge_s
    done = line.hears(TimePassed())
    assert done[0] == Cancel() and words(done) == [("not acknowledged", "SUB-05")]
    assert line.held.state is State.WAITING


def test_a_lost_peer_is_asked_again_at_once_when_it_is_back() -> None:
    """Spec: on stdio the client must send it again; case L01."""
    line = Line().listening()
    assert words(line.hears(PeerLost())) == [("lost", "SUB-03")]
    assert (line.held.state, line.held.request_id) == (State.AWAY, None)
    assert line.hears(Ended()) == []
    assert line.hears(PeerReady()) == [Open()]
    assert line.held.history.failures == 0, "the loss of a peer is not the stream's failure"


def test_closing_cancels_what_is_open_and_is_final() -> None:
    """Spec: cancellation by the client."""
    line = Line().listening()
    assert line.hears(Close())[0] == Cancel()
    assert line.held.state is State.CLOSED and line.held.state in OVER
    assert line.hears(Close(), PeerReady(), Acknowledged({})) == []
    away = Line()
    assert not any(isinstance(one, Cancel) for one in away.hears(Close()))


def test_a_second_acknowledgement_changes_nothing() -> None:
    """Ours: the agreement is what it was."""
    line = Line(BOTH).listening()
    granted = line.held.granted
    assert words(line.hears(Acknowledged({}))) == [("acknowledged twice", "SUB-01")]
    assert line.held.granted == granted


def test_what_was_wanted_covers_its_methods() -> None:
    """Spec: the filter's members and their notifications."""
    assert BOTH.covers(RESOURCE_UPDATED) and BOTH.covers("notifications/tools/list_changed")
    assert not TOOLS.covers(RESOURCE_UPDATED)
    assert not BOTH.covers("notifications/resources/list_changed") and not BOTH.covers("x")
    assert CHANGED == "notifications/tools/list_changed"
