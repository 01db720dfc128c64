"""Rules LINT-13 and LINT-23 to LINT-25, one fault at a time."""

from typing import Any

import pytest
from told import GREETED, Told

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}
SAMPLE = {"messages": [], "maxTokens": 1}


def test_asking_for_what_was_not_declared_is_found() -> None:
    """Rule LINT-13."""
    told = Told().legacy({"sampling": {}})
    told.hear({"id": 9, "method": "sampling/createMessage", "params": SAMPLE})
    told.hear({"id": 10, "method": "roots/list"})
    assert told.found() == [(5, "LINT-13")]


def test_a_second_and_a_late_initialize_are_found() -> None:
    """Rule LINT-23; a modern probe before it is fine."""
    told = Told()
    told.ask(7, "server/discover")
    told.refuse(7, -32601)
    told.legacy()
    told.old(2, "initialize", HELLO)
    assert told.found() == [(6, "LINT-23")]
    late = Told()
    late.old(5, "tools/list")
    late.legacy()
    assert (1, "LINT-23") in late.found()


def test_initialized_too_often_too_early_and_too_late_is_found() -> None:
    """Rule LINT-24."""
    told = Told().legacy()
    told.send({"method": "notifications/initialized"})
    assert told.found() == [(4, "LINT-24")]
    told = Told()
    told.old(1, "initialize", HELLO)
    told.send({"method": "notifications/initialized"})
    told.answer(1, GREETED)
    assert told.found() == [(2, "LINT-24")]
    told = Told()
    told.old(1, "initialize", HELLO)
    told.answer(1, GREETED)
    told.old(2, "ping")
    told.old(3, "tools/list")
    told.send({"method": "notifications/initialized"})
    assert told.found() == [(4, "LINT-24")]


def test_a_modern_client_does_not_say_initialized() -> None:
    """Rule LINT-24, and the models: revision 2026-07-28 has no such notification."""
    told = Told().modern()
    told.send({"method": "notifications/initialized"})
    assert told.found() == [(3, "LINT-24"), (3, "LINT-32")]


@pytest.mark.parametrize(
    "changes",
    [
        {"protocolVersion": "1999-12-31"},
        {"protocolVersion": "2026-07-28"},
        {"serverInfo": {"name": "", "version": "1"}},
        {"serverInfo": {"name": "s", "version": ""}},
    ],
)
def test_a_greeting_that_names_nothing_is_found(changes: dict[str, Any]) -> None:
    """Rule LINT-25."""
    told = Told()
    told.old(1, "initialize", HELLO)
    told.answer(1, {**GREETED, **changes})
    assert told.found() == [(2, "LINT-25")]


def test_the_clients_side_alone_is_judged_as_far_as_it_goes() -> None:
    """Ours: a fake writes down what it receives, and nothing else."""
    told = Told()
    told.old(1, "initialize", HELLO)
    told.send({"method": "notifications/initialized"})
    told.old(2, "tools/list")
    assert told.found() == []
    told.send({"method": "notifications/initialized"})
    assert told.found() == [(4, "LINT-24")]


def test_a_message_without_the_agreed_revision_in_its_header_is_found() -> None:
    """Rule LINT-34; `initialize` itself cannot have it, and 2025-03-26 has no such header."""
    header = {"mcp-protocol-version": "2025-11-25"}
    told = Told()
    told.send({"id": 1, "method": "initialize", "params": HELLO}, {"accept": "*/*"})
    told.answer(1, GREETED)
    told.send({"method": "notifications/initialized"}, header)
    told.send({"id": 2, "method": "tools/list"}, header)
    assert told.found() == []
    told.send({"id": 3, "method": "tools/list"}, {"accept": "*/*"})
    told.send({"id": 4, "method": "tools/list"}, {"mcp-protocol-version": "2025-03-26"})
    assert told.found() == [(5, "LINT-34"), (6, "LINT-34")]
    older = Told()
    older.send({"id": 1, "method": "initialize", "params": HELLO}, {"accept": "*/*"})
    older.answer(1, {**GREETED, "protocolVersion": "2025-03-26"})
    older.send({"method": "notifications/initialized"}, {"accept": "*/*"})
    assert older.found() == []
