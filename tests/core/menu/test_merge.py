"""The merge: who gets which name, and that nothing is overwritten or lost."""

import itertools
import string
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.errors import ConfigError, Kind, NameCollision
from workbench.core.menu.menu import Menu, Policy
from workbench.core.menu.merge import collision_failure, merge
from workbench.core.tool import Listing, Tool

POLICIES: tuple[Policy, ...] = ("prefix-on-collision", "reject", "prefix-always")


def tool(name: str, text: str = "") -> Tool:
    return Tool(
        name=name,
        definition={"name": name, "description": text, "inputSchema": {"type": "object"}},
    )


def listing(peer: str, *names: str) -> Listing:
    return Listing(peer=peer, tools=tuple(tool(name, f"of {peer}") for name in names))


def owners(menu: Menu) -> dict[str, tuple[str, str]]:
    return {item.canonical: (item.peer, item.local) for item in menu.items}


def test_the_first_peer_in_sorted_order_keeps_the_plain_name() -> None:
    """Case N01; fault matrix M01: the later peer is `<server>/<tool>`, and the clash is told."""
    menu = merge([listing("notes", "search", "create"), listing("files", "search")])
    assert owners(menu) == {
        "create": ("notes", "create"),
        "notes/search": ("notes", "search"),
        "search": ("files", "search"),
    }
    (collision,) = menu.collisions
    assert collision.name == "search"
    assert collision.peers == ("files", "notes")
    assert collision.outcome == "prefixed"
    assert collision.canonical == ("search", "notes/search")
    assert collision.rule == "MERGE-01"
    assert menu.refused == ()
    assert collision_failure(menu) is None


def test_every_later_peer_gets_its_own_prefixed_name() -> None:
    """Case N01: three peers, three tools, three names."""
    menu = merge([listing(peer, "search") for peer in ("c", "a", "b")])
    assert menu.names == ("b/search", "c/search", "search")
    assert menu.collisions[0].canonical == ("search", "b/search", "c/search")


def test_items_carry_canonical_local_alias_and_definition() -> None:
    """Seed lesson: keep canonical and local names; the call carries the local one."""
    menu = merge([listing("files", "search"), listing("notes", "search")])
    item = menu.get("notes/search")
    assert item is not None
    assert (item.peer, item.local) == ("notes", "search")
    assert item.tool.description == "of notes"
    assert menu.by_alias(item.alias) is item
    assert menu.items_of("notes") == (item,)
    assert menu.items_of("nobody") == ()
    assert [one.peer for one in menu.offers("search")] == ["notes", "files"]


def test_a_made_up_name_never_takes_a_real_name_of_a_third_peer() -> None:
    """Fault matrix M02: the real name stays, the prefixed one is refused and listed."""
    menu = merge([listing("a", "search"), listing("b", "search"), listing("c", "b/search")])
    assert owners(menu) == {"b/search": ("c", "b/search"), "search": ("a", "search")}
    assert menu.refused == ("b/search",)
    made_up = menu.contest("b/search")
    plain = menu.contest("search")
    assert made_up is not None and plain is not None
    assert (made_up.outcome, made_up.peers, made_up.canonical) == (
        "refused",
        ("b", "c"),
        ("b/search",),
    )
    assert (plain.outcome, plain.peers, plain.canonical) == ("refused", ("a", "b"), ("search",))


@pytest.mark.parametrize("owner", ["a", "b", "z"])
def test_a_made_up_name_never_takes_a_real_name_wherever_its_owner_sorts(owner: str) -> None:
    """Fault matrix M02: before, after, or the very peer whose tool is to be renamed."""
    offers = {"a": ["search"], "b": ["search"]}
    offers.setdefault(owner, []).append("b/search")
    menu = merge(listing(peer, *names) for peer, names in offers.items())
    assert owners(menu)["b/search"] == (owner, "b/search")
    assert "b/search" in menu.refused
    refused = menu.contest("b/search")
    assert refused is not None and refused.peers == tuple(sorted({"b", owner}))


def test_one_refusal_does_not_stop_the_other_prefixes() -> None:
    """Fault matrix M02: the smallest unit is refused, one tool."""
    menu = merge(
        [
            listing("a", "search"),
            listing("b", "search"),
            listing("c", "search"),
            listing("d", "b/search"),
        ]
    )
    assert owners(menu)["c/search"] == ("c", "search")
    plain = menu.contest("search")
    assert plain is not None
    assert plain.canonical == ("search", "c/search")
    assert plain.outcome == "refused"


def test_reject_offers_the_name_of_nobody_and_names_both_peers() -> None:
    """Seed lesson, exercise 4; fault matrix M01: a failure that names both peers."""
    menu = merge([listing("notes", "search", "create"), listing("files", "search")], "reject")
    assert menu.names == ("create",)
    assert menu.refused == ("search",)
    (collision,) = menu.collisions
    assert (collision.outcome, collision.peers) == ("rejected", ("files", "notes"))
    failure = collision_failure(menu)
    assert failure is not None
    assert failure.kind is Kind.NAME_COLLISION
    assert failure.rule == "MERGE-03"
    line = failure.line()
    assert "files" in line and "notes" in line and "search" in line
    assert "\n" not in line
    assert isinstance(failure.as_error(), NameCollision)


def test_the_collision_failure_names_every_peer_and_every_name() -> None:
    """Ours: several clashes are one failure."""
    menu = merge(
        [listing("a", "x", "y"), listing("b", "x"), listing("c", "y"), listing("d", "z")], "reject"
    )
    failure = collision_failure(menu)
    assert failure is not None
    assert "x (a, b)" in failure.detail
    assert "y (a, c)" in failure.detail
    assert "d" not in failure.detail.split(": ")[0].split("peers ")[1]


def test_the_collision_failure_stays_one_bounded_line_however_many_names_clash() -> None:
    """Ours: design section 7.9, everything is bounded; every peer is still named."""
    names = [f"tool_{number:04}" for number in range(400)]
    failure = collision_failure(merge([listing("a", *names), listing("b", *names)], "reject"))
    assert failure is not None
    assert "a, b" in failure.detail
    assert "tool_0049" in failure.detail and "tool_0050" not in failure.detail
    assert "and 350 more" in failure.detail


def test_reject_without_a_clash_is_no_failure() -> None:
    """Ours: the policy changes nothing where no two peers agree on a name."""
    menu = merge([listing("a", "x"), listing("b", "y")], "reject")
    assert menu.names == ("x", "y")
    assert collision_failure(menu) is None


def test_prefix_always_prefixes_every_name_and_has_no_clash() -> None:
    """Ours: names that do not depend on which other peers are there."""
    menu = merge([listing("notes", "search"), listing("files", "search")], "prefix-always")
    assert menu.names == ("files/search", "notes/search")
    assert menu.collisions == ()
    alone = merge([listing("notes", "search")], "prefix-always")
    assert alone.names == ("notes/search",)


def test_names_that_differ_only_in_the_place_of_the_joiner_stay_distinct() -> None:
    """Case N02; fault matrix M03: servers `a`, `a__b`, `a_`; tools `b__c`, `c`, `_x`."""
    peers, names = ("a", "a__b", "a_"), ("b__c", "c", "_x")
    for policy in POLICIES:
        menu = merge([listing(peer, *names) for peer in peers], policy)
        assert len({item.canonical for item in menu.items}) == len(menu.items)
        assert len({item.alias for item in menu.items}) == len(menu.items)
    routed = {(item.peer, item.local) for item in menu.items}
    assert routed == set(itertools.product(peers, names))


def test_a_peer_name_with_a_slash_still_overwrites_nothing() -> None:
    """Ours: the configuration forbids it; the one inserting place would refuse all the same."""
    menu = merge([listing("a", "b/c"), listing("a/b", "c")], "prefix-always")
    assert owners(menu) == {"a/b/c": ("a", "b/c")}
    assert menu.refused == ("a/b/c",)
    (collision,) = menu.collisions
    assert (collision.outcome, collision.peers) == ("refused", ("a", "a/b"))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_name_listed_twice_by_one_peer_is_refused_and_the_rest_stays(policy: Policy) -> None:
    """Fault matrix C05: defensive, the listing stage drops it before."""
    menu = merge([listing("a", "x", "y", "x")], policy)
    assert [item.local for item in menu.items] == ["y"]
    (collision,) = menu.collisions
    assert (collision.peers, collision.outcome, collision.rule) == (("a",), "refused", "MERGE-04")
    assert menu.refused == (collision.name,)
    assert collision_failure(menu) is None


def test_the_same_tool_object_listed_twice_is_a_repeat_as_well() -> None:
    """Ours: equal inputs give equal menus, whatever objects they are made of."""
    once = tool("x")
    same = merge([Listing(peer="a", tools=(once, once))])
    equal = merge([Listing(peer="a", tools=(tool("x"), tool("x")))])
    assert same == equal
    assert same.items == ()


def test_a_name_one_peer_repeats_goes_to_the_other_peer_that_offers_it() -> None:
    """Fault matrix C05: the repeating peer offers no such tool, so there is no contest."""
    menu = merge([listing("a", "x", "x"), listing("b", "x")])
    assert owners(menu) == {"x": ("b", "x")}


def test_long_non_ascii_and_spaced_names_stay_canonical() -> None:
    """Fault matrix M06: the canonical name is what the peer wrote."""
    names = ("n" * 70, "größe messen", "検索", "a b")
    menu = merge([listing("a", *names)])
    assert set(menu.names) == set(names)
    assert len({item.alias for item in menu.items}) == len(names)


def test_hostile_names_are_escaped_in_every_reason() -> None:
    """Design section 7.10: server text is data."""
    hostile = "x\x1b[31m\n\u202e"
    menu = merge([listing("a", hostile), listing("b", hostile)], "reject")
    failure = collision_failure(menu)
    assert failure is not None
    for text in (failure.line(), menu.collisions[0].reason):
        assert text.isprintable()


def test_an_unknown_policy_is_a_configuration_error_that_lists_the_three() -> None:
    """Ours: a misspelt policy must not fall back to another one."""
    with pytest.raises(ConfigError) as caught:
        merge([], "prefix")  # type: ignore[arg-type]
    for policy in POLICIES:
        assert policy in caught.value.failure.hint


def test_no_listings_make_an_empty_menu() -> None:
    """Ours: nothing connected is not an error of the merge."""
    assert merge([]) == Menu("prefix-on-collision")
    assert merge([Listing(peer="a")]).names == ()


def test_lookup_tables_show_in_no_output_and_change_no_comparison() -> None:
    """Ours: a menu that was used equals one that was not."""
    used = merge([listing("a", "x"), listing("b", "x")])
    fresh = merge([listing("b", "x"), listing("a", "x")])
    assert used.get("x") is not None and used.owners["b/x"] == "b"
    assert used == fresh
    assert repr(used) == repr(fresh)
    assert "_by_" not in repr(used)
    assert msgspec.json.encode(used) == msgspec.json.encode(fresh)


def test_all_orders_of_three_peers_give_one_menu() -> None:
    """Case N07; fault matrix M05: the same three servers in all six orders."""
    listings = [listing(peer, "search", f"own_{peer}") for peer in ("a", "b", "c")]
    menus = {msgspec.json.encode(merge(order)) for order in itertools.permutations(listings)}
    assert len(menus) == 1


NAMES = st.one_of(
    st.sampled_from(["search", "b/search", "a/b", "a_b", "c", "b/c", "a/search"]),
    st.text(st.sampled_from(string.ascii_letters + "/_-. é検"), max_size=8),
)
PEERS = st.sampled_from(["a", "b", "c", "a_b", "notes"])


@st.composite
def offers(draw: st.DrawFn) -> list[Listing]:
    chosen = draw(st.dictionaries(PEERS, st.lists(NAMES, max_size=6), max_size=5))
    return [listing(peer, *names) for peer, names in chosen.items()]


def shuffled(listings: Iterable[Listing], draw: st.DataObject) -> list[Listing]:
    mixed = draw.draw(st.permutations(list(listings)))
    return [
        msgspec.structs.replace(one, tools=tuple(draw.draw(st.permutations(one.tools))))
        for one in mixed
    ]


@settings(max_examples=150, deadline=None)
@given(listings=offers(), policy=st.sampled_from(POLICIES), data=st.data())
def test_any_order_of_peers_and_tools_gives_a_byte_identical_menu(
    listings: list[Listing], policy: Policy, data: st.DataObject
) -> None:
    """Fault matrix M05; design section 7.5: a pure function of configuration and listings."""
    plain = merge(listings, policy)
    mixed = merge(shuffled(listings, data), policy)
    assert msgspec.json.encode(plain) == msgspec.json.encode(mixed)


@settings(max_examples=150, deadline=None)
@given(listings=offers(), policy=st.sampled_from(POLICIES))
def test_every_listed_tool_is_an_item_or_named_by_a_collision(
    listings: list[Listing], policy: Policy
) -> None:
    """Seed skill: forbid silent overwrite; nothing disappears without a word."""
    menu = merge(listings, policy)
    items = [(item.peer, item.local) for item in menu.items]
    assert len(items) == len(set(items))
    assert len(set(menu.names)) == len(menu.items)
    assert list(menu.names) == sorted(menu.names)
    named = {(peer, one.name) for one in menu.collisions for peer in one.peers}
    for one in listings:
        for offered in one.tools:
            wanted = (one.peer, f"{one.peer}/{offered.name}")
            assert (
                (one.peer, offered.name) in items
                or (one.peer, offered.name) in named
                or wanted in named
            )
