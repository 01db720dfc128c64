"""Rules LINT-08 and LINT-09, one fault at a time."""

from typing import Any

import pytest
from told import DISCOVERED, Told


@pytest.mark.parametrize("kind", [None, "done", 7, ["complete"]])
def test_an_unknown_result_type_is_found_and_said_once(kind: Any) -> None:
    """Rule LINT-08."""
    told = Told()
    told.ask(1, "tools/call", {"name": "x"})
    told.answer(1, {"resultType": kind, "content": []})
    assert told.found() == [(2, "LINT-08")]


def test_a_legacy_result_needs_none() -> None:
    """Spec: resultType is new in 2026-07-28."""
    told = Told().legacy()
    told.old(2, "tools/list")
    told.answer(2, {"tools": []})
    assert told.found() == []


@pytest.mark.parametrize(
    ("member", "value"),
    [("ttlMs", -1), ("ttlMs", 1.5), ("ttlMs", True), ("ttlMs", "1"), ("cacheScope", "shared")],
)
def test_a_hint_that_is_none_is_found_and_said_once(member: str, value: Any) -> None:
    """Rule LINT-09."""
    told = Told()
    told.ask(1, "server/discover")
    told.answer(1, {**DISCOVERED, member: value})
    assert told.found() == [(2, "LINT-09")]


def test_a_call_needs_no_hints() -> None:
    """Spec: CacheableResult is for discovery, lists and resources."""
    told = Told()
    told.ask(1, "tools/call", {"name": "x"})
    told.answer(1, {"resultType": "complete", "content": []})
    assert told.found() == []
