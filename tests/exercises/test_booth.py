"""The booth: fakes on the judge's side, and a transcript of everything they hear and say."""

from typing import Any, Final

import pytest

from fakes import answer_default, close, delay, effect, modern, on, stderr
from workbench import modern_request
from workbench.core.wire.codec import encode
from workbench.exercises.booth import LONGEST_FRAME, MOST_FRAMES, MOST_LINKS, Booth
from workbench.exercises.errors import PeerGone

NOTES: Final = modern("notes", tools=["search"])


def request(number: int, method: str = "tools/list") -> bytes:
    """Return one modern request."""
    return encode(modern_request(number, method, {}, "2026-07-28", {}))


def test_what_is_sent_and_said_is_in_the_transcript_with_its_connection() -> None:
    """Ours: a judge sees frames, not calls."""
    booth = Booth({"a": NOTES, "b": NOTES})
    first, _ = booth.open("a", 0.0)
    second, _ = booth.open("a", 0.0)
    other, _ = booth.open("b", 0.0)
    booth.feed(first, request(1), 0.5)
    booth.call = 3
    booth.feed(second, request(2), 0.5)
    (said,) = booth.feed(other, b"no json", 0.5)
    assert [(one.peer, one.lifetime, one.call) for one in booth.heard] == [
        ("a", 1, 0),
        ("a", 2, 3),
        ("b", 1, 3),
    ]
    assert (said.kind, said.at, b"-32700" in said.data) == ("bytes", 0.5, True)
    assert booth.lifetimes == {"a": 2, "b": 1}
    kinds = [entry.kind for entry in booth.journal.entries()]
    assert kinds == ["sent", "received"] * 3


def test_what_comes_late_stands_in_the_transcript_where_it_was_heard() -> None:
    """Ours: a diagram that shows an answer before its time would teach the wrong thing."""
    slow = NOTES.script(on("tools/list").nth(1).then(delay(2), answer_default()))
    booth = Booth({"notes": slow})
    link, _ = booth.open("notes", 0.0)
    booth.feed(link, request(1), 0.0)
    booth.feed(link, request(2), 1.0)
    booth.feed(link, request(3), 3.0)
    booth.close()
    ids = [(entry.kind, entry.request_id) for entry in booth.journal.entries()]
    assert ids == [
        ("sent", 1),
        ("sent", 2),
        ("received", 2),
        ("received", 1),
        ("sent", 3),
        ("received", 3),
    ]


def test_effects_ends_and_stderr_are_told() -> None:
    """Ours: what cannot be undone is the judge's to see, and the rest the answer's."""
    frail = NOTES.script(on("tools/call").then(effect("wrote"), stderr("oh"), close()))
    booth = Booth({"notes": frail})
    link, _ = booth.open("notes", 0.0)
    said = booth.feed(link, request(1, "tools/call"), 0.0)
    assert [one.kind for one in said] == ["stderr", "end"]
    assert booth.effects == {"notes": ["wrote"]}
    assert booth.journal.entries(kind="closed")


def test_a_trial_that_is_over_is_closed_to_everybody() -> None:
    """Ours: what an answer left running cannot add to a transcript."""
    booth = Booth({"notes": NOTES})
    link, _ = booth.open("notes", 0.0)
    booth.close()
    for attempt in (
        lambda: booth.open("notes", 0.0),
        lambda: booth.feed(link, request(1), 0.0),
        lambda: booth.end(link, 0.0),
    ):
        with pytest.raises(PeerGone):
            attempt()
    assert booth.heard == []


def test_an_unknown_peer_or_a_closed_link_is_gone() -> None:
    """Ours: the same error as a server that went away."""
    booth = Booth({"notes": NOTES})
    link, _ = booth.open("notes", 0.0)
    booth.end(link, 0.0)
    with pytest.raises(PeerGone):
        booth.feed(link, request(1), 0.0)
    with pytest.raises(PeerGone):
        booth.open("nobody", 0.0)


@pytest.mark.parametrize("flood", ["frames", "length", "links"])
def test_a_flood_closes_the_booth(flood: str) -> None:
    """Ours: memory is bounded, whatever an answer does."""
    booth = Booth({"notes": NOTES})
    link, _ = booth.open("notes", 0.0)
    with pytest.raises(PeerGone, match="too much"):
        if flood == "length":
            booth.feed(link, b"x" * (LONGEST_FRAME + 1), 0.0)
        for _ in range(MOST_FRAMES + 1):
            booth.feed(link, b" ", 0.0) if flood == "frames" else booth.open("notes", 0.0)
    assert booth.flooded
    assert len(booth.heard) <= MOST_FRAMES
    assert booth.lifetimes["notes"] <= MOST_LINKS + 1


@pytest.mark.parametrize("now", [float("nan"), float("inf"), -float("inf")])
def test_a_time_that_is_none_harms_nobody(now: Any) -> None:
    """Ours: the time comes from the answer's process."""
    booth = Booth({"notes": NOTES})
    link, _ = booth.open("notes", now)
    (said,) = booth.feed(link, request(1), now)
    assert said.at == 0.0
