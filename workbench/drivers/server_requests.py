"""Answers what a legacy server asks by a request of its own.

Takes:  `sampling/createMessage`, `elicitation/create` or `roots/list`, as a request
Gives:  exactly one answer, later; the same handlers answer as in a round trip
Never:  holds up the reader, and never answers a modern server, which may send none

Spec: 2025-11-25 client/sampling, client/elicitation, client/roots; field case E20.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from workbench.core.errors import Failure, Kind
from workbench.core.inputs.inputs import read_input
from workbench.core.journal.journal import Journal
from workbench.core.wire.envelope import error_reply, result_reply
from workbench.core.wire.keys import (
    CANCELLED,
    ELICIT,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    LIST_ROOTS,
    METHOD_NOT_FOUND,
    SAMPLE,
)
from workbench.core.wire.message import Notification, Request, RequestId
from workbench.drivers.answering import Answering, Budget
from workbench.transports.base import Clock

USER_REJECTED: Final = -1
"""The code the legacy revisions show for a sampling request the user declined."""
_CAPABILITY: Final = {ELICIT: "elicitation", SAMPLE: "sampling", LIST_ROOTS: "roots"}


class ServerRequests:
    """The questions of legacy peers that are being answered.

    Args:
        answering: the application's handlers.
        clock: source of time.
        journal: where refusals are noted.
    """

    def __init__(self, answering: Answering, clock: Clock, journal: Journal) -> None:
        self._answering = answering
        self._clock = clock
        self._journal = journal
        self._tasks: dict[tuple[str, RequestId], asyncio.Task[None]] = {}
        self._budgets: dict[str, Budget] = {}

    def take(
        self,
        peer: str,
        request: Request,
        declared: Mapping[str, Any],
        reply: Callable[[dict[str, Any]], None],
    ) -> bool:
        """Begin to answer a request; False when it is none that was declared.

        Args:
            peer: who asks.
            request: as received.
            declared: what the handshake declared.
            reply: sends the answer; called at most once.
        """
        if _CAPABILITY.get(request.method) not in declared:
            return False
        key = (peer, request.id)
        if key in self._tasks:
            return False  # the same id again, while the first is being answered
        work = self._answer(peer, request, declared, reply)
        task = asyncio.get_running_loop().create_task(work, name=f"request of {peer}")
        self._tasks[key] = task
        task.add_done_callback(lambda _: self._tasks.pop(key, None))
        return True

    def hear(self, peer: str, said: Notification) -> None:
        """Stop answering a request that its sender cancels."""
        if said.method != CANCELLED:
            return
        request_id: Any = said.params.get("requestId")
        task = self._tasks.get((peer, request_id)) if type(request_id) in (int, str) else None
        if task is not None:
            task.cancel()

    def refill(self, peer: str) -> None:
        """Give a peer a new sampling budget, because a call to it begins."""
        budget = self._budgets.get(peer)
        if budget is not None:
            budget.refill()

    async def close(self) -> None:
        """Stop answering."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _answer(
        self,
        peer: str,
        request: Request,
        declared: Mapping[str, Any],
        reply: Callable[[dict[str, Any]], None],
    ) -> None:
        wanted = read_input(
            {"method": request.method, "params": request.params},
            key=str(request.id),
            peer=peer,
            declared=declared,
            policy=self._answering.handlers.policy,
        )
        if not isinstance(wanted, Failure):
            given = await self._answering.answer(wanted, self._budget(peer))
            if not isinstance(given, Failure):
                reply(result_reply(request.id, given))
                return
            wanted = given
        what = f"refused {request.method}"
        self._journal.decided(
            self._clock.now(), peer, "input", what, rule=wanted.rule, detail=wanted.detail
        )
        # The detail may hold what the user typed or a path of this machine: it stays here.
        reply(error_reply(request.id, _code(wanted), _TEXTS.get(wanted.kind, "Refused")))

    def _budget(self, peer: str) -> Budget:
        return self._budgets.setdefault(peer, self._answering.budget())


_TEXTS: Final = {
    Kind.CANCELLED: "User rejected the request",
    Kind.TOOK_TOO_LONG: "The user did not answer in time",
    Kind.PROTOCOL_VIOLATION: "The request is malformed or was not declared",
}


def _code(failure: Failure) -> int:
    if failure.rule == "CALL-05":
        return METHOD_NOT_FOUND
    if failure.kind is Kind.PROTOCOL_VIOLATION:
        return INVALID_PARAMS
    return USER_REJECTED if failure.rule in ("INPUT-06", "INPUT-07") else INTERNAL_ERROR
