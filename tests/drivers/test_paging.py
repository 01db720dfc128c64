"""Pages of a list as entries of their own."""

import asyncio
from typing import Any

import pytest
from driven import driven
from paged import asked, page, paged

from fakes import Fake, delay, error, notify, silence
from workbench import AsyncMultiServerClient, ManualClock
from workbench.drivers import paging

CHANGED = "notifications/tools/list_changed"


class Told:
    """A client with one peer, on a clock that is moved by hand."""

    def __init__(self, peer: Fake, **options: Any) -> None:
        self.peer = peer
        self.clock = ManualClock()
        self.client = AsyncMultiServerClient(clock=self.clock, **options)
        self.client.add_server("peer", peer, auth_context="ann")

    async def names(self, after_s: float = 0.0) -> tuple[str, ...]:
        """List after some time and return the tools' names."""
        self.clock.advance(after_s)
        if not self.client._pool.ready:
            await driven(self.client.connect_all(), self.clock)
        listed = (await driven(self.client.discover_tools(), self.clock))["peer"]
        self.failure = listed.failure
        self.listed = listed
        return tuple(tool.name for tool in listed.tools)

    def asked(self) -> str:
        """Return which pages were asked for since the last time."""
        pages = "".join(asked(self.peer.received))
        self.peer.received.clear()
        return pages

    def cached(self) -> list[tuple[str, str, int]]:
        """Return what is kept: parameters, scope and lifetime of each page."""
        return [(one.params, one.scope, one.ttl_ms) for one in self.client.cache.answers]

    def rules(self) -> list[str | None]:
        return [entry.rule for entry in self.client.journal.entries("peer")]


def run(told: Told, story: Any) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(10):
            try:
                await story(told)
            finally:
                await driven(told.client.aclose(), told.clock)

    asyncio.run(bounded())


def test_an_expired_page_alone_is_asked_for_again() -> None:
    """Spec: caching: each page has its own lifetime, and is fetched by its cursor."""
    peer = paged(
        page("a", nextCursor="2"),
        page("b", nextCursor="3", ttlMs=1_000),
        page("c", ttlMs=3_600_000, cacheScope="public"),
    )

    async def story(told: Told) -> None:
        assert await told.names() == ("a", "b", "c")
        assert (told.asked(), told.listed.ttl_ms) == ("123", 1_000)
        assert told.cached() == [
            ('{"cursor":"2"}', "private", 1_000),
            ('{"cursor":"3"}', "public", 3_600_000),
            ("{}", "private", 60_000),
        ]
        first = told.listed
        for after_s, pages in ((0.999, ""), (0.001, "2"), (1.0, "2"), (58.0, "12"), (1.0, "2")):
            assert await told.names(after_s) == ("a", "b", "c")
            assert told.asked() == pages
        assert told.listed.tools == first.tools and "CACHE-08" not in told.rules()
        frame = told.client.cache.to_frame()
        assert list(frame["params"]) == ['{"cursor":"2"}', '{"cursor":"3"}', "{}"]

    run(Told(peer), story)


@pytest.mark.parametrize(
    ("hint", "lives"), [(-5, False), (None, False), (0, False), ("9", False), (10**40, True)]
)
def test_a_page_lives_by_its_own_hint_whatever_the_others_say(hint: Any, lives: bool) -> None:
    """Rule CACHE-03: negative, absent, meaningless and huge hints, page by page."""
    peer = paged(page("a", nextCursor="2"), page("b", ttlMs=hint, nextCursor="3"), page("c"))

    async def story(told: Told) -> None:
        for pages in ("123", "" if lives else "2"):
            assert await told.names() == ("a", "b", "c")
            assert told.asked() == pages
        assert len(told.cached()) == (3 if lives else 2)
        if lives:
            assert {one[0]: one[2] for one in told.cached()}['{"cursor":"2"}'] == 2_592_000_000
            assert await told.names(61.0) == ("a", "b", "c")
            assert told.asked() == "13", "after a minute the middle page is as fresh as ever"

    run(Told(peer), story)


def test_a_page_whose_cursor_has_changed_begins_the_list_anew() -> None:
    """Rule CACHE-08: the chain is broken, so what hung on it is dropped."""
    peer = paged(
        page("a", nextCursor="2"),
        [page("b", nextCursor="3", ttlMs=1_000), page("b", nextCursor="4", ttlMs=1_000)],
        page("c"),
        page("d"),
    )

    async def story(told: Told) -> None:
        assert await told.names() == ("a", "b", "c")
        assert await told.names(1.0) == ("a", "b", "d")
        assert told.asked() == "123" + "2" + "124"
        assert [params for params, _, _ in told.cached()] == [
            '{"cursor":"2"}',
            '{"cursor":"4"}',
            "{}",
        ]
        (why,) = (e for e in told.client.journal.entries("peer") if e.rule == "CACHE-08")
        assert (why.what, why.detail) == (
            "tools/list: all pages are read anew",
            "page 2 has changed; 2 pages dropped",
        )
        assert await told.names() == ("a", "b", "d")
        assert told.asked() == ""

    run(Told(peer), story)


def test_a_tool_that_moved_between_pages_is_neither_lost_nor_declared_twice() -> None:
    """Rule CACHE-08: gaps and doubles come of mixing two states of a list."""
    peer = paged(
        [page("a", "b", nextCursor="2"), page("new", "a", nextCursor="2")],
        [page("c", ttlMs=1_000), page("b", "c", ttlMs=1_000)],
    )

    async def story(told: Told) -> None:
        assert await told.names() == ("a", "b", "c")
        assert await told.names(1.0) == ("new", "a", "b", "c")
        assert told.asked() == "12" + "2" + "12"
        assert told.listed.dropped == ()

    run(Told(peer), story)


def test_a_cursor_that_is_refused_begins_the_list_anew() -> None:
    """Spec: a cursor that has become invalid: discard all pages and begin again."""
    no = error(-32602, "unknown cursor")
    peer = paged(
        [page("a", nextCursor="2"), page("a2")],
        [page("b", ttlMs=1_000), no],
    )

    async def story(told: Told) -> None:
        assert await told.names() == ("a", "b")
        assert await told.names(1.0) == ("a2",)
        assert (told.asked(), told.failure) == ("12" + "2" + "1", None)
        assert told.cached() == [("{}", "private", 60_000)]

    run(Told(peer), story)


def test_a_change_that_is_announced_drops_every_page() -> None:
    """Rule CACHE-04: fresh or not."""
    peer = paged(page("a", nextCursor="2"), page("b", ttlMs=3_600_000))

    async def story(told: Told) -> None:
        await told.names()
        peer.say(notify(CHANGED, {}))
        assert told.cached() == []
        assert await told.names() == ("a", "b")
        assert told.asked() == "12" + "12"

    run(Told(peer), story)


def test_a_page_that_was_asked_for_before_a_change_is_not_kept() -> None:
    """Rule CACHE-04, the write-back race, page by page: the later page is new."""
    second = page("b", nextCursor="3")
    peer = paged(page("a", nextCursor="2"), [(notify(CHANGED, {}), second), second], page("c"))

    async def story(told: Told) -> None:
        assert await told.names() == ("a", "b", "c")
        # The second page was on its way when the change was announced; the third was not.
        assert told.cached() == [('{"cursor":"3"}', "private", 60_000)]
        assert told.rules().count("CACHE-04") >= 2
        assert await told.names() == ("a", "b", "c")
        assert told.asked() == "123" + "12"

    run(Told(peer), story)


def test_each_page_crosses_contexts_by_its_own_scope() -> None:
    """Rules CACHE-01 and CACHE-02: a mixed list shares its public pages, where allowed."""
    peer = paged(page("a", nextCursor="2", cacheScope="public"), page("b"))

    async def story(told: Told) -> None:
        sharing = told.client._pool.cache._share_public
        await told.names()
        assert told.asked() == "12"
        told.client.switch_context("peer", "bob")
        assert await told.names() == ("a", "b")
        assert told.asked() == ("2" if sharing else "12")
        rows = {(one.params, one.auth_context, one.shared) for one in told.client.cache.answers}
        private = {('{"cursor":"2"}', "ann", False), ('{"cursor":"2"}', "bob", False)}
        assert private <= rows
        assert (("{}", "ann", True) in rows) == sharing
        assert told.listed.cache_scope == "private"
        told.client.switch_context("peer", "ann")
        await told.names()
        assert told.asked() == ""

    for share_public in (True, False):
        run(Told(peer, share_public=share_public), story)
        peer = paged(page("a", nextCursor="2", cacheScope="public"), page("b"))


def test_a_shared_page_another_context_has_fetched_anew_is_noticed() -> None:
    """Rule CACHE-08: what is shared may be newer than what is private."""
    peer = paged(
        [
            page("a", nextCursor="2", cacheScope="public", ttlMs=1_000),
            page("a", "x", nextCursor="2", cacheScope="public"),
        ],
        [page("x", "b"), page("b")],
    )

    async def story(told: Told) -> None:
        assert await told.names() == ("a", "x", "b")
        told.client.switch_context("peer", "bob")
        assert await told.names(1.0) == ("a", "x", "b")
        told.client.switch_context("peer", "ann")
        assert await told.names() == ("a", "x", "b")
        assert told.listed.dropped == ()
        assert told.asked() == "12" + "12" + "12"

    run(Told(peer, share_public=True), story)


def test_an_old_page_stands_in_and_the_peer_is_not_asked_for_the_rest() -> None:
    """Rule CACHE-07: one deadline, not one for each page; nothing old is written back."""
    short = {"ttlMs": 1_000}
    peer = paged(
        [page("a", nextCursor="2", **short), silence()],
        [page("b", nextCursor="3", **short), silence()],
        page("c"),
    )

    async def story(told: Told) -> None:
        await told.names()
        told.asked()
        assert await told.names(2.0) == ("a", "b", "c")
        assert told.asked() == "1"
        assert told.listed.stale.startswith("page 1 of the list is 32000 ms old: tools/list got")
        assert told.client.report().peers[0].deviations[0] == told.listed.stale
        await told.names()
        assert told.asked() == "1", "a list that stood in is no news"
        await told.names(600.0)
        assert told.failure is not None

    run(Told(peer, stale_if_error_s=120), story)


def test_a_page_that_did_arrive_is_kept_although_another_had_to_stand_in() -> None:
    """Rule CACHE-08: each page is an answer of its own."""
    short = {"ttlMs": 1_000}
    peer = paged(page("a", nextCursor="2", ttlMs=600_000), [page("b", **short), silence()])
    short_first = paged(
        [page("a", nextCursor="2", **short), page("a", nextCursor="2", ttlMs=600_000)],
        [page("b", **short), silence()],
    )

    async def story(told: Told) -> None:
        await told.names()
        assert await told.names(2.0) == ("a", "b")
        assert told.listed.stale.startswith("page 2 of the list is 32000 ms old")
        lifetimes = [ttl_ms for params, _, ttl_ms in told.cached() if params == "{}"]
        assert lifetimes == [600_000]

    for one in (peer, short_first):
        run(Told(one, stale_if_error_s=120), story)


def test_a_list_that_fails_halfway_leaves_nothing_behind() -> None:
    """Rule CACHE-05: pages before a fault are no list."""
    peer = paged(page("a", nextCursor="2"), [error(-32603, "no"), page("b")])

    async def story(told: Told) -> None:
        assert await told.names() == ()
        assert told.cached() == [] and told.failure is not None
        assert await told.names() == ("a", "b")
        assert told.asked() == "12" + "12"

    run(Told(peer), story)


def test_many_who_ask_share_one_walk_and_one_judgement() -> None:
    """Fault matrix C08: at most one refetch running."""
    peer = paged(page("a", nextCursor="2"), (delay(0.5), page("b", ttlMs=1_000)))

    async def story(told: Told) -> None:
        await told.names()
        told.asked()
        told.clock.advance(1.0)
        both = asyncio.gather(*(told.client.discover_tools() for _ in range(5)))
        listed = await driven(asyncio.wait_for(both, None), told.clock)
        assert told.asked() == "2"
        assert len({id(one["peer"]) for one in listed}) == 1
        again = await driven(told.client.discover_tools(), told.clock)
        assert again["peer"] is listed[0]["peer"], "fresh pages are not judged again"

    run(Told(peer), story)


def test_what_is_remembered_to_notice_changes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design section 7.9: everything is bounded."""
    monkeypatch.setattr(paging, "REMEMBERED", 2)

    async def story(told: Told) -> None:
        for context in ("ann", "bob", "eve"):
            told.client.switch_context("peer", context)
            await told.names()
        assert [place[2] for place in told.client._pool._paging._seen] == ["bob", "eve"]

    run(Told(paged(page("a"))), story)


def test_a_callers_edit_reaches_nobody_else() -> None:
    """Ours: copies out; also what has just been fetched, and what is never kept."""
    peer = paged(page("a", ttlMs=0))

    async def story(told: Told) -> None:
        for _ in range(2):
            await told.names()
            with pytest.raises(TypeError, match="read-only"):
                told.listed.tools[0].definition["inputSchema"]["type"] = "array"
        assert told.client.merge().names == ("a",)

    run(Told(peer), story)
