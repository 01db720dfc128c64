"""Moves one request through all its rounds: post, gather, post again.

Takes:  a peer, a method, its parameters, and how long to wait
Gives:  `Asked`: the value or the failure it ended in, and what it took
Never:  decides: `workbench.core.inputs.rounds` says what is next

The short path stays short: a request whose first answer ends it has no rounds to remember;
it costs one future and one deadline.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from workbench.core.call import Answer, complete_value
from workbench.core.errors import Failure, Kind
from workbench.core.inputs import rounds
from workbench.core.inputs.rounds import Finish, Gather, Next, Post, Rounds
from workbench.core.journal.journal import Journal
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import visible
from workbench.core.tool import Tool
from workbench.drivers.answering import Answering
from workbench.drivers.patience import Patience, Waits, Watches
from workbench.drivers.pool import Member, Pool
from workbench.transports.base import Clock


class Asked(Struct, frozen=True):
    """How one request ended, after all its rounds."""

    value: dict[str, Any] | Failure
    rounds: int = 0
    """How often the peer asked back."""
    sent: int = 0
    """How many requests were sent."""


class Counts(Protocol):
    """What a request has taken so far, kept by whoever may be cancelled."""

    rounds: int
    sent: int


class _Wanted(Struct, frozen=True):
    """What stays the same over all rounds of one request."""

    member: Member
    method: str
    patience: Waits
    meta: Mapping[str, Any] | None
    tool: Tool | None


class Calling:
    """Sends requests and answers what comes back instead of a result.

    Args:
        pool: the peers.
        answering: the application's handlers.
        watches: who waits for progress.
        clock: source of time.
        journal: where each round is noted.
    """

    def __init__(
        self, pool: Pool, answering: Answering, watches: Watches, clock: Clock, journal: Journal
    ) -> None:
        self._pool = pool
        self._answering = answering
        self._watches = watches
        self._clock = clock
        self._journal = journal

    async def ask(
        self,
        peer: str,
        method: str,
        params: dict[str, Any],
        patience: Waits,
        *,
        meta: Mapping[str, Any] | None = None,
        tool: Tool | None = None,
        stage: str = "call",
        counts: Counts | None = None,
    ) -> Asked:
        """Send one request and see it through.

        Args:
            peer: name of the peer.
            method: protocol method.
            params: without metadata.
            patience: seconds to wait in each round; or how long to wait, and whom to tell
                about progress.
            meta: entries for `params._meta`, on every round; protocol entries are not these.
            tool: the tool that is called.
            stage: pipeline stage, for failures.
            counts: told what was sent when the caller gives up, and there is nothing to return.
        """
        member = self._pool.members[peer]
        # Read now: a peer may answer and end in one go, and the answer counts.
        settled = member.owner.verdict.settled
        if settled is None:
            return Asked(member.owner.away())
        wanted = _Wanted(member, method, patience, meta, tool)
        try:
            answer = await self._post(wanted, params)
        except asyncio.CancelledError:
            _given_up(counts, 0, 1)
            raise
        value = complete_value(answer)
        if value is not None:
            return Asked(value, 0, 1)
        state = Rounds(
            peer=peer,
            era=settled.era,
            params=params,
            declared=settled.client_capabilities,
            policy=self._answering.handlers.policy,
            accept_missing_result_type=member.accept_missing_result_type,
            stage=stage,
        )
        return await self._go_on(wanted, *rounds.take(state, answer), counts)

    async def _go_on(
        self, wanted: _Wanted, state: Rounds, step: Next, counts: Counts | None
    ) -> Asked:
        """See a request through whose first answer was more than a result."""
        budget, sent = self._answering.budget(), 1
        try:
            while not isinstance(step, Finish):
                if isinstance(step, Post):
                    sent += 1
                    state, step = rounds.take(state, await self._post(wanted, step.params))
                else:
                    self._note(state, step)
                    given = await self._answering.answer_all(step.wanted, budget)
                    step = rounds.give(state, given)
        except asyncio.CancelledError:
            _given_up(counts, state.round, sent)
            raise
        return Asked(step.value, state.round, sent)

    def _post(self, wanted: _Wanted, params: dict[str, Any]) -> Awaitable[Answer | Failure]:
        """Send one request; whoever listens to nothing needs nothing to be looked after."""
        wait_s, meta = wanted.patience, wanted.meta
        if isinstance(wait_s, Patience):
            return self._watched(wanted, params, wait_s)
        if meta:
            params = {**params, "_meta": dict(meta)}
        return self._sent(wanted, params, wait_s, None)

    async def _watched(
        self, wanted: _Wanted, params: dict[str, Any], patience: Patience
    ) -> Answer | Failure:
        peer, wait_s = wanted.member.owner.name, patience.begin()
        if wait_s <= 0:
            return _spent(peer, wanted.method)
        token = self._watches.open(peer, patience)
        params = {**params, "_meta": {**(wanted.meta or {}), "progressToken": token}}
        try:
            return await self._sent(wanted, params, wait_s, patience)
        finally:
            patience.end()
            self._watches.close(peer, token)

    def _sent(
        self, wanted: _Wanted, params: dict[str, Any], wait_s: float, patience: Patience | None
    ) -> Awaitable[Answer | Failure]:
        owner, tool = wanted.member.owner, wanted.tool
        if tool is not None and owner.endpoint.kind == "http":
            return self._pool.call_tool(owner.name, params, tool, wait_s, patience)
        return owner.request(wanted.method, params, timeout_s=wait_s, patience=patience)

    def _note(self, state: Rounds, step: Gather) -> None:
        asked = ", ".join(f"{visible(one.key, 40)}" for one in step.wanted[:10])
        kept = "no requestState"
        if state.state is not None:
            kept = f"a requestState of {len(state.state)} characters"
        self._journal.decided(
            self._clock.now(),
            state.peer,
            state.stage,
            f"input required, round {state.round}: {asked}",
            rule="INPUT-02",
            detail=kept,
        )


def _given_up(counts: Counts | None, asked_back: int, sent: int) -> None:
    if counts is not None:
        counts.rounds += asked_back
        counts.sent += sent


def _spent(peer: str, method: str) -> Failure:
    return Failure(
        kind=Kind.TOOK_TOO_LONG,
        peer=peer,
        stage="call",
        rule="CALL-09",
        detail=f"{method} has waited as long as max_timeout_s allows; it was not sent again",
        hint=RULES["CALL-03"].hint,
    )
