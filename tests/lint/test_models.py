"""Rule LINT-32: what the official models say, and what they are not asked."""

from typing import Any

import pytest
from told import DISCOVERED, GREETED, Told


@pytest.mark.parametrize(
    ("method", "params", "result"),
    [
        ("tools/call", {"name": "x"}, {"resultType": "complete", "content": "text"}),
        ("tools/call", {"name": "x"}, {"resultType": "complete"}),
        ("server/discover", {}, {**DISCOVERED, "capabilities": []}),
        ("server/discover", {}, None),
        ("server/discover", {}, "text"),
    ],
)
def test_a_result_of_another_shape_is_found(method: str, params: Any, result: Any) -> None:
    """Ours: a union of results is held against the one it claims to be."""
    told = Told()
    told.ask(1, method, params)
    told.answer(1, result)
    assert told.found() == [(2, "LINT-32")]


def test_requests_and_notifications_of_another_shape_are_found() -> None:
    """Both sides, both eras."""
    told = Told().modern()
    told.ask(2, "tools/call", {"name": 7})
    told.news("notifications/message", {"level": "loud", "data": 1})
    assert {(number, rule) for number, rule in told.found() if rule == "LINT-32"} == {
        (3, "LINT-32"),
        (4, "LINT-32"),
    }
    told = Told().legacy({"sampling": {}})
    told.hear({"id": 9, "method": "sampling/createMessage", "params": {"messages": []}})
    told.send({"id": 9, "result": {"role": "assistant"}})
    assert {number for number, rule in told.found() if rule == "LINT-32"} == {4, 5}


def test_a_method_of_another_revision_is_found_and_one_of_an_extension_is_not() -> None:
    """Spec: 2026-07-28 has no ping; extensions bring methods of their own."""
    told = Told().modern()
    told.ask(2, "ping")
    told.ask(3, "com.example/anything")
    assert [(number, rule) for number, rule in told.found()] == [(3, "LINT-32")]
    assert "revision 2026-07-28 has no request ping" in told.said()


def test_the_agreed_revision_is_the_one_that_counts() -> None:
    """Spec 2025-03-26: no elicitation yet."""
    told = Told()
    told.old(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "c", "version": "1"}})  # fmt: skip
    told.answer(1, {**GREETED, "protocolVersion": "2025-03-26"})
    told.send({"method": "notifications/initialized"})
    schema = {"type": "object", "properties": {}}
    told.hear({"id": 4, "method": "elicitation/create", "params": {
        "message": "m", "requestedSchema": schema}})  # fmt: skip
    assert told.found() == [(4, "LINT-32")]


def test_an_era_nobody_can_tell_and_a_future_version_are_not_judged() -> None:
    """Ours: no finding without a revision to hold it against."""
    told = Told()
    told.old(1, "tools/call", {"name": 7})
    assert told.found() == []
    told = Told()
    told.ask(2, "tools/call", {"name": 7}, meta={
        "io.modelcontextprotocol/protocolVersion": "2099-01-01"})  # fmt: skip
    assert told.found() == []
