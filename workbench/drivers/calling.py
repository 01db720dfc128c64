"""Moves one request through all its rounds: post, gather, post again.

Takes:  a peer, a method, its parameters, and how long to wait
Gives:  `Asked`: the value or the failure it ended in, and what it took
Never:  decides: `workbench.core.rounds` says what is next

The short path stays short: a request that is answered at once costs one frozen value, one
future and one timer.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from workbench.core import rounds
from workbench.core.call import Answer
from workbench.core.errors import Failure, Kind
from workbench.core.journal import Journal
from workbench.core.rounds import Finish, Gather, Next, Post, Rounds
from workbench.core.rules import RULES
from workbench.core.text import visible
from workbench.core.tool import Tool
from workbench.drivers.answering import Answering
from workbench.drivers.patience import Patience, Watches
from workbench.drivers.pool import Member, Pool
from workbench.transports.base import Clock


class Asked(Struct, frozen=True):
    """How one request ended, after all its rounds."""

    value: dict[str, Any] | Failure
    rounds: int = 0
    """How often the peer asked back."""
    sent: int = 0
    """How many requests were sent."""


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
        patience: Patience,
        *,
        meta: Mapping[str, Any] | None = None,
        tool: Tool | None = None,
        stage: str = "call",
    ) -> Asked:
        """Send one request and see it through.

        Args:
            peer: name of the peer.
            method: protocol method.
            params: without metadata.
            patience: how long to wait, and whom to tell about progress.
            meta: entries for `params._meta`, on every round; protocol entries are not these.
            tool: the tool that is called.
            stage: pipeline stage, for failures.
        """
        member = self._pool.members[peer]
        # Read now: a peer may answer and end in one go, and the answer counts.
        settled = member.owner.verdict.settled
        if settled is None:
            return Asked(member.owner.away())
        state = Rounds(
            peer=peer,
            era=settled.era,
            params=params,
            declared=settled.client_capabilities,
            policy=self._answering.handlers.policy,
            accept_missing_result_type=member.accept_missing_result_type,
            stage=stage,
        )
        budget = self._answering.budget()
        sent = 0
        step: Next = rounds.begin(state)
        while not isinstance(step, Finish):
            if isinstance(step, Post):
                sent += 1
                answer = await self._post(member, method, step.params, patience, meta, tool)
                state, step = rounds.take(state, answer)
            else:
                self._note(state, step)
                given = await self._answering.answer_all(step.wanted, budget)
                step = rounds.give(state, given)
        return Asked(step.value, state.round, sent)

    async def _post(
        self,
        member: Member,
        method: str,
        params: dict[str, Any],
        patience: Patience,
        meta: Mapping[str, Any] | None,
        tool: Tool | None,
    ) -> Answer | Failure:
        wait_s, peer = patience.begin(), member.owner.name
        if wait_s <= 0:
            return _spent(peer, method)
        token = self._watches.open(peer, patience) if patience.listens else None
        added = {**(meta or {})} if token is None else {**(meta or {}), "progressToken": token}
        if added:
            params = {**params, "_meta": added}
        moved = patience if token is not None else None
        try:
            if tool is not None:
                return await self._pool.call_tool(peer, params, tool, wait_s, moved)
            return await member.owner.request(method, params, timeout_s=wait_s, patience=moved)
        finally:
            patience.end()
            if token is not None:
                self._watches.close(peer, token)

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


def _spent(peer: str, method: str) -> Failure:
    return Failure(
        kind=Kind.TOOK_TOO_LONG,
        peer=peer,
        stage="call",
        rule="CALL-09",
        detail=f"{method} has waited as long as max_timeout_s allows; it was not sent again",
        hint=RULES["CALL-03"].hint,
    )
