"""Asks the application's handlers what a peer wants to know, one question at a time.

Takes:  requests that were read strictly, and the handlers
Gives:  a response for each, or the `Failure` that ends the call
Never:  blocks the reader: a plain function runs on a thread of its own; and never sends
        what does not fit the question

A person may take minutes. The peer's deadline stands still meanwhile, because between two
rounds no request is out; the answer has a bound of its own (`InputPolicy.answer_timeout_s`).

Spec: basic/patterns/mrtr; client/sampling, client/elicitation, client/roots.
"""

import asyncio
import inspect
import traceback
from collections.abc import Callable
from typing import Any

from workbench.core.cause import cause, first_cause
from workbench.core.errors import Failure, Kind
from workbench.core.inputs.handlers import Handlers
from workbench.core.inputs.inputs import Elicitation, Sampling, Wanted
from workbench.core.inputs.replies import Declined, Unfit, reply_for
from workbench.core.journal.journal import Journal
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import visible
from workbench.drivers.schemas import Schemas
from workbench.transports.base import Clock
from workbench.transports.own_thread import in_own_thread

_NAMES = {"Sampling": "sampling", "Elicitation": "elicitation", "RootsWanted": "roots"}


class Budget:
    """How many sampling requests are left.

    Args:
        calls: how many there are.
    """

    def __init__(self, calls: int) -> None:
        self._calls = self._left = calls

    def refill(self) -> None:
        """Begin anew."""
        self._left = self._calls

    def spend(self) -> bool:
        """Take one; False when none is left."""
        self._left -= 1
        return self._left >= 0


class Answering:
    """Runs handlers under the policy.

    Args:
        handlers: the application's.
        schemas: checks what is filled into a form.
        clock: source of time.
        journal: where each question and what became of it is noted.
    """

    def __init__(
        self, handlers: Handlers, schemas: Schemas, clock: Clock, journal: Journal
    ) -> None:
        self.handlers = handlers
        self._schemas = schemas
        self._clock = clock
        self._journal = journal

    def budget(self) -> Budget:
        """Return the sampling budget of one call."""
        return Budget(self.handlers.policy.sampling_calls)

    async def answer_all(
        self, wanted: tuple[Wanted, ...], budget: Budget
    ) -> dict[str, Any] | Failure:
        """Answer the requests of one round in the peer's order; the first failure ends it."""
        responses: dict[str, Any] = {}
        for one in wanted:
            response = await self.answer(one, budget)
            if isinstance(response, Failure):
                return response
            responses[one.key] = response
        return responses

    async def answer(self, wanted: Wanted, budget: Budget) -> dict[str, Any] | Failure:
        """Answer one request."""
        handler = self.handlers.handler(wanted)
        if handler is None:
            return _failure(wanted, Kind.PROTOCOL_VIOLATION, "CALL-05", "it has no handler here")
        if isinstance(wanted, Sampling):
            refused = await self._refused(wanted, budget)
            if refused is not None:
                return refused
        given = await self._run(wanted, handler) if callable(handler) else handler
        if isinstance(given, Failure):
            return given
        reply = reply_for(wanted, given)
        if isinstance(reply, Declined):
            return _failure(wanted, Kind.CANCELLED, "INPUT-07", "the user declined")
        fault = reply.reason if isinstance(reply, Unfit) else self._form_fault(wanted, reply)
        if fault:
            return _failure(wanted, Kind.INPUT_REFUSED, "INPUT-05", fault)
        assert isinstance(reply, dict)
        self._note(wanted, f"answered: {reply['action']}" if "action" in reply else "answered")
        return reply

    async def _refused(self, wanted: Sampling, budget: Budget) -> Failure | None:
        policy = self.handlers.policy
        if not budget.spend():
            detail = f"more than {policy.sampling_calls} sampling requests"
            return _failure(wanted, Kind.INPUT_REFUSED, "INPUT-06", detail)
        if wanted.max_tokens < wanted.requested_tokens:
            lowered = f"maxTokens lowered from {wanted.requested_tokens} to {wanted.max_tokens}"
            self._note(wanted, lowered, "INPUT-06")
        if policy.approve_sampling is None:
            return None
        approved = await self._run(wanted, policy.approve_sampling)
        if isinstance(approved, Failure):
            return approved
        if approved is not True:
            return _failure(wanted, Kind.CANCELLED, "INPUT-07", "the approval was not given")
        return None

    def _form_fault(self, wanted: Wanted, reply: Any) -> str:
        if not isinstance(wanted, Elicitation) or "content" not in reply:
            return ""
        mismatch = self._schemas.check(wanted.schema, reply["content"])
        return "" if mismatch is None else f"the answer does not fit the form: {mismatch.detail}"

    async def _run(self, wanted: Wanted, handler: Callable[[Any], Any]) -> Any:
        """Return what a handler gives, or the failure it became."""
        loop = asyncio.get_running_loop()
        task = loop.create_task(_given(handler, wanted))
        limit_s = self.handlers.policy.answer_timeout_s
        late = asyncio.Event()

        def expire() -> None:
            late.set()
            task.cancel()

        timer = self._clock.call_at(self._clock.now() + limit_s, expire)
        self._note(wanted, "asked")
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            timer.cancel()
        if task.cancelled():
            if late.is_set():
                detail = f"nobody answered within {limit_s:g} s"
                return _failure(wanted, Kind.TOOK_TOO_LONG, "INPUT-09", detail)
            return _failure(wanted, Kind.CANCELLED, "INPUT-07", "the handler was cancelled")
        problem = task.exception()
        if problem is not None:
            return _failure(wanted, Kind.INPUT_REFUSED, "INPUT-05", _where(problem))
        return task.result()

    def _note(self, wanted: Wanted, what: str, rule: str | None = None) -> None:
        asked = f"{_kind(wanted)} “{visible(wanted.key, 60)}”: {what}"
        self._journal.decided(self._clock.now(), wanted.peer, "input", asked, rule=rule)


async def _given(handler: Callable[[Any], Any], wanted: Wanted) -> Any:
    if inspect.iscoroutinefunction(handler):
        return await handler(wanted)
    given = await in_own_thread(handler, wanted)
    return await given if inspect.isawaitable(given) else given


def _where(problem: BaseException) -> str:
    frames = traceback.extract_tb(first_cause(problem).__traceback__)
    at = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"the handler raised {cause(problem)}{at}"


def _kind(wanted: Wanted) -> str:
    return _NAMES[type(wanted).__name__]


def _failure(wanted: Wanted, kind: Kind, rule: str, detail: str) -> Failure:
    return Failure(
        kind=kind,
        peer=wanted.peer,
        stage="input",
        rule=rule,
        detail=f"{_kind(wanted)} “{visible(wanted.key, 60)}”: {detail}",
        hint=RULES[rule].hint,
    )
