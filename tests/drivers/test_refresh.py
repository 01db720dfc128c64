"""Lists that are read anew: coalesced, bounded, and never stale afterwards."""

import asyncio
from typing import Any

import pytest
from driven import driven, turns

from fakes import Fake, answer_default, delay, modern, notify, on
from fakes.library.index import find
from workbench import AsyncMultiServerClient, ManualClock
from workbench.core.rulebook.recovery_rules import RECOVERY_RULES
from workbench.core.rulebook.rule import Rule

TOOLS = "notifications/tools/list_changed"


async def listening(peer: Fake, clock: ManualClock) -> tuple[AsyncMultiServerClient, Any]:
    """Return a client that listens to one peer before it has listed anything."""
    client = AsyncMultiServerClient(clock=clock)
    client.add_server("p", peer, allow_legacy=True)
    await driven(client.connect_all(), clock)
    return client, await driven(client.listen("p"), clock)


@pytest.mark.parametrize("name", ["C08-storm", "C08-legacy-storm"])
def test_a_storm_of_changes_is_read_a_few_times(name: str) -> None:
    """Fault matrix C08: a thousand announcements, at most one reading at a time."""
    peer = find(name)

    async def story() -> None:
        clock = ManualClock()
        client, handle = await listening(peer, clock)
        await driven(client.discover_tools(), clock)
        await turns(400)
        assert [news.what for news in handle.events].count("tools changed") >= 999
        assert 2 <= peer.methods().count("tools/list") <= 3
        fresh = peer.methods().count("tools/list")
        await driven(client.discover_tools(), clock)
        # What is kept is the list from after the storm; legacy lists are never kept.
        again = peer.methods().count("tools/list") - fresh
        assert again == (1 if "legacy" in name else 0)
        await driven(client.aclose(), clock)

    asyncio.run(story())


def test_a_peer_that_changes_with_every_reading_is_read_ever_less_often() -> None:
    """Rule SUB-08; field case of a loop of its own making."""
    peer = find("C08-every-list")

    async def story() -> None:
        clock = ManualClock()
        client, handle = await listening(peer, clock)
        await driven(client.discover_tools(), clock)
        await driven(handle.wait_for(lambda _: False, 600.0), clock)
        count = peer.methods().count("tools/list")
        assert 10 <= count <= 30, "ten minutes, and pauses of up to half a minute"
        assert any(entry.rule == "SUB-08" for entry in client.journal.entries())
        await driven(client.aclose(), clock)

    asyncio.run(story())


def test_a_change_during_the_reading_causes_one_more() -> None:
    """Fault matrix C08: never a stale list served afterwards."""
    first = {"name": "old", "inputSchema": {"type": "object"}}
    slow = on("tools/list").nth(1).then(delay(1.0), answer_default(patch={"tools": [first]}))
    peer = modern("p", tools=["new"], list_changed=True).script(slow)

    async def story() -> None:
        clock = ManualClock()
        client, _ = await listening(peer, clock)
        reading = asyncio.ensure_future(client.discover_tools())
        await turns()
        peer.say(notify(TOOLS, {}, listeners=True))
        await turns()
        clock.advance(1.0)
        await reading
        await turns()
        assert client.merge().names == ("new",), "an older answer replaces no newer one"
        listings = await client.discover_tools()
        assert [tool.name for tool in listings["p"].tools] == ["new"]
        await driven(client.aclose(), clock)

    asyncio.run(story())


def test_a_change_after_a_quiet_time_is_read_at_once() -> None:
    """Ours: the pauses are for those who never stop."""
    peer = modern("p", tools=["a"], list_changed=True)

    async def story() -> None:
        clock = ManualClock()
        client, _ = await listening(peer, clock)
        for number in range(1, 8):
            clock.advance(60.0)
            peer.say(notify(TOOLS, {}, listeners=True))
            await turns()
            assert peer.methods().count("tools/list") == number
        await driven(client.aclose(), clock)

    asyncio.run(story())


def test_closing_leaves_no_reading_behind() -> None:
    """Ours: nothing is left behind, also in a pause."""
    peer = find("C08-every-list")

    async def story() -> None:
        clock = ManualClock()
        client, _ = await listening(peer, clock)
        await driven(client.discover_tools(), clock)
        await turns(50)
        await driven(client.aclose(), clock)
        count = peer.methods().count("tools/list")
        clock.advance(1_000.0)
        await turns()
        assert peer.methods().count("tools/list") == count
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(story())


@pytest.mark.parametrize(
    "rule", [r for r in RECOVERY_RULES if r.fake.startswith(("C08", "C12"))], ids=lambda r: r.id
)
def test_the_fake_that_a_rule_names_provokes_it(rule: Rule) -> None:
    """Ours: a student types the name to see the rule at work."""

    async def story() -> str:
        clock = ManualClock()
        client, handle = await listening(find(rule.fake), clock)
        await driven(client.discover_tools(), clock)
        await driven(handle.wait_for(lambda _: False, 300.0), clock)
        text = client.journal.to_text()
        await driven(client.aclose(), clock)
        return text

    assert f"[{rule.id}]" in asyncio.run(story())
