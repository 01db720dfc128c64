"""One task owns one peer, from the first byte to the last.

Takes:  a peer's terms and endpoint
Gives:  a verdict, then answers to requests, until the transport ends
Never:  decides an era (the core does), and never lets a peer's trouble leave this file as
        an exception

The task outlives the calls that use it: in a notebook every cell is a task of its own, so
whoever opens a transport in one cell and closes it in another must not be either of them.

Source: design section 3; seed lesson, "Um colega, não uma sessão de protocolo".
"""

import asyncio
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.actions import (
    Action,
    Decide,
    Fail,
    Record,
    Reopen,
    Send,
    SetDeadline,
    Settle,
    Settled,
)
from workbench.core.call import Answer
from workbench.core.errors import Failure, Kind, MisuseError, PipeClosed, WorkbenchError
from workbench.core.events import DeadlinePassed, Event, Opened, StartFailed
from workbench.core.journal import Journal
from workbench.core.negotiate.machine import step
from workbench.core.negotiate.snapshot import Terms, begin
from workbench.core.rules import RULES
from workbench.core.wire.codec import encode
from workbench.core.wire.envelope import legacy_request, modern_request, notification
from workbench.core.wire.keys import CANCELLED
from workbench.core.wire.message import Notification
from workbench.core.wire.versions import Era
from workbench.drivers.link import Link, Waiting
from workbench.transports.base import Clock, Ending, Endpoint, Timer


class Status(StrEnum):
    """Where a peer stands."""

    IDLE = "not connected"
    CONNECTING = "connecting"
    READY = "ready"
    UNAVAILABLE = "unavailable"


class Verdict(Struct, frozen=True, kw_only=True):
    """How the latest negotiation ended, or how a ready peer was lost."""

    settled: Settled | None = None
    failure: Failure | None = None
    evidence: str = ""
    ready_ms: float | None = None
    """Milliseconds from the start of connecting to the verdict."""


class Owner:
    """The one user of a peer's transport.

    Args:
        name: the peer's name.
        endpoint: makes a transport for each lifetime.
        terms: what the negotiation runs under.
        clock: source of time.
        journal: where frames and decisions go.
    """

    def __init__(
        self, name: str, endpoint: Endpoint, terms: Terms, clock: Clock, journal: Journal
    ) -> None:
        self.name = name
        self.endpoint = endpoint
        self.terms = terms
        self.status = Status.IDLE
        self.verdict = Verdict()
        self._clock = clock
        self._journal = journal
        self._next_id = 1
        self._link: Link | None = None
        self._task: asyncio.Task[None] | None = None
        self._decided: asyncio.Future[None] | None = None
        self._stop = asyncio.Event()
        self.on_notification: Any = None
        """Called with (peer name, Notification) for what a ready peer announces."""

    # -- the verbs ---------------------------------------------------------------------

    async def connect(self) -> Verdict:
        """Negotiate unless the peer is ready; return the verdict, never raise for the peer."""
        if self.status is Status.READY:
            return self.verdict
        if self._decided is None or self._decided.done():
            await self._end_task()
            self._stop.clear()
            self._decided = asyncio.get_running_loop().create_future()
            self.status = Status.CONNECTING
            self._task = asyncio.get_running_loop().create_task(
                self._own(self._decided), name=f"owner of {self.name}"
            )
        await asyncio.shield(self._decided)
        return self.verdict

    async def request(
        self, method: str, params: dict[str, Any], *, timeout_s: float
    ) -> Answer | Failure:
        """Send one request and wait for its answer: the short path, no task, no snapshot.

        Args:
            method: protocol method.
            params: without protocol metadata; it is stamped here, on every request.
            timeout_s: seconds until the call ends and the peer is told to stop.

        Returns:
            The message that carried the id, or a `Failure` (deadline, transport, not ready).

        Raises:
            MisuseError: if the parameters have no JSON form.
            asyncio.CancelledError: if the caller was cancelled; the peer is told.
        """
        link, settled = self._link, self.verdict.settled
        if link is None or settled is None or self.status is not Status.READY:
            return self.away()
        request_id = self._next_id
        self._next_id = request_id + 1
        frame = self._frame(request_id, method, params, settled)
        waiting: Waiting = asyncio.get_running_loop().create_future()
        link.pending[request_id] = waiting
        try:
            link.send(frame, method)
        except PipeClosed as closed:
            del link.pending[request_id]
            return closed.failure
        timer = self._clock.call_at(
            self._clock.now() + timeout_s,
            lambda: self._expire(link, request_id, method, timeout_s),
        )
        try:
            return await waiting
        except asyncio.CancelledError:
            if link.pending.pop(request_id, None) is not None:
                self._tell_cancelled(link, request_id, "the caller cancelled the request")
            raise
        finally:
            timer.cancel()

    async def close(self) -> None:
        """End the transport and the task; bounded by the transport's own ladder."""
        await self._end_task()
        if self.status is not Status.UNAVAILABLE:
            self.status = Status.IDLE

    def away(self) -> Failure:
        """Say why this peer cannot be used now."""
        reason = self.verdict.failure
        detail = reason.detail if reason else f"the peer is {self.status}"
        return Failure(
            kind=Kind.PEER_AWAY,
            peer=self.name,
            stage="route",
            rule="PEER-01",
            detail=f"the peer is not ready: {detail}",
            hint=RULES["PEER-01"].hint,
        )

    # -- the task ----------------------------------------------------------------------

    async def _own(self, decided: asyncio.Future[None]) -> None:
        negotiation = _Conversation(self)
        try:
            self._link = await negotiation.run()
            _resolve(decided)
            await self._stop.wait()
        except Exception as problem:  # a fault of ours stays this peer's row in the report
            self._broke(problem)
        finally:
            _resolve(decided)
            await negotiation.end()
            self._link = None

    async def _end_task(self) -> None:
        task, self._task = self._task, None
        if task is None:
            return
        self._stop.set()
        if self._decided is not None and not self._decided.done():
            task.cancel()
        await asyncio.wait([task])

    def _broke(self, problem: Exception) -> None:
        self.status = Status.UNAVAILABLE
        failure = Failure(
            kind=Kind.INTERNAL,
            peer=self.name,
            stage="negotiate",
            detail=f"this client failed: {type(problem).__name__}: {problem}",
            hint="Please report this with the journal.",
        )
        self.verdict = Verdict(failure=failure, evidence="internal failure")

    def _lost(self, ending: Ending) -> None:
        """React to a transport that ended under a ready peer."""
        if self.status is not Status.READY or ending.by_us:
            return
        tail = f"; stderr ends: {ending.stderr_tail}" if ending.stderr_tail else ""
        self.status = Status.UNAVAILABLE
        self.verdict = Verdict(
            failure=Failure(
                kind=Kind.PIPE_CLOSED,
                peer=self.name,
                stage="transport",
                rule="PEER-01",
                detail=f"{ending.reason}{tail}. {RULES['PEER-01'].sentence}",
                hint=RULES["PEER-01"].hint,
            ),
            evidence="transport closed",
        )
        self._stop.set()

    # -- one request -------------------------------------------------------------------

    def _frame(
        self, request_id: int, method: str, params: dict[str, Any], settled: Settled
    ) -> bytes:
        if settled.era is Era.MODERN:
            body = modern_request(
                request_id,
                method,
                params,
                settled.version,
                settled.client_capabilities,
                self.terms.client_info,
            )
        else:
            body = legacy_request(request_id, method, params)
        try:
            return encode(body)
        except (TypeError, ValueError, OverflowError) as problem:
            raise MisuseError(
                Failure(
                    kind=Kind.MISUSE,
                    peer=self.name,
                    stage="call",
                    detail=f"the parameters of {method} have no JSON form: {problem}",
                    hint="Pass dicts, lists, strings, numbers, booleans and None only.",
                )
            ) from problem

    def _expire(self, link: Link, request_id: int, method: str, timeout_s: float) -> None:
        waiting = link.pending.pop(request_id, None)
        if waiting is None or waiting.done():
            return
        self._tell_cancelled(link, request_id, f"no answer within {timeout_s:g} s")
        stray = f"; meanwhile the peer {link.near_miss}" if link.near_miss else ""
        waiting.set_result(
            Failure(
                kind=Kind.TOOK_TOO_LONG,
                peer=self.name,
                stage="call",
                rule="CALL-03",
                detail=f"{method} got no answer within {timeout_s:g} s{stray}",
                hint=RULES["CALL-03"].hint,
            )
        )

    def _tell_cancelled(self, link: Link, request_id: int, reason: str) -> None:
        body = notification(CANCELLED, {"requestId": request_id, "reason": reason})
        try:
            link.send(encode(body), CANCELLED)
        except PipeClosed:
            return  # nobody is left to be told


class _Conversation:
    """The negotiation of one `connect`, over one transport or two."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._clock = owner._clock
        self._journal = owner._journal
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._timer: Timer | None = None
        self._link: Link | None = None
        self._started_at = self._clock.now()

    async def run(self) -> Link | None:
        """Move the core until it settles or fails; return the link of a ready peer."""
        owner = self._owner
        snapshot = begin(owner.terms, owner._next_id)
        event = await self._open()
        while owner.status is Status.CONNECTING:
            now = self._clock.now()
            if isinstance(event, DeadlinePassed):
                if event.at != snapshot.deadline_at:
                    event = await self._events.get()
                    continue
                now = max(now, event.at)
            snapshot, actions = step(snapshot, event, now)
            owner._next_id = snapshot.next_id
            reopened = await self._perform(actions)
            if owner.status is Status.CONNECTING:
                event = reopened or await self._events.get()
        self._forget_timer()
        return self._link if owner.status is Status.READY else None

    async def end(self) -> None:
        """End whatever transport is open."""
        self._forget_timer()
        if self._link is not None:
            await self._link.close()

    async def _open(self) -> Event:
        owner = self._owner
        transport = owner.endpoint.new_transport(self._clock)
        link = Link(
            owner.name, transport, self._clock, self._journal, self._events.put_nowait, owner._lost
        )
        try:
            await link.open()
        except WorkbenchError as problem:
            return StartFailed(problem.failure)
        self._link = link
        return Opened()

    async def _perform(self, actions: tuple[Action, ...]) -> Event | None:
        for action in actions:
            match action:
                case Send(body, method):
                    self._send(encode(body), method)
                case SetDeadline(at):
                    self._wake_at(at)
                case Reopen():
                    return await self._reopen()
                case Decide():
                    self._note(action)
                case Record(what):
                    self._journal.stray(self._clock.now(), self._owner.name, what, None)
                case Settle(settled):
                    self._settle(settled)
                case Fail(failure, evidence):
                    self._fail(failure, evidence)
        return None

    def _send(self, frame: bytes, method: str) -> None:
        if self._link is None:
            return
        try:
            self._link.send(frame, method)
        except PipeClosed:
            # The transport says so itself, with the exit status: that event decides.
            return

    async def _reopen(self) -> Event:
        self._forget_timer()
        if self._link is not None:
            self._link.mute()
            await self._link.close()
            self._link = None
        return await self._open()

    def _wake_at(self, at: float) -> None:
        self._forget_timer()
        self._timer = self._clock.call_at(at, lambda: self._events.put_nowait(DeadlinePassed(at)))

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _note(self, decided: Decide) -> None:
        self._journal.decided(
            self._clock.now(),
            self._owner.name,
            "negotiate",
            f"{decided.state} → {decided.next_state}",
            rule=decided.rule,
            evidence=decided.evidence,
            detail=decided.seen,
        )

    def _settle(self, settled: Settled) -> None:
        owner, link = self._owner, self._link
        assert link is not None
        link.settle(settled.era)
        link.on_notification = self._announce
        owner.verdict = Verdict(
            settled=settled, evidence=settled.evidence, ready_ms=self._elapsed_ms()
        )
        owner.status = Status.READY
        if link.ending is not None:
            owner._lost(link.ending)

    def _fail(self, failure: Failure, evidence: str) -> None:
        owner = self._owner
        if self._link is not None:
            self._link.mute()
        named = self._journal.redactor.tree(replace(failure, peer=owner.name))
        owner.verdict = Verdict(failure=named, evidence=evidence, ready_ms=self._elapsed_ms())
        owner.status = Status.UNAVAILABLE
        owner._stop.set()

    def _announce(self, announced: Notification) -> None:
        if self._owner.on_notification is not None:
            self._owner.on_notification(self._owner.name, announced)

    def _elapsed_ms(self) -> float:
        return (self._clock.now() - self._started_at) * 1000


def _resolve(decided: asyncio.Future[None]) -> None:
    if not decided.done():
        decided.set_result(None)
