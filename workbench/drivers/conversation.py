"""The negotiation of one connect: what the core wants done, done.

Takes:  an owner's terms and endpoint
Gives:  the owner its status and verdict, and the link of a peer that is ready
Never:  decides; it carries events to the core and performs the actions, in their order

`run` is the whole of it, for production. Its three parts are public, so that a person can
do them one at a time: the stepper moves this very class.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

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
from workbench.core.errors import Failure, PipeClosed, WorkbenchError
from workbench.core.events import DeadlinePassed, Event, Opened, StartFailed
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.machine import step
from workbench.core.negotiate.snapshot import Negotiation, Terms, begin
from workbench.core.negotiate.table import TRANSITIONS, Policy
from workbench.core.wire.codec import encode
from workbench.core.wire.message import Notification, Request, RequestId
from workbench.drivers.link import Link
from workbench.drivers.verdict import Status, Verdict
from workbench.transports.base import Clock, Ending, Endpoint, Timer


class Negotiator(Protocol):
    """What a conversation needs of the owner of a peer, and what it leaves there."""

    name: str
    endpoint: Endpoint
    terms: Terms
    clock: Clock
    journal: Journal
    status: Status
    verdict: Verdict
    next_id: int
    """First request id that was never used with this peer."""
    on_notification: Any
    on_request: Any

    def lost(self, ending: Ending) -> None:
        """A transport ended by itself."""

    def stop(self) -> None:
        """Nothing is left to be done for this peer."""


class Conversation:
    """The negotiation of one `connect`, over one transport or two.

    Args:
        owner: whose peer it is; gets the verdict.
    """

    def __init__(self, owner: Negotiator) -> None:
        self._owner = owner
        self._clock = owner.clock
        self._journal = owner.journal
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._timer: Timer | None = None
        self._link: Link | None = None
        self._asked: list[RequestId] = []
        self._held_s = 0.0
        """Of the time the link spent on authorization, what deadlines have been given back."""
        self._due_at = 0.0
        """When the present deadline really passes."""
        self._started_at = self._clock.now()
        self._began = False
        self._brought: Event | None = None
        """What opening a fresh transport brought; it comes before anything that is heard on it."""
        self.snapshot: Negotiation
        """Where the negotiation stands, from the first event on; an experiment may put an
        earlier one back."""

    async def run(self) -> Link | None:
        """Move the core until it settles or fails; return the link of a ready peer."""
        while self._owner.status is Status.CONNECTING:
            await self.perform(self.decide(await self.next_event()))
        self._forget_timer()
        return self._link if self._owner.status is Status.READY else None

    async def next_event(self) -> Event:
        """Wait for what happens next; the first call opens the transport."""
        if not self._began:
            self._began = True
            self.snapshot = begin(self._owner.terms, self._owner.next_id)
            return await self._open()
        brought, self._brought = self._brought, None
        if brought is not None:
            return brought
        while True:
            event = await self._events.get()
            # A deadline that was replaced, or was given back its time, says nothing.
            if not isinstance(event, DeadlinePassed) or (
                event.at == self.snapshot.deadline_at and not self._excused(event)
            ):
                return event

    def decide(self, event: Event, policy: Policy = TRANSITIONS) -> tuple[Action, ...]:
        """Move `snapshot` by one event; return what is to be done about it, by `perform`.

        Args:
            event: from `next_event`.
            policy: the table to apply; only a learner's experiment passes another one.
        """
        now = self._clock.now()
        if isinstance(event, DeadlinePassed):
            now = max(now, event.at)
        self.snapshot, actions = step(self.snapshot, event, now, policy)
        self._owner.next_id = self.snapshot.next_id
        return actions

    async def perform(self, actions: tuple[Action, ...]) -> None:
        """Do what the core wants done, in its order."""
        for action in actions:
            match action:
                case Send(body, method, request_id):
                    if request_id is not None:
                        self._asked.append(request_id)
                    self._send(encode(body), method)
                case SetDeadline(at):
                    self._wake_at(at)
                case Reopen():
                    self._brought = await self._reopen()
                case Decide():
                    self._note(action)
                case Record(what):
                    self._journal.stray(self._clock.now(), self._owner.name, what, None)
                case Settle(settled):
                    self._settle(settled)
                case Fail(failure, evidence):
                    self._fail(failure, evidence)

    async def end(self) -> None:
        """End whatever transport is open."""
        self._forget_timer()
        if self._link is not None:
            await self._link.close()

    async def _open(self) -> Event:
        owner = self._owner
        transport = owner.endpoint.new_transport(self._clock)
        link = Link(
            owner.name, transport, self._clock, self._journal, self._events.put_nowait, owner.lost
        )
        try:
            await link.open()
        except WorkbenchError as problem:
            return StartFailed(problem.failure)
        self._link = link
        return Opened()

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
        self._held_s = 0.0 if self._link is None else self._link.held_s
        self._due_at = at
        self._timer = self._clock.call_at(at, lambda: self._events.put_nowait(DeadlinePassed(at)))

    def _excused(self, passed: DeadlinePassed) -> bool:
        """Give a deadline the time back that went into authorization; say whether any did."""
        held_s = 0.0 if self._link is None else self._link.held_s
        self._due_at += held_s - self._held_s
        self._held_s = held_s
        if self._due_at <= self._clock.now():
            return False
        self._timer = self._clock.call_at(self._due_at, lambda: self._events.put_nowait(passed))
        return True

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
        for request_id in self._asked:
            link.give_up(request_id)  # what was superseded is not worth a connection
        link.on_notification = self._announce
        link.on_request = self._ask
        owner.verdict = Verdict(
            settled=settled, evidence=settled.evidence, ready_ms=self._elapsed_ms()
        )
        owner.status = Status.READY
        if link.ending is not None:
            owner.lost(link.ending)

    def _fail(self, failure: Failure, evidence: str) -> None:
        owner = self._owner
        if self._link is not None:
            self._link.mute()
            failure = self._link.with_last_words(failure)
        named = self._journal.redactor.tree(replace(failure, peer=owner.name))
        owner.verdict = Verdict(failure=named, evidence=evidence, ready_ms=self._elapsed_ms())
        owner.status = Status.UNAVAILABLE
        owner.stop()

    def _announce(self, announced: Notification) -> None:
        if self._owner.on_notification is not None:
            self._owner.on_notification(self._owner.name, announced)

    def _ask(self, asked: Request, reply: Callable[[dict[str, Any]], None]) -> bool:
        on_request = self._owner.on_request
        return on_request is not None and bool(on_request(self._owner.name, asked, reply))

    def _elapsed_ms(self) -> float:
        return (self._clock.now() - self._started_at) * 1000
