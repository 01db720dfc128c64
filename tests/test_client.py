"""The asynchronous client, over links in memory."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from driven import driven, turns

from fakes import (
    Fake,
    answer_default,
    close,
    delay,
    error,
    legacy,
    modern,
    notify,
    on,
    silence,
    silent,
)
from workbench import AsyncMultiServerClient, ManualClock, PeerConfig
from workbench.core.errors import (
    MisuseError,
    OutcomeUnknown,
    PeerAway,
    Refused,
    TookTooLong,
    UnknownName,
)


async def prepared(clock: Any = None, **peers: Fake) -> AsyncMultiServerClient:
    client = AsyncMultiServerClient(clock=clock)
    for name, fake in peers.items():
        client.add_server(name, fake)
    await client.connect_all()
    await client.discover_tools()
    client.merge()
    return client


def story(work: Coroutine[Any, Any, Any]) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(10):
            return await work

    return asyncio.run(bounded())


def test_a_call_goes_to_the_owner_under_its_local_name() -> None:
    """Seed lesson: routing is a pure look-up."""

    async def work() -> None:
        one, two = modern("one", tools=["search"]), modern("two", tools=["search", "x"])
        async with await prepared(one=one, two=two) as client:
            result = await client.call("two/search", {"q": "hi"})
        assert result.text == 'search: {"q":"hi"}'
        assert (result.peer, result.tool) == ("two", "search")
        (sent,) = [b for b in two.received if b["method"] == "tools/call"]
        assert sent["params"]["name"] == "search"
        assert "tools/call" not in one.methods()

    story(work())


def test_the_first_call_does_the_whole_pipeline() -> None:
    """Ours: a script of three lines works."""

    async def work() -> None:
        async with AsyncMultiServerClient() as client:
            client.add_server("notes", modern("notes", tools=["search"]))
            assert client.menu is None
            assert (await client.call("search")).is_error is False

    story(work())


def test_an_alias_routes_to_its_tool() -> None:
    """Design section 7.5: model-safe aliases are reversible."""

    async def work() -> None:
        async with await prepared(db=modern("db", tools=["db.query"])) as client:
            assert client.menu is not None
            (item,) = client.menu.items
            assert item.alias != "db.query"
            assert (await client.call(item.alias)).tool == "db.query"

    story(work())


def test_an_unknown_name_offers_the_nearest() -> None:
    """Ours: bad input gets one clear line."""

    async def work() -> None:
        async with await prepared(notes=modern("notes", tools=["search"])) as client:
            with pytest.raises(UnknownName, match="search"):
                await client.call("serch")

    story(work())


def test_concurrent_calls_answered_in_reverse_get_their_own_answers() -> None:
    """Field case S20."""

    async def work() -> None:
        rules = [
            on("tools/call").nth(n).then(delay(1.0 - n / 100), answer_default())
            for n in range(1, 21)
        ]
        clock = ManualClock()
        peer = modern("peer", tools=["echo"]).script(*rules)
        client = await prepared(clock, peer=peer)

        async def calls() -> list[Any]:
            return await asyncio.gather(*(client.call("echo", {"q": str(n)}) for n in range(20)))

        results = await driven(calls(), clock)
        assert [r.text for r in results] == [f'echo: {{"q":"{n}"}}' for n in range(20)]
        await driven(client.aclose(), clock)

    story(work())


def test_a_call_ends_at_its_deadline_and_the_peer_is_told() -> None:
    """Field case R05; rule CALL-03."""

    async def work() -> None:
        clock = ManualClock()
        peer = modern("peer", tools=["slow"]).script(on("tools/call").then(silence()))
        client = await prepared(clock, peer=peer)
        with pytest.raises(TookTooLong) as caught:
            await driven(client.call("slow", timeout_s=2.0), clock)
        assert caught.value.failure.rule == "CALL-03"
        await turns()
        called, cancelled = peer.received[-2:]
        assert cancelled["method"] == "notifications/cancelled"
        assert cancelled["params"]["requestId"] == called["id"]
        await driven(client.aclose(), clock)

    story(work())


def test_a_cancelled_call_tells_the_peer_and_leaves_the_next_one_alone() -> None:
    """Field cases R05, S20: a late answer is never taken for another call's."""

    async def work() -> None:
        peer = modern("peer", tools=["slow"]).script(on("tools/call").nth(1).then(silence()))
        async with await prepared(peer=peer) as client:
            task = asyncio.ensure_future(client.call("slow"))
            await turns()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await turns()
            assert peer.received[-1]["method"] == "notifications/cancelled"
            assert (await client.call("slow")).is_error is False

    story(work())


def test_the_message_of_a_late_call_names_the_stray_answer() -> None:
    """Field case S18; fault matrix C03."""

    async def work() -> None:
        clock = ManualClock()
        peer = modern("peer", tools=["t"]).script(
            on("tools/call").then(answer_default(id="string"))
        )
        client = await prepared(clock, peer=peer)
        with pytest.raises(TookTooLong, match="nobody waits for"):
            await driven(client.call("t"), clock)
        await driven(client.aclose(), clock)

    story(work())


def test_a_peer_error_keeps_its_code() -> None:
    """Spec: basic/index, responses."""

    async def work() -> None:
        peer = modern("peer", tools=["t"]).script(on("tools/call").then(error(-32000, "full")))
        async with await prepared(peer=peer) as client:
            with pytest.raises(Refused) as caught:
                await client.call("t")
            assert caught.value.failure.code == -32000

    story(work())


def test_arguments_without_a_json_form_are_the_callers_mistake() -> None:
    """Ours: nothing is sent, and nothing hangs."""

    async def work() -> None:
        peer = modern("peer", tools=["t"])
        async with await prepared(peer=peer) as client:
            with pytest.raises(MisuseError, match="JSON"):
                await client.call("t", {"q": object()})
            assert "tools/call" not in peer.methods()

    story(work())


def test_a_broken_transport_fails_every_call_in_flight() -> None:
    """Field case S13: at once, with the status changed before."""

    async def work() -> None:
        peer = modern("peer", tools=["t"]).script(on("tools/call").nth(3).then(close()))
        rule = on("tools/call").up_to(2).then(silence())
        async with await prepared(peer=peer.script(rule)) as client:
            calls = [asyncio.ensure_future(client.call("t")) for _ in range(3)]
            done, _ = await asyncio.wait(calls, timeout=5)
            assert len(done) == 3
            assert all(isinstance(call.exception(), OutcomeUnknown) for call in done)
            assert client.report().peers[0].status == "unavailable"
            with pytest.raises(PeerAway):
                await client.call("t")

    story(work())


def test_a_lost_peer_is_connected_again_on_request_and_listed_anew() -> None:
    """Seed skill, item 8; rule PEER-01."""

    async def work() -> None:
        peer = modern("peer", tools=["t"])
        async with await prepared(peer=peer) as client:
            peer.say(close())
            await turns()
            assert client.report().peers[0].rule == "PEER-01"
            report = await client.connect_all()
            assert report.peers[0].status == "ready"
            await client.discover_tools()
            assert peer.methods().count("tools/list") == 2
            assert (await client.call("t")).is_error is False
            ids = [body["id"] for body in peer.received if "id" in body]
            assert len(ids) == len(set(ids)), "ids are never reused for one peer"

    story(work())


def test_connecting_twice_does_not_disturb_ready_peers() -> None:
    """Ours: connect_all is idempotent."""

    async def work() -> None:
        peer = modern("peer")
        async with await prepared(peer=peer) as client:
            await client.connect_all()
            assert (peer.lifetimes, peer.methods().count("server/discover")) == (1, 1)

    story(work())


def test_concurrent_connects_share_one_negotiation() -> None:
    """Ours: two cells cannot start a peer twice."""

    async def work() -> None:
        peer = modern("peer")
        async with AsyncMultiServerClient() as client:
            client.add_server("peer", peer)
            await asyncio.gather(client.connect_all(), client.connect_all())
            assert peer.lifetimes == 1

    story(work())


def test_a_listing_is_reused_while_it_is_fresh() -> None:
    """Spec: ttlMs; field case C06."""

    async def work() -> None:
        clock = ManualClock()
        peer = modern("peer", tools=["t"], list_ttl_ms=1_000)
        client = await prepared(clock, peer=peer)
        counts = []
        for move_s in (0.999, 0.001):
            clock.advance(move_s)
            await client.discover_tools()
            counts.append(peer.methods().count("tools/list"))
        assert counts == [1, 2]
        await driven(client.aclose(), clock)

    story(work())


def test_an_announced_change_makes_the_next_listing_fresh() -> None:
    """Spec: notifications/tools/list_changed; fault matrix C08."""

    async def work() -> None:
        peer = modern("peer", tools=["t"])
        async with await prepared(peer=peer) as client:
            peer.say(notify("notifications/tools/list_changed", {}))
            await turns()
            await client.discover_tools()
            assert peer.methods().count("tools/list") == 2

    story(work())


def test_one_bad_peer_never_stops_the_others() -> None:
    """Fault matrix M04; field case N11."""

    async def work() -> None:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        client.add_server("good", modern("good", tools=["t"]))
        client.add_server("mute", silent("mute"))
        client.add_server("gone", PeerConfig(name="gone", command="no-such-command-here"))
        client.add_server("rude", legacy("rude", refusal="exit"))
        report = await driven(client.connect_all(), clock)
        assert [p.status for p in report.peers] == ["unavailable"] * 0 + [
            "unavailable" if p.peer != "good" else "ready" for p in report.peers
        ]
        assert [p.rule for p in report.peers if p.peer in ("mute", "rude")] == ["ERA-11", "ERA-12"]
        await client.discover_tools()
        assert client.merge().names == ("t",)
        await driven(client.aclose(), clock)

    story(work())


def test_two_eras_live_side_by_side() -> None:
    """Fault matrix M07: each keeps its own era."""

    async def work() -> None:
        old, new = legacy("old", tools=["a"]), modern("new", tools=["b"])
        client = AsyncMultiServerClient()
        client.add_server("old", old, allow_legacy=True)
        client.add_server("new", new)
        async with client:
            assert (await client.call("a")).is_error is False
            assert (await client.call("b")).is_error is False
        (called,) = [b for b in old.received if b["method"] == "tools/call"]
        assert "_meta" not in called["params"]

    story(work())


def test_the_report_is_the_same_in_any_order_of_registration() -> None:
    """Fault matrix M05."""

    def report(order: list[str]) -> str:
        async def work() -> str:
            clock = ManualClock()
            client = AsyncMultiServerClient(clock=clock)
            for name in order:
                client.add_server(name, modern(name, tools=["search", name]))
            await driven(client.connect_all(), clock)
            await client.discover_tools()
            client.merge()
            text = client.report().to_json()
            await driven(client.aclose(), clock)
            return text

        return str(story(work()))

    assert report(["a", "b", "c"]) == report(["c", "a", "b"])


def test_a_closed_client_still_reports() -> None:
    """Design: a report never needs a live peer."""

    async def work() -> None:
        client = await prepared(peer=modern("peer", tools=["t"]))
        before = client.report()
        await client.aclose()
        await client.aclose()
        assert before.to_json() and client.report().to_markdown()
        with pytest.raises(PeerAway):
            await client.call("t")

    story(work())


def test_an_unknown_name_says_which_peers_are_missing_and_why() -> None:
    """Field case J02: the server that has the tool died at its start."""

    async def work() -> None:
        client = AsyncMultiServerClient()
        client.add_server("notes", modern("notes", tools=["search"]))
        client.add_server("gone", legacy("gone", refusal="exit"))
        async with client:
            with pytest.raises(UnknownName, match=r"Not ready: gone \(.*status") as caught:
                await client.call("lookup")
        assert "notes (" not in str(caught.value)

    story(work())
