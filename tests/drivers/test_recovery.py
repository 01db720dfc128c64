"""Peers that are lost and brought back, in memory, with time that moves by itself."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from driven import driven, turns

from fakes import Fake, answer_default, close, delay, effect, exit_, legacy, modern, on, on_start
from fakes.library.index import find
from workbench import AsyncMultiServerClient, ManualClock, RecoveryPolicy
from workbench.core.errors import AmbiguousOwner, MisuseError, OutcomeUnknown, PeerAway

EVEN = RecoveryPolicy(jitter=0.0)
Story = Callable[[AsyncMultiServerClient, ManualClock], Awaitable[None]]


def story(work: Story, recover: bool | RecoveryPolicy = EVEN, /, **peers: Any) -> None:
    """Run a story with these peers connected, listed and merged."""

    async def run() -> None:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, recover=recover)
        for name, peer in peers.items():
            client.add_server(name, peer, allow_legacy=True)
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        await work(client, clock)
        await driven(client.aclose(), clock)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(run())


async def later(clock: ManualClock, seconds: float) -> None:
    """Let time pass, with everything that falls due in it."""
    until = clock.now() + seconds
    while True:
        await turns(60)
        due = clock.next_due()
        if due is None or due > until:
            break
        clock.advance(max(0.0, due - clock.now()))
    clock.advance(max(0.0, until - clock.now()))
    await turns(60)


def row(client: AsyncMultiServerClient, name: str = "p") -> Any:
    return next(row for row in client.report().peers if row.peer == name)


def test_a_lost_peer_comes_back_listed_and_callable() -> None:
    """Fault matrix C04; design 7.7: restart, discover, list."""
    peer = modern("p", tools=["t"])

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        peer.say(close())
        await turns()
        assert row(client).status == "unavailable" and "within 1 s" in row(client).hint
        with pytest.raises(PeerAway, match=r"restart\('p'\)"):
            await client.call("t")
        await later(clock, 0.5)
        assert row(client).status == "ready" and row(client).hint == ""
        assert peer.methods() == ["server/discover", "tools/list"] * 2
        assert (await driven(client.call("t"), clock)).is_error is False

    story(work, p=peer)


@pytest.mark.parametrize("name", ["C04-dies-before", "C04-dies-after"])
def test_a_call_that_died_is_unknown_and_the_peer_is_back(name: str) -> None:
    """Fault matrix C04; case R03: not repeated without a word, the counter is at most 1."""
    peer = find(name)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        with pytest.raises(OutcomeUnknown):
            await driven(client.call("create"), clock)
        await later(clock, 1.0)
        assert row(client).status == "ready" and peer.lifetimes == 2
        assert peer.methods().count("tools/call") == 1
        assert len(peer.effects) == (1 if name == "C04-dies-after" else 0)
        assert [str(one.ended) for one in client.outcomes] == ["outcome unknown"]

    story(work, p=peer)


def test_a_key_repeats_a_call_at_once_and_ends_it_once() -> None:
    """Design 7.7: an application idempotency key; a new id."""
    peer = find("C04-dies-after")

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        result = await driven(client.call("create", idempotency_key="k"), clock)
        assert not result.is_error and peer.effects == ["create", "create"]
        calls = [body["id"] for body in peer.received if body.get("method") == "tools/call"]
        assert len(set(calls)) == 2 and clock.now() == 0.0
        assert [(str(one.ended), one.sent) for one in client.outcomes] == [("result", 2)]

    story(work, p=peer)


@pytest.mark.parametrize(("answer", "count"), [(True, 2), (False, 1), ("yes", 1), (None, 1)])
def test_a_user_decides_about_a_repeat(answer: Any, count: int) -> None:
    """Design 7.7: a user decision; only True is one."""
    peer = find("C04-dies-after")
    asked = []

    def decide(lost: Any) -> Any:
        asked.append(lost.kind)
        return answer

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        try:
            await driven(client.call("create", on_retry=decide), clock)
        except OutcomeUnknown:
            assert answer is not True
        assert peer.methods().count("tools/call") == count
        assert asked == ["outcome unknown"] and len(client.outcomes) == 1

    story(work, p=peer)


def test_a_decision_may_be_a_coroutine_and_its_fault_is_a_no() -> None:
    """Ours: a fault of the application repeats nothing."""

    async def yes(_: Any) -> bool:
        return True

    def broken(_: Any) -> bool:
        raise RuntimeError("mine")

    for decide, count in ((yes, 2), (broken, 1)):
        peer = find("C04-dies-after")

        async def work(
            client: AsyncMultiServerClient,
            clock: ManualClock,
            peer: Fake = peer,
            decide: Any = decide,
            count: int = count,
        ) -> None:
            calling = client.call("create", on_retry=decide)
            ended = await asyncio.gather(driven(calling, clock), return_exceptions=True)
            assert isinstance(ended[0], OutcomeUnknown) == (count == 1)
            assert peer.methods().count("tools/call") == count

        story(work, p=peer)


def test_a_server_that_starts_well_and_ends_at_once_is_started_within_its_budget() -> None:
    """Case R01: a respawn storm; a start that only answered is no success."""
    dying = on("server/discover").then(answer_default(), delay(0.05), exit_(0))
    peer = modern("p", tools=["t"]).script(dying)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await later(clock, 5.0)
        assert peer.lifetimes <= 4
        await later(clock, 55.0)
        assert peer.lifetimes <= EVEN.starts
        for _ in range(20):
            await driven(client.connect_all(), clock)
        assert peer.lifetimes <= EVEN.starts, "whoever asks"
        await later(clock, 3_600.0)
        assert peer.lifetimes <= 2 * EVEN.give_up_after
        assert row(client).status == "unavailable" and "left alone" in row(client).hint
        rules = {entry.rule for entry in client.journal.entries()}
        assert {"RECOV-01", "RECOV-02", "RECOV-04"} <= rules

    story(work, p=peer)


def test_an_open_circuit_is_shown_and_a_hand_closes_it() -> None:
    """Design 7.7 and case R01: "failed", with a manual restart."""
    policy = RecoveryPolicy(starts=2, window_s=60.0, jitter=0.0)
    peer = modern("p", tools=["t"])

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        peer.say(close())
        await later(clock, 0.5)
        peer.say(close())
        await turns()
        assert "within 60 s (2 starts within 60 s)" in row(client).hint
        assert any(entry.rule == "RECOV-03" for entry in client.journal.entries())
        with pytest.raises(PeerAway, match="restart"):
            await client.call("t")
        await driven(client.restart("p"), clock)
        assert row(client).status == "ready" and peer.lifetimes == 3
        assert (await driven(client.call("t"), clock)).is_error is False

    story(work, policy, p=peer)


def test_a_ready_peer_can_be_restarted_by_hand() -> None:
    """Ours: after its configuration changed outside; listened to again."""
    peer = modern("p", tools=["t"], list_changed=True)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        await driven(client.restart("p"), clock)
        await turns()
        assert row(client).status == "ready" and peer.lifetimes == 2
        assert [news.what for news in handle.events] == ["listening", "lost", "listening again"]
        with pytest.raises(MisuseError, match="Known: p"):
            await client.restart("q")

    story(work, p=peer)


def test_without_recovery_a_lost_peer_stays_away() -> None:
    """Ours: `recover=False` is for those who do it themselves."""
    peer = modern("p", tools=["t"])

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        peer.say(close())
        await later(clock, 100.0)
        assert row(client).status == "unavailable" and "connect_all" in row(client).hint
        assert peer.lifetimes == 1

    story(work, False, p=peer)


def test_a_peer_that_was_never_ready_is_not_started_again_by_itself() -> None:
    """Ours: a startup's failure is for a person to see."""
    peer = modern("p").script(on_start().then(exit_(3)))

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        seen = peer.lifetimes
        await later(clock, 600.0)
        assert peer.lifetimes == seen and row(client).status == "unavailable"

    story(work, p=peer)


def test_an_owner_that_changed_while_a_peer_was_away_is_refused_until_accepted() -> None:
    """Fault matrix M08; rule SUB-09: reported, and calls refused until merge()."""
    once = on("tools/list").in_lifetime(2).then(answer_default(patch={"tools": []}))
    alpha = modern("alpha", tools=["search"]).script(once)
    beta = modern("beta", tools=["search"])

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert client.menu is not None and client.menu.names == ("beta/search", "search")
        alpha.say(close())
        await later(clock, 1.0)
        assert client.menu_change.of("owner") == ("search",)
        assert any(entry.rule == "SUB-09" for entry in client.journal.entries())
        with pytest.raises(AmbiguousOwner):
            await driven(client.call("search"), clock)
        assert beta.methods().count("tools/call") == 0
        client.merge()
        await driven(client.call("search"), clock)
        assert beta.methods().count("tools/call") == 1

    story(work, alpha=alpha, beta=beta)


def test_another_era_after_the_restart_is_negotiated_from_the_start() -> None:
    """Design 7.2: the verdict lives as long as the transport."""

    class Replaced:
        kind = "memory"
        identity = "replaced"

        def __init__(self, *servers: Fake) -> None:
            self.servers = list(servers)

        def new_transport(self, clock: Any) -> Any:
            return self.servers.pop(0).new_transport(clock)

    first, second = modern("first", tools=["t"]), legacy("second", tools=["t"])

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        assert row(client).era == "modern"
        first.say(close())
        await later(clock, 1.0)
        assert (row(client).era, row(client).status) == ("legacy", "ready")

    story(work, p=Replaced(first, second))


def test_calls_in_flight_end_at_once_while_the_peer_is_brought_back() -> None:
    """Design 7.7: fail in-flight work; each call ends in exactly one way."""
    slow = on("tools/call").then(delay(20.0), effect("late"), answer_default())
    peer = modern("p", tools=["t"]).script(slow)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        calls = [asyncio.ensure_future(client.call("t")) for _ in range(5)]
        await turns()
        peer.say(close())
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(one, OutcomeUnknown) for one in ended)
        assert len(client.outcomes) == 5 and clock.now() == 0.0

    story(work, p=peer)


def test_closing_the_client_stops_what_was_planned() -> None:
    """Ours: nothing is started after the end."""
    peer = modern("p", tools=["t"])

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        peer.say(close())
        await turns()
        await driven(client.aclose(), clock)
        await later(clock, 100.0)
        assert peer.lifetimes == 1

    story(work, p=peer)


def test_a_caller_that_gives_up_meanwhile_leaves_no_half_brought_back_peer() -> None:
    """Ours: who asked for the connection may be gone when it stands; all the rest follows."""
    slow = on("server/discover").in_lifetime(2).then(delay(0.5), answer_default())
    dying = on("tools/call").in_lifetime(1).then(exit_(9))
    peer = modern("p", tools=["t"], list_changed=True).script(slow, dying)

    async def work(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        handle = await driven(client.listen("p"), clock)
        calls = [asyncio.ensure_future(client.call("t", idempotency_key=key)) for key in ("a", "b")]
        await turns(60)
        assert row(client).status == "unavailable" and peer.lifetimes == 2
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        await later(clock, 1.0)
        assert (row(client).status, handle.state, peer.lifetimes) == ("ready", "listening", 2)
        assert peer.methods().count("tools/list") == 2
        assert [str(one.ended) for one in client.outcomes] == ["cancelled", "cancelled"]

    story(work, p=peer)
