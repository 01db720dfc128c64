"""How a menu differs from the one that was accepted."""

from typing import Any

from workbench.core.menu.menu_change import MenuChange, menu_change
from workbench.core.menu.merge import merge
from workbench.core.tool import Listing, Tool


def listing(peer: str, **descriptions: str) -> Listing:
    tools = tuple(
        Tool(name=name, definition={"name": name, "description": text, "inputSchema": {}})
        for name, text in descriptions.items()
    )
    return Listing(peer=peer, tools=tools)


def found(change: MenuChange) -> list[tuple[Any, ...]]:
    return [(one.what, one.name, one.peer, one.before, one.parts) for one in change.names]


def test_added_removed_and_redeclared_names_are_told_apart() -> None:
    """Ours: a person decides on a readable difference."""
    before = merge([listing("notes", search="Finds.", drop="Goes.")])
    after = merge([listing("notes", search="Finds all.", fresh="Comes.")])
    assert found(menu_change(before, after)) == [
        ("removed", "drop", "notes", "", ()),
        ("added", "fresh", "notes", "", ()),
        ("changed", "search", "notes", "", ("description",)),
    ]


def test_a_change_of_owner_comes_first_and_names_both() -> None:
    """Fault matrix M08."""
    before = merge([listing("alpha", search="A."), listing("beta", search="B.")])
    after = merge([listing("beta", search="B.", extra="E.")])
    change = menu_change(before, after)
    assert change.names[0].line() == "search belongs to beta, before to alpha."
    assert change.of("owner") == ("search",)
    assert change.of("removed") == ("beta/search",) and change.of("added") == ("extra",)


def test_the_same_menu_has_not_changed() -> None:
    """Ours: also when it was merged anew, or never."""
    menu = merge([listing("notes", search="Finds.")])
    again = merge([listing("notes", search="Finds.")])
    for change in (menu_change(menu, again), menu_change(menu, menu), menu_change(None, None)):
        assert not change and change.to_text() == "the menu is as it was"
    assert menu_change(None, menu).of("added") == ("search",)
    assert menu_change(menu, None).of("removed") == ("search",)


def test_hostile_names_are_shown_as_text() -> None:
    """Design 7.10: server text is data."""
    after = merge([listing("notes", **{"a\x1b[31m\nb|c": "x"})])
    change = menu_change(None, after)
    assert "\x1b" not in change.to_text() and change.to_text().count("\n") == 0
    (row,) = change.to_rows()
    assert row["what"] == "added" and "\x1b" not in row["name"]
    assert len(change.to_markdown().splitlines()) == 3
