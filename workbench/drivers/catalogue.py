"""What peers list besides tools, and what they let one read, from the cache where it is fresh.

Takes:  a peer and a sort of thing
Gives:  `Offers`; a peer that is in trouble is a list with a failure, never an exception
Never:  asks a peer for what it has not declared, and never caches an answer that took rounds

Spec: server/prompts, server/resources, server/utilities/caching.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from msgspec.structs import force_setattr

from workbench.core.errors import Failure
from workbench.core.journal.journal import Journal
from workbench.core.menu.offers import Offers, Sort, offers_of
from workbench.core.results.cache import Found, cache_key
from workbench.core.results.pages import Collected, Pages
from workbench.core.wire.versions import Era
from workbench.drivers.calling import Asked
from workbench.drivers.paging import Paging
from workbench.drivers.pool import Pool
from workbench.transports.base import Clock


class Catalogue:
    """Lists and keeps.

    Args:
        pool: the peers and their cache.
        clock: source of time.
        journal: where decisions go.
    """

    def __init__(self, pool: Pool, clock: Clock, journal: Journal) -> None:
        self._pool = pool
        self._clock = clock
        self._journal = journal
        self._paging: Paging[Offers] = Paging(pool.cache, clock, journal)

    async def list_all(self, sort: Sort) -> dict[str, Offers]:
        """List one sort of thing of every ready peer that declares it, concurrently."""
        names = [name for name in self._pool.ready if self.declares(name, sort)]
        listed = await asyncio.gather(*(self.list_one(name, sort) for name in names))
        return dict(zip(names, listed, strict=True))

    def declares(self, name: str, sort: Sort) -> bool:
        """Say whether a peer has said that it offers this sort of thing."""
        settled = self._pool.members[name].owner.verdict.settled
        return settled is not None and sort.capability in settled.server_capabilities

    async def list_one(self, name: str, sort: Sort) -> Offers:
        """List one sort of thing of one peer; only pages that are not fresh are asked for."""
        member = self._pool.members[name]
        settled = member.owner.verdict.settled
        wanted = Pages(
            peer=name,
            # One that is not there will say so itself.
            era=Era.MODERN if settled is None else settled.era,
            method=sort.method,
            member=sort.member,
            key=sort.key,
            accept_missing_result_type=member.accept_missing_result_type,
        )
        begun = self._paging.look(member, wanted)
        return await self._paging.finish(
            begun, member, lambda collected: self._judged(name, sort, collected)
        )

    def kept(self, name: str, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what was read before and is still fresh."""
        member = self._pool.members[name]
        key = cache_key(name, method, params)
        found = self._pool.cache.get(key, member.auth_context, self._clock.now())
        if found.found is not Found.HIT:
            return None
        value: dict[str, Any] = found.value
        return value

    def instead(
        self, failure: Failure, method: str, params: Mapping[str, Any]
    ) -> tuple[dict[str, Any], str] | None:
        """Return what may stand in for something that could not be read, and why it does."""
        member = self._pool.members.get(failure.peer or "")
        if member is None:
            return None
        key = cache_key(member.owner.name, method, params)
        found = self._pool.cache.instead(key, member.auth_context, failure)
        if found.found is not Found.STALE:
            return None
        seen: Failure = self._journal.redactor.tree(failure)
        return found.value, f"the answer is {found.age_ms} ms old: {seen.detail}"

    def generation(self, name: str, method: str) -> int:
        """Return the generation of what a peer lets one read; read it before asking, for `keep`."""
        return self._pool.cache.generation(name, method)

    def keep(
        self, name: str, method: str, params: Mapping[str, Any], read: Asked, generation: int
    ) -> None:
        """Keep what was read, as long as its hints say."""
        if read.rounds or not isinstance(read.value, dict):
            return
        self._pool.cache.put(
            cache_key(name, method, params),
            read.value,
            scope=read.value.get("cacheScope"),
            auth_context=self._pool.members[name].auth_context,
            received_at=self._clock.now(),
            ttl_ms=read.value.get("ttlMs"),
            generation=generation,
        )

    def _judged(self, name: str, sort: Sort, collected: Collected) -> Offers:
        offers = offers_of(sort, name, collected)
        for dropped in offers.dropped:
            self._note(name, f"left out {dropped.name}", dropped.rule, dropped.reason)
        if offers.failure is not None:
            failure = offers.failure
            self._note(name, f"no {sort.member}", failure.rule, failure.detail)
            offers = self._journal.redactor.tree(offers)
        force_setattr(offers, "hides", self._journal.redactor)  # nobody has it yet
        return offers

    def _note(self, peer: str, what: str, rule: str | None, detail: str = "") -> None:
        now = self._clock.now()
        self._journal.decided(now, peer, "listing", what, rule=rule, detail=detail)
