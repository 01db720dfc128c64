"""Field cases about pages, lifetimes and who may see a list that was kept."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import pytest
from aiohttp import web
from cased import LIMIT_S, PATIENT, told
from desk import Desk, Visit
from driven import driven, turns

from fakes import Fake, answer_default, modern, notify, on, reply
from workbench import AsyncMultiServerClient, ManualClock, PeerConfig
from workbench.core.errors import ProtocolViolation

HINTS: Final = {"resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "private"}
CHANGED: Final = "notifications/tools/list_changed"


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


def page(cursor: Any, *names: str) -> Any:
    """Return a page of tools; a cursor of None ends the list."""
    more = {} if cursor is None else {"nextCursor": cursor}
    return reply({**HINTS, "tools": [tool(name) for name in names], **more})


def asked(fake: Fake, method: str = "tools/list") -> int:
    return fake.methods().count(method)


Looked = tuple[tuple[str, ...], Any]


def looked(fake: Fake, looks: int = 1, **settings: Any) -> Looked:
    """List so often, and return the menu and the row of the report."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Looked:
        await driven(client.connect_all(), clock)
        for _ in range(looks):
            await driven(client.discover_tools(), clock)
        menu = client.merge()
        return menu.names, client.report().peers[0]

    return told(story, {"peer": fake}, **settings)


def test_C01_an_empty_cursor_is_a_cursor_and_no_loop() -> None:
    """Fault matrix C07: page 2 may stand behind it; the same page for ever is cut."""
    first = on("tools/list").where_absent("cursor").then(page("", "one"))
    second = on("tools/list").where(cursor="").then(page(None, "two"))
    peer = modern("peer").script(first, second)
    names, row = looked(peer, looks=2)
    assert (names, row.dropped, asked(peer)) == (("one", "two"), (), 2), "whole, and kept"
    circle = modern("peer").script(on("tools/list").then(page("", "one")))
    names, row = looked(circle)
    assert names == ("one",) and asked(circle) == 2
    assert [one.rule for one in row.dropped] == ["LIST-05"]


def constant() -> Fake:
    return modern("peer").script(on("tools/list").then(page("again", "one", "two")))


def two_in_turn() -> Fake:
    to_b = on("tools/list").where(cursor="A").then(page("B", "two"))
    to_a = on("tools/list").then(page("A", "one"))
    return modern("peer").script(to_b, to_a)


@pytest.mark.parametrize("make", [constant, two_in_turn])
def test_C02_a_cursor_that_leads_nowhere_is_followed_once(make: Callable[[], Fake]) -> None:
    """Rule LIST-05: a list that was cut is used, says so, and is not kept."""
    peer = make()
    names, row = looked(peer)
    assert set(names) == {"one", "two"} and asked(peer) <= 4
    assert [one.rule for one in row.dropped] == ["LIST-05"]
    once, anew = asked(peer), make()
    looked(anew, looks=2)
    assert asked(anew) == 2 * once, "not kept"


def test_C02_fresh_cursors_for_ever_end_at_the_bound() -> None:
    """Rule LIST-05: also where no cursor comes twice and no page holds anything."""

    async def endless(visit: Visit) -> web.StreamResponse:
        if visit.message["method"] == "server/discover":
            return visit.json(visit.reply({**HINTS, "supportedVersions": ["2026-07-28"],
                                           "capabilities": {"tools": {}}}))  # fmt: skip
        fresh = f"page-{len(visit_count)}"
        visit_count.append(fresh)
        return visit.json(visit.reply({**HINTS, "tools": [], "nextCursor": fresh}))

    visit_count: list[str] = []

    async def story() -> Any:
        async with Desk(endless) as desk, AsyncMultiServerClient() as client:
            async with asyncio.timeout(LIMIT_S):
                client.add_server("peer", PeerConfig(name="peer", url=desk.url), **PATIENT)
                await client.connect_all()
                await client.discover_tools()
            return client.report().peers[0], len(client.cache)

    row, kept = asyncio.run(story())
    assert len(visit_count) == 1_000
    assert [one.rule for one in row.dropped] == ["LIST-05"] and kept == 0


MISSING: Final = {
    "neither": answer_default(without=("ttlMs", "cacheScope")),
    "only a lifetime": answer_default(without=("cacheScope",)),
    "only a scope": answer_default(without=("ttlMs",)),
    "both null": answer_default(patch={"ttlMs": None, "cacheScope": None}),
}


@pytest.mark.parametrize("how", MISSING)
def test_C03_missing_hints_cost_no_tool(how: str) -> None:
    """Rules of the cache: no lifetime means none, no scope means private."""
    peer = modern("peer", tools=["t"]).script(on("tools/list").then(MISSING[how]))
    names, row = looked(peer, looks=2)
    assert names == ("t",)
    assert asked(peer) == (1 if how == "only a lifetime" else 2)
    assert row.cache_scope == ("public" if how == "only a scope" else "private")


@pytest.mark.parametrize("ttl_ms", [0, None])
def test_C05_zero_is_stale_at_once_and_so_is_nothing(ttl_ms: int | None) -> None:
    """Zero is a number like any other, and no default stands in for a hint that is missing."""
    hint = answer_default(patch={"ttlMs": 0}) if ttl_ms == 0 else answer_default(without=("ttlMs",))
    peer = modern("peer", tools=["t"]).script(on("tools/list").then(hint))
    assert looked(peer, looks=2)[0] == ("t",)
    assert asked(peer) == 2


@pytest.mark.parametrize(("later_ms", "lists"), [(999, 1), (1_000, 2), (1_001, 2)])
def test_C06_a_lifetime_is_kept_to_the_millisecond(later_ms: int, lists: int) -> None:
    """Rule of the cache: looked at on each use; nothing is polled meanwhile."""
    peer = modern("peer", tools=["t"], list_ttl_ms=1_000)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        clock.advance(later_ms / 1_000)
        await turns()
        assert asked(peer) == 1
        await driven(client.discover_tools(), clock)

    told(story, {"peer": peer})
    assert asked(peer) == lists


def test_C06_a_wall_clock_that_is_set_back_makes_no_list_fresher(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The client counts on a clock that only goes forward, whatever the date is set to."""
    monkeypatch.setattr(time, "time", lambda: 0.0)
    peer = modern("peer", tools=["t"], list_ttl_ms=1)

    async def story() -> None:
        async with AsyncMultiServerClient() as client:
            client.add_server("peer", peer)
            await client.connect_all()
            await client.discover_tools()
            await asyncio.to_thread(threading.Event().wait, 0.01)
            await client.discover_tools()

    asyncio.run(story())
    assert asked(peer) == 2


class Offers:
    """A server that has one more tool for whoever brings token B."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self.lists: list[str] = []

    async def __call__(self, visit: Visit) -> web.StreamResponse:
        token = visit.headers.get("authorization", "").removeprefix("Bearer ")
        if visit.message["method"] == "server/discover":
            return visit.json(visit.reply({**HINTS, "supportedVersions": ["2026-07-28"],
                                           "capabilities": {"tools": {}}}))  # fmt: skip
        self.lists.append(token)
        names = ["plain", "secret"] if token == "token-b" else ["plain"]
        result = {**HINTS, "cacheScope": self.scope, "tools": [tool(name) for name in names]}
        return visit.json(visit.reply(result))


@pytest.mark.parametrize("scope", ["private", "public"])
def test_C07_what_one_credential_may_see_is_not_served_under_another(scope: str) -> None:
    """Hard reject 6: two users of one address, and one peer whose token is exchanged."""
    offers = Offers(scope)
    tokens = ["token-b"]

    async def story() -> list[Any]:
        seen: list[Any] = []
        async with Desk(offers) as desk, AsyncMultiServerClient() as client:
            for who in ("ann", "bob"):
                config = PeerConfig(
                    name=who, url=desk.url, headers={"Authorization": f"Bearer token-{who[0]}"}
                )
                client.add_server(who, config, auth_context=who, **PATIENT)
            config = PeerConfig(name="turns", url=desk.url)
            client.add_server("turns", config, authorization=lambda: tokens[-1], **PATIENT)
            await client.connect_all()
            listings = await client.discover_tools()
            seen.append({name: sorted(t.name for t in one.tools) for name, one in listings.items()})
            tokens.append("token-a")
            client.switch_context("turns", "somebody else")
            listings = await client.discover_tools()
            seen.append(sorted(t.name for t in listings["turns"].tools))
        return seen

    first, after = asyncio.run(story())
    assert first == {
        "ann": ["plain"],
        "bob": ["plain", "secret"],
        "turns": ["plain", "secret"],
    }
    assert after == ["plain"]
    assert sorted(offers.lists) == ["token-a", "token-a", "token-b", "token-b"]


def test_C09_a_change_that_reading_itself_announces_is_read_ever_less_often() -> None:
    """Rule SUB-08: the loop is bounded, and the journal says so."""
    noisy = on("tools/list").then(answer_default(), notify(CHANGED, {}, listeners=True))
    peer = modern("peer", tools=["t"], list_changed=True).script(noisy)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> list[str | None]:
        handle = await driven(client.listen("peer"), clock)
        await driven(client.discover_tools(), clock)
        await driven(handle.wait_for(lambda _: False, 600.0), clock)
        return [entry.rule for entry in client.journal.entries()]

    assert "SUB-08" in told(story, {"peer": peer})
    assert 10 <= asked(peer) <= 30, "ten minutes"


def test_C09_a_thousand_announcements_at_once_are_one_or_two_readings() -> None:
    """Rule SUB-08: at most one reading runs, and one more waits."""
    storm = on("tools/call").then(
        notify(CHANGED, {}, listeners=True, times=1_000), answer_default()
    )
    peer = modern("peer", tools=["t"], list_changed=True).script(storm)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> int:
        await driven(client.listen("peer"), clock)
        await driven(client.call("t"), clock)
        before = asked(peer)
        await turns(400)
        await driven(client.discover_tools(), clock)
        return before

    before = told(story, {"peer": peer})
    assert before <= 2 and asked(peer) <= before + 3


STEPS: Final = ("server/discover", "tools/list", "tools/call")


@pytest.mark.parametrize("accepted", [False, True])
@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("kind", ["missing", "done", None])
def test_C12_a_modern_result_without_a_known_type_is_no_result(
    kind: str | None, method: str, accepted: bool
) -> None:
    """Hard reject 8; only a missing one may be accepted, by name, and the report shows it."""
    wrong = (
        answer_default(without=("resultType",))
        if kind == "missing"
        else answer_default(patch={"resultType": kind})
    )
    peer = modern("peer", tools=["t"]).script(on(method).then(wrong))

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        row, names, violated = client.report().peers[0], client.merge().names, False
        if names:
            try:
                await driven(client.call("t"), clock)
            except ProtocolViolation:
                violated = True
        return row, names, violated, client.report().peers[0].deviations

    row, names, violated, deviations = told(
        story, {"peer": peer}, accept_missing_result_type=accepted
    )
    if accepted and kind == "missing":
        assert (row.status, names, violated) == ("ready", ("t",), False) and deviations
        return
    expected = {
        "server/discover": ("unavailable", (), False),
        "tools/list": ("ready", (), False),
        "tools/call": ("ready", ("t",), True),
    }
    assert (row.status, names, violated) == expected[method]
    if method != "tools/call":
        assert row.rule in ("ERA-16", "ERA-17", "LIST-01", "LIST-02", "CALL-02"), row
