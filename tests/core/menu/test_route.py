"""The route: a look-up that refuses whatever is not certain."""

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.menu.menu import Menu, Policy
from workbench.core.menu.merge import merge
from workbench.core.menu.route import Route, nearest, route
from workbench.core.tool import Listing, Tool

EVERYBODY = frozenset({"a", "b", "c", "files", "notes"})


def listing(peer: str, *names: str) -> Listing:
    return Listing(
        peer=peer,
        tools=tuple(
            Tool(name=name, definition={"name": name, "inputSchema": {"type": "object"}})
            for name in names
        ),
    )


@pytest.fixture
def menu() -> Menu:
    return merge([listing("files", "search", "read"), listing("notes", "search", "create")])


def refused(outcome: Route | Failure) -> Failure:
    assert isinstance(outcome, Failure)
    assert outcome.stage == "route"
    assert outcome.rule and outcome.hint and outcome.detail
    return outcome


def sent(outcome: Route | Failure) -> tuple[str, str, str]:
    assert isinstance(outcome, Route)
    return outcome.peer, outcome.local, outcome.canonical


def test_a_canonical_name_leads_to_its_owner_and_the_local_name(menu: Menu) -> None:
    """Seed lesson: canonical name -> peer name + local name."""
    assert sent(route(menu, "search", ready=EVERYBODY)) == ("files", "search", "search")
    found = route(menu, "notes/search", ready=EVERYBODY)
    assert sent(found) == ("notes", "search", "notes/search")
    assert isinstance(found, Route) and found.tool.name == "search"


def test_an_alias_routes_like_the_name_it_stands_for(menu: Menu) -> None:
    """Case N16: the model calls the alias, the peer gets its own name."""
    item = menu.get("notes/search")
    assert item is not None and item.alias != item.canonical
    assert sent(route(menu, item.alias, ready=EVERYBODY)) == ("notes", "search", "notes/search")


@pytest.mark.parametrize("name", ["files/search", "notes_search", "notes/create", "SEARCH", ""])
def test_a_name_is_never_taken_apart_or_corrected(menu: Menu, name: str) -> None:
    """Case N02; design section 7.6: a look-up, never text parsing."""
    assert refused(route(menu, name, ready=EVERYBODY)).kind is Kind.UNKNOWN_NAME


def test_names_that_differ_only_in_the_place_of_the_joiner_reach_their_owners() -> None:
    """Case N02: servers `a`, `a__b`, `a_`; tools `b__c`, `c`, `_x`."""
    peers, names = ("a", "a__b", "a_"), ("b__c", "c", "_x")
    menu = merge([listing(peer, *names) for peer in peers], "prefix-always")
    for item in menu.items:
        for name in (item.canonical, item.alias):
            assert sent(route(menu, name, ready=peers))[:2] == (item.peer, item.local)


def test_an_unknown_name_is_answered_with_at_most_three_near_ones(menu: Menu) -> None:
    """Ours: a misspelt name costs one look, not a search through the report."""
    failure = refused(route(menu, "serch", ready=EVERYBODY))
    assert failure.kind is Kind.UNKNOWN_NAME
    assert failure.rule == "ROUTE-01"
    assert "search" in failure.hint
    many = merge([listing("a", *(f"search_{number}" for number in range(9)))])
    assert len(nearest(many, "search_")) == 3


def test_an_unknown_name_without_a_near_one_still_has_a_hint(menu: Menu) -> None:
    """Ours: no list is better than a wrong one."""
    assert nearest(menu, "zzzzzz") == ()
    refused(route(menu, "zzzzzz", ready=EVERYBODY))


def test_the_local_name_of_one_peer_is_answered_with_the_canonical_one() -> None:
    """Ours: under prefix-always people type what the peer's manual says."""
    menu = merge([listing("a-peer-with-quite-a-long-name", "search")], "prefix-always")
    failure = refused(route(menu, "search", ready=EVERYBODY))
    assert failure.kind is Kind.UNKNOWN_NAME
    assert "a-peer-with-quite-a-long-name/search" in failure.hint


def test_a_near_name_is_found_in_a_very_large_menu() -> None:
    """Ours: the work is bounded, the answer is still useful."""
    menu = merge(
        [
            listing("a", *(f"tool_{number}" for number in range(2_000)), "weather_forecast"),
            listing("b", "weather_forecast"),
        ],
        "prefix-always",
    )
    assert "a/weather_forecast" in nearest(menu, "a/weather_forcast")
    assert set(nearest(menu, "weather_forecast")) == {"a/weather_forecast", "b/weather_forecast"}
    assert "a/tool_77" in nearest(menu, "a/tol_77")


def test_hostile_names_are_escaped_in_the_failure() -> None:
    """Design section 7.10: server text is data, and so is what a model asks for."""
    menu = merge([listing("a", "x\x1b[31mred\u202e", "x\nred")])
    failure = refused(route(menu, "x\x1b[32mred", ready=EVERYBODY))
    assert failure.line().isprintable()
    assert "\\x1b" in failure.hint


def test_a_rejected_name_is_refused_as_ambiguous() -> None:
    """Seed skill: refuse to route a tool when the owner is ambiguous."""
    menu = merge([listing("a", "search"), listing("b", "search")], "reject")
    failure = refused(route(menu, "search", ready=EVERYBODY))
    assert failure.kind is Kind.AMBIGUOUS_OWNER
    assert failure.rule == "ROUTE-02"
    assert "a, b" in failure.detail


def test_a_local_name_that_several_peers_offer_is_refused_with_the_choice() -> None:
    """Seed skill: refuse to route a tool when the owner is ambiguous."""
    menu = merge([listing("a", "search"), listing("b", "search")], "prefix-always")
    failure = refused(route(menu, "search", ready=EVERYBODY))
    assert failure.kind is Kind.AMBIGUOUS_OWNER
    assert "a/search" in failure.hint and "b/search" in failure.hint


def test_the_tool_whose_prefixed_name_was_refused_cannot_be_reached() -> None:
    """Fault matrix M02: the real name stays with its owner; no name leads to the other tool."""
    menu = merge([listing("a", "search"), listing("b", "search"), listing("c", "b/search")])
    assert sent(route(menu, "b/search", ready=EVERYBODY)) == ("c", "b/search", "b/search")
    everything = {*menu.names, *(item.alias for item in menu.items), "search", "b/search"}
    reached = {sent(route(menu, name, ready=EVERYBODY))[:2] for name in everything}
    assert ("b", "search") not in reached


@pytest.mark.parametrize("policy", ["prefix-on-collision", "reject", "prefix-always"])
def test_a_name_its_own_peer_repeats_is_refused_as_ambiguous(policy: Policy) -> None:
    """Fault matrix C05: two declarations, no way to tell which is meant."""
    menu = merge([listing("a", "x", "x")], policy)
    (name,) = menu.refused
    assert refused(route(menu, name, ready=EVERYBODY)).kind is Kind.AMBIGUOUS_OWNER


def test_an_owner_that_is_not_ready_gets_nothing(menu: Menu) -> None:
    """Seed lesson: do not send a call when the owner's transport is not available."""
    failure = refused(route(menu, "search", ready={"notes"}))
    assert failure.kind is Kind.PEER_AWAY
    assert failure.rule == "ROUTE-04"
    assert failure.peer == "files"


def test_a_changed_owner_is_refused_until_the_menu_is_accepted_again(menu: Menu) -> None:
    """Fault matrix M08: `files` is gone after a restart, so `search` would go to `notes`."""
    accepted = menu.owners
    after = merge([listing("notes", "search", "create")])
    failure = refused(route(after, "search", ready=EVERYBODY, owners=accepted))
    assert failure.kind is Kind.AMBIGUOUS_OWNER
    assert failure.rule == "ROUTE-03"
    assert "files" in failure.detail and "notes" in failure.detail
    assert "accept" in failure.hint
    assert sent(route(after, "search", ready=EVERYBODY, owners=after.owners))[0] == "notes"


def test_an_unchanged_owner_and_a_new_name_route_as_before(menu: Menu) -> None:
    """Fault matrix M08: only a changed owner is refused."""
    accepted = menu.owners
    after = merge([listing("files", "search", "read", "write"), listing("notes", "search")])
    assert sent(route(after, "search", ready=EVERYBODY, owners=accepted))[0] == "files"
    assert sent(route(after, "notes/search", ready=EVERYBODY, owners=accepted))[0] == "notes"
    assert sent(route(after, "write", ready=EVERYBODY, owners=accepted))[0] == "files"


def test_a_new_tool_cannot_take_over_the_alias_of_another_peer(menu: Menu) -> None:
    """Ours: a peer lists a real name equal to an alias that a model already knows (M08)."""
    item = menu.get("notes/search")
    assert item is not None
    after = merge([listing("files", "search", item.alias), listing("notes", "search", "create")])
    failure = refused(route(after, item.alias, ready=EVERYBODY, owners=menu.owners))
    assert failure.kind is Kind.AMBIGUOUS_OWNER
    assert failure.rule == "ROUTE-03"


def test_a_made_up_alias_that_moved_to_another_peer_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ours: a short hash can be hit on purpose; the alias then stands for another tool (M08)."""

    class Clash:
        def __init__(self, data: bytes) -> None:
            pass

        def hexdigest(self) -> str:
            return "0" * 64

    monkeypatch.setattr("workbench.core.menu.alias.sha256", Clash)
    before, after = merge([listing("notes", "a.b")]), merge([listing("files", "a/b")])
    (alias,) = {item.alias for item in (*before.items, *after.items)}
    assert sent(route(before, alias, ready=EVERYBODY, owners=before.owners))[0] == "notes"
    failure = refused(route(after, alias, ready=EVERYBODY, owners=before.owners))
    assert failure.rule == "ROUTE-03"


def test_a_refused_name_is_not_answered_by_an_alias_of_another_tool() -> None:
    """Ours: a rejected name stays refused even when it equals what would be an alias."""
    usual = merge([listing("a", "x.y")]).items[0].alias
    menu = merge([listing("a", "x.y"), listing("b", usual), listing("c", usual)], "reject")
    assert refused(route(menu, usual, ready=EVERYBODY)).kind is Kind.AMBIGUOUS_OWNER


def test_an_accepted_name_that_is_gone_says_where_it_went(menu: Menu) -> None:
    """Fault matrix M08: away while its owner is away, unknown once the owner no longer has it."""
    after = merge([listing("files", "search", "read")])
    away = refused(route(after, "create", ready={"files"}, owners=menu.owners))
    assert (away.kind, away.peer) == (Kind.PEER_AWAY, "notes")
    gone = refused(route(after, "create", ready=EVERYBODY, owners=menu.owners))
    assert gone.kind is Kind.UNKNOWN_NAME
    assert "notes" in gone.detail
