"""How one menu differs from another, in words a person can decide on.

Takes:  the menu that was accepted and the one there is now
Gives:  `MenuChange`: what was added, what is gone, what belongs to somebody else, what was
        declared anew
Never:  hides a change of owner among the others

Source: fault matrix M08 and C13; seed skill, "refuse ... when the owner changed".
"""

from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from workbench.core.menu.menu import Menu, MenuItem
from workbench.core.pins.drift import changes, pin_tool
from workbench.core.text.markdown import table
from workbench.core.text.shown import Shown
from workbench.core.text.veiled import Veiled, shared_veil
from workbench.core.text.visible import visible

What: TypeAlias = Literal["owner", "removed", "added", "changed"]

CHANGE_COLUMNS: Final = ("What", "Name", "Peer", "Before", "Parts")
_ORDER: Final = ("owner", "removed", "added", "changed")


class NameChange(Struct, frozen=True, kw_only=True):
    """One canonical name that is not as it was."""

    what: What
    name: str
    """As the peer wrote it, untrusted."""
    peer: str
    """Who has it now; who had it, for one that is gone."""
    before: str = ""
    """Who had it before, when that was somebody else."""
    parts: tuple[str, ...] = ()
    """For "changed": the parts of the declaration, some of `workbench.core.pins.drift.PARTS`."""

    def line(self) -> str:
        """Return the change as one safe sentence."""
        name = visible(self.name, 128)
        if self.what == "owner":
            return f"{name} belongs to {visible(self.peer)}, before to {visible(self.before)}."
        if self.what == "changed":
            return f"{name} of {visible(self.peer)} is declared anew: {', '.join(self.parts)}."
        verb = "is new" if self.what == "added" else "is gone"
        return f"{name} of {visible(self.peer)} {verb}."


class MenuChange(Shown, Veiled, frozen=True, eq=False):
    """All differences: changes of owner first, then by kind and name.

    The names are as they are called; the views go without the secrets of the client.
    """

    names: tuple[NameChange, ...] = ()

    def __str__(self) -> str:
        return self.to_text()

    def __bool__(self) -> bool:
        """Return whether anything changed."""
        return bool(self.names)

    def of(self, what: What) -> tuple[str, ...]:
        """Return the names with one kind of change, sorted."""
        return tuple(change.name for change in self.names if change.what == what)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict a change, with texts that are safe to show."""
        keys = [column.lower() for column in CHANGE_COLUMNS]
        return [dict(zip(keys, cells, strict=True)) for cells in self.cells()]

    def cells(self) -> list[tuple[str, ...]]:
        """Return one safe text for each of `CHANGE_COLUMNS`, a tuple a change."""
        return [
            (
                change.what,
                visible(change.name, 128),
                visible(change.peer),
                visible(change.before) if change.before else "-",
                ", ".join(change.parts) or "-",
            )
            for change in self.cleaned(self.names)
        ]

    def to_text(self) -> str:
        """Return one line a change."""
        lines = [change.line() for change in self.cleaned(self.names)]
        return "\n".join(lines) or "the menu is as it was"

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return table(CHANGE_COLUMNS, self.cells())


def menu_change(before: Menu | None, after: Menu | None) -> MenuChange:
    """Return how `after` differs from `before`; None stands for an empty menu."""
    old = {item.canonical: item for item in before.items} if before is not None else {}
    new = {item.canonical: item for item in after.items} if after is not None else {}
    if before is after:
        return MenuChange()
    found = [_one(name, old.get(name), new.get(name)) for name in {*old, *new}]
    named = [change for change in found if change is not None]
    hides = shared_veil(menu.hides for menu in (before, after) if menu is not None)
    ordered = sorted(named, key=lambda one: (_ORDER.index(one.what), one.name))
    return MenuChange(tuple(ordered), hides=hides)


def _one(name: str, old: MenuItem | None, new: MenuItem | None) -> NameChange | None:
    if old is None and new is not None:
        return NameChange(what="added", name=name, peer=new.peer)
    if old is not None and new is None:
        return NameChange(what="removed", name=name, peer=old.peer)
    if old is None or new is None or old == new:
        return None
    if old.peer != new.peer:
        return NameChange(what="owner", name=name, peer=new.peer, before=old.peer)
    parts = changes(pin_tool(old.tool), pin_tool(new.tool))
    if old.local != new.local:
        parts = (*parts, "local name")
    return NameChange(what="changed", name=name, peer=new.peer, parts=parts) if parts else None
