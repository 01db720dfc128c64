"""A walk over the pages of any list."""

from typing import Any

import pytest

from workbench.core import pages
from workbench.core.errors import Failure, Kind
from workbench.core.pages import Ask, Collected, Pages
from workbench.core.wire.message import Result
from workbench.core.wire.versions import Era


def page(*items: Any, **extra: Any) -> Result:
    return Result(1, {"resultType": "complete", "prompts": list(items), **extra})


def walked(*answers: Any, era: Era = Era.MODERN) -> tuple[Collected, list[Any]]:
    state, outcome = pages.begin(Pages(peer="p", era=era, method="prompts/list", member="prompts"))
    end: Any = outcome
    asked = []
    for now, answer in enumerate(answers, start=10):
        assert isinstance(end, Ask)
        asked.append(end.params)
        state, end = pages.step(state, answer, float(now))
    assert isinstance(end, Collected)
    return end, asked


def test_items_of_all_pages_are_collected_unjudged() -> None:
    """Spec: server/utilities/pagination; "" is a cursor."""
    end, asked = walked(page(1, nextCursor=""), page("a", None, nextCursor=None))
    assert (end.items, end.complete, end.failure) == ((1, "a", None), True, None)
    assert asked == [{}, {"cursor": ""}]
    assert end.received_at == 10.0, "freshness counts from the first page"


def test_the_strictest_hints_hold() -> None:
    """Spec: server/utilities/caching."""
    end, _ = walked(
        page(ttlMs=500, cacheScope="public", nextCursor="x"), page(ttlMs=9, cacheScope="private")
    )
    assert (end.ttl_ms, end.cache_scope) == (9, "private")


@pytest.mark.parametrize("limit", ["MAX_PAGES", "MAX_ITEMS"])
def test_a_walk_without_end_is_cut_and_says_so(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Field case C02."""
    monkeypatch.setattr(pages, limit, 3)
    answers = [page(n, n, nextCursor=str(n)) for n in range(3 if limit == "MAX_PAGES" else 2)]
    end, _ = walked(*answers)
    assert (end.complete, end.cut[0].rule) == (False, "LIST-05")


def test_a_cursor_that_comes_again_cuts_the_walk() -> None:
    """Fault matrix C07."""
    end, _ = walked(page(1, nextCursor="x"), page(2, nextCursor="x"))
    assert (end.items, end.complete) == ((1, 2), False)


def test_a_page_that_comes_again_counts_once_when_the_walk_is_cut() -> None:
    """Fault matrix C07: the partial list holds what was seen; a whole list is left as it is."""
    end, _ = walked(
        page({"name": "a"}, True, nextCursor="x"), page({"name": "a"}, 1, nextCursor="x")
    )
    assert (end.items, end.complete) == (({"name": "a"}, True, 1), False)
    end, _ = walked(page(1, nextCursor="x"), page(1))
    assert (end.items, end.complete) == ((1, 1), True)


@pytest.mark.parametrize(
    "answer",
    [
        Result(1, {"resultType": "complete"}),
        Result(1, {"resultType": "complete", "prompts": {}}),
        page(nextCursor=3),
        Result(1, {"prompts": []}),
        Result(1, {"resultType": "input_required", "requestState": "s"}),
        Failure(kind=Kind.TOOK_TOO_LONG, detail="late"),
    ],
)
def test_a_faulty_page_leaves_no_list(answer: Any) -> None:
    """Spec: a server must not ask for input when it lists."""
    end, _ = walked(page(1, nextCursor="x"), answer)
    assert (end.complete, end.failure is not None) == (False, True)


def test_a_legacy_page_owes_no_result_type() -> None:
    """Seed lesson."""
    end, _ = walked(Result(1, {"prompts": [1]}), era=Era.LEGACY)
    assert (end.items, end.cache_scope, end.ttl_ms) == ((1,), "private", 0)
