"""One name to one peer and one local name: a look-up in the menu, nothing else.

Takes:  the menu, the name that was asked for, who is ready, and the accepted owners
Gives:  a `Route`, or a `Failure` that says why the call must not be sent
Never:  takes a name apart, and never chooses between two owners

Source: seed lesson, "Roteamento de uma chamada"; seed skill, "Refuse to route a tool when
the owner is ambiguous"; design section 7.6; fault matrix M02 and M08; case N02.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, final

from msgspec import Struct

from workbench.core.errors import Failure, Kind
from workbench.core.menu.menu import Menu, MenuItem
from workbench.core.text.visible import visible
from workbench.core.tool import Tool

UNKNOWN: Final = "ROUTE-01"
AMBIGUOUS: Final = "ROUTE-02"
CHANGED: Final = "ROUTE-03"
AWAY: Final = "ROUTE-04"

_NEAREST: Final = 3
_MOST_COMPARED: Final = 300
"""Menu names measured against a wrong one. Together with `_COMPARED_LENGTH` it bounds the
work that a wrong name can cause, however many and however long the names of a peer are."""
_COMPARED_LENGTH: Final = 64
_NOBODY: Final[Mapping[str, str]] = {}


@final
class Route(Struct, frozen=True):
    """Where a call goes."""

    peer: str
    local: str
    """The name to put into `tools/call`."""
    tool: Tool
    canonical: str


def route(
    menu: Menu,
    name: str,
    *,
    ready: Collection[str],
    owners: Mapping[str, str] = _NOBODY,
) -> Route | Failure:
    """Look up who owns a name and whether the call may be sent.

    Args:
        menu: the present menu.
        name: a canonical name or an alias, matched exactly.
        ready: peers that can take a call now.
        owners: accepted owner of each canonical name (and alias), see `Menu.owners`; a
            name that is missing here was never accepted for another peer and may be called.
    """
    item = menu.get(name) or menu.by_alias(name)
    if item is None:
        return _without_item(menu, name, ready, owners)
    peer, canonical = item.peer, item.canonical
    if owners.get(canonical, peer) != peer:
        return _changed(canonical, owners[canonical], item)
    if name != canonical and owners.get(name, peer) != peer:
        return _changed(name, owners[name], item)
    if peer not in ready:
        return _away(name, peer)
    return Route(peer, item.local, item.tool, canonical)


def nearest(menu: Menu, name: str) -> tuple[str, ...]:
    """Return up to three canonical names that look like `name`, the likeliest first.

    Local names count too, so `search` finds `notes/search`. In a menu of more than 300
    names only those that share a word, a start or a length with `name` are measured.
    """
    import difflib

    known: dict[str, list[str]] = {}
    for item in _comparable(menu, name):
        for key in (item.canonical, item.local):
            found = known.setdefault(key[:_COMPARED_LENGTH].casefold(), [])
            if item.canonical not in found:
                found.append(item.canonical)
    asked = name[:_COMPARED_LENGTH].casefold()
    close = difflib.get_close_matches(asked, known, n=2 * _NEAREST)
    return tuple(dict.fromkeys(canonical for key in close for canonical in known[key]))[:_NEAREST]


def _comparable(menu: Menu, name: str) -> Iterable[MenuItem]:
    if len(menu.items) <= _MOST_COMPARED:
        return menu.items
    chosen = {item.canonical: item for item in menu.offers(name)[:_MOST_COMPARED]}
    folded = name[:_COMPARED_LENGTH].casefold()
    words = [word for word in re.split(r"[^a-z0-9]+", folded) if len(word) > 1]
    start, length = folded[:2], len(folded)
    # From the most to the least telling, each one cheap pass over all names.
    tests: tuple[Callable[[str], bool], ...] = (
        lambda known: bool(words) and all(word in known for word in words),
        lambda known: known.startswith(start) and abs(len(known) - length) < 2,
        lambda known: any(word in known for word in words),
        lambda known: known.startswith(start),
        lambda known: abs(len(known) - length) < 2,
    )
    pairs = [(item.canonical.casefold(), item) for item in menu.items]
    for test in tests:
        for known, item in pairs:
            if len(chosen) >= _MOST_COMPARED:
                return chosen.values()
            if test(known):
                chosen[item.canonical] = item
    return chosen.values()


def _without_item(
    menu: Menu, name: str, ready: Collection[str], owners: Mapping[str, str]
) -> Failure:
    collision = menu.contest(name)
    if name in menu.refused and collision is not None:
        return _ambiguous(name, collision.reason)
    offers = menu.offers(name)
    if len(offers) > 1:
        peers = ", ".join(visible(item.peer) for item in offers)
        choice = ", ".join(visible(item.canonical, 128) for item in offers)
        return _ambiguous(name, f"{_quoted(name)} is offered by {peers}", f"Call one of {choice}.")
    accepted = owners.get(name)
    if accepted is not None and accepted not in ready:
        return _away(name, accepted)
    return _unknown(menu, name, accepted)


def _unknown(menu: Menu, name: str, accepted: str | None) -> Failure:
    detail = f"no tool is called {_quoted(name)}"
    if accepted is not None:
        detail += f"; {visible(accepted)} offered it when the menu was accepted"
    close = ", ".join(visible(one, 128) for one in nearest(menu, name))
    return Failure(
        kind=Kind.UNKNOWN_NAME,
        stage="route",
        rule=UNKNOWN,
        detail=detail,
        hint=f"The nearest names are: {close}."
        if close
        else "The report lists every canonical name.",
    )


def _ambiguous(name: str, reason: str, hint: str = "") -> Failure:
    return Failure(
        kind=Kind.AMBIGUOUS_OWNER,
        stage="route",
        rule=AMBIGUOUS,
        detail=f"{_quoted(name)} has no single owner: {reason}",
        hint=hint
        or 'Merge with the policy "prefix-on-collision" or "prefix-always", or leave a peer out.',
    )


def _changed(name: str, accepted: str, item: MenuItem) -> Failure:
    return Failure(
        kind=Kind.AMBIGUOUS_OWNER,
        peer=item.peer,
        stage="route",
        rule=CHANGED,
        detail=f"{_quoted(name)} now belongs to {visible(item.peer)}; it was accepted as a "
        f"tool of {visible(accepted)}",
        hint="Look at the change, then accept the menu again.",
    )


def _away(name: str, peer: str) -> Failure:
    return Failure(
        kind=Kind.PEER_AWAY,
        peer=peer,
        stage="route",
        rule=AWAY,
        detail=f"{_quoted(name)} belongs to {visible(peer)}, which is not ready; nothing was sent",
        hint="The report says why; call again once the peer is ready.",
    )


def _quoted(name: str) -> str:
    return f'"{visible(name, 128)}"'
