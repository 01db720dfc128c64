"""Many listings become one menu while a person rearranges them.

Takes:  listings, or a synchronous client that lists them
Gives:  a panel: order of arrival, policy, reserved names and peer names to change; the menu
        before and now, the collisions with their rules, and who would get a call
Never:  merges or routes by itself: `core.merge.merge` and `core.route.route` do

The lesson is in what does not happen: whoever comes first, the menu is the same.

Source: design sections 7.5 and 7.6; fault matrix M01 to M08.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeVar, get_args

from msgspec.structs import replace

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.menu.alias import shown_alias
from workbench.core.menu.menu import Menu, Policy
from workbench.core.menu.merge import collision_failure
from workbench.core.menu.route import Route, route
from workbench.core.rulebook.rules import RULES
from workbench.core.text.veiled import shared_veil
from workbench.core.text.visible import visible
from workbench.views.html import table, text_of
from workbench.views.panels.arrangement import (
    Arrangement,
    Orders,
    Row,
    arrange,
    digest,
    other_orders,
    rows,
)
from workbench.views.panels.panel import Panel

_MENU: Final = ("Peer", "Its own name", "What happened", "Accepted as", "Now", "Alias for a model")
_COLLISIONS: Final = ("Name", "Peers", "Outcome", "Goes by", "Reason", "Rule")
_LONGEST: Final = 60

T = TypeVar("T")


class MergePanel(Panel):
    """Names that move, or do not.

    Args:
        source: listings; a dict of them, as `discover_tools()` returns it; or a synchronous
            client, which is asked for them and lends its policy and reserved names.

    Raises:
        MisuseError: if the source is none of these.
    """

    def __init__(self, source: Any) -> None:
        super().__init__("Merging names")
        self.now: Arrangement = arrange(source)
        self.accepted: Arrangement = self.now
        self.menu: Menu = self.now.menu()
        """What the merge makes of the present arrangement."""
        self._veil = shared_veil(one.hides for one in self.now.listings)
        self._quiet = False
        self._build()
        self._show()
        self.say("This is the menu as it was accepted. Change something.")

    def lines(self) -> Iterable[str]:
        """Return what the panel shows, as text."""
        yield f"order of arrival: {', '.join(self._tags(self.now)) or 'nobody is there'}"
        yield f"policy: {self.now.policy}; reserved: {_listed(self.now.reserved)}"
        yield self._order_words(other_orders(self.now))
        yield from ("  ".join(_cells(row)) for row in self._safe_rows())
        for clash in self.menu.collisions.veiled():
            yield f"collision on {visible(clash.name, 128)}: {clash.reason} [{clash.rule}]"
        if self.asked.value:
            yield self._route_words()

    # -- the parts ---------------------------------------------------------------------

    def _build(self) -> None:
        import ipywidgets

        names = self._tags(self.now)
        self.order = ipywidgets.TagsInput(
            value=names, allowed_tags=names, allow_duplicates=False, placeholder="add a peer"
        )
        self.order.observe(self.guarded(lambda change: self._dragged(change["new"])), "value")
        self.peer = self.choice("Peer", self._peers(), tooltip="Which one the buttons move")
        self.earlier = self.button("Earlier", "Let it arrive one place earlier", self._earlier)
        self.later = self.button("Later", "Let it arrive one place later", self._later)
        self.leave = self.button("Leave / come back", "Take it out, or in again", self._leave)
        self.name = ipywidgets.Text(
            placeholder="a new name",
            layout=ipywidgets.Layout(width="12em"),
            continuous_update=False,
        )
        self.name.tooltip = "What this peer is to be called"
        self.rename = self.button("Rename it", "As if its configuration said so", self._rename)
        self.policy = self.choice(
            "Policy", get_args(Policy), self._set_policy, value=self.now.policy
        )
        self.reserved = ipywidgets.TagsInput(
            value=list(self.now.reserved), allow_duplicates=False, placeholder="add a name"
        )
        self.reserved.observe(self.guarded(lambda change: self._reserve(change["new"])), "value")
        self.accept = self.button(
            "Accept this menu", "From now on it is what is compared with", self._accept
        )
        self.again = self.button("Begin again", "As it was at first", self._begin_again)
        self.asked = ipywidgets.Text(
            description="Who would get", value=self._first_name(), continuous_update=False,
            style={"description_width": "initial"}, layout=ipywidgets.Layout(width="26em"),
        )  # fmt: skip
        self.asked.observe(self.guarded(lambda _: self._answer()), "value")
        self._first = self.now
        self._proof, self._routed = self.markup(), self.markup()
        self._menu_place, self._collision_place = self.markup(), self.markup()
        for place in (self._menu_place, self._collision_place):
            place.add_class("mcpw-names")  # a prefixed name fits into one line of its cell
        self.lay_out(
            self.row(self.policy, self.accept, self.again),
            self.markup("<h4>Order of arrival: drag the names, or use the buttons</h4>"),
            self.order,
            self.row(self.peer, self.earlier, self.later, self.leave, self.name, self.rename),
            self.markup("<h4>Reserved names: nobody may take them</h4>"),
            self.reserved,
            self._proof,
            self.messages,
            self._menu_place,
            self._collision_place,
            self.markup("<h4>A call by name</h4>"),
            self.row(self.asked),
            self._routed,
        )

    def _peers(self) -> list[tuple[str, int]]:
        return [(visible(name, _LONGEST), place) for place, name in enumerate(self.now.names)]

    def _tags(self, arrangement: Arrangement) -> list[str]:
        return [visible(arrangement.names[place], _LONGEST) for place in arrangement.order]

    def _first_name(self) -> str:
        contested = sorted(self.menu.collisions, key=lambda clash: -len(clash.peers))
        names = (*(clash.name for clash in contested), *self.menu.names)
        # What is typed has to be the name itself; one that holds a secret is not suggested.
        return next((name for name in names if self._safe(name) == name), "")

    # -- what a person changes ---------------------------------------------------------

    def _dragged(self, tags: list[str]) -> None:
        if self._quiet:
            return
        places = {visible(name, _LONGEST): place for place, name in enumerate(self.now.names)}
        self._set(self.now.with_order(places[tag] for tag in tags), "The order of arrival changed")

    def _earlier(self) -> None:
        self._set(self.now.moved(self._there(), -1), "It arrives earlier")

    def _later(self) -> None:
        self._set(self.now.moved(self._there(), 1), "It arrives later")

    def _there(self) -> int:
        place: int = self.peer.value
        if place not in self.now.order:
            hint = "Let it come back first."
            detail = "this peer is not there."
            raise MisuseError(Failure(kind=Kind.MISUSE, stage="merge", detail=detail, hint=hint))
        return place

    def _leave(self) -> None:
        place: int = self.peer.value
        there = place in self.now.order
        rest = [one for one in self.now.order if one != place]
        order = rest if there else [*rest, place]
        self._set(self.now.with_order(order), "It has left" if there else "It is back")

    def _rename(self) -> None:
        self._set(self.now.renamed(self.peer.value, self.name.value), "It has another name")
        self.name.value = ""

    def _set_policy(self, policy: Policy) -> None:
        if not self._quiet:
            self._set(replace(self.now, policy=policy), f"The policy is {policy}")

    def _reserve(self, names: list[str]) -> None:
        if not self._quiet:
            self._set(replace(self.now, reserved=tuple(names)), "The reserved names changed")

    def _accept(self) -> None:
        self.accepted = self.now
        self._show()
        self.say(f"Accepted: {len(self.menu.items)} names and their owners.")

    def _begin_again(self) -> None:
        self.accepted = self._first
        self._set(self._first, "As it was at first")

    def _set(self, arrangement: Arrangement, what: str) -> None:
        before, self.now = self.menu, arrangement
        self.menu = arrangement.menu()
        self._show()
        same = "the menu is byte for byte the same" if digest(before) == digest(self.menu) else ""
        moved = sum(row.move != "as it was" for row in self._rows())
        told = same or f"{moved} of {len(self._rows())} names are not as they were accepted"
        self.say(f"{what}: {told}.")

    # -- what is shown -----------------------------------------------------------------

    def _show(self) -> None:
        self._quiet = True
        try:
            every = [text for text, _ in self._peers()]
            self.order.allowed_tags = list({*every, *self.order.value})
            self.order.value = self._tags(self.now)
            self.order.allowed_tags = every
            chosen = self.peer.value
            self.peer.options = self._peers()
            self.peer.value = chosen
            self.policy.value = self.now.policy
            self.reserved.value = list(self.now.reserved)
        finally:
            self._quiet = False
        found = self._rows()
        marked = {place for place, row in enumerate(found) if row.move != "as it was"}
        caption = f"Menu: {len(self.menu.items)} names, {len(marked)} not as accepted"
        self._menu_place.value = table(caption, _MENU, map(_cells, self._safe_rows()), marked)
        self._collision_place.value = self._collision_table()
        orders = other_orders(self.now)
        self._proof.value = f'<p class="mcpw-strong">{text_of(self._order_words(orders))}</p>'
        self._answer()

    def _rows(self) -> list[Row]:
        return rows(self.accepted, self.now, self.accepted.menu(), self.menu)

    def _safe_rows(self) -> list[Row]:
        """Return the rows as they are shown, without secrets."""
        return [
            self._safe(replace(row, alias=shown_alias(row.alias, row.local, self._safe(row.local))))
            for row in self._rows()
        ]

    def _safe(self, value: T) -> T:
        if self._veil is None:
            return value
        clean: T = self._veil.tree(value)
        return clean

    def _order_words(self, orders: Orders) -> str:
        tried = f"{orders.tried} of {orders.of}" if orders.tried < orders.of else f"all {orders.of}"
        if orders.same:
            verdict = f"each gave this very menu (digest {digest(self.menu)})"
        else:
            verdict = f"they gave {len(orders.digests)} menus: a fault, please report it"
        return f"Who arrives first does not matter: merged in {tried} orders of arrival, {verdict}."

    def _collision_table(self) -> str:
        cells = [
            (
                visible(clash.name, 128),
                ", ".join(map(visible, clash.peers)),
                clash.outcome,
                _listed(clash.canonical),
                clash.reason,
                f"{clash.rule}: {RULES[clash.rule].sentence}",
            )
            for clash in self.menu.collisions.veiled()
        ]
        refused = collision_failure(self.menu)
        said = "" if refused is None else f"<p><b>{text_of(self._safe(refused).line())}</b></p>"
        none = '<p class="mcpw-quiet">No two peers want the same name.</p>'
        return said + (table("Collisions", _COLLISIONS, cells) if cells else none)

    def _answer(self) -> None:
        told = self._route_words() if self.asked.value else "Type a name."
        self._routed.value = f"<p>{text_of(told)}</p>"

    def _route_words(self) -> str:
        ready = [self.now.names[place] for place in self.now.order]
        accepted = self.accepted.menu()
        found = self._safe(route(self.menu, self.asked.value, ready=ready, owners=accepted.owners))
        name = f"“{visible(self.asked.value, 128)}”"
        if isinstance(found, Route):
            own = visible(found.local, 128)
            return f"{name} goes to {visible(found.peer)}, which calls it “{own}”."
        return f"{name} is not sent: {found.line()}"


def _cells(row: Row) -> tuple[str, ...]:
    names = (row.before or "-", row.now or "-", row.alias or "-")
    return tuple(visible(text, 128) for text in (row.peer, row.local, row.move, *names))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(visible(name, 128) for name in names) or "none"
