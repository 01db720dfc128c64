"""Everything that goes on between two calls: listening, reading anew, bringing peers back.

Takes:  the pool, and what peers announce or suffer
Gives:  a client whose lists, menu and subscriptions stay true
Never:  decides; it ties the drivers together

Source: design section 7.7.
"""

import asyncio
import random
from collections.abc import Callable, Iterable

from workbench.core.journal.journal import Journal
from workbench.core.recovery.restart import RecoveryPolicy
from workbench.core.subscription import LIST_CHANGED, RESOURCE_UPDATED, Wanted
from workbench.core.wire.keys import RESOURCES_READ
from workbench.core.wire.message import Notification
from workbench.drivers.catalogue import Catalogue
from workbench.drivers.listening import Listening, News
from workbench.drivers.owner import Owner
from workbench.drivers.pool import Pool
from workbench.drivers.recovery import Recovery
from workbench.drivers.refresh import Refresh
from workbench.drivers.subscriptions import Subscriptions
from workbench.drivers.tally import OnStep
from workbench.menus import Menus
from workbench.transports.base import Clock


class Upkeep:
    """What keeps a client up to date.

    Args:
        pool: the peers.
        catalogue: reads what is not tools.
        menus: is told of new lists.
        clock: source of time.
        journal: where every step is noted.
        recover: how eagerly lost peers are brought back: a policy, True for the usual one,
            False for not at all.
    """

    def __init__(
        self,
        pool: Pool,
        catalogue: Catalogue,
        menus: Menus,
        clock: Clock,
        journal: Journal,
        recover: bool | RecoveryPolicy,
    ) -> None:
        policy = recover if isinstance(recover, RecoveryPolicy) else RecoveryPolicy()
        draw: Callable[[], float] = random.random
        self.recovery = Recovery(pool, clock, journal, policy if recover else None, draw)
        self._refresh = Refresh(pool, catalogue, clock, journal, draw)
        self._subscriptions = Subscriptions(pool, clock, journal, draw, self._refresh.changed)
        self._pool = pool
        self._menus = menus
        self._refresh.on_tools = self._relisted
        self.recovery.on_listed = self._relisted
        self.recovery.on_ready = self._subscriptions.peer_ready
        self.recovery.on_gone = self._subscriptions.peer_lost
        pool.warden = self.recovery

    def watch(self, owner: Owner) -> None:
        """Be told when a peer is connected or lost, and tell what will be done about it."""
        owner.on_connected = self.recovery.connected
        owner.on_lost = self.recovery.lost
        owner.prospects = self.recovery.prospects

    async def connect_all(self, tell: OnStep | None) -> None:
        """Connect every peer, and list those again whose list is of an earlier life.

        A call by a name of that list would say to the new process what the old one had.
        """
        ready = self._pool.ready
        members = self._pool.members.items()
        away = [name for name, one in members if one.listing is not None and name not in ready]
        await self._pool.connect_all(tell=tell)
        back = [name for name in away if name in self._pool.ready]
        await asyncio.gather(*(self._pool.list_one(name) for name in back))
        for name in back:
            self._relisted(name)

    def hear(self, peer: str, said: Notification) -> None:
        """Take note of what a peer announces: what was read before is stale at once.

        Also when the announcement is for a subscription that nobody holds (SUB-02): to ask
        once more costs a request, to believe an old list costs more.
        """
        if said.method in LIST_CHANGED:
            self._pool.forget(peer)
        elif said.method == RESOURCE_UPDATED:
            self._pool.cache.invalidate(peer, RESOURCES_READ)
        self._subscriptions.hear(peer, said)

    async def listen(
        self,
        peers: Iterable[str],
        wanted: Wanted,
        on_event: Callable[[News], object] | None,
    ) -> Listening:
        """Begin to listen; return once each ready peer has answered, or its time is up."""
        listening = self._subscriptions.listen(peers, wanted, on_event)
        parts = tuple(listening.subscriptions.values())
        longest_s = max((part.acknowledge_s for part in parts), default=0.0)
        await listening.wait_for(Listening.settled, longest_s + 1.0)
        return listening

    async def end(self, listening: Listening) -> None:
        """Stop listening; the peers are told."""
        await self._subscriptions.end(listening)

    async def close(self) -> None:
        """Stop all of it; the peers are told what is listened to no more."""
        await self.recovery.close()
        await self._refresh.close()
        await self._subscriptions.close()

    def _relisted(self, peer: str) -> None:
        self._subscriptions.relisted(peer, self._menus.refresh(peer))
