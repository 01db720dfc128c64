"""All peers together: connected at once, each alone in its trouble.

Takes:  owners, one a peer
Gives:  verdicts and listings for every peer; a bad peer is a row, never an exception
Never:  lets one peer's failure or slowness stop another

Field case N11; fault matrix M04.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, Protocol

from msgspec.structs import force_setattr

from workbench.core.call import Answer
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.menu.listing import listing_of
from workbench.core.pins.drift_watch import DRIFTED, DriftWatch
from workbench.core.results.pages import Collected, Pages
from workbench.core.text.visible import visible
from workbench.core.tool import Listing, Tool
from workbench.core.wire.keys import HEADER_MISMATCH, TOOLS_CALL, TOOLS_LIST
from workbench.core.wire.message import ErrorReply
from workbench.core.wire.versions import Era
from workbench.drivers.owner import Owner, Status, Verdict
from workbench.drivers.paging import Begun, Paging
from workbench.drivers.patience import Patience
from workbench.drivers.shelf import Shelf
from workbench.drivers.tally import OnStep, Tally
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
        self.listed_generation = -1
        """Generation of the cache that `listing` was asked for in; an older one is not put
        in the place of a newer one."""


class Warden(Protocol):
    """Who may forbid the start of a peer."""

    def may_start(self, name: str) -> bool:
        """Say whether a peer may be started now."""


class Pool:
    """Every peer of one client, in name order.

    Args:
        clock: source of time.
        journal: where decisions go.
        cache: what was listed before; None makes a strict one.
        drift: compares each listing with what was accepted; None makes one that reports.
    """

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        cache: Shelf | None = None,
        drift: DriftWatch | None = None,
    ) -> None:
        self.members: dict[str, Member] = {}
        self.cache = Shelf(clock, journal) if cache is None else cache
        self.drift = DriftWatch() if drift is None else drift
        self.warden: Warden | None = None
        self._paging: Paging[Listing] = Paging(self.cache, clock, journal)
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

    async def connect_all(
        self, names: Iterable[str] | None = None, tell: OnStep | None = None
    ) -> dict[str, Verdict]:
        """Connect the named peers, or all, concurrently; those that are ready stay so.

        Args:
            names: of the peers; None means all.
            tell: called each time a peer is done.
        """
        chosen = list(self.members) if names is None else sorted(names)
        tally = Tally("connect", len(chosen), tell, lambda why: self._note("", why, None))
        verdicts = await asyncio.gather(
            *(tally.counted(name, self._connect(name), _standing) for name in chosen)
        )
        return dict(zip(chosen, verdicts, strict=True))

    async def _connect(self, name: str) -> Verdict:
        owner, warden = self.members[name].owner, self.warden
        if owner.status is Status.READY or warden is None:
            return await owner.connect()
        if owner.status is not Status.CONNECTING and not warden.may_start(name):
            return owner.verdict
        return await owner.connect()

    async def list_all(self, tell: OnStep | None = None) -> dict[str, Listing]:
        """List the tools of every ready peer concurrently, from the cache where it is fresh.

        Args:
            tell: called each time a peer is done.
        """
        names = self.ready
        tally = Tally("list", len(names), tell, lambda why: self._note("", why, None))
        listings = await asyncio.gather(
            *(tally.counted(name, self.list_one(name), _offered) for name in names)
        )
        return dict(zip(names, listings, strict=True))

    async def list_one(self, name: str) -> Listing:
        """List one peer's tools, page by page; only pages that are not fresh are asked for."""
        member = self.members[name]
        begun = self._paging.look(member, self._wanted(member))
        listed = await self._paging.finish(
            begun, member, lambda collected: self._judged(member, begun, collected)
        )
        if begun.whole:
            member.listing = listed
        return listed

    def _wanted(self, member: Member) -> Pages:
        settled = member.owner.verdict.settled
        return Pages(
            peer=member.owner.name,
            # One that is not there will say so itself.
            era=Era.MODERN if settled is None else settled.era,
            method=TOOLS_LIST,
            member="tools",
            accept_missing_result_type=member.accept_missing_result_type,
            copied_late=True,
        )

    def _judged(self, member: Member, begun: Begun, collected: Collected) -> Listing:
        owner = member.owner
        mirrored = owner.endpoint.kind == "http" and begun.walk.era is Era.MODERN
        listed = listing_of(owner.name, collected, mirrored=mirrored)
        for dropped in listed.dropped:
            self._note(owner.name, f"left out {dropped.name}", dropped.rule, dropped.reason)
        if listed.failure is not None:
            self._note(owner.name, "no list", listed.failure.rule, listed.failure.detail)
            listed = self._journal.redactor.tree(listed)
        force_setattr(listed, "hides", self._journal.redactor)  # nobody has it yet
        current = begun.place[2] == member.auth_context
        if begun.generation >= member.listed_generation and current:
            member.listing, member.listed_generation = listed, begun.generation
            self._compare(listed)
        return listed

    async def call_tool(
        self,
        name: str,
        params: dict[str, Any],
        tool: Tool,
        timeout_s: float,
        patience: Patience | None = None,
    ) -> Answer | Failure:
        """Send one `tools/call`, over HTTP with the headers the tool's declaration asks for.

        A refusal of those headers (-32020) means that the declaration has changed: the whole
        list is read again, and the call is sent once more, with a new id.

        Args:
            name: the peer.
            params: of the call.
            tool: as listed.
            timeout_s: seconds for each sending.
            patience: may put the end of waiting off, see `Owner.request`.
        """
        owner = self.members[name].owner
        answer = await owner.request(
            TOOLS_CALL, params, timeout_s=timeout_s, tool=tool.definition, patience=patience
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
        refused = self.drift.refusal(name, tool.name)
        if refused is not None:
            return refused
        return await owner.request(
            TOOLS_CALL, params, timeout_s=timeout_s, tool=fresh.definition, patience=patience
        )

    def switch_context(self, name: str, auth_context: str) -> None:
        """Ask a peer with other credentials from now on; what it listed before is put away.

        Raises:
            MisuseError: if there is no such peer.
        """
        member = self.members.get(name)
        if member is None:
            known = ", ".join(visible(one) for one in self.members)
            detail = f"no peer is called {visible(name, 60)}"
            raise MisuseError(
                Failure(kind=Kind.MISUSE, stage="config", detail=detail, hint=f"Known: {known}.")
            )
        self._note(name, f"authorization context {visible(auth_context, 60)}", "CACHE-02")
        self.drift.switch(name, member.auth_context, auth_context)
        member.auth_context, member.listing = auth_context, None

    def forget(self, name: str) -> None:
        """Drop what was cached from one peer: its lists changed, or its transport did."""
        self.cache.invalidate(name)

    async def close(self) -> None:
        """Close every peer concurrently; each is bounded by its own ladder."""
        await asyncio.gather(*(member.owner.close() for member in self.members.values()))

    def _compare(self, listed: Listing) -> None:
        if listed.stale:
            return
        for drift in self.drift.see(listed, self._clock.now()):
            self._note(drift.peer, "a tool has changed", DRIFTED, drift.line())

    def _note(self, peer: str, what: str, rule: str | None, detail: str = "") -> None:
        now = self._clock.now()
        self._journal.decided(now, peer, "listing", what, rule=rule, detail=detail)


def _standing(verdict: Verdict) -> str:
    return str(Status.UNAVAILABLE if verdict.settled is None else Status.READY)


def _offered(listed: Listing) -> str:
    if listed.failure is not None:
        return "no list"
    return f"{len(listed.tools)} tool{'' if len(listed.tools) == 1 else 's'}"
