"""The verbs about names, changes and what is remembered; none of them waits for a peer.

Takes:  the menus and the pool of a client
Gives:  a class both clients inherit from
Never:  decides anything

Source: design section 4.
"""

from workbench.core.journal.journal import Journal
from workbench.core.menu.menu import Menu, Policy
from workbench.core.pins.drift_watch import Drifts
from workbench.core.results.cache_content import CacheContent
from workbench.drivers.pool import Pool
from workbench.menus import Menus
from workbench.pinning import Guard


class MenuVerbs:
    """Plain methods; the client sets `_menus`, `_pool` and `journal`."""

    _menus: Menus
    _pool: Pool
    _asked_drift_policy: str | None
    journal: Journal

    def merge(self, policy: Policy | None = None) -> Menu:
        """Merge what the ready peers offer into one menu; accept its owners and definitions.

        Args:
            policy: overrides the client's policy from now on.

        Raises:
            NameCollision: under "reject", when two peers offer one name; names both.
        """
        return self._menus.merge(policy)

    @property
    def menu(self) -> Menu | None:
        """The menu accepted last, or None before the first merge."""
        return self._menus.menu

    @property
    def merge_policy(self) -> Policy:
        """The policy the next merge goes by."""
        return self._menus.policy

    @property
    def reserved_names(self) -> frozenset[str]:
        """Names no peer may take."""
        return self._menus.reserved

    def accept(self, name: str) -> None:
        """Accept one tool as its owner declares it now, also against a lock.

        Args:
            name: canonical name or alias.

        Raises:
            UnknownName: if there is no such tool.
        """
        self._menus.accept(name)

    @property
    def drift(self) -> Drifts:
        """The latest changes of tool definitions, with the differences: text, tuple, frame."""
        return self._pool.drift.notes(self.journal.redactor)

    @property
    def cache(self) -> CacheContent:
        """What is remembered of the peers' lists and resources: text, rows, frame."""
        return self._pool.cache.content()

    def switch_context(self, name: str, auth_context: str) -> None:
        """Say that a peer is from now on asked with other credentials.

        For a peer whose `authorization` is a function that hands out another token now.
        What was listed for the other context is kept for it and shown to nobody else; list
        and merge again. A legacy session belongs to whoever opened it: connect such a peer
        anew instead.

        Args:
            name: the peer.
            auth_context: name of the credentials in force, never a credential itself.

        Raises:
            MisuseError: if there is no such peer.
        """
        self._pool.switch_context(name, auth_context)

    def _lock_tools(self, guard: Guard | None) -> None:
        """Hold the tools to what a lock says of them."""
        if guard is None:
            return
        for peer, tools in guard.lock.tools.items():
            if tools is not None:
                self._pool.drift.pin(peer, tools)
        if self._asked_drift_policy is None:
            self._pool.drift.policy = "pin"
