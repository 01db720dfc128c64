"""What a person can change about a merge, and what never changes."""

import asyncio

import pytest
from msgspec.structs import replace

from fakes import modern
from workbench import AsyncMultiServerClient, MultiServerClient
from workbench.core.errors import MisuseError
from workbench.core.menu.menu import Menu
from workbench.core.menu.merge import merge
from workbench.core.tool import Listing, Tool
from workbench.views.panels.arrangement import (
    Arrangement,
    arrange,
    digest,
    other_orders,
    rows,
)


def listing(peer: str, *names: str) -> Listing:
    tools = tuple(
        Tool(name=name, definition={"name": name, "inputSchema": {"type": "object"}})
        for name in names
    )
    return Listing(peer=peer, tools=tools)


THREE = [listing("files", "search", "open"), listing("notes", "search"), listing("web", "search")]


def test_every_order_of_arrival_gives_one_menu() -> None:
    """Fault matrix M05."""
    orders = other_orders(arrange(THREE))
    assert (orders.tried, orders.of, orders.same) == (6, 6, True)


def test_a_merge_that_minds_the_order_is_found() -> None:
    """Ours: a check must be able to fail."""

    def first_come(arrangement: Arrangement) -> Menu:
        menu = arrangement.menu()
        return replace(menu, refused=tuple(one.peer for one in arrangement.arrived()))

    orders = other_orders(arrange(THREE), first_come)
    assert not orders.same and len(orders.digests) == 6


def test_many_peers_and_many_tools_bound_the_proof() -> None:
    """Ours: seven peers have 5,040 orders; a click must not take seconds."""
    many = [listing(f"p{number}", "a") for number in range(7)]
    orders = other_orders(arrange(many))
    assert (orders.tried, orders.of) == (120, 5_040)
    wide = [listing(f"p{number}", *(f"t{n}" for n in range(4_000))) for number in range(3)]
    assert other_orders(arrange(wide)).tried < 6


def test_a_peer_moves_but_not_beyond_the_ends() -> None:
    """Ours: the buttons do what a drag does."""
    now = arrange(THREE)
    assert now.moved(0, 1).order == (1, 0, 2)
    assert now.moved(0, -1).order == (0, 1, 2) and now.moved(2, 5).order == (0, 1, 2)
    assert [one.peer for one in now.with_order([2, 0]).arrived()] == ["web", "files"]


def test_a_new_name_moves_what_depends_on_sorted_order() -> None:
    """Fault matrix M01: the first in sorted order keeps the plain name."""
    before = arrange(THREE)
    now = before.renamed(0, "zeta")
    moves = {
        (row.peer, row.local): (row.before, row.now, row.move)
        for row in rows(before, now, before.menu(), now.menu())
    }
    assert moves == {
        ("notes", "search"): ("notes/search", "search", "moved"),
        ("web", "search"): ("web/search", "web/search", "as it was"),
        ("zeta", "open"): ("open", "open", "as it was"),
        ("zeta", "search"): ("search", "zeta/search", "moved"),
    }


def test_who_leaves_loses_its_names_and_who_comes_gets_some() -> None:
    """Ours: a peer that is away is not in the menu."""
    whole = arrange(THREE)
    without = whole.with_order([1, 2])
    left = {row.local: row.move for row in rows(whole, without, whole.menu(), without.menu())}
    assert left["open"] == "lost"
    came = {row.local: row.move for row in rows(without, whole, without.menu(), whole.menu())}
    assert came["open"] == "new"


def test_a_tool_that_never_had_a_name_says_so() -> None:
    """Fault matrix M02: refused, never overwritten."""
    clash = arrange([listing("a", "x"), listing("b", "x"), listing("c", "b/x")])
    found = rows(clash, clash, clash.menu(), clash.menu())
    assert {row.peer: row.move for row in found}["b"] == "without a name"


@pytest.mark.parametrize("name", ["", "  ", "a/b", "NOTES"])
def test_a_name_no_peer_could_have_is_refused(name: str) -> None:
    """Design 7.5: peer names contain no "/"."""
    with pytest.raises(MisuseError):
        arrange(THREE).renamed(0, name)
    assert arrange(THREE).renamed(1, "Notes").names[1] == "Notes"


def test_a_digest_tells_menus_apart() -> None:
    """Ours: a digest that never differs proves nothing."""
    menus = [
        merge(listings, policy, reserved=reserved)
        for listings, policy, reserved in (
            (THREE, "prefix-on-collision", ()),
            (THREE, "prefix-on-collision", ("open",)),
            (THREE, "prefix-always", ()),
            (THREE, "reject", ()),
            (THREE[:2], "prefix-on-collision", ()),
        )
    ]
    assert len({digest(menu) for menu in menus}) == len(menus)


def test_a_client_lends_its_listings_policy_and_reserved_names() -> None:
    """Ours: the panel starts where the client is."""
    with MultiServerClient(merge_policy="prefix-always", reserved_names=["help"]) as client:
        client.add_server("notes", modern("notes", tools=["search"]))
        client.connect_all()
        now = arrange(client)
        assert (now.names, now.policy, now.reserved) == (("notes",), "prefix-always", ("help",))
        assert now.menu() == client.merge()
        assert arrange(client.discover_tools()).names == ("notes",)


def test_what_is_no_source_is_refused_with_a_hint() -> None:
    """Ours: an asynchronous client cannot be asked from a cell without await."""
    with pytest.raises(MisuseError, match="no listings"):
        arrange(["notes"])

    async def story() -> None:
        async with AsyncMultiServerClient() as client:
            with pytest.raises(MisuseError, match="await"):
                arrange(client)

    asyncio.run(story())
