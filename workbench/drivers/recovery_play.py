"""The live half of a recovery stepper: one peer, one request, a clock that a person moves.

Takes:  one `Command` at a time
Gives:  the `Moment` it leads to
Never:  decides: pauses, budgets and repeats are the core's, in the order in which
        `workbench.drivers.recovery` and `workbench.calls` ask for them

Source: design section 7.7; fault matrix C04.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from msgspec.structs import replace

from workbench.core.call import Answer, success_value, tool_result
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms
from workbench.core.outcome import Outcome, ended_as
from workbench.core.recovery.comeback import (
    Said,
    Standing,
    by_hand,
    came_up,
    in_words,
    stayed_down,
    wanted_now,
    went_down,
)
from workbench.core.recovery.recover import Lost, may_repeat, undecided
from workbench.core.recovery.restart import Verdict
from workbench.core.wire.keys import TOOLS_CALL, TOOLS_LIST
from workbench.drivers.clock import ManualClock
from workbench.drivers.hand_time import ROUNDS, endless, settled, turns, until
from workbench.drivers.held_link import HeldEndpoint
from workbench.drivers.owner import Owner, Status
from workbench.drivers.pool import Member, Pool
from workbench.drivers.recovery_moment import Command, Flight, Moment, Noted, Start, Wish
from workbench.transports.base import Endpoint

CALL_TIMEOUT_S: Final = 30.0
"""Seconds, on the stepper's clock, after which a call that nobody lets through times out."""
_KEY: Final = "order-17"


class Play:
    """One story, from a peer that was never started.

    Args:
        name: what the peer is called.
        endpoint: starts it.
        tool: which tool is called; None takes the first that it lists.
        arguments: of that call.
        terms: what the negotiation runs under.

    Raises:
        MisuseError: if the peer is reached over HTTP, where there is no process to lose.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        tool: str | None,
        arguments: dict[str, Any],
        terms: Terms,
    ) -> None:
        if endpoint.kind == "http":
            raise misuse("a peer over HTTP has no process to lose", "Take memory or stdio.")
        self.name = name
        self.endpoint = endpoint
        self.journal = Journal()
        self._tool, self._arguments = tool, arguments
        self._clock = ManualClock()
        self._held = HeldEndpoint(endpoint)
        self._owner = Owner(name, self._held, terms, self._clock, self.journal)
        self._owner.on_connected, self._owner.on_lost = self._connected, self._lost
        self._pool = Pool(self._clock, self.journal)
        self._pool.add(Member(self._owner, "", CALL_TIMEOUT_S, False))
        self._standing = Standing()
        self._seen: object = None
        """The verdict that was counted last."""
        self._flight: Flight | None = None
        self._sending: asyncio.Task[Answer | Failure] | None = None
        self._noted: list[Noted] = []
        self._starts: list[Start] = []
        self._outcomes: list[Outcome] = []
        self._why = ""
        self._now_doing: Command

    async def close(self) -> None:
        """End the peer."""
        await self._pool.close()

    async def perform(self, command: Command) -> Moment:
        """Do what a person wants done.

        Raises:
            MisuseError: if that makes no sense now; nothing has changed then.
        """
        self._check(command)
        self._now_doing, self._noted = command, []
        self._held.starts_fail = command.starts_fail
        match command.do:
            case "start":
                await self._attempt("by hand")
            case "call":
                await self._send(self._taken_off(command.wish))
            case "answer":
                await self._let_through()
            case "kill":
                await self._kill()
            case "decide":
                await self._decide(command.agreed)
            case "wait":
                await self._pass_to(self._clock.now() + command.seconds)
            case "next start":
                plan = self._standing.plan
                assert plan is not None and plan.at is not None  # checked above
                await self._pass_to(plan.at)
            case "restart":
                await self._restart()
        await turns()
        self._land()
        return self._as_moment(command)

    def allows(self, command: Command) -> bool:
        """Say whether a command makes sense now."""
        try:
            self._check(command)
        except MisuseError:
            return False
        return True

    def _check(self, command: Command) -> None:
        """Refuse what makes no sense now; nothing has changed then."""
        status, flight, plan = self._owner.status, self._flight, self._standing.plan
        open_call = flight is not None and flight.state != "ended"
        match command.do:
            case "start" if self._starts:
                raise misuse("the peer was started before", "Restart it by hand instead.")
            case "call" if not self._starts:
                raise misuse("nothing was started yet", "Start the peer first.")
            case "call" if open_call:
                raise misuse("a request is still open", "One at a time: see how it ends first.")
            case "answer" if flight is None or flight.state != "in flight":
                raise misuse("nothing is in flight", "Send a request first.")
            case "kill" if status is not Status.READY:
                raise misuse(f"the peer is {status}", "Only a running peer can be killed.")
            case "decide" if flight is None or flight.state != "undecided":
                raise misuse("nothing waits for a decision", "Kill the peer during a call first.")
            case "next start" if status is Status.READY or plan is None or plan.at is None:
                raise misuse("no start is planned", "Kill the peer, or restart it by hand.")
            case "restart" if not self._starts:
                raise misuse("nothing was started yet", "Start the peer first.")
            case "wait" if not 0 <= command.seconds <= 1e6:
                raise misuse("that is no time to wait", "Take 0 to 1,000,000 s.")

    def _as_moment(self, command: Command) -> Moment:
        return Moment(
            did=command.words(),
            at=self._clock.now(),
            status=self._owner.status,
            standing=self._standing,
            flight=self._flight,
            noted=tuple(self._noted),
            starts=tuple(self._starts),
            outcomes=tuple(self._outcomes),
        )

    # -- starts ------------------------------------------------------------------------

    async def _attempt(self, why: str) -> None:
        self._why = why
        self._pool.forget(self.name)
        await self._wait_for(self._pool.connect_all([self.name]))
        if self._owner.status is Status.READY:
            await self._wait_for(self._pool.list_one(self.name))

    def _connected(self, name: str) -> None:
        owner, command, now = self._owner, self._now_doing, self._clock.now()
        failure = owner.verdict.failure
        self._starts.append(
            Start(
                number=len(self._starts) + 1,
                at=now,
                why=self._why,
                ready=owner.status is Status.READY,
                detail="" if failure is None else failure.detail,
            )
        )
        if owner.verdict is self._seen:
            return  # it was lost before anybody heard that it was ready
        self._seen = owner.verdict
        if owner.status is Status.READY:
            self._standing, said = came_up(self._standing, now, command.policy)
        else:
            kind = None if failure is None else failure.kind
            self._standing, said = stayed_down(
                self._standing, now, command.chance, command.policy, kind
            )
        self._note(*said)

    def _lost(self, name: str) -> None:
        command, failure = self._now_doing, self._owner.verdict.failure
        self._seen = self._owner.verdict
        self._standing, said = went_down(
            self._standing,
            self._clock.now(),
            command.chance,
            command.policy,
            None if failure is None else failure.kind,
        )
        self._note(*said)

    async def _kill(self) -> None:
        link = self._held.link
        assert link is not None  # a ready peer has one
        link.kill()
        await until(lambda: self._owner.status is not Status.READY)

    async def _restart(self) -> None:
        self._standing, said = by_hand(self._standing)
        self._note(*said)
        await self._owner.close()
        await turns()
        self._land()
        await self._attempt("by hand")

    # -- the request -------------------------------------------------------------------

    def _taken_off(self, wish: Wish) -> Flight:
        read = wish == "a read"
        listed = self._pool.members[self.name].listing
        first = listed.tools[0].name if listed is not None and listed.tools else ""
        return Flight(
            method=TOOLS_LIST if read else TOOLS_CALL,
            name="" if read else self._tool or first,
            key=_KEY if wish == "a call with a key" else None,
            sent=0,
            started_at=self._clock.now(),
        )

    async def _send(self, flight: Flight) -> None:
        self._flight = flight
        if self._owner.status is not Status.READY:
            return self._end(self._owner.away())
        self._flight = replace(flight, sent=flight.sent + 1, state="in flight")
        params: dict[str, Any] = {}
        if flight.method == TOOLS_CALL:
            params = {"name": flight.name, "arguments": self._arguments}
        assert self._held.link is not None  # a ready peer has one
        self._held.link.holding = True
        self._sending = asyncio.ensure_future(
            self._owner.request(flight.method, params, timeout_s=CALL_TIMEOUT_S)
        )
        await turns()

    async def _let_through(self) -> None:
        assert self._held.link is not None and self._sending is not None
        self._held.link.release()
        await self._wait_for(_end_of(self._sending))

    def _land(self) -> None:
        """Take note of a request that has come back, or cannot any more."""
        sending, flight = self._sending, self._flight
        if sending is None or flight is None or not sending.done():
            return
        self._sending = None
        end = self._judged(sending.result(), flight)
        lost = isinstance(end, Failure) and end.kind is Kind.OUTCOME_UNKNOWN
        if lost and flight.decision is None:
            assert isinstance(end, Failure)
            if flight.method == TOOLS_CALL:
                end = undecided(end, flight.name)
            self._flight = replace(flight, state="undecided", lost=end)
            self._note(Said("outcome unknown", end.rule, end.detail), stage=end.stage)
        else:
            self._end(end)
        if self._held.link is not None and not self._held.link.over:
            self._held.link.release()

    def _judged(self, answer: Answer | Failure, flight: Flight) -> Any:
        settled = self._owner.verdict.settled
        if isinstance(answer, Failure) or settled is None:
            return answer
        value = success_value(answer, settled.era, peer=self.name, stage="call")
        if isinstance(value, Failure) or flight.method != TOOLS_CALL:
            return value
        return tool_result(value, peer=self.name, tool=flight.name)

    async def _decide(self, agreed: bool) -> None:
        flight = self._flight
        assert flight is not None  # checked before
        decision = may_repeat(
            flight.method,
            Lost.AFTER_SENDING,
            idempotency_key=flight.key,
            user_agreed=agreed,
        )
        self._flight = flight = replace(flight, decision=decision)
        verb = "repeat once" if decision.repeat else "do not repeat"
        self._note(Said(verb, decision.rule, decision.why))
        if not decision.repeat:
            return self._end(flight.lost)
        if self._owner.status is not Status.READY:
            now, policy = self._clock.now(), self._now_doing.policy
            self._standing, wanted = wanted_now(self._standing, now, policy)
            if wanted.verdict is Verdict.NOW:
                await self._attempt("a call waits for it")
            else:
                self._note(in_words(wanted, now))
        await self._send(flight)

    def _end(self, end: Any) -> None:
        flight = self._flight
        assert flight is not None
        self._flight = replace(flight, state="ended")
        failure = end if isinstance(end, Failure) else None
        self._outcomes.append(
            Outcome(
                number=len(self._outcomes) + 1,
                peer=self.name,
                method=flight.method,
                name=flight.name,
                ended=ended_as(end),
                sent=flight.sent,
                started_at=flight.started_at,
                took_ms=(self._clock.now() - flight.started_at) * 1_000,
                rule=None if failure is None else failure.rule,
                detail="" if failure is None else failure.detail,
            )
        )
        if failure is not None:
            self._note(Said(str(failure.kind), failure.rule, failure.detail), stage=failure.stage)

    # -- time --------------------------------------------------------------------------

    async def _pass_to(self, end_at: float) -> None:
        for _ in range(ROUNDS):
            await turns()
            planned = self._planned_at()
            soonest = min(x for x in (self._clock.next_due(), planned, end_at) if x is not None)
            self._clock.move_to(min(soonest, end_at))
            await turns()
            self._land()
            planned = self._planned_at()
            if planned is not None and planned <= self._clock.now():
                await self._attempt("as planned")
            elif soonest >= end_at:
                return
        raise endless("too much falls due in that time")

    def _planned_at(self) -> float | None:
        plan = self._standing.plan
        away = self._owner.status is Status.UNAVAILABLE
        return plan.at if plan is not None and away else None

    async def _wait_for(self, work: Coroutine[Any, Any, object]) -> None:
        await settled(work, self._clock, self.endpoint.kind)

    def _note(self, *said: Said, stage: str = "recover") -> None:
        now = self._clock.now()
        for one in said:
            self._noted.append(Noted(now, one.what, one.rule, one.detail))
            self.journal.decided(now, self.name, stage, one.what, rule=one.rule, detail=one.detail)


async def _end_of(task: "asyncio.Task[Any]") -> None:
    await asyncio.wait([task])


def misuse(detail: str, hint: str) -> MisuseError:
    """Return the error of a command that makes no sense now."""
    return MisuseError(Failure(kind=Kind.MISUSE, stage="recover", detail=f"{detail}.", hint=hint))
