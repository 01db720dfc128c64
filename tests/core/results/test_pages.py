"""A walk over the pages of any list."""

from typing import Any

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.results import pages
from workbench.core.results.pages import Ask, Collected, Page, Pages
from workbench.core.wire.message import ErrorReply, Result
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


def named(*names: str, **extra: Any) -> dict[str, Any]:
    prompts = [{"name": name} for name in names]
    return {"resultType": "complete", "prompts": prompts, "ttlMs": 9, **extra}


ONE, TWO, THREE = named("a", nextCursor="2"), named("b", nextCursor="3"), named("c")
BEFORE = tuple(
    Page(params=params, value=value, received_at=1.0)
    for params, value in (({}, ONE), ({"cursor": "2"}, TWO), ({"cursor": "3"}, THREE))
)


class Walked:
    """A walk, and what it was answered: a kept page, a fetched one, or a failure.

    Args:
        before: the list as it was seen last.
    """

    def __init__(self, before: tuple[Page, ...] = BEFORE) -> None:
        self.end: Any
        wanted = Pages(
            peer="p", era=Era.MODERN, method="prompts/list", member="prompts", before=before
        )
        self.walk, self.end = pages.begin(wanted)
        self.asked: list[Any] = []

    def kept(self, value: dict[str, Any], lost: Failure | None = None) -> "Walked":
        assert isinstance(self.end, Ask) and self.end.kept_will_do
        self.walk, self.end = pages.reuse(self.walk, value, 1.0, lost)
        return self

    def fetched(self, value: Any) -> "Walked":
        assert isinstance(self.end, Ask)
        self.asked.append(self.end.params.get("cursor"))
        answer = Result(1, value) if isinstance(value, dict) else value
        self.walk, self.end = pages.step(self.walk, answer, 5.0, generation=7)
        return self

    @property
    def names(self) -> list[str]:
        assert isinstance(self.end, Collected)
        return [item["name"] for item in self.end.items]


def test_a_page_that_was_fetched_again_and_says_the_same_joins_those_that_were_kept() -> None:
    """Spec: caching, "Interaction with Pagination": an expired page alone is fetched."""
    longer = {**TWO, "ttlMs": 50, "cacheScope": "public"}
    walked = Walked().kept(ONE).fetched(longer).kept(THREE)
    assert (walked.asked, walked.names, walked.walk.anew) == (["2"], ["a", "b", "c"], "")
    assert [(p.kept, p.generation) for p in walked.end.pages] == [(True, 0), (False, 7), (True, 0)]
    assert walked.end.received_at == 1.0, "the oldest page"
    assert (walked.end.ttl_ms, walked.end.cache_scope) == (9, "private")


@pytest.mark.parametrize(
    "other",
    [named("b", nextCursor="new"), named("x", nextCursor="3"), named("b"), named(nextCursor="3")],
    ids=["another cursor", "another item", "no cursor", "fewer items"],
)
def test_a_page_that_says_something_else_begins_the_list_anew(other: dict[str, Any]) -> None:
    """Ours: pages of two states of a list are not put together."""
    walked = Walked().kept(ONE).fetched(other)
    assert walked.end == Ask({}, kept_will_do=False)
    assert walked.walk.anew == "page 2 has changed"
    walked.fetched(ONE).fetched(other)
    if "nextCursor" in other:
        walked.fetched(THREE)
    assert walked.asked[:3] == ["2", None, "2"]
    assert isinstance(walked.end, Collected) and walked.end.complete
    assert not any(page.kept for page in walked.end.pages)


def test_a_change_before_any_kept_page_needs_no_second_reading_of_it() -> None:
    """Ours: what follows is fetched too, but nothing twice."""
    walked = Walked().fetched(named("new", nextCursor="2"))
    assert walked.end == Ask({"cursor": "2"}, kept_will_do=False)
    walked.fetched(TWO).fetched(THREE)
    assert (walked.asked, walked.names) == ([None, "2", "3"], ["new", "b", "c"])


def test_a_list_of_one_page_has_nothing_to_be_read_anew() -> None:
    """Ours."""
    only = (Page(params={}, value=THREE, received_at=1.0),)
    assert Walked(only).fetched(named("d")).walk.anew == ""
    assert Walked(only).kept(named("d")).walk.anew == ""


def test_a_kept_page_that_somebody_else_has_fetched_counts_as_changed() -> None:
    """Ours: a public page is shared, the private ones behind it are not."""
    walked = Walked().kept(named("shared", nextCursor="2"))
    assert walked.end == Ask({}, kept_will_do=False)


def test_a_cursor_that_is_refused_begins_the_list_anew_once() -> None:
    """Spec: a client should discard all cached pages and begin again without a cursor."""
    refused = ErrorReply(1, -32602, "no such cursor")
    walked = Walked().kept(ONE).fetched(refused)
    assert walked.end == Ask({}, kept_will_do=False)
    assert "no such cursor" in walked.walk.anew
    walked.fetched(ONE).fetched(refused)
    assert isinstance(walked.end, Collected)
    assert walked.end.failure is not None and walked.end.failure.code == -32602
    fresh = Walked(()).fetched(ONE).fetched(refused)
    assert isinstance(fresh.end, Collected), "with nothing kept there is nothing to discard"


def test_the_same_thing_on_two_pages_of_different_times_begins_the_list_anew() -> None:
    """Ours: it has moved from one page to another; that is no second declaration."""
    walked = Walked(()).kept(ONE).kept(TWO).fetched(named("b", "c"))
    assert walked.end == Ask({}, kept_will_do=False)
    walked.fetched(ONE).fetched(TWO).fetched(named("b", "c"))
    assert walked.names == ["a", "b", "b", "c"], "a peer that says so twice is told so"
    kept = Walked(()).kept(ONE).kept(named("a"))
    assert isinstance(kept.end, Collected), "nothing was fetched, so nothing is known to be new"


def test_a_circle_through_kept_pages_is_walked_anew_before_it_is_cut() -> None:
    """Fault matrix C07: what looks like a circle may be two lists."""
    back = named("c", nextCursor="2")
    walked = Walked(()).kept(ONE).kept(TWO).fetched(back)
    assert walked.end == Ask({}, kept_will_do=False)
    walked.fetched(ONE).fetched(TWO).fetched(back)
    assert (walked.end.complete, walked.end.cut[0].rule) == (False, "LIST-05")


def test_after_a_loss_old_pages_stand_in_for_the_rest() -> None:
    """Rule CACHE-07: a peer that does not answer is not asked for every page."""
    late = Failure(kind=Kind.TOOK_TOO_LONG, detail="late")
    walked = Walked()
    walked.walk = pages.stood_in(walked.walk, "first reason")
    walked.kept(ONE, late)
    walked.walk = pages.stood_in(walked.walk, "second reason")
    walked.kept(TWO).kept(THREE, late)
    assert walked.walk.lost is late
    assert (walked.names, walked.end.stale) == (["a", "b", "c"], "first reason")


@pytest.mark.parametrize("cut", ["MAX_PAGES", "MAX_ITEMS"])
def test_no_walk_begins_anew_for_ever(cut: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a list that changes with every page is read anew once."""
    monkeypatch.setattr(pages, cut, 2)
    walked = Walked().kept(ONE).fetched(named("x", nextCursor="y"))
    for number in range(5):
        if isinstance(walked.end, Ask):
            walked.fetched(named(f"n{number}", nextCursor=f"c{number}"))
    assert isinstance(walked.end, Collected) and not walked.end.complete


def test_what_is_fetched_is_read_only() -> None:
    """Ours: what one caller edits, no other may see."""
    walked = Walked(()).fetched(named("a"))
    with pytest.raises(TypeError, match="read-only"):
        walked.end.items[0]["name"] = "b"
