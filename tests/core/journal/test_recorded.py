"""A record is events again: the same ones, in the same order."""

import asyncio
from typing import Any

import pytest
from driven import driven

from fakes import Fake, fault, modern
from workbench import AsyncMultiServerClient, ManualClock
from workbench.core.errors import ConfigError
from workbench.core.events import Closed, DeadlinePassed, LifeSeen, Opened, Received, StartFailed
from workbench.core.journal.journal import Journal
from workbench.core.journal.recorded import happened, terms_of
from workbench.core.wire.codec import encode


def record(peer: Fake | Any, **settings: Any) -> Journal:
    """Return the journal of a client that has connected to one peer, after half a minute."""

    async def story() -> Journal:
        clock = ManualClock(30.0)
        client = AsyncMultiServerClient(clock=clock)
        client.add_server("peer", peer, **settings)
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        await driven(client.aclose(), clock)
        return client.journal

    return Journal.from_jsonl(asyncio.run(story()).to_jsonl())


def test_frames_and_deadlines_come_back_in_order() -> None:
    """Ours: times count from the first entry of the peer; calls afterwards are no part of it."""
    found = happened(record(fault("P11"), allow_legacy=True).entries("peer"))
    assert [type(one.event) for one in found] == [Opened, DeadlinePassed, LifeSeen, Received]
    assert [one.at for one in found] == [0.0, 1.0, 1.0, 1.0]
    assert found[1].event == DeadlinePassed(1.0)
    assert found[3].frame is not None and b'"protocolVersion"' in found[3].frame
    assert found[0].decided[3] == "ERA-00" and found[3].decided[1] == "valid InitializeResult"


def test_a_closed_transport_keeps_its_last_words() -> None:
    """Fault matrix P12."""
    found = happened(record(fault("P12-exit-with-stderr")).entries("peer"))
    (closed,) = [one.event for one in found if isinstance(one.event, Closed)]
    assert closed.how == "exited with status 1" and closed.stderr_tail
    silent = happened(record(fault("P12-exit")).entries("peer"))[-1].event
    assert isinstance(silent, Closed) and silent.stderr_tail == ""


def test_a_peer_that_could_not_be_started_is_an_event() -> None:
    """Design 9: the reason is kept."""
    (only,) = happened(record(["/nowhere/to/be/found"]).entries("peer"))
    assert isinstance(only.event, StartFailed) and "/nowhere" in only.event.failure.detail


@pytest.mark.parametrize(
    ("name", "settings"),
    [("P02", {}), ("P02", {"allow_legacy": True}), ("P07", {"modern_revisions": ("2099-12-31",)})],
)
def test_a_record_shows_some_of_its_terms(name: str, settings: dict[str, Any]) -> None:
    """Ours: the first state tells the flag, the first frame the newest revision."""
    entries = record(fault(name), **settings).entries("peer")
    terms = terms_of(entries, can_declare={"elicitation": {}})
    assert terms.allow_legacy is settings.get("allow_legacy", False)
    assert terms.modern_revisions[-1] == settings.get("modern_revisions", ("2026-07-28",))[-1]
    assert terms.can_declare == {"elicitation": {}}


def test_a_record_without_its_beginning_is_refused() -> None:
    """Ours: what has fallen out is not guessed."""
    lines = record(modern("peer")).to_jsonl().splitlines(keepends=True)
    with pytest.raises(ConfigError, match="beginning"):
        happened(Journal.from_jsonl("".join([lines[0], *lines[4:]])).entries("peer"))
    with pytest.raises(ConfigError, match="beginning"):
        happened(())


def test_a_decision_without_its_frame_or_with_a_foreign_sign_is_refused() -> None:
    """Ours: a file may have been written by hand, or by a later version."""
    journal = Journal()
    journal.decided(0.0, "p", "negotiate", "probing → probing", "ERA-00", "transport opened")
    journal.decided(0.0, "p", "negotiate", "probing → modern", "ERA-01", "valid DiscoverResult")
    with pytest.raises(ConfigError, match="frame behind entry 2"):
        happened(journal.entries("p"))
    other = Journal()
    other.decided(0.0, "p", "negotiate", "probing → probing", "ERA-00", "transport opened")
    other.decided(0.0, "p", "negotiate", "probing → modern", "ERA-99", "tele\x1bpathy")
    with pytest.raises(ConfigError, match=r"tele\\x1bpathy"):
        happened(other.entries("p"))


def test_http_exchanges_without_an_answer_are_told_from_deadlines() -> None:
    """Fault matrix H06; a late one belongs to no question."""
    journal = Journal()
    body = {"jsonrpc": "2.0", "id": 4, "method": "server/discover"}
    journal.decided(0.0, "p", "negotiate", "probing → probing", "ERA-00", "transport opened")
    journal.sent(0.0, "p", encode(body))
    for sign, detail in (
        ("stray frame", "ended the exchange with HTTP 400, too late to matter"),
        ("HTTP error without a JSON-RPC error", "ended the exchange with HTTP 404"),
    ):
        journal.decided(0.5, "p", "negotiate", "probing → probing", "X", sign, detail)
    late, refused = (one.event.end for one in happened(journal.entries("p"))[1:])  # type: ignore
    assert (late.request_id, late.seen) == (None, "ended the exchange with HTTP 400")
    assert (refused.request_id, refused.seen) == (4, "ended the exchange with HTTP 404")
