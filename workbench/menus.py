"""The menu of a client, through its changes: what was accepted, and what there is now.

Takes:  the listings of the pool
Gives:  a merged menu, the route of a name, and how the menu differs from the accepted one
Never:  lets a name change its owner silently: only `merge` accepts owners

Source: design sections 7.5 and 7.6; fault matrix C13 and M08.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, get_args

from msgspec.structs import replace

from workbench.calls import Ledger
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.menu.menu import Menu, MenuItem, Policy
from workbench.core.menu.menu_change import MenuChange, menu_change
from workbench.core.menu.merge import collision_failure, merge
from workbench.core.menu.route import Route, route
from workbench.core.pins.drift_watch import DriftPolicy
from workbench.core.text.visible import visible
from workbench.drivers.bulk import Bulk
from workbench.drivers.owner import Status
from workbench.drivers.pool import Pool

_READY: Final = Status.READY
_MOST_ABSENT: Final = 3
"""Peers named in one hint."""
_LONGEST_REASON: Final = 300
"""Characters of each reason."""


class _Ready(Collection[str]):
    """The peers that can take a call now, without a look at those nobody asks about."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def __contains__(self, name: object) -> bool:
        member = self._pool.members.get(name)  # type: ignore[call-overload]
        return member is not None and member.owner.status is _READY

    def __iter__(self) -> Iterator[str]:
        return iter(self._pool.ready)

    def __len__(self) -> int:
        return len(self._pool.ready)


class Menus:
    """The one menu of a client.

    Args:
        pool: the peers and their listings.
        ledger: where collisions and changes are noted.
        policy: what happens to a name that several peers offer.
        reserved: names no peer may take.

    Raises:
        ConfigError: if the policy is unknown.
    """

    def __init__(
        self, pool: Pool, ledger: Ledger, policy: Policy, reserved: Iterable[str] = ()
    ) -> None:
        self.policy = policy
        self.menu: Menu | None = None
        """As it is now, or None before the first merge."""
        self._accepted: Menu | None = None
        self.reserved = frozenset((reserved,) if isinstance(reserved, str) else reserved)
        """Names no peer may take."""
        self._owners: Mapping[str, str] = {}
        self._routes: dict[str, Route] = {}
        """What was found in this menu with these owners, while the peers were ready."""
        self._pool = pool
        self._ready = _Ready(pool)
        self._ledger = ledger
        merge([], policy)  # an unknown policy is refused here, not at the first merge

    def merge(self, policy: Policy | None = None) -> Menu:
        """Merge what the ready peers offer, and accept owners and definitions.

        Raises:
            NameCollision: under "reject", when two peers offer one name; names both.
        """
        if policy is not None:
            merge([], policy)  # an unknown policy changes nothing
            self.policy = policy
        menu = self._accepted = self.present()
        self._take(menu, menu.owners)
        for drift in self._pool.drift.accept_listed():
            self._ledger.note(drift.peer, "merge", "accepted a change", "DRIFT-01", drift.line())
        for collision in menu.collisions:
            what = f"{collision.outcome}: {collision.name}"
            self._ledger.note("", "merge", what, collision.rule, collision.reason)
        failure = collision_failure(menu)
        if failure is not None:
            raise menu.cleaned(failure).as_error()
        return menu

    def accept(self, name: str) -> None:
        """Accept one tool as its owner declares it now, also against a lock.

        Raises:
            UnknownName: if there is no such tool.
        """
        before = self.menu or Menu()
        menu = self.present(also={item.peer for item in before.items})
        # A tool that is gone is in the old menu only; accepting it drops it there too.
        item = _find(menu, name) or _find(before, name)
        if item is None:
            found = route(menu, name, ready=())
            assert isinstance(found, Failure)
            raise menu.cleaned(found).as_error()
        drift = self._pool.drift.accept(item.peer, item.local)
        if drift is not None:
            self._ledger.note(item.peer, "merge", "accepted a change", "DRIFT-01", drift.line())
        if self.menu is not None:
            self._take(menu, {**menu.owners, **self._owners})

    def present(self, also: Collection[str] = ()) -> Menu:
        """Merge what the ready peers offer, without accepting anything.

        Args:
            also: peers whose last list counts although they are away.
        """
        here = {*self._pool.ready, *also}
        listings = [
            member.listing
            for name, member in self._pool.members.items()
            if member.listing is not None and name in here
        ]
        with Bulk():
            return merge(listings, self.policy, reserved=self.reserved)

    def refresh(self, peer: str) -> MenuChange:
        """Merge again because a peer's list is new; owners stay as they were accepted.

        Peers that are away keep their names, so that nobody else gets them meanwhile.
        """
        before = self.menu
        if before is None:
            return MenuChange()
        menu = self.present(also={item.peer for item in before.items})
        # A name that is new belongs to whoever has it first, until somebody accepts another.
        self._take(menu, {**menu.owners, **self._owners})
        change = menu_change(before, menu)
        for name in change.names:
            self._ledger.note(peer, "merge", "menu changed", "SUB-09", name.line())
        return change

    @property
    def change(self) -> MenuChange:
        """How the menu differs from the one that was accepted."""
        return menu_change(self._accepted, self.menu)

    def route(self, name: str, menu: Menu | None = None) -> Route | Failure:
        """Look up who owns a name.

        Args:
            name: a canonical name or an alias.
            menu: another menu than the present one.
        """
        found: Route | Failure | None = self._routes.get(name) if menu is None else None
        if found is None or found.peer not in self._ready:
            present = self.menu if menu is None else menu
            assert present is not None
            found = route(present, name, ready=self._ready, owners=self._owners)
            if type(found) is Route and menu is None:
                self._routes[name] = found
        if type(found) is Route:
            return self._pool.drift.refusal(found.peer, found.local) or found
        assert isinstance(found, Failure)
        if found.kind is Kind.PEER_AWAY:
            member = self._pool.members.get(found.peer or "")
            return member.owner.away() if member is not None else found
        return self._with_absent(found) if found.kind is Kind.UNKNOWN_NAME else found

    def _take(self, menu: Menu, owners: Mapping[str, str]) -> None:
        self.menu, self._owners = menu, owners
        self._routes = {}

    def _with_absent(self, unknown: Failure) -> Failure:
        """Name the peers that are not there: one of them may be who has the tool (case J02)."""
        ready = set(self._pool.ready)
        absent = {n: m for n, m in self._pool.members.items() if n not in ready}
        if not absent:
            return unknown
        reasons = [_absence(name, member.owner.verdict.failure) for name, member in absent.items()]
        shown = " ".join(reasons[:_MOST_ABSENT])
        more = f" And {len(reasons) - _MOST_ABSENT} more." if len(reasons) > _MOST_ABSENT else ""
        return replace(unknown, hint=f"{unknown.hint} Not ready: {shown}{more}".strip())


def _absence(name: str, failure: Failure | None) -> str:
    why = failure.detail if failure is not None else "not connected"
    return f"{visible(name)} ({visible(why, _LONGEST_REASON)})."


def _find(menu: Menu, name: str) -> MenuItem | None:
    return menu.get(name) or menu.by_alias(name)


def checked_drift_policy(policy: DriftPolicy) -> DriftPolicy:
    """Return the policy if it is one.

    Raises:
        ConfigError: otherwise.
    """
    known = get_args(DriftPolicy)
    if policy in known:
        return policy
    detail = f"the drift policy is {visible(repr(policy), 40)}"
    hint = f"It must be one of {', '.join(known)}."
    raise ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))
