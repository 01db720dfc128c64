"""A live peer whose negotiation waits for a person: time stands still between the steps.

Takes:  an endpoint and its terms
Gives:  the next event when the person asks for it, and does what was decided when told to
Never:  lets the core's clock move by itself, so nobody who pauses causes a timeout; and
        never waits for a peer longer in real time than it was told

It moves the same `Conversation` as production does. What the peer says meanwhile waits in
the queue, in the order in which it came.
"""

import asyncio
from typing import Any, Final

from workbench.core.actions import Action
from workbench.core.events import Event
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Negotiation, Terms
from workbench.core.negotiate.table import Policy
from workbench.drivers.clock import ManualClock
from workbench.drivers.conversation import Conversation
from workbench.drivers.verdict import Status, Verdict
from workbench.transports.base import Clock, Ending, Endpoint
from workbench.transports.turn import turn

OPEN_S: Final = 30.0
"""How long opening a transport may take in real time, in seconds."""
_TURNS: Final = 50
"""Turns of the loop after which a peer in memory has said what it had to say."""


class Seat:
    """The owner of one live conversation (`workbench.drivers.conversation.Negotiator`).

    Args:
        name: the peer's name in the journal.
        endpoint: makes the transport, and another one if the core wants a fresh one.
        terms: what the negotiation runs under.
        journal: where frames and decisions go.
    """

    def __init__(self, name: str, endpoint: Endpoint, terms: Terms, journal: Journal) -> None:
        self.name = name
        self.endpoint = endpoint
        self.terms = terms
        self.journal = journal
        self._time = ManualClock()
        self.clock: Clock = self._time
        self.status = Status.CONNECTING
        self.verdict = Verdict()
        self.next_id = 1
        self.on_notification: Any = None
        self.on_request: Any = None
        self._talk = Conversation(self)
        self._awaited: asyncio.Future[Event] | None = None

    def lost(self, ending: Ending) -> None:
        """Do nothing: the negotiation hears of it as an event, and has nothing else to lose."""

    def stop(self) -> None:
        """Do nothing: whoever sits here decides when it is over."""

    async def listen(self, patience_s: float) -> Event | None:
        """Return what happens next, or None when nothing came in time.

        Args:
            patience_s: real seconds; 0 hears what a peer in memory says at once. The wait
                goes on with the next call: nothing is lost.
        """
        if self._awaited is None:
            self._awaited = asyncio.ensure_future(self._talk.next_event())
        waiting = self._awaited
        await _turns(waiting)
        if not waiting.done() and patience_s > 0:
            await asyncio.wait([waiting], timeout=patience_s)
        if not waiting.done():
            return None
        self._awaited = None
        return waiting.result()

    async def let_time_pass(self) -> Event | None:
        """Move the clock to whatever is due first, until something happens.

        That is the deadline, or what a peer in memory has put off until an earlier time.
        What has come already comes before it. None when no deadline is set.
        """
        event = await self.listen(0)
        while event is None and (due := self._time.next_due()) is not None:
            self._time.advance(max(0.0, due - self._time.now()))
            event = await self.listen(0)
        return event

    def decide(
        self, before: Negotiation, event: Event, policy: Policy
    ) -> tuple[Negotiation, tuple[Action, ...]]:
        """Let the core decide about an event, from the given snapshot on.

        May be done again with another table, as long as nothing was performed.
        """
        self._talk.snapshot = before
        actions = self._talk.decide(event, policy)
        return self._talk.snapshot, actions

    async def perform(self, actions: tuple[Action, ...]) -> None:
        """Do what was decided; a peer that is refused is left at once."""
        await self._talk.perform(actions)
        if self.status is Status.UNAVAILABLE:
            await self._talk.end()

    async def end(self) -> None:
        """End whatever is open, in bounded time."""
        waiting, self._awaited = self._awaited, None
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait([waiting])
        await self._talk.end()


async def _turns(waiting: "asyncio.Future[Event]") -> None:
    for _ in range(_TURNS):
        if waiting.done():
            return
        await turn()
