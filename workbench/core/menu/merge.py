"""Many listings to one menu, without a silent overwrite.

Takes:  one `Listing` for each peer, in any order, and the declared policy
Gives:  a `Menu`: the items, and every contested name with its outcome
Never:  gives one name twice, and never lets the order of arrival decide anything

Peers are sorted by name and tools by local name (by code point), so the menu is a pure
function of configuration and listings. The policies, for two peers that both offer
`search`:

==================== ======================= =========================================
policy               canonical names         use
==================== ======================= =========================================
prefix-on-collision  search, notes/search    the default: the first peer in sorted
                                             order keeps the plain name
reject               none; a collision       a clash is a configuration error
prefix-always        files/search,           names that never depend on which other
                     notes/search            peers are there
==================== ======================= =========================================

A reserved name is treated as if somebody had it already: under "prefix-on-collision" the
tool carries its peer's name, under "reject" nobody gets one.

Peer names contain no "/", so under "prefix-always" a prefixed name belongs to one peer and
one tool and no two can be equal; should one come with a "/", the board refuses as ever.
Source: seed skill, "Namespace merge"; seed lesson, "Combinação de espaços de nomes seguros
de colisão"; fault matrix M01, M02, M03, M05, M06; cases N01, N02, N07, N12.
"""

from collections.abc import Collection, Iterable
from typing import Final, get_args

from msgspec import Struct

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.menu.alias import aliases
from workbench.core.menu.menu import Collision, Collisions, Menu, MenuItem, Outcome, Policy
from workbench.core.text.redact import Redactor
from workbench.core.text.veiled import shared_veil
from workbench.core.text.visible import visible
from workbench.core.tool import Listing, Tool

PREFIXED: Final = "MERGE-01"
TAKEN: Final = "MERGE-02"
REJECTED: Final = "MERGE-03"
REPEATED: Final = "MERGE-04"
UNKNOWN_POLICY: Final = "MERGE-05"
RESERVED: Final = "MERGE-06"

_MOST_NAMED: Final = 50
"""Names spelled out in one failure; a line of a thousand names helps nobody."""


def merge(
    listings: Iterable[Listing],
    policy: Policy = "prefix-on-collision",
    *,
    reserved: Collection[str] = (),
) -> Menu:
    """Merge the listings under one policy.

    Every listed tool becomes an item or is named, with its peer, by a collision.

    Args:
        listings: one a peer, in any order.
        policy: what happens to a name that several peers offer.
        reserved: names no peer may take, such as those of the application's own tools;
            neither a canonical name nor an alias equals one.

    Raises:
        ConfigError: if the policy is none of the three.
    """
    if policy not in get_args(Policy):
        raise ConfigError(_unknown_policy(policy))
    listings = tuple(listings)
    board = _Board(frozenset(reserved))
    offers = _offers(listings, policy, board)
    if policy == "prefix-always":
        _prefix_all(offers, board)
    else:
        _share_out(offers, policy, board)
    return board.menu(policy, shared_veil(one.hides for one in listings))


def prefixed(peer: str, local: str) -> str:
    """Return the canonical name of a tool that carries its peer's name."""
    return f"{peer}/{local}"


def collision_failure(menu: Menu) -> Failure | None:
    """Return the failure of a menu with rejected names, or None when there are none.

    The detail is one line with every peer concerned, and with the rejected names and who
    offers each (the first 50; `menu.collisions` holds all). Seed lesson, exercise 4.
    """
    rejected = [one for one in menu.collisions if one.outcome == "rejected"]
    if not rejected:
        return None
    contested = [one for one in rejected if one.rule != RESERVED]
    reserved = [one for one in rejected if one.rule == RESERVED]
    said = []
    if contested:
        peers = sorted({peer for one in contested for peer in one.peers})
        what = f"offered by more than one of the peers {_listed(peers)}"
        said.append(f"{_count(contested)} {what}: {_names(contested)}")
    if reserved:
        said.append(f"{_count(reserved)} reserved: {_names(reserved)}")
    return Failure(
        kind=Kind.NAME_COLLISION,
        stage="merge",
        rule=REJECTED if contested else RESERVED,
        detail="; ".join(said),
        hint='Leave one of the peers out, or merge with the policy "prefix-on-collision" '
        'or "prefix-always".',
    )


def _count(collisions: list[Collision]) -> str:
    return "1 name is" if len(collisions) == 1 else f"{len(collisions)} names are"


def _names(collisions: list[Collision]) -> str:
    names = [f"{_shown(one.name)} ({_listed(one.peers)})" for one in collisions[:_MOST_NAMED]]
    if len(collisions) > _MOST_NAMED:
        names.append(f"and {len(collisions) - _MOST_NAMED} more")
    return "; ".join(names)


class _Given(Struct, gc=False):
    """Who has a name. Outside the cycle collector: 100,000 of these are work for it."""

    peer: str
    tool: Tool


class _Board:
    """Where names are given out: `give` is the only place that inserts one."""

    def __init__(self, reserved: frozenset[str]) -> None:
        self.reserved = reserved
        self.collisions: list[Collision] = []
        self._given: dict[str, _Given] = {}
        self._refused: set[str] = set()

    def give(self, canonical: str, peer: str, tool: Tool) -> bool:
        """Give a free name to a tool; refuse, note and return False when it is taken."""
        if canonical in self._given:
            self._refused.add(canonical)
            return False
        if canonical in self.reserved:
            self._refused.add(canonical)
            return False
        self._given[canonical] = _Given(peer, tool)
        return True

    def owner(self, canonical: str) -> str | None:
        """Return who has a name that was refused to somebody else; None: it is reserved."""
        given = self._given.get(canonical)
        return None if given is None else given.peer

    def withhold(self, canonical: str, collision: Collision) -> None:
        """Note a name that its claimants do not get, and why."""
        self._refused.add(canonical)
        self.collisions.append(collision)

    def menu(self, policy: Policy, hides: Redactor | None) -> Menu:
        """Return the finished menu, every part sorted."""
        given = self._given
        safe = aliases(given, reserved=self._refused | self.reserved)
        items = [
            MenuItem(name, (to := given[name]).peer, to.tool.name, alias, to.tool)
            for name, alias in safe.items()  # in sorted order of the names
        ]
        return Menu(
            policy,
            tuple(items),
            Collisions(
                sorted(self.collisions, key=lambda one: (one.name, one.peers, one.rule))
            ).veiled_by(hides),
            tuple(sorted(self._refused)),
            hides=hides,
        )


_Offers = dict[str, dict[str, Tool]]
"""Peer -> local name -> tool, both sorted, every local name once."""


def _offers(listings: Iterable[Listing], policy: Policy, board: _Board) -> _Offers:
    offers: _Offers = {}
    repeated: set[tuple[str, str]] = set()
    for listing in listings:
        mine = offers.setdefault(listing.peer, {})
        for tool in listing.tools:
            if tool.name in mine:
                repeated.add((listing.peer, tool.name))
            mine[tool.name] = tool
    # The listing stage drops repeated names. If one comes through all the same, no
    # declaration is better than the other: the name is refused for that peer.
    for peer, local in sorted(repeated):
        del offers[peer][local]
        wanted = prefixed(peer, local) if policy == "prefix-always" else local
        reason = f"{_shown(peer)} lists {_shown(local)} more than once; none of them is offered"
        board.withhold(wanted, Collision(wanted, (peer,), "refused", (), reason, REPEATED))
    return {
        peer: {local: offers[peer][local] for local in sorted(offers[peer])}
        for peer in sorted(offers)
    }


def _prefix_all(offers: _Offers, board: _Board) -> None:
    for peer, tools in offers.items():
        for local, tool in tools.items():
            canonical = prefixed(peer, local)
            if not board.give(canonical, peer, tool):
                _refuse(canonical, peer, local, board)


def _share_out(offers: _Offers, policy: Policy, board: _Board) -> None:
    first: dict[str, str] = {}
    contested: dict[str, list[str]] = {}
    for peer, tools in offers.items():
        for local in tools:
            owner = first.setdefault(local, peer)
            if owner is not peer:
                contested.setdefault(local, [owner]).append(peer)
    # Every real name goes to its owner before the first prefixed name is made up, so a
    # made-up name can never take a real one away, whoever comes first.
    for local, peer in first.items():
        if local in board.reserved:
            contested.setdefault(local, [peer])
        elif policy != "reject" or local not in contested:
            board.give(local, peer, offers[peer][local])
    for local, peers in contested.items():
        if policy == "reject":
            board.withhold(local, _rejection(local, peers, local in board.reserved))
        else:
            board.collisions.append(_prefix_later(local, peers, offers, board))


def _prefix_later(local: str, peers: list[str], offers: _Offers, board: _Board) -> Collision:
    is_reserved = local in board.reserved
    given, lost = [] if is_reserved else [local], []
    for peer in peers if is_reserved else peers[1:]:
        canonical = prefixed(peer, local)
        if board.give(canonical, peer, offers[peer][local]):
            given.append(canonical)
        else:
            lost.append(peer)
            _refuse(canonical, peer, local, board)
    reason = (
        f"{_shown(local)} is reserved"
        if is_reserved
        else f"{_shown(peers[0])} is first in sorted order and keeps {_shown(local)}"
    )
    if len(given) > (0 if is_reserved else 1):
        who = "the tools of that name" if is_reserved else "the others"
        reason += f"; {who} carry the names of their peers"
    if lost:
        reason += f"; {_listed(lost)}: refused, the prefixed name is taken"
    outcome: Outcome = "refused" if lost else "prefixed"
    rule = RESERVED if is_reserved else TAKEN if lost else PREFIXED
    return Collision(local, tuple(peers), outcome, tuple(given), reason, rule)


def _refuse(canonical: str, peer: str, local: str, board: _Board) -> None:
    owner = board.owner(canonical)
    if owner is None:
        reason = (
            f"{_shown(canonical)} is reserved; the tool {_shown(local)} of {_shown(peer)} "
            "cannot be called"
        )
        board.collisions.append(Collision(canonical, (peer,), "refused", (), reason, RESERVED))
        return
    reason = (
        f"{_shown(canonical)} stays with {_shown(owner)}; the tool {_shown(local)} of "
        f"{_shown(peer)} would have the same name and cannot be called"
    )
    peers = tuple(sorted({peer, owner}))
    board.collisions.append(Collision(canonical, peers, "refused", (canonical,), reason, TAKEN))


def _rejection(local: str, peers: list[str], is_reserved: bool) -> Collision:
    said = "is reserved and" if is_reserved else "is"
    reason = f"{_shown(local)} {said} offered by {_listed(peers)}; none of them is offered on"
    rule = RESERVED if is_reserved else REJECTED
    return Collision(local, tuple(peers), "rejected", (), reason, rule)


def _unknown_policy(policy: object) -> Failure:
    known = ", ".join(f'"{name}"' for name in get_args(Policy))
    return Failure(
        kind=Kind.CONFIG,
        stage="merge",
        rule=UNKNOWN_POLICY,
        detail=f"the merge policy is {visible(repr(policy), 80)}",
        hint=f"It must be one of {known}.",
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(_shown(name) for name in names)


def _shown(name: str) -> str:
    return visible(name, 128)
