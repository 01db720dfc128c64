"""Subscriptions of whole clients, in memory, with time that moves by itself."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from driven import driven, turns

from fakes import (
    Fake,
    answer_default,
    close,
    error,
    legacy,
    modern,
    notify,
    on,
    raw,
    reply,
    silence,
)
from fakes.library.index import find
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient, RecoveryPolicy
from workbench.core.errors import MisuseError

LISTEN = "subscriptions/listen"
TOOLS = "notifications/tools/list_changed"
EVEN = RecoveryPolicy(jitter=0.0)
Story = Callable[[AsyncMultiServerClient, ManualClock], Awaitable[None]]


def story(work: Story, /, **peers: Fake) -> None:
    """Run a story with these peers connected, listed and merged."""

    async def run() -> None:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, recover=EVEN)
        for name, peer in peers.items():
            client.add_server(name, peer, allow_legacy=peer.program.server.era == "legacy")
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        await work(client, clock)
        await driven(client.aclose(), clock)

    asyncio.run(run())


def asked(peer: Fake) -> list[dict[str, Any]]:
    """Return every listen request, oldest first."""
    return [body for body in peer.received if body.get("method") == LISTEN]


def heard(handle: Any) -> list[str]:
    return [news.what for news in handle.events]


def noted(client: AsyncMultiServerClient) -> str:
    return client.journal.to_text()


def test_a_change_is_heard_read_anew_and_merged() -> None:
    """Seed exercise 5; design 7.4: invalidated by notifications."""
    more = {"name": "new", "inputSchema": {"type": "object"}}
    relisted = (
        on("tools/list")
        .from_nth(2)
        .then(
            reply({"resultType": "complete", "tools": [more], "ttlMs": 1, "cacheScope": "private"})
        )
    )
    peer = modern("p", tools=["old"], list_changed=True).script(relisted)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p", tools=True), clock)
        assert handle.state == "listening"
        peer.say(notify(TOOLS, {}, listeners=True))
        await turns()
        assert client.menu is not None and client.menu.names == ("new",)
        assert heard(handle) == ["listening", "tools changed", "menu changed"]
        change = handle.events[-1].change
        assert change is not None and change.of("removed") == ("old",)
        assert client.menu_change.of("added") == ("new",)
        client.merge()
        assert not client.menu_change

    story(work, p=peer)


def test_the_filter_is_exactly_what_was_chosen() -> None:
    """Spec: notification filter."""
    peer = modern("p", list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await driven(client.listen("p"), clock)
        wide = client.listen("p", tools=True, prompts=True, resource_list=True, resources=["a:b"])
        handle = await driven(wide, clock)
        first, second = (body["params"]["notifications"] for body in asked(peer))
        assert first == {"toolsListChanged": True}
        assert second == {
            "toolsListChanged": True,
            "promptsListChanged": True,
            "resourcesListChanged": True,
            "resourceSubscriptions": ["a:b"],
        }
        assert handle.subscriptions["p"].missing.uris == ("a:b",)
        assert heard(handle) == ["listening", "not granted"]

    story(work, p=peer)


def test_several_subscriptions_are_told_apart_by_their_ids() -> None:
    """Spec: multiple concurrent subscriptions; on one pipe the id is all there is."""
    peer = modern("p", list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        one = await driven(client.listen("p"), clock)
        two = await driven(client.listen("p"), clock)
        first, second = (body["id"] for body in asked(peer))
        meta = {"io.modelcontextprotocol/subscriptionId": second}
        peer.say(notify(TOOLS, {"_meta": meta}))
        await turns()
        assert first != second
        assert (heard(one), heard(two)[:2]) == (["listening"], ["listening", "tools changed"])

    story(work, p=peer)


@pytest.mark.parametrize("token", ["nobody", 4_711, True, 2.0, None, [2]])
def test_an_announcement_for_nobody_is_recorded_and_told_to_nobody(token: Any) -> None:
    """Rule SUB-02; 2.0 and "2" are not 2."""
    peer = modern("p", list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        meta = {"io.modelcontextprotocol/subscriptionId": token}
        peer.say(notify(TOOLS, {"_meta": meta}))
        await turns()
        assert heard(handle) == ["listening"]
        assert "[SUB-02]" in noted(client)
        # Nobody is told, and nothing is read for it; but what was kept is no longer believed.
        assert peer.methods().count("tools/list") == 1
        await client.discover_tools()
        assert peer.methods().count("tools/list") == 2

    story(work, p=peer)


def test_a_stream_that_breaks_off_is_asked_again_with_a_new_id_and_the_same_filter() -> None:
    """Seed exercise 5; fault matrix C12; case L02."""
    peer = find("C12-ends-with-result")

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        over = handle.wait_for(lambda one: one.state == "given up", 1_000.0)
        assert await driven(over, clock)
        requests = asked(peer)
        assert len(requests) == 10 and len({body["id"] for body in requests}) == 10
        assert len({str(body["params"]["notifications"]) for body in requests}) == 1
        assert peer.methods().count("tools/list") >= 2, "read anew after each acknowledgement"
        times = [news.at for news in handle.events if news.what == "ended by the peer"]
        gaps = [b - a for a, b in zip(times, times[1:], strict=False)]
        pauses = [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
        bounds = zip(gaps, pauses, strict=True)
        assert all(0.8 * pause <= gap <= pause + 1e-6 for gap, pause in bounds)
        assert heard(handle)[-1] == "given up"

    story(work, p=peer)


def test_a_peer_that_refuses_twice_and_then_accepts_is_listened_to() -> None:
    """Case L02: not never again after one failed attempt."""
    busy = on(LISTEN).up_to(2).then(error(-32603, "busy"))
    peer = modern("p", list_changed=True).script(busy)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        await driven(handle.wait_for(lambda one: one.state == "listening", 60.0), clock)
        assert heard(handle) == ["dropped", "dropped", "listening"]

    story(work, p=peer)


def test_a_lost_process_is_restarted_and_listened_to_again() -> None:
    """Fault matrix C04 and C12; spec: on stdio the client must send it again."""
    peer = modern("p", list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        peer.say(close())
        await turns()
        assert handle.state == "the peer is away"
        await driven(handle.wait_for(lambda one: one.state == "listening", 60.0), clock)
        assert heard(handle) == ["listening", "lost", "listening again"]
        first, second = asked(peer)
        assert first["id"] < second["id"] and peer.lifetimes == 2

    story(work, p=peer)


@pytest.mark.parametrize(
    ("name", "state", "what", "rule"),
    [
        ("C12-partial-ack", "nothing was granted", "nothing granted", "SUB-01"),
        ("C12-refused", "not supported", "not supported", "SUB-04"),
    ],
)
def test_what_a_peer_cannot_do_leaves_the_connection_alone(
    name: str, state: str, what: str, rule: str
) -> None:
    """Case L04; fault matrix C12."""
    peer = find(name)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        assert (handle.state, heard(handle)) == (state, [what])
        assert handle.events[0].rule == rule
        assert not (await driven(client.call("search"), clock)).is_error
        assert len(asked(peer)) == 1 and peer.lifetimes == 1

    story(work, p=peer)


@pytest.mark.parametrize("name", ["C12-no-ack", "C12-wrong-id"])
def test_without_an_acknowledgement_the_request_is_cancelled(name: str) -> None:
    """Fault matrix C12: no ack, wrong subscription id."""
    peer = find(name)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        await turns()
        assert heard(handle)[:1] == ["not acknowledged"]
        cancelled = [b["params"]["requestId"] for b in peer.received if "id" not in b]
        assert cancelled[:1] == [asked(peer)[0]["id"]]
        assert ("[SUB-02]" in noted(client)) == (name == "C12-wrong-id")

    story(work, p=peer)


def test_closing_tells_the_peer_and_twice_is_fine() -> None:
    """Spec: cancellation by the client."""
    peer = modern("p", list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        async with await driven(client.listen("p"), clock) as handle:
            assert "listening" in repr(handle)
        await handle.close()
        assert handle.state == "closed"
        peer.say(notify(TOOLS, {}, listeners=True))
        await turns()
        assert heard(handle) == ["listening", "closed"]
        assert peer.methods().count("notifications/cancelled") == 1

    story(work, p=peer)


def test_closing_the_client_ends_every_subscription() -> None:
    """Ours: nothing is left behind."""
    peers = {name: modern(name, list_changed=True) for name in ("a", "b")}

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen(), clock)
        assert set(handle.subscriptions) == {"a", "b"}
        await driven(client.aclose(), clock)
        assert handle.state == "closed"

    story(work, **peers)


def test_a_peer_that_becomes_ready_later_is_listened_to_then() -> None:
    """Ours: a listening to everybody."""
    peer = modern("p", list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        late = modern("late", list_changed=True)
        client.add_server("late", late)
        handle = await driven(client.listen(), clock)
        assert handle.state == "the peer is away"
        await driven(client.connect_all(), clock)
        await turns()
        assert handle.state == "listening" and len(asked(late)) == 1

    story(work, p=peer)


def test_a_legacy_peer_announces_without_being_asked() -> None:
    """Spec 2025-11-25: list_changed; the handle is the same."""
    peer = legacy("p", tools=["a"], list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p", tools=True, prompts=True), clock)
        peer.say(notify(TOOLS, {}))
        await turns()
        assert heard(handle) == ["listening", "not granted", "tools changed"]
        assert peer.methods().count("tools/list") == 2
        assert LISTEN not in peer.methods()

    story(work, p=peer)


def test_resources_of_a_legacy_peer_are_subscribed_and_unsubscribed() -> None:
    """Spec 2025-11-25: server/resources, subscriptions."""
    declared = {"resources": {"subscribe": True}}
    ready = on("initialize").then(
        reply(
            {
                "protocolVersion": "2025-11-25",
                "capabilities": declared,
                "serverInfo": {"name": "p", "version": "1"},
            }
        )
    )
    serves = [on(f"resources/{verb}").then(reply({})) for verb in ("subscribe", "unsubscribe")]
    bad = on("resources/subscribe").where(uri="x:bad").then(error(-32602, "no such"))
    peer = legacy("p").script(bad, *serves, ready)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        if client.report().peers[0].status != "ready":
            pytest.fail(client.report().to_text())
        handle = await driven(client.listen("p", resources=["x:1", "x:bad"]), clock)
        assert handle.subscriptions["p"].granted.uris == ("x:1",)
        peer.say(notify("notifications/resources/updated", {"uri": "x:1"}))
        await turns()
        assert handle.events[-1].uri == "x:1"
        await driven(handle.close(), clock)
        uris = [b["params"]["uri"] for b in peer.received if "unsubscribe" in str(b.get("method"))]
        assert uris == ["x:1"]

    story(work, p=peer)


def test_closing_the_client_waits_for_no_goodbye() -> None:
    """Ours: closing is bounded; a legacy peer that ignores the end holds nobody up."""
    ready = on("initialize").then(
        answer_default(patch={"capabilities": {"resources": {"subscribe": True}}})
    )
    deaf = on("resources/unsubscribe").then(silence())
    peer = legacy("p").script(ready, on("resources/subscribe").then(reply({})), deaf)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p", resources=["x:1"]), clock)
        assert handle.state == "listening"
        before = clock.now()
        await client.aclose()
        assert handle.state == "closed" and clock.now() == before

    story(work, p=peer)


def test_a_callback_hears_everything_and_its_fault_stops_nothing() -> None:
    """Ours: the caller's callback must not end the reader."""
    peer = modern("p", list_changed=True)
    seen: list[str] = []

    def callback(news: Any) -> None:
        seen.append(news.what)
        raise RuntimeError("mine")

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p", on_event=callback), clock)
        peer.say(notify(TOOLS, {}, listeners=True), raw("rubbish"))
        await turns()
        assert seen == heard(handle) and seen[:2] == ["listening", "tools changed"]
        assert "a callback failed: RuntimeError: mine" in noted(client)

    story(work, p=peer)


def test_an_unknown_peer_is_a_slip_of_the_caller() -> None:
    """Design 9: messages say what the user can do."""
    peer = modern("p")

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(MisuseError, match="Known: p"):
            await client.listen("q")
        with pytest.raises(MisuseError, match="URIs"):
            await client.listen("p", resources=[3])  # type: ignore[list-item]

    story(work, p=peer)


def test_the_synchronous_client_listens_too() -> None:
    """Design 4: the same verbs without async and await."""
    peer = modern("p", tools=["a"], list_changed=True)
    with MultiServerClient() as client:
        client.add_server("p", peer)
        with client.listen("p") as handle:
            assert handle.state == "listening"
            client._wait(_say(peer, notify(TOOLS, {}, listeners=True)))
            assert handle.wait_for(lambda one: len(one.events) >= 2)
            assert handle.subscriptions["p"].opened == 1
        assert handle.state == "closed"


async def _say(peer: Fake, step: Any) -> None:
    peer.say(step)
