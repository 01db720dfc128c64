"""Rules LINT-14 to LINT-18, one fault at a time."""

from typing import Any

import pytest
from told import DONE, STREAM, Told

CHANGED = "notifications/tools/list_changed"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
WANTED = {"toolsListChanged": True}


def listening(granted: Any = None) -> Told:
    told = Told().modern()
    told.ask(2, "subscriptions/listen", {"notifications": WANTED})
    agreed = WANTED if granted is None else granted
    told.news(ACKNOWLEDGED, {"notifications": agreed, "_meta": {STREAM: 2}})
    return told


def test_a_subscription_that_is_right_is_fine() -> None:
    """Spec: basic/patterns/subscriptions; agreeing to less is allowed."""
    told = listening()
    told.news(CHANGED, {"_meta": {STREAM: 2}})
    told.answer(2, {"resultType": "complete", "_meta": {STREAM: 2}})
    assert told.found() == [] == listening({}).found()


@pytest.mark.parametrize(
    ("stream", "granted"),
    [("2", None), (1, None), (None, None), (2, {}), (7, None)],
    ids=["another type", "no subscription", "no id", "not agreed to", "not open"],
)
def test_news_that_belongs_to_no_agreement_is_found(stream: Any, granted: Any) -> None:
    """Rule LINT-14."""
    told = listening(granted)
    told.news(CHANGED, {"_meta": {STREAM: stream}} if stream is not None else {})
    assert told.found() == [(5, "LINT-14")]


def test_news_before_and_a_second_acknowledgment_are_found() -> None:
    """Rule LINT-14: first of all, and once."""
    told = Told().modern()
    told.ask(2, "subscriptions/listen", {"notifications": WANTED})
    told.news(CHANGED, {"_meta": {STREAM: 2}})
    told.news(ACKNOWLEDGED, {"notifications": WANTED, "_meta": {STREAM: 2}})
    told.news(ACKNOWLEDGED, {"notifications": WANTED, "_meta": {STREAM: 2}})
    assert told.found() == [(4, "LINT-14"), (6, "LINT-14")]


def test_granting_what_nobody_asked_for_is_found() -> None:
    """Rule LINT-14."""
    assert listening({"promptsListChanged": True}).found() == [(4, "LINT-14")]


def progress(told: Told, value: float, token: Any = "t") -> None:
    told.news("notifications/progress", {"progressToken": token, "progress": value})


def test_progress_that_is_right_is_fine() -> None:
    """Spec: basic/patterns/progress."""
    told = Told().modern()
    told.ask(2, "tools/call", {"name": "x"}, meta={"progressToken": "t"})
    progress(told, 1)
    progress(told, 1.5)
    told.answer(2, DONE)
    assert told.found() == []


def test_progress_of_nobody_backwards_and_after_the_answer_is_found() -> None:
    """Rule LINT-15."""
    told = Told().modern()
    told.ask(2, "tools/call", {"name": "x"}, meta={"progressToken": 5})
    progress(told, 2, "5")
    progress(told, 2, 5)
    progress(told, 2, 5)
    told.answer(2, DONE)
    progress(told, 3, 5)
    assert told.found() == [(4, "LINT-15"), (6, "LINT-15"), (8, "LINT-15")]


def test_a_log_message_nobody_asked_for_is_found() -> None:
    """Rule LINT-16; a legacy server may send them freely."""
    log = {"level": "info", "data": "x"}
    told = Told().modern()
    told.ask(2, "tools/call", {"name": "x"}, meta={"io.modelcontextprotocol/logLevel": "info"})
    told.news("notifications/message", log)
    told.answer(2, DONE)
    assert told.found() == []
    told.news("notifications/message", log)
    assert told.found() == [(6, "LINT-16")]
    told = Told().legacy()
    told.news("notifications/message", log)
    assert told.found() == []


def test_a_cancellation_of_what_was_never_sent_is_found() -> None:
    """Rule LINT-17."""
    told = Told().modern()
    told.ask(2, "tools/call", {"name": "x"})
    told.send({"method": "notifications/cancelled", "params": {"requestId": 2}})
    told.send({"method": "notifications/cancelled", "params": {"requestId": "2"}})
    assert told.found() == [(5, "LINT-17")]


def test_nobody_cancels_initialize_and_a_modern_server_only_subscriptions() -> None:
    """Rule LINT-17."""
    told = Told()
    told.old(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {
        "name": "c", "version": "1"}})  # fmt: skip
    told.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
    assert told.found() == [(2, "LINT-17")]
    told = listening()
    told.news("notifications/cancelled", {"requestId": 2})
    told.ask(3, "tools/call", {"name": "x"})
    told.news("notifications/cancelled", {"requestId": 3})
    assert told.found() == [(7, "LINT-17")]


def test_progress_after_a_cancellation_counts_once_it_was_read() -> None:
    """Rule LINT-18; what crosses on the way is nobody's fault."""
    told = Told().modern()
    told.ask(2, "tools/call", {"name": "x"}, meta={"progressToken": "t"})
    told.send({"method": "notifications/cancelled", "params": {"requestId": 2}})
    progress(told, 1)
    told.ask(3, "tools/call", {"name": "y"})
    progress(told, 2)
    told.answer(3, DONE)
    assert told.found() == []
    progress(told, 3)
    assert told.found() == [(9, "LINT-18")]
