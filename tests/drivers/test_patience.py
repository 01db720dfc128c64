"""How long a call waits, and what moves its deadline."""

from typing import Any

import pytest

from workbench.core.journal.journal import Journal
from workbench.core.wire.message import Notification
from workbench.drivers.clock import ManualClock
from workbench.drivers.patience import HARD_FACTOR, LogMessage, Patience, Progress, Watches


def step(value: float) -> Progress:
    return Progress(peer="p", progress=value)


def progress(token: Any, value: Any = 1, **more: Any) -> Notification:
    return Notification(
        "notifications/progress", {"progressToken": token, "progress": value, **more}
    )


def test_without_progress_every_round_waits_its_time() -> None:
    """Ours: a round is a request of its own."""
    clock = ManualClock()
    patience = Patience(clock, 5.0)
    for _ in range(3):
        assert patience.begin() == 5.0
        clock.advance(4)
        patience.end()


def test_progress_moves_the_deadline_up_to_the_hard_limit() -> None:
    """Field case R06; spec: a maximum is enforced regardless of progress."""
    clock = ManualClock()
    patience = Patience(clock, 5.0, max_timeout_s=12.0)
    assert patience.begin() == 5.0
    ends = []
    for value in range(1, 6):
        clock.advance(3)
        assert patience.heard(step(value))
        ends.append(patience.ends_at())
    assert ends == [8.0, 11.0, 12.0, 12.0, 12.0]


def test_the_hard_limit_counts_all_rounds_but_not_the_time_between() -> None:
    """Rule INPUT-09: the deadline stands still while a person decides."""
    clock = ManualClock()
    patience = Patience(clock, 5.0, max_timeout_s=7.0)
    assert patience.begin() == 5.0
    clock.advance(4)
    patience.end()
    clock.advance(600)
    assert patience.begin() == 3.0
    clock.advance(3)
    patience.end()
    assert patience.begin() == 0.0


def test_the_default_limit_is_a_multiple() -> None:
    """Ours: progress for ever must end."""
    clock = ManualClock()
    patience = Patience(clock, 1.0, on_progress=print)
    patience.begin()
    for value in range(100):
        clock.advance(0.9)
        patience.heard(step(value))
    assert patience.ends_at() == HARD_FACTOR * 1.0


def test_progress_that_does_not_grow_is_none() -> None:
    """Spec: basic/patterns/progress: the value must increase with each notification."""
    patience = Patience(ManualClock(), 5.0, max_timeout_s=50)
    patience.begin()
    assert [patience.heard(step(v)) for v in (1, 1, 0.5, 1.5)] == [True, False, False, True]
    patience.begin()
    assert patience.heard(step(1)), "each round counts anew"


def watched(**callbacks: Any) -> tuple[Watches, Journal, str, Patience]:
    clock, journal = ManualClock(), Journal()
    watches = Watches(journal, clock)
    patience = Patience(clock, 5.0, max_timeout_s=50, **callbacks)
    patience.begin()
    return watches, journal, watches.open("p", patience), patience


def test_tokens_are_never_used_twice() -> None:
    """Spec: progress tokens must be unique across all active requests."""
    watches, _, first, patience = watched()
    watches.close("p", first)
    assert len({first, *(watches.open("p", patience) for _ in range(5))}) == 6


def test_the_callback_gets_what_belongs_to_its_own_token() -> None:
    """Field case R06: foreign tokens are ignored."""
    seen: list[Progress] = []
    watches, journal, token, _ = watched(on_progress=seen.append)
    watches.hear("p", progress(token, 1, total=4, message="one"))
    watches.hear("q", progress(token, 2))
    watches.hear("p", progress("another", 2))
    watches.hear("p", progress(token, "2"))
    watches.hear("p", progress(token, True))
    watches.hear("p", progress(None, 2))
    watches.hear("p", progress([token], 2))
    watches.close("p", token)
    watches.hear("p", progress(token, 9))
    assert seen == [Progress(peer="p", progress=1.0, total=4.0, message="one")]
    strays = journal.entries(kind="stray")
    assert len(strays) == 7 and all("CALL-09" in entry.what for entry in strays)


def test_one_and_true_are_different_tokens() -> None:
    """Ours: what Python holds for equal is not equal on the wire."""
    watches, _, _, patience = watched()
    watches._open["p", 1] = patience
    watches.hear("p", progress(True, 7))
    watches.hear("p", progress(1.0, 7))
    assert patience.heard(step(7)), "neither has counted"


def test_a_callback_that_fails_ends_nothing() -> None:
    """Ours: the reader belongs to every call of the peer."""

    def fail(_: Any) -> None:
        raise ValueError("mine")

    watches, journal, token, _ = watched(on_progress=fail)
    watches.hear("p", progress(token))
    assert "ValueError: mine" in journal.to_text()


@pytest.mark.parametrize("extra", [{}, {"logger": "db"}, {"logger": 7}])
def test_log_messages_reach_the_calls_of_their_peer(extra: dict[str, Any]) -> None:
    """Spec: server/utilities/logging; a pipe does not say which request a message is about."""
    seen: list[LogMessage] = []
    watches, _, _, _ = watched(on_log=seen.append)
    said = Notification("notifications/message", {"level": "info", "data": {"a": 1}, **extra})
    watches.hear("p", said)
    watches.hear("q", said)
    logger = "db" if extra.get("logger") == "db" else ""
    assert seen == [LogMessage(peer="p", level="info", logger=logger, data={"a": 1})]


def test_other_announcements_are_no_business_of_a_watch() -> None:
    """Ours: list changes go elsewhere."""
    watches, journal, _, _ = watched()
    watches.hear("p", Notification("notifications/tools/list_changed", {}))
    assert len(journal) == 0
