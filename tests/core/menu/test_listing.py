"""A list of tools, page by page."""

from typing import Any

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.menu.listing import listing_of
from workbench.core.results import pages
from workbench.core.results.pages import Ask, Collected, Pages
from workbench.core.tool import Listing
from workbench.core.wire.message import ErrorReply, Result
from workbench.core.wire.versions import Era


def tool(name: str, **extra: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **extra}


def page(*names: str, cursor: Any = None, **extra: Any) -> dict[str, Any]:
    value = {
        "resultType": "complete",
        "tools": [tool(name) for name in names],
        "ttlMs": 1000,
        "cacheScope": "public",
        **extra,
    }
    if cursor is not None:
        value["nextCursor"] = cursor
    return value


def walk(*answers: Any, era: Era = Era.MODERN, lenient: bool = False) -> tuple[Listing, list[Any]]:
    """Feed answers in order; return the listing and the parameters that were asked."""
    outcome: Any
    state, outcome = pages.begin(
        Pages(
            peer="p",
            era=era,
            method="tools/list",
            member="tools",
            accept_missing_result_type=lenient,
        )
    )
    asked = []
    for answer in answers:
        assert isinstance(outcome, Ask)
        asked.append(outcome.params)
        wrapped = Result(1, answer) if isinstance(answer, dict) else answer
        state, outcome = pages.step(state, wrapped, 10.0)
    assert isinstance(outcome, Collected), "the walk wants more pages"
    return listing_of("p", outcome), asked


def names(listed: Listing) -> list[str]:
    return [tool.name for tool in listed.tools]


def test_all_pages_are_walked_and_the_empty_cursor_is_a_cursor() -> None:
    """Fault matrix C07; field case C01."""
    listed, asked = walk(page("a", "b", cursor=""), page("c", cursor="x"), page("d"))
    assert names(listed) == ["a", "b", "c", "d"]
    assert asked == [{}, {"cursor": ""}, {"cursor": "x"}]
    assert (listed.complete, listed.cache_scope, listed.ttl_ms) == (True, "public", 1000)


@pytest.mark.parametrize("cursors", [["x", "x"], ["a", "b", "a"], ["", ""]])
def test_a_cursor_that_comes_again_cuts_the_walk(cursors: list[str]) -> None:
    """Fault matrix C07; field case C02."""
    pages = [page(f"t{i}", cursor=cursor) for i, cursor in enumerate(cursors)]
    listed, _ = walk(*pages)
    assert (listed.complete, listed.dropped[0].rule) == (False, "LIST-05")
    assert len(listed.tools) == len(cursors)


def test_endless_fresh_cursors_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Field case C02: empty pages for ever."""
    monkeypatch.setattr(pages, "MAX_PAGES", 5)
    listed, asked = walk(*(page(cursor=f"c{i}") for i in range(5)))
    assert (listed.complete, len(asked)) == (False, 5)


def test_a_modern_page_without_result_type_rejects_the_list() -> None:
    """Fault matrix C01; seed skill, hard rejects."""
    value = page("a")
    del value["resultType"]
    listed, _ = walk(value)
    assert listed.failure is not None
    assert (names(listed), listed.failure.rule) == ([], "LIST-01")
    second, _ = walk(page("a", cursor="x"), value)
    assert (names(second), second.complete) == ([], False)


def test_a_missing_result_type_is_accepted_as_a_deviation_or_from_a_legacy_peer() -> None:
    """Fault matrix C01; design section 7.3."""
    value = page("a")
    del value["resultType"]
    assert names(walk(value, lenient=True)[0]) == ["a"]
    assert names(walk(value, era=Era.LEGACY)[0]) == ["a"]


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "bad"},
        {"name": "bad", "inputSchema": None},
        {"name": "bad", "inputSchema": []},
        {"name": "bad", "inputSchema": {"type": "array"}},
        {"name": "bad", "inputSchema": {}},
        {"name": "", "inputSchema": {"type": "object"}},
        {"name": 3, "inputSchema": {"type": "object"}},
        {"inputSchema": {"type": "object"}},
        {"name": "bad", "inputSchema": {"type": "object"}, "outputSchema": []},
        "bad",
        None,
    ],
)
def test_one_malformed_tool_is_dropped_alone(definition: Any) -> None:
    """Fault matrix C06; field case N15."""
    value = page("good")
    value["tools"].insert(0, definition)
    listed, _ = walk(value)
    assert (names(listed), [d.rule for d in listed.dropped]) == (["good"], ["LIST-03"])


def test_a_name_declared_twice_is_refused_and_the_others_stay() -> None:
    """Fault matrix C05."""
    listed, _ = walk(page("a", "twice", cursor="x"), page("twice", "b"))
    assert names(listed) == ["a", "b"]
    assert [(d.name, d.rule) for d in listed.dropped] == [("twice", "LIST-04")]


@pytest.mark.parametrize(
    ("pages", "scope", "ttl"),
    [
        ([{"cacheScope": "private"}], "private", 1000),
        ([{"cacheScope": "unheard of"}], "private", 1000),
        ([{"cacheScope": None}], "private", 1000),
        ([{"ttlMs": -5}], "public", 0),
        ([{"ttlMs": "1"}], "public", 0),
        ([{"ttlMs": True}], "public", 0),
        ([{}, {"cacheScope": "private", "ttlMs": 5}], "private", 5),
    ],
)
def test_the_hints_of_the_strictest_page_hold(
    pages: list[dict[str, Any]], scope: str, ttl: int
) -> None:
    """Field cases C03, C04, C05."""
    answers = [page(f"t{i}", **hints) for i, hints in enumerate(pages)]
    for i, answer in enumerate(answers[:-1]):
        answer["nextCursor"] = str(i)
    listed, _ = walk(*answers)
    assert (listed.cache_scope, listed.ttl_ms) == (scope, ttl)


@pytest.mark.parametrize(
    "value",
    [{"tools": {}}, {"tools": None}, {"tools": [], "nextCursor": 3}],
)
def test_a_page_of_the_wrong_shape_rejects_the_list(value: dict[str, Any]) -> None:
    """Spec: server/tools, listing."""
    listed, _ = walk({"resultType": "complete", **value})
    assert listed.failure is not None and listed.failure.rule == "LIST-02"


def test_an_error_or_a_lost_transport_leaves_no_list() -> None:
    """Ours: pages before a fault are no list."""
    listed, _ = walk(page("a", cursor="x"), ErrorReply(1, -32603, "no"))
    assert listed.failure is not None
    assert (names(listed), listed.failure.code) == ([], -32603)
    lost = Failure(kind=Kind.TOOK_TOO_LONG, detail="late")
    assert walk(lost)[0].failure == lost


@pytest.mark.parametrize(("mirrored", "kept"), [(True, ["good"]), (False, ["bad", "good"])])
def test_a_void_header_annotation_drops_its_tool_only_where_arguments_are_mirrored(
    mirrored: bool, kept: list[str]
) -> None:
    """Case H05; fault matrix C06: over HTTP that tool alone, elsewhere none."""
    annotated = {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
    bad = {"name": "bad", "inputSchema": annotated}
    outcome = listing_of("p", Collected(items=(bad, tool("good"))), mirrored=mirrored)
    assert names(outcome) == kept
    assert [one.rule for one in outcome.dropped] == ["LIST-07"] * mirrored
