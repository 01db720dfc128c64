"""Rules LINT-01 to LINT-04, one fault at a time."""

import pytest
from told import GREETED, Told

from workbench.core.journal.journal import Journal
from workbench.core.wire.codec import encode


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"text",
        b"[]",
        b"7",
        b"\xff",
        b'{"a":1}',
        b'{"jsonrpc":"1.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","method":7}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"notifications/x"}',
    ],
)
def test_what_is_no_message_is_found(frame: bytes) -> None:
    """Rule LINT-01."""
    told = Told()
    told.hear(frame)
    assert told.found() == [(1, "LINT-01")]


def test_limits_of_our_reader_are_nobodys_fault() -> None:
    """Rule LINT-01: depth and length have no limit in the specification."""
    told = Told()
    told.hear(b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 2_000 + b"]" * 2_000 + b"}")
    told.hear(b'{"jsonrpc":"2.0","id":1,"res', size=70_000_000)
    assert told.found() == []
    told.hear(b"xxxxxxxxx", size=70_000_000)
    assert told.found() == [(3, "LINT-01")]


def test_one_revision_has_batches() -> None:
    """Spec 2025-03-26: batching; gone in 2025-06-18."""
    batch = b'[{"jsonrpc":"2.0","method":"notifications/message"}]'
    for version, rules in (("2025-03-26", []), ("2025-06-18", ["LINT-01"])):
        told = Told()
        told.old(1, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {
            "name": "c", "version": "1"}})  # fmt: skip
        told.answer(1, {**GREETED, "protocolVersion": version})
        told.hear(batch)
        assert [rule for _, rule in told.found()] == rules


@pytest.mark.parametrize("id", [2, "1", None, 1.0, True])
def test_an_answer_under_another_id_is_found(id: object) -> None:
    """Rule LINT-02."""
    told = Told()
    told.ask(1, "tools/call", {"name": "x"})
    told.answer(id, {"resultType": "complete", "content": []})
    assert told.found() == [(2, "LINT-02")]


def test_an_error_may_lack_an_id_where_none_could_be_read_and_over_http() -> None:
    """Spec: basic/index, error responses; Streamable HTTP, an error that has no id."""
    told = Told()
    told.ask(1, "tools/call", {"name": "x"})
    told.refuse(None, -32700)
    told.refuse(None, -32603, exchange=1, status=500)
    assert told.found() == []
    told.refuse(None, -32603)
    assert told.found() == [(4, "LINT-02")]


def test_an_answer_in_the_exchange_of_another_request_is_found() -> None:
    """Rule LINT-02 over HTTP."""
    told = Told()
    told.ask(1, "tools/call", {"name": "x"})
    told.ask(2, "tools/call", {"name": "x"})
    told.answer(2, {"resultType": "complete", "content": []}, exchange=1)
    assert [rule for _, rule in told.found()] == ["LINT-02"]


def test_a_second_answer_is_found() -> None:
    """Rule LINT-03."""
    told = Told().modern()
    told.refuse(1, -32603)
    assert told.found() == [(3, "LINT-03")]


def test_a_used_id_is_found_on_either_side() -> None:
    """Rule LINT-04; 1 and "1" are two ids."""
    told = Told().legacy()
    for id in (1, "1", 2, 2):
        told.old(id, "ping")
    told.hear({"id": 1, "method": "ping"})
    told.hear({"id": 1, "method": "ping"})
    assert told.found() == [(4, "LINT-04"), (7, "LINT-04"), (9, "LINT-04")]


def test_a_record_without_its_beginning_is_not_blamed_for_it() -> None:
    """Ours: the journal is a ring; what fell out cannot be missed."""
    journal = Journal(capacity=1)
    journal.sent(0.0, "p", encode({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
    journal.received(0.0, "p", encode({"jsonrpc": "2.0", "id": 1, "result": {}}))
    assert (journal.dropped, len(journal.lint())) == (1, 0)
    journal.opened(0.0, "p")
    journal.received(0.0, "p", encode({"jsonrpc": "2.0", "id": 1, "result": {}}))
    assert (journal.lint().dropped, len(journal.lint())) == (3, 0)
