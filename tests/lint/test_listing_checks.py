"""Rules LINT-26 to LINT-28, one fault at a time."""

from typing import Any

from told import Told

SCHEMA = {"type": "object"}
HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def listed(*tools: dict[str, Any]) -> Told:
    told = Told()
    told.ask(1, "tools/list")
    told.answer(1, {**HINTS, "tools": list(tools)})
    return told


def tool(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {**SCHEMA, **schema}}


def test_two_tools_of_one_name_are_found() -> None:
    """Rule LINT-26: advice, and said as such."""
    told = listed(tool("a"), tool("a"), tool("b"))
    assert told.found() == [(2, "LINT-26")]
    assert [one.level for one in told.journal.lint()] == ["should"]


def test_a_schema_that_is_none_and_a_header_that_is_none_are_found() -> None:
    """Rule LINT-27; annotations mean nothing to a legacy server."""
    void = {"properties": {"q": {"type": "string", "x-mcp-header": "a b"}}}
    assert listed(tool("a", properties=7)).found() == [(2, "LINT-27")]
    assert listed(tool("a", **void)).found() == [(2, "LINT-27")]
    output = {**tool("a"), "outputSchema": {"type": "object", "properties": []}}
    assert listed(output).found() == [(2, "LINT-27")]
    told = Told().legacy()
    told.old(2, "tools/list")
    told.answer(2, {"tools": [tool("a", **void)]})
    assert told.found() == []


def test_a_cursor_that_leads_back_is_found_within_one_walk_only() -> None:
    """Rule LINT-28."""
    told = Told()
    page = {**HINTS, "tools": []}
    for id in (1, 3):
        told.ask(id, "tools/list")
        told.answer(id, {**page, "nextCursor": "a"})
        told.ask(id + 1, "tools/list", {"cursor": "a"})
        told.answer(id + 1, {**page, "nextCursor": "b"} if id == 3 else page)
    assert told.found() == []
    told.ask(5, "tools/list", {"cursor": "b"})
    told.answer(5, {**page, "nextCursor": "a"})
    assert told.found() == [(10, "LINT-28")]
