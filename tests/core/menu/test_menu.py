"""The menu as a value that is shown: collisions as text, and names nobody may take."""

from typing import Any

import pytest
from msgspec import to_builtins

from workbench.core.errors import NameCollision
from workbench.core.menu.menu import Collisions, Menu, Policy
from workbench.core.menu.merge import collision_failure, merge
from workbench.core.menu.route import Route, route
from workbench.core.tool import Listing, Tool

POLICIES: tuple[Policy, ...] = ("prefix-on-collision", "reject", "prefix-always")


def listing(peer: str, *names: str) -> Listing:
    schema = {"type": "object"}
    tools = (Tool(name=name, definition={"name": name, "inputSchema": schema}) for name in names)
    return Listing(peer=peer, tools=tuple(tools))


def test_collisions_are_a_tuple_and_a_text() -> None:
    """Ours: a value for programs, one line a collision for people."""
    menu = merge([listing("a", "search"), listing("b", "search")])
    assert isinstance(menu.collisions, tuple)
    assert str(menu.collisions).startswith("search of a, b: prefixed. ")
    assert str(menu.collisions).endswith("[MERGE-01]")
    assert str(merge([]).collisions) == "no name is contested"
    assert merge([]).collisions == () == Collisions()
    assert to_builtins(menu)["collisions"][0]["name"] == "search"


def test_a_hostile_name_is_safe_in_the_text() -> None:
    """Design section 7.10: server text is data."""
    name = "a\n\x1b[31mb"
    shown = merge([listing("a", name), listing("b", name)]).collisions.to_text()
    assert "\x1b" not in shown and "\n" not in shown


def test_a_reserved_name_goes_to_nobody_but_the_tools_stay_callable() -> None:
    """Ours: MERGE-06; one peer or two, the tool carries its peer's name."""
    menu = merge([listing("a", "ask", "go"), listing("b", "ask")], reserved={"ask", "unused"})
    assert menu.names == ("a/ask", "b/ask", "go")
    (one,) = menu.collisions
    assert (one.name, one.peers, one.outcome, one.rule) == (
        "ask",
        ("a", "b"),
        "prefixed",
        "MERGE-06",
    )
    assert one.canonical == ("a/ask", "b/ask")
    assert merge([listing("a", "ask")], reserved={"ask"}).names == ("a/ask",)


def test_reject_refuses_a_reserved_name_with_its_peer() -> None:
    """Ours: MERGE-06; an operator who rejects clashes rejects this one too."""
    menu = merge([listing("a", "ask", "go")], "reject", reserved={"ask"})
    failure = collision_failure(menu)
    assert menu.names == ("go",)
    assert failure is not None and failure.rule == "MERGE-06"
    assert failure.detail == "1 name is reserved: ask (a)"
    assert isinstance(failure.as_error(), NameCollision)


def test_reject_names_contested_and_reserved_names_apart() -> None:
    """Seed lesson, exercise 4: one failure holds everything there is to correct."""
    menu = merge([listing("a", "ask", "go"), listing("b", "go")], "reject", reserved={"ask"})
    failure = collision_failure(menu)
    assert failure is not None and failure.rule == "MERGE-03"
    assert "peers a, b: go (a, b); 1 name is reserved: ask (a)" in failure.detail


def test_a_reserved_prefixed_name_is_refused() -> None:
    """Ours: MERGE-06; there is no further name to fall back to."""
    for policy, offers in (
        ("prefix-always", [listing("a", "ask")]),
        ("prefix-on-collision", [listing("0", "ask"), listing("a", "ask")]),
    ):
        menu = merge(offers, policy, reserved={"a/ask"})  # type: ignore[arg-type]
        assert "a/ask" not in menu.names
        assert "a/ask" in menu.refused
        refusal = menu.contest("a/ask")
        assert refusal is not None and (refusal.rule, refusal.outcome) == ("MERGE-06", "refused")


@pytest.mark.parametrize("policy", POLICIES)
def test_no_alias_equals_a_reserved_name(policy: Policy) -> None:
    """Ours: an application's own tool must not answer for a peer's."""
    usual = merge([listing("a", "x.y")], policy).items[0].alias
    menu = merge([listing("a", "x.y")], policy, reserved={usual})
    assert menu.items[0].alias != usual
    assert menu.get(usual) is None and menu.by_alias(usual) is None


def local_names(menu: Menu) -> dict[str, tuple[str, str]]:
    """Return where each alias and each canonical name leads."""
    found: dict[str, tuple[str, str]] = {}
    for item in menu.items:
        for name in (item.canonical, item.alias):
            routed = route(menu, name, ready={"my-srv", "my_srv", "a", "p" * 20})
            assert isinstance(routed, Route)
            found[name] = (routed.peer, routed.local)
    return found


N03 = [("a", ["a.b", "a-b", "a_b"]), ("my-srv", ["t", "u"]), ("my_srv", ["t", "u.v"])]
LONG = "l" * 55
N04 = [("p" * 20, [f"{LONG}12345", f"{LONG}54321", *("x" * n for n in (64, 65, 128, 129))])]
N16 = [("a", ["a.b", "a/b", "a:b", "n" * 128, "db.query"])]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("case", [N03, N04, N16], ids=["N03", "N04", "N16"])
def test_names_that_nearly_agree_stay_apart(case: Any, policy: Policy) -> None:
    """Cases N03, N04, N16, under every policy: each tool has its own name and its own alias."""
    menu = merge([listing(peer, *names) for peer, names in case], policy)
    offered = {(peer, name) for peer, names in case for name in names}
    rejected = {("my-srv", "t"), ("my_srv", "t")} if policy == "reject" else set()
    assert set(local_names(menu).values()) == offered - rejected
    assert len({item.alias for item in menu.items}) == len(menu.items)
    assert all(len(item.alias) <= 64 for item in menu.items)
