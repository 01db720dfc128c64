"""All peers together: connected at once, each alone in its trouble.

Takes:  owners, one a peer
Gives:  verdicts and listings for every peer; a bad peer is a row, never an exception
Never:  lets one peer's failure or slowness stop another

Field case N11; fault matrix M04.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from workbench.core import listing
from workbench.core.cache import Found, ListingCache, cache_key
from workbench.core.call import Answer
from workbench.core.errors import Failure
from workbench.core.journal import Journal
from workbench.core.text import visible
from workbench.core.tool import Listing, Tool
from workbench.core.wire.keys import HEADER_MISMATCH, TOOLS_CALL, TOOLS_LIST
from workbench.core.wire.message import ErrorReply
from workbench.core.wire.versions import Era
from workbench.drivers.owner import Owner, Status, Verdict
from workbench.transports.base import Clock


class Member:
    """One peer's place in the pool: its owner, and what listing it needs to know.

    Args:
        owner: the only user of the peer's transport.
        auth_context: name of the credentials in force; private lists never leave it.
        call_timeout_s: deadline of each page request, in seconds.
        accept_missing_result_type: the named per-peer deviation.
    """

    def __init__(
        self,
        owner: Owner,
        auth_context: str,
        call_timeout_s: float,
        accept_missing_result_type: bool,
    ) -> None:
        self.owner = owner
        self.auth_context = auth_context
        self.call_timeout_s = call_timeout_s
        self.accept_missing_result_type = accept_missing_result_type
        self.listing: Listing | None = None


class Pool:
    """Every peer of one client, in name order.

    Args:
        clock: source of time.
        journal: where decisions go.
    """

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self.members: dict[str, Member] = {}
        self.cache = ListingCache()
        self._clock = clock
        self._journal = journal

    def add(self, member: Member) -> None:
        """Take one more peer; the order of registration does not matter."""
        name = member.owner.name
        self.members = dict(sorted({**self.members, name: member}.items()))

    @property
    def ready(self) -> tuple[str, ...]:
        """Names of the peers that can be used now, sorted."""
        return tuple(n for n, m in self.members.items() if m.owner.status is Status.READY)

    async def connect_all(self, names: Iterable[str] | None = None) -> dict[str, Verdict]:
        """Connect the named peers, or all, concurrently; those that are ready stay so."""
        chosen = list(self.members) if names is None else sorted(names)
        verdicts = await asyncio.gather(*(self.members[n].owner.connect() for n in chosen))
        return dict(zip(chosen, verdicts, strict=True))

    async def list_all(self) -> dict[str, Listing]:
        """List the tools of every ready peer concurrently, from the cache where it is fresh."""
        names = self.ready
        listings = await asyncio.gather(*(self.list_one(name) for name in names))
        return dict(zip(names, listings, strict=True))

    async def list_one(self, name: str) -> Listing:
        """List one peer's tools, page by page."""
        member = self.members[name]
        key = cache_key(name, TOOLS_LIST)
        found = self.cache.get(key, member.auth_context, self._clock.now())
        if found.found is Found.HIT:
            self._note(name, f"tools from the cache, {found.age_ms} ms old", "CACHE-03")
            listing_again: Listing = found.value
            member.listing = listing_again
            return listing_again
        generation = self.cache.generation(name, TOOLS_LIST)
        listed = await self._walk(member)
        member.listing = listed
        if listed.failure is None:
            self.cache.put(
                key,
                listed,
                scope=listed.cache_scope,
                auth_context=member.auth_context,
                received_at=listed.received_at,
                ttl_ms=listed.ttl_ms,
                generation=generation,
                complete=listed.complete,
            )
        return listed

    async def call_tool(
        self,
        name: str,
        params: dict[str, Any],
        tool: Tool,
        timeout_s: float,
        until: Callable[[], float] | None = None,
    ) -> Answer | Failure:
        """Send one `tools/call`, over HTTP with the headers the tool's declaration asks for.

        A refusal of those headers (-32020) means that the declaration has changed: the whole
        list is read again, and the call is sent once more, with a new id.

        Args:
            name: the peer.
            params: of the call.
            tool: as listed.
            timeout_s: seconds for each sending.
            until: may put the end of waiting off, see `Owner.request`.
        """
        owner = self.members[name].owner
        answer = await owner.request(
            TOOLS_CALL, params, timeout_s=timeout_s, tool=tool.definition, until=until
        )
        if not isinstance(answer, ErrorReply) or answer.code != HEADER_MISMATCH:
            return answer
        if owner.endpoint.kind != "http":
            return answer
        self._note(name, "list again, then call again", "HTTP-08", visible(answer.message, 120))
        self.forget(name)
        listed = await self.list_one(name)
        fresh = next((other for other in listed.tools if other.name == tool.name), None)
        if fresh is None:
            return answer
        return await owner.request(
            TOOLS_CALL, params, timeout_s=timeout_s, tool=fresh.definition, until=until
        )

    def forget(self, name: str) -> None:
        """Drop what was cached from one peer: its lists changed, or its transport did."""
        self.cache.invalidate(name)

    async def close(self) -> None:
        """Close every peer concurrently; each is bounded by its own ladder."""
        await asyncio.gather(*(member.owner.close() for member in self.members.values()))

    async def _walk(self, member: Member) -> Listing:
        owner = member.owner
        settled = owner.verdict.settled
        if settled is None:
            return Listing(peer=owner.name, complete=False, failure=owner.away())
        walk, wanted = listing.begin(
            listing.Walk(
                peer=owner.name,
                era=settled.era,
                accept_missing_result_type=member.accept_missing_result_type,
                mirrored=owner.endpoint.kind == "http" and settled.era is Era.MODERN,
            )
        )
        outcome: listing.Ask | Listing = wanted
        while isinstance(outcome, listing.Ask):
            answer = await owner.request(
                TOOLS_LIST, outcome.params, timeout_s=member.call_timeout_s
            )
            walk, outcome = listing.step(walk, answer, self._clock.now())
        for dropped in outcome.dropped:
            self._note(owner.name, f"left out {dropped.name}", dropped.rule, dropped.reason)
        if outcome.failure is not None:
            failure = outcome.failure
            self._note(owner.name, "no list", failure.rule, failure.detail)
        return self._journal.redactor.tree(outcome) if outcome.failure else outcome

    def _note(self, peer: str, what: str, rule: str | None, detail: str = "") -> None:
        now = self._clock.now()
        self._journal.decided(now, peer, "listing", what, rule=rule, detail=detail)
