"""The cache's decisions in the journal, and old values only for those who ask."""

from typing import Any

import pytest

from workbench.core.journal.journal import Journal
from workbench.core.results.cache import Found, Stored, cache_key
from workbench.drivers.clock import ManualClock
from workbench.drivers.shelf import Shelf

KEY = cache_key("notes", "tools/list")


def shelf(**options: Any) -> tuple[Shelf, ManualClock, Journal]:
    clock, journal = ManualClock(), Journal()
    return Shelf(clock, journal, **options), clock, journal


def put(one: Shelf, clock: ManualClock, **hints: Any) -> Stored:
    given = {"scope": "private", "auth_context": "ann", "ttl_ms": 1_000, "generation": 0, **hints}
    return one.put(KEY, ["tool"], received_at=clock.now(), **given)


def said(journal: Journal) -> list[tuple[str, str, str | None]]:
    return [(entry.stage, entry.what, entry.rule) for entry in journal.entries()]


def test_every_decision_is_written_down() -> None:
    """Seed skill, tool cache: miss, store, hit, expiry, another context, invalidation."""
    one, clock, journal = shelf()
    one.get(KEY, "ann", clock.now())
    put(one, clock)
    one.get(KEY, "ann", clock.now())
    one.get(KEY, "bob", clock.now())
    clock.advance(1.0)
    one.get(KEY, "ann", clock.now())
    put(one, clock)
    one.invalidate("notes")
    one.invalidate("notes")
    assert said(journal) == [
        ("cache", "tools/list: miss", None),
        ("cache", "tools/list: kept", "CACHE-03"),
        ("cache", "tools/list: hit", "CACHE-03"),
        ("cache", "tools/list: other context", "CACHE-02"),
        ("cache", "tools/list: expired", "CACHE-03"),
        ("cache", "tools/list: kept", "CACHE-03"),
        ("cache", "everything: invalidated", "CACHE-04"),
    ]
    assert {entry.peer for entry in journal.entries()} == {"notes"}


@pytest.mark.parametrize(
    ("hints", "what", "rule"),
    [
        ({"ttl_ms": 0}, "no lifetime", "CACHE-03"),
        ({"complete": False}, "incomplete", "CACHE-05"),
        ({"generation": 7}, "outdated", "CACHE-04"),
    ],
)
def test_a_value_that_is_not_kept_says_why(hints: dict[str, Any], what: str, rule: str) -> None:
    """Rules CACHE-03 to CACHE-05; cases C05 and C08."""
    one, clock, journal = shelf()
    put(one, clock, **hints)
    assert said(journal) == [("cache", f"tools/list: {what}", rule)]


@pytest.mark.parametrize(("age_s", "found"), [(2.999, Found.STALE), (3.0, Found.MISS)])
def test_an_old_value_stands_in_as_long_as_the_operator_says(age_s: float, found: Found) -> None:
    """Rule CACHE-07: for its own context only, and each use is written down."""
    one, clock, journal = shelf(stale_ms=2_000)
    put(one, clock)
    clock.advance(age_s)
    assert one.get(KEY, "ann", clock.now()).found is Found.EXPIRED
    assert one.stale(KEY, "ann", clock.now()).found is found
    assert one.stale(KEY, "bob", clock.now()).found is Found.MISS
    assert ("CACHE-07" in {entry.rule for entry in journal.entries()}) == (found is Found.STALE)


def test_nothing_old_is_kept_unless_asked() -> None:
    """Ours: a stale list is a choice, never a surprise."""
    one, clock, _ = shelf()
    put(one, clock)
    clock.advance(1.0)
    one.get(KEY, "ann", clock.now())
    assert one.stale(KEY, "ann", clock.now()).found is Found.MISS
    assert len(one) == 0


def test_an_invalidated_value_stands_in_for_nothing() -> None:
    """Rule CACHE-04 before CACHE-07: what is known to be wrong is not served."""
    one, clock, _ = shelf(stale_ms=60_000)
    put(one, clock)
    one.invalidate("notes")
    clock.advance(1.0)
    assert one.stale(KEY, "ann", clock.now()).found is Found.MISS


def test_the_content_is_a_table() -> None:
    """Ours: what `client.cache` shows."""
    one, clock, _ = shelf(share_public=True)
    put(one, clock, scope="public")
    (row,) = one.content().answers
    assert (row.peer, row.shared, row.fresh) == ("notes", True, True)


def test_pages_are_told_apart_by_their_cursors_and_dropped_with_a_reason() -> None:
    """Rule CACHE-08: the journal says which page, and why a list is read anew."""
    one, clock, journal = shelf()
    page = cache_key("notes", "tools/list", {"cursor": "<b>"})
    hints: dict[str, Any] = {"scope": "private", "auth_context": "ann", "ttl_ms": 1_000}
    one.put(page, ["tool"], received_at=clock.now(), generation=0, **hints)
    put(one, clock)
    one.get(page, "ann", clock.now())
    one.read_anew("notes", "tools/list", "ann", "page 1 has changed")
    assert len(one) == 0
    assert said(journal)[2:] == [
        ("cache", 'tools/list {"cursor":"<b>"}: hit', "CACHE-03"),
        ("cache", "tools/list: all pages are read anew", "CACHE-08"),
    ]
    assert journal.entries()[-1].detail == "page 1 has changed; 2 pages dropped"
