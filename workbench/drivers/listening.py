"""What somebody who listens holds: how each subscription stands, and what was heard.

Takes:  states and events, from `workbench.drivers.subscriptions`
Gives:  `Listening`, its latest `News`, and a way to wait for more
Never:  keeps more than `MOST_EVENTS` events, and never lets a callback end the reader
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from workbench.core.cause import cause
from workbench.core.menu.menu_change import MenuChange
from workbench.core.subscription import State, Subscription, Wanted
from workbench.transports.base import Clock, Timer

MOST_EVENTS: Final = 1_000
"""Events kept; the oldest go first."""


class News(Struct, frozen=True, kw_only=True):
    """One thing that happened on a listening."""

    number: int
    """Counts the events of one listening from 1."""
    at: float
    """Clock seconds."""
    peer: str
    what: str
    """For example "listening", "tools changed", "dropped", "menu changed"."""
    detail: str = ""
    """Safe to show."""
    rule: str | None = None
    uri: str = ""
    """Of a resource that was updated; the peer's word."""
    change: MenuChange | None = None
    """For "menu changed": how."""


class Part:
    """One peer's part of a listening, with what moves it.

    Args:
        listening: the whole.
        state: of this peer's subscription.
    """

    def __init__(self, listening: "Listening", state: Subscription) -> None:
        self.listening = listening
        self.state = state
        self.task: asyncio.Task[None] | None = None
        self.timer: Timer | None = None


class Listening:
    """What a caller holds: the state of each peer's subscription, and the latest events.

    Args:
        wanted: what was asked for.
        clock: source of the events' times.
        on_event: called with each `News`, on the client's loop; must not block.
    """

    def __init__(
        self, wanted: Wanted, clock: Clock, on_event: Callable[[News], object] | None
    ) -> None:
        self.wanted = wanted
        self.parts: dict[str, Part] = {}
        self._clock = clock
        self._on_event = on_event
        self._events: deque[News] = deque(maxlen=MOST_EVENTS)
        self._count = 0
        self._changed = asyncio.Event()

    @property
    def subscriptions(self) -> dict[str, Subscription]:
        """Each peer's subscription as a value, by peer."""
        return {name: held.state for name, held in self.parts.items()}

    @property
    def state(self) -> State:
        """Where it stands: of several peers, that of the first that is not listening."""
        states = [held.state.state for held in self.parts.values()]
        return next((one for one in states if one is not State.LISTENING), State.LISTENING)

    @property
    def events(self) -> tuple[News, ...]:
        """The latest events, oldest first."""
        return tuple(self._events)

    def settled(self) -> bool:
        """Say whether no peer is being asked for the first time any more."""
        return all(part.state.state is not State.OPENING for part in self.parts.values())

    def add(self, told: News) -> str:
        """Keep one event; return what went wrong in the callback, or ""."""
        self._events.append(told)
        self._changed.set()
        if self._on_event is None:
            return ""
        try:
            self._on_event(told)
        except Exception as problem:  # the caller's callback must not end the reader
            return f"a callback failed: {cause(problem)}"
        return ""

    def next_number(self) -> int:
        """Return the number of the next event."""
        self._count += 1
        return self._count

    def moved(self) -> None:
        """Let those who wait look again."""
        self._changed.set()

    async def wait_for(self, condition: Callable[["Listening"], object], timeout_s: float) -> bool:
        """Wait until a condition holds; return whether it did in time.

        Args:
            condition: is asked after each change.
            timeout_s: seconds of the client's clock.
        """
        late = False

        def expire() -> None:
            nonlocal late
            late = True
            self._changed.set()

        timer = self._clock.call_at(self._clock.now() + timeout_s, expire)
        try:
            while not condition(self):
                if late:
                    return False
                self._changed.clear()
                await self._changed.wait()
            return True
        finally:
            timer.cancel()
