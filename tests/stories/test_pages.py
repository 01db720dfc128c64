"""Pages with lifetimes of their own, on every way to a peer."""

from pathlib import Path

import pytest
from paged import asked, page, paged
from places import WAYS, Place, Way, tell
from skipping import SkippingClock

from fakes import error

ONE = page("a", nextCursor="2", cacheScope="public", ttlMs=3_600_000)


async def names(place: Place) -> list[str]:
    (listed,) = (await place.client.discover_tools()).values()
    return [tool.name for tool in listed.tools]


@pytest.mark.parametrize("way", WAYS)
def test_an_expired_page_alone_is_fetched_again(way: Way, tmp_path: Path) -> None:
    """Spec: server/utilities/caching, "Interaction with Pagination"."""
    clock = SkippingClock()

    async def story(place: Place) -> None:
        await place.listed()
        clock.skip(61)
        assert await names(place) == ["a", "b"]
        assert asked(place.received()) == ["1", "2", "2"]
        assert [one.fresh for one in place.client.cache.answers] == [True, True]

    tell(story, way, {"peer": paged(ONE, page("b"))}, tmp_path, clock=clock)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", ["refused", "changed"])
def test_a_chain_that_is_broken_is_walked_from_its_beginning(
    fault: str, way: Way, tmp_path: Path
) -> None:
    """Rule CACHE-08."""
    clock = SkippingClock()
    second = {"refused": error(-32602, "unknown cursor"), "changed": page("x", nextCursor="3")}
    peer = paged(
        [ONE, page("y") if fault == "refused" else ONE],
        [page("b"), second[fault]],
        page("z"),
    )

    async def story(place: Place) -> None:
        await place.listed()
        clock.skip(61)
        refused = fault == "refused"
        assert await names(place) == (["y"] if refused else ["a", "x", "z"])
        pages = ["1", "2", "2", "1"] if refused else ["1", "2", "2", "1", "2", "3"]
        assert asked(place.received()) == pages
        assert "CACHE-08" in {entry.rule for entry in place.client.journal.entries("peer")}

    tell(story, way, {"peer": peer}, tmp_path, clock=clock)


@pytest.mark.parametrize("way", WAYS)
def test_a_mixed_list_is_private_where_its_pages_are(way: Way, tmp_path: Path) -> None:
    """Fault matrix M09; rules CACHE-01 and CACHE-02, page by page."""

    async def story(place: Place) -> None:
        await place.listed()
        place.client.switch_context("peer", "bob")
        assert await names(place) == ["a", "b"]
        assert asked(place.received()) == ["1", "2", "2"]
        kept = [(one.auth_context, one.shared) for one in place.client.cache.answers]
        assert kept == [("", False), ("bob", False), ("", True)]
        assert place.row().cache_scope == "private"

    tell(story, way, {"peer": paged(ONE, page("b"))}, tmp_path, share_public=True)
