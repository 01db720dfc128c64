"""The menu of a client through its changes."""

import asyncio
from typing import Any

import pytest

from fakes import modern
from workbench import AsyncMultiServerClient
from workbench.calls import Ledger
from workbench.core.errors import (
    AmbiguousOwner,
    ConfigError,
    Failure,
    Kind,
    NameCollision,
    UnknownName,
)
from workbench.core.journal.journal import Journal
from workbench.core.menu.route import Route
from workbench.core.text.redact import MARK
from workbench.core.tool import Listing, Tool
from workbench.drivers.clock import ManualClock
from workbench.menus import Menus, checked_drift_policy


async def client_of(**tools: list[str]) -> AsyncMultiServerClient:
    client = AsyncMultiServerClient(recover=False)
    for name, offered in tools.items():
        client.add_server(name, modern(name, tools=offered))
    await client.connect_all()
    await client.discover_tools()
    client.merge()
    return client


def relist(client: AsyncMultiServerClient, peer: str, *names: str) -> None:
    """Put another list in the place of a peer's."""
    tools = tuple(Tool(name=n, definition={"name": n, "inputSchema": {}}) for n in names)
    client._pool.members[peer].listing = Listing(peer=peer, tools=tools)


def test_a_refreshed_menu_keeps_the_accepted_owners() -> None:
    """Fault matrix M08: calls are refused until the menu is accepted again."""

    async def story() -> None:
        client = await client_of(a=["search"], b=["search"])
        menus = client._menus
        relist(client, "a", "other")
        assert menus.refresh("a").of("owner") == ("search",)
        found = menus.route("search")
        assert isinstance(found, Failure) and found.kind is Kind.AMBIGUOUS_OWNER
        with pytest.raises(AmbiguousOwner):
            await client.call("search")
        client.merge()
        assert isinstance(menus.route("search"), Route) and not menus.change
        await client.aclose()

    asyncio.run(story())


def test_a_new_name_belongs_to_whoever_has_it_first() -> None:
    """Ours: a name nobody accepted cannot change hands unseen either."""

    async def story() -> None:
        client = await client_of(a=["x"], b=["y"])
        menus = client._menus
        relist(client, "b", "fresh")
        assert menus.refresh("b").of("added") == ("fresh",)
        assert isinstance(menus.route("fresh"), Route)
        relist(client, "a", "fresh")
        relist(client, "b", "y")
        menus.refresh("a")
        found = menus.route("fresh")
        assert isinstance(found, Failure) and found.kind is Kind.AMBIGUOUS_OWNER
        await client.aclose()

    asyncio.run(story())


def test_a_peer_that_is_away_keeps_its_names() -> None:
    """Ours: nobody else inherits them while it is restarted."""

    async def story() -> Any:
        client = await client_of(a=["search"], b=["search", "b"])
        await client._pool.members["a"].owner.close()
        relist(client, "b", "search", "more")
        change = client._menus.refresh("b")
        found = client._menus.route("search")
        await client.aclose()
        return change, found

    change, found = asyncio.run(story())
    assert (change.of("owner"), change.of("added")) == ((), ("more",))
    assert isinstance(found, Failure) and found.kind is Kind.PEER_AWAY


def test_before_the_first_merge_there_is_nothing_to_refresh() -> None:
    """Ours: an announcement may come first."""
    client = AsyncMultiServerClient()
    assert not client._menus.refresh("a") and client.menu is None and not client.menu_change


def test_unknown_policies_are_refused_at_once() -> None:
    """Design 9: the path of the fault, before anything runs."""
    pool = AsyncMultiServerClient()._pool
    with pytest.raises(ConfigError):
        Menus(pool, Ledger(ManualClock(), Journal()), "any")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="report, pin"):
        checked_drift_policy("any")  # type: ignore[arg-type]


def test_a_key_in_the_name_of_a_tool_is_in_no_error_about_names() -> None:
    """Field case X01: both errors name what peers offer."""
    key = "sk-canary-4711"

    async def story() -> None:
        client = await client_of(a=[f"keep-{key}", "x"], b=[f"keep-{key}"])
        client.journal.redactor.add(key)
        with pytest.raises(NameCollision) as collided:
            client.merge("reject")
        client.merge("prefix-always")
        with pytest.raises(UnknownName) as unknown:
            client.accept(f"keep-{key[:-1]}")
        for said in (collided.value, unknown.value):
            assert MARK in str(said.failure.line()) + said.failure.hint
            assert key not in f"{said} {said.failure!r}"
        await client.aclose()

    asyncio.run(story())
