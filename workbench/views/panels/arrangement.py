"""Who arrives when, under which name and policy: what the merge panel lets a person change.

Takes:  listings, and one change at a time
Gives:  `Arrangement`, frozen: its menu, how each name moved, and proof that order is nothing
Never:  merges by itself; every menu is `workbench.core.menu.merge.merge` on listings

Source: design section 7.5; fault matrix M01 to M06.
"""

import hashlib
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from workbench.core.config.peer_rules import folded
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.menu.menu import Menu, Policy
from workbench.core.menu.merge import merge
from workbench.core.text.visible import visible
from workbench.core.tool import Listing

MOST_ORDERS: Final = 120
"""Orders of arrival that are tried: all of them for up to five peers."""
_MOST_WORK: Final = 60_000
"""Tools merged for that proof, over all orders together."""

Move: TypeAlias = Literal["as it was", "moved", "new", "lost", "without a name"]


class Arrangement(Struct, frozen=True, kw_only=True):
    """A state of the panel. Peers are numbered by their place in `listings`."""

    listings: tuple[Listing, ...]
    names: tuple[str, ...]
    """What each peer is called now."""
    order: tuple[int, ...]
    """Who is there, in the order of arrival."""
    policy: Policy = "prefix-on-collision"
    reserved: tuple[str, ...] = ()

    def arrived(self) -> tuple[Listing, ...]:
        """Return the listings in the order of arrival, under the present names."""
        return tuple(self._named(place) for place in self.order)

    def menu(self) -> Menu:
        """Return what the merge makes of it."""
        return merge(self.arrived(), self.policy, reserved=self.reserved)

    def moved(self, place: int, by: int) -> "Arrangement":
        """Let a peer arrive earlier (negative) or later; the ends are the ends."""
        rest = [one for one in self.order if one != place]
        at = min(max(self.order.index(place) + by, 0), len(rest))
        return replace(self, order=(*rest[:at], place, *rest[at:]))

    def with_order(self, order: Iterable[int]) -> "Arrangement":
        """Set who is there, and in which order they came."""
        return replace(self, order=tuple(dict.fromkeys(order)))

    def renamed(self, place: int, name: str) -> "Arrangement":
        """Call a peer something else.

        Raises:
            MisuseError: if the name is empty, has a "/", or is another peer's.
        """
        others = [one for at, one in enumerate(self.names) if at != place]
        if not name.strip() or "/" in name:
            raise _misuse("a peer's name is not empty and has no “/”")
        if folded(name) in map(folded, others):
            raise _misuse(f"another peer is called {visible(name, 60)}")
        names = list(self.names)
        names[place] = name
        return replace(self, names=tuple(names))

    def _named(self, place: int) -> Listing:
        return replace(self.listings[place], peer=self.names[place])


class Row(Struct, frozen=True, kw_only=True):
    """One tool of one peer: which name it had when the menu was accepted, and has now."""

    peer: str
    local: str
    before: str
    """"" for none."""
    now: str
    alias: str
    move: Move


class Orders(Struct, frozen=True, kw_only=True):
    """What came of trying other orders of arrival."""

    tried: int
    of: int
    """How many orders there are."""
    digests: frozenset[str]

    @property
    def same(self) -> bool:
        """Whether every order gave the same menu."""
        return len(self.digests) <= 1


def arrange(source: Any) -> Arrangement:
    """Return the first arrangement: everybody arrives in the order of the source.

    Args:
        source: listings; a dict of them, as `discover_tools()` returns it; or a synchronous
            client, whose policy and reserved names then count too.

    Raises:
        MisuseError: if it is none of these.
    """
    policy: Policy = getattr(source, "merge_policy", "prefix-on-collision")
    reserved = tuple(sorted(getattr(source, "reserved_names", ())))
    discover = getattr(source, "discover_tools", None)
    found = source if discover is None else discover()
    if hasattr(found, "close") and hasattr(found, "send"):  # a coroutine nobody awaits
        found.close()
        raise _misuse(
            "an asynchronous client has to be awaited", "Pass await client.discover_tools()."
        )
    listings = tuple(found.values() if isinstance(found, Mapping) else found)
    if not all(isinstance(one, Listing) for one in listings):
        raise _misuse("these are no listings")
    return Arrangement(
        listings=listings,
        names=tuple(one.peer for one in listings),
        order=tuple(range(len(listings))),
        policy=policy,
        reserved=reserved,
    )


def rows(before: Arrangement, now: Arrangement, old: Menu, new: Menu) -> list[Row]:
    """Return what became of every tool's name, sorted by peer and tool.

    Args:
        before: when the menu was accepted.
        now: at present.
        old: the menu of `before`.
        new: the menu of `now`.
    """
    had, has = _names_of(before, old), _names_of(now, new)
    offered = {
        (place, tool.name)
        for arrangement in (before, now)
        for place in arrangement.order
        for tool in now.listings[place].tools
    }
    found = [
        Row(
            peer=now.names[place],
            local=local,
            before=had.get((place, local), ("", ""))[0],
            now=has.get((place, local), ("", ""))[0],
            alias=has.get((place, local), ("", ""))[1],
            move=_move(had.get((place, local)), has.get((place, local)), place in now.order),
        )
        for place, local in offered
    ]
    return sorted(found, key=lambda row: (row.peer, row.local))


def digest(menu: Menu) -> str:
    """Return twelve digits that differ as soon as two menus do."""
    items = [(one.canonical, one.peer, one.local, one.alias) for one in menu.items]
    whole = msgspec.json.encode([menu.policy, items, list(menu.collisions), menu.refused])
    return hashlib.sha256(whole).hexdigest()[:12]


def other_orders(
    now: Arrangement, merge_all: Callable[[Arrangement], Menu] = Arrangement.menu
) -> Orders:
    """Merge in every order of arrival, or in as many as is reasonable.

    Args:
        now: whose peers are reordered.
        merge_all: what merges; a wrong one shows that this check can fail.
    """
    there = len(now.order)
    work = sum(len(now.listings[place].tools) for place in now.order) + 1
    most = max(2, min(MOST_ORDERS, _MOST_WORK // work))
    orders = itertools.islice(itertools.permutations(now.order), most)
    tried = [digest(merge_all(now.with_order(order))) for order in orders]
    return Orders(tried=len(tried), of=math.factorial(there), digests=frozenset(tried))


def _names_of(arrangement: Arrangement, menu: Menu) -> dict[tuple[int, str], tuple[str, str]]:
    places = {arrangement.names[place]: place for place in arrangement.order}
    return {(places[i.peer], i.local): (i.canonical, i.alias) for i in menu.items}


def _move(had: tuple[str, str] | None, has: tuple[str, str] | None, there: bool) -> Move:
    if has is None:
        return "without a name" if had is None and there else "lost"
    if had is None:
        return "new"
    return "as it was" if had == has else "moved"


def _misuse(detail: str, hint: str = "") -> MisuseError:
    return MisuseError(Failure(kind=Kind.MISUSE, stage="merge", detail=f"{detail}.", hint=hint))
