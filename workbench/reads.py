"""Reads: resources, prompts, suggestions; and the lists of them.

Takes:  a URI or a name, and the peer where only one will do
Gives:  values, fresh or from the cache; one exception, and one `Outcome` a read
Never:  guesses an owner: a name that two peers offer needs the peer's name

A prompt is addressed by its peer and its name, as `<peer>/<name>`, or by the name alone
when one peer offers it. A resource is addressed by its URI; it belongs to the one peer that
lists it or, when nobody does, to the only peer that has resources. No menu is merged: a
model chooses tools by name, but an application chooses prompts and resources by peer.

Spec: server/prompts, server/resources, server/utilities/completion.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from workbench.calls import Case, Ledger, Wishes, misuse
from workbench.core.errors import Failure, Kind
from workbench.core.menu.offers import PROMPTS, RESOURCES, Offers, Sort
from workbench.core.recovery.recover import Lost, may_repeat
from workbench.core.results.reading import (
    Completion,
    PromptRead,
    ResourceRead,
    ServerRead,
    completion_read,
    prompt_read,
    resource_read,
    server_read,
)
from workbench.core.text.visible import visible
from workbench.core.wire.keys import COMPLETION, DISCOVER, PROMPTS_GET, RESOURCES_READ
from workbench.core.wire.versions import Era
from workbench.drivers.calling import Asked, Calling
from workbench.drivers.catalogue import Catalogue
from workbench.drivers.pool import Pool
from workbench.transports.base import Clock

T = TypeVar("T")


class Reads:
    """Lists and reads what is no tool.

    Args:
        pool: the peers.
        calling: sends requests.
        catalogue: lists, and what was read before.
        ledger: where each read ends.
        clock: source of time.
    """

    def __init__(
        self, pool: Pool, calling: Calling, catalogue: Catalogue, ledger: Ledger, clock: Clock
    ) -> None:
        self._pool = pool
        self._calling = calling
        self._catalogue = catalogue
        self._ledger = ledger
        self._clock = clock

    async def offers(self, sort: Sort) -> dict[str, Offers]:
        """List one sort of thing of every ready peer that declares it."""
        return await self._catalogue.list_all(sort)

    async def resource(self, uri: str, peer: str | None, wishes: Wishes) -> ResourceRead:
        """Read a resource; see `AsyncMultiServerClient.read_resource`."""
        case = Case(RESOURCES_READ, uri, peer or "")
        return await self._ledger.settle(case, self._resource(case, uri, peer, wishes))

    async def server(self, peer: str, wishes: Wishes) -> ServerRead:
        """Read a server's word about itself; see `AsyncMultiServerClient.discover_server`."""
        case = Case(DISCOVER, peer, peer)
        return await self._ledger.settle(case, self._server(case, peer, wishes))

    async def prompt(
        self, name: str, arguments: Mapping[str, str] | None, peer: str | None, wishes: Wishes
    ) -> PromptRead:
        """Get a prompt; see `AsyncMultiServerClient.get_prompt`."""
        case = Case(PROMPTS_GET, name, peer or "")
        return await self._ledger.settle(case, self._prompt(case, name, arguments, peer, wishes))

    async def completion(
        self,
        reference: tuple[Sort, str],
        argument: Mapping[str, str],
        context: Mapping[str, str] | None,
        peer: str | None,
        wishes: Wishes,
    ) -> Completion:
        """Complete an argument; see `AsyncMultiServerClient.complete`."""
        case = Case(COMPLETION, reference[1], peer or "")
        work = self._completion(case, reference, argument, context, peer, wishes)
        return await self._ledger.settle(case, work)

    # -- inside ------------------------------------------------------------------------

    async def _resource(
        self, case: Case, uri: str, peer: str | None, wishes: Wishes
    ) -> ResourceRead | Failure:
        def judge(value: dict[str, Any], stale: str) -> ResourceRead | Failure:
            return resource_read(value, peer=case.peer, uri=uri, stale=stale)

        owner = await self._owner(RESOURCES, uri, peer)
        if isinstance(owner, Failure):
            return self._instead(owner, case.method, {"uri": uri}, judge)
        case.peer, _ = owner
        return await self._cached(case, {"uri": uri}, wishes, judge)

    async def _server(self, case: Case, peer: str, wishes: Wishes) -> ServerRead | Failure:
        member = self._pool.members.get(peer)
        if member is None:
            return self._nobody(peer)
        settled = member.owner.verdict.settled
        if settled is not None and settled.era is Era.LEGACY:
            return ServerRead(
                peer=peer,
                era=settled.era,
                version=settled.version,
                capabilities=settled.server_capabilities,
                info=settled.server_info,
                instructions=settled.instructions,
            )
        version = "" if settled is None else settled.version
        lenient = member.accept_missing_result_type

        def judge(value: dict[str, Any], stale: str) -> ServerRead | Failure:
            return server_read(value, peer=peer, version=version, lenient=lenient, stale=stale)

        if settled is None:
            return self._instead(member.owner.away(), case.method, {}, judge)
        return await self._cached(case, {}, wishes, judge)

    async def _cached(
        self,
        case: Case,
        params: dict[str, Any],
        wishes: Wishes,
        judge: Callable[[dict[str, Any], str], T | Failure],
    ) -> T | Failure:
        """Read what is cacheable: fresh from the cache, or from the peer and into the cache."""
        kept = self._catalogue.kept(case.peer, case.method, params)
        if kept is not None:
            return judge(kept, "")
        generation = self._catalogue.generation(case.peer, case.method)
        asked = await self._ask(case, params, wishes)
        if isinstance(asked.value, Failure):
            return self._instead(asked.value, case.method, params, judge)
        read = judge(asked.value, "")
        if not isinstance(read, Failure):
            self._catalogue.keep(case.peer, case.method, params, asked, generation)
        return read

    def _instead(
        self,
        failure: Failure,
        method: str,
        params: dict[str, Any],
        judge: Callable[[dict[str, Any], str], T | Failure],
    ) -> T | Failure:
        """Return what was read before, where the operator allows it and only the way failed."""
        old = self._catalogue.instead(failure, method, params)
        return failure if old is None else judge(*old)

    async def _prompt(
        self,
        case: Case,
        name: str,
        arguments: Mapping[str, str] | None,
        peer: str | None,
        wishes: Wishes,
    ) -> PromptRead | Failure:
        owner = await self._owner(PROMPTS, name, peer)
        if isinstance(owner, Failure):
            return owner
        case.peer, local = owner
        params = {"name": local, **_texts("arguments", arguments)}
        asked = await self._ask(case, params, wishes)
        if isinstance(asked.value, Failure):
            return asked.value
        return prompt_read(asked.value, peer=case.peer, name=local)

    async def _completion(
        self,
        case: Case,
        reference: tuple[Sort, str],
        argument: Mapping[str, str],
        context: Mapping[str, str] | None,
        peer: str | None,
        wishes: Wishes,
    ) -> Completion | Failure:
        sort, key = reference
        owner = await self._owner(sort, key, peer)
        if isinstance(owner, Failure):
            return owner
        case.peer, local = owner
        kinds = {PROMPTS: ("ref/prompt", "name")}
        kind, member = kinds.get(sort, ("ref/resource", "uri"))
        known = _texts("arguments", context)
        params: dict[str, Any] = {
            "ref": {"type": kind, member: local},
            "argument": _texts("argument", argument)["argument"],
            **({"context": known} if known else {}),
        }
        asked = await self._ask(case, params, wishes)
        if isinstance(asked.value, Failure):
            return asked.value
        return completion_read(asked.value, peer=case.peer)

    async def _ask(self, case: Case, params: dict[str, Any], wishes: Wishes) -> Asked:
        member = self._pool.members[case.peer]
        patience, meta = wishes.patience(self._clock, member.call_timeout_s), wishes.meta()

        async def once() -> Asked:
            asked = await self._calling.ask(
                case.peer, case.method, params, patience, meta=meta, stage="read", counts=case
            )
            case.took(asked)
            return asked

        return await self._repeated(case, once)

    async def _repeated(self, case: Case, once: Callable[[], Awaitable[Asked]]) -> Asked:
        asked = await once()
        lost = asked.value
        if not isinstance(lost, Failure) or lost.kind is not Kind.OUTCOME_UNKNOWN:
            return asked
        decision = may_repeat(case.method, Lost.AFTER_SENDING)
        self._ledger.note(case.peer, "recover", "repeat once", decision.rule, decision.why)
        await self._pool.connect_all([case.peer])
        return await once()

    async def _owner(self, sort: Sort, key: str, peer: str | None) -> tuple[str, str] | Failure:
        """Return the peer and its own word for a thing."""
        if peer is not None:
            member = self._pool.members.get(peer)
            if member is None:
                return self._nobody(peer)
            return (peer, key) if peer in self._pool.ready else member.owner.away()
        listed = await self._catalogue.list_all(sort)
        found = [
            (name, local)
            for name, offers in listed.items()
            for local in offers.keys
            if key == local or (sort is PROMPTS and key == f"{name}/{local}")
        ]
        if len(found) == 1:
            return found[0]
        if found:
            peers = ", ".join(visible(name) for name, _ in found)
            return Failure(
                kind=Kind.AMBIGUOUS_OWNER,
                stage="route",
                rule="ROUTE-02",
                detail=f"“{visible(key, 128)}” is offered by {peers}",
                hint="Say which with peer=….",
            )
        if len(listed) == 1 and sort is not PROMPTS:
            return next(iter(listed)), key
        hint = "Say which peer with peer=…; a template's resources are listed by nobody."
        return _unknown(f"no ready peer lists “{visible(key, 128)}” in {sort.method}", hint)

    def _nobody(self, peer: str) -> Failure:
        known = ", ".join(visible(name) for name in self._pool.members)
        return _unknown(f"no peer is called “{visible(peer, 60)}”", f"Known: {known}.")


def _texts(member: str, values: Mapping[Any, Any] | None) -> dict[str, dict[str, str]]:
    if values is None:
        return {}
    for name, value in values.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise misuse(f"{member} are texts by name; {name!r} is not", "Pass strings.")
    return {member: dict(values)}


def _unknown(detail: str, hint: str) -> Failure:
    return Failure(kind=Kind.UNKNOWN_NAME, stage="route", rule="ROUTE-01", detail=detail, hint=hint)
