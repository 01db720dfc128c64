"""What ties listening, reading anew and recovery together (`workbench.upkeep`)."""

import asyncio

import pytest
from driven import driven, turns

from fakes import answer_default, close, modern, notify, on
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient, RecoveryPolicy
from workbench.core.errors import OutcomeUnknown, UnknownName

TOOLS = "notifications/tools/list_changed"


@pytest.mark.parametrize("recover", [True, False, RecoveryPolicy(first_delay_s=0.1)])
def test_a_client_recovers_as_it_is_told(recover: bool | RecoveryPolicy) -> None:
    """Design 7.7: restart is what one expects, and can be switched off."""
    peer = modern("p", tools=["t"])

    async def story() -> int:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, recover=recover)
        client.add_server("p", peer)
        await driven(client.connect_all(), clock)
        peer.say(close())
        await turns()
        for _ in range(5):
            clock.advance(1.0)
            await turns(60)
        await driven(client.aclose(), clock)
        return peer.lifetimes

    assert asyncio.run(story()) == (1 if recover is False else 2)


def test_without_a_listener_a_change_only_makes_the_list_stale() -> None:
    """Ours: nothing is read that nobody asked for."""
    peer = modern("p", tools=["t"], list_changed=True)

    async def story() -> None:
        async with AsyncMultiServerClient() as client:
            client.add_server("p", peer)
            await client.connect_all()
            await client.discover_tools()
            peer.say(notify(TOOLS, {}))
            await turns()
            assert peer.methods().count("tools/list") == 1
            await client.discover_tools()
            assert peer.methods().count("tools/list") == 2

    asyncio.run(story())


def test_a_closed_client_can_be_used_again() -> None:
    """Ours: closing ends what runs, not the object; recovery works afterwards too."""
    peer = modern("p", tools=["t"], list_changed=True)

    async def story() -> None:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        client.add_server("p", peer)
        await driven(client.connect_all(), clock)
        await driven(client.aclose(), clock)
        await driven(client.connect_all(), clock)
        handle = await driven(client.listen(), clock)
        peer.say(close())
        waiting = handle.wait_for(lambda one: one.state == "listening", 60.0)
        assert await driven(waiting, clock) and peer.lifetimes == 3
        await driven(client.aclose(), clock)

    asyncio.run(story())


def test_a_peer_connected_again_by_hand_is_listed_again_before_it_is_called() -> None:
    """Seed skill, recovery: repeat discovery and lists; the new process may offer less."""
    ends = on("tools/call").nth(1).in_lifetime(1).then(close())
    fewer = on("tools/list").in_lifetime(2).then(answer_default(patch={"tools": []}))
    peer = modern("p", tools=["t"]).script(ends, fewer)
    with MultiServerClient(recover=False) as client:
        client.add_server("p", peer)
        with pytest.raises(OutcomeUnknown):
            client.call("t")
        client.connect_all()
        assert peer.methods()[-2:] == ["server/discover", "tools/list"]
        with pytest.raises(UnknownName):
            client.call("t")
    assert peer.methods().count("tools/call") == 1
