"""What is to be said in one exchange, in order, read by whoever holds the connection.

Takes:  lines and steps as they become due
Gives:  them again, from any place on, waiting for what has not come yet
Never:  forgets: a legacy client that lost its connection reads on where it stopped
"""

import asyncio
from collections.abc import AsyncIterator
from enum import Enum
from typing import TypeAlias

from fakes.http_steps import As, Deliver, HangUp, Status
from fakes.line import Line
from fakes.outputs import Do, Output, Over, Write
from workbench.core.wire.message import RequestId


class End(Enum):
    """How a mailbox is closed."""

    OVER = "everything has been said"
    DEAD = "the server is gone"


Item: TypeAlias = Line | Status | HangUp | End


class Mailbox:
    """One exchange, or the stream a legacy client opened by GET.

    Args:
        origin: its number, unique while the host runs.
        link: the session it belongs to; "" is none.
    """

    def __init__(self, origin: int, link: str = "") -> None:
        self.origin = origin
        self.link = link
        self.request_id: RequestId | None = None
        self.plan: list[Output] = []
        """What the first reaction to the message has in store for this exchange."""
        self.ended = False
        self.delivered = 0
        """How many items have been written to some connection."""
        self.killed = asyncio.Event()
        self._items: list[Item] = []
        self._news = asyncio.Event()

    def put(self, item: Item) -> None:
        """Add one item; nothing is added behind an end."""
        if self.ended:
            return
        self.ended = isinstance(item, End)
        self._items.append(item)
        self._news.set()

    def kill(self) -> None:
        """End at once: there is no server any more."""
        self.put(End.DEAD)
        self.killed.set()

    async def read(self, start: int = 0) -> AsyncIterator[tuple[int, Item]]:
        """Yield items with their position, from `start` on, until the end."""
        position = start
        while True:
            while position < len(self._items):
                item = self._items[position]
                position += 1
                yield position, item
                if isinstance(item, End):
                    return
            self._news.clear()
            await self._news.wait()

    @property
    def status(self) -> Status | None:
        """The whole response that was planned, if one was."""
        return next((step for step in self._steps() if isinstance(step, Status)), None)

    @property
    def edits(self) -> Deliver:
        """Every edit of the delivery, merged; later ones win."""
        merged = Deliver()
        for step in self._steps():
            if isinstance(step, Deliver):
                stops = merged if step.stop_after is None else step
                merged = Deliver(
                    status=merged.status if step.status is None else step.status,
                    headers={**merged.headers, **step.headers},
                    content_type=step.content_type or merged.content_type,
                    stop_after=stops.stop_after,
                    stop=stops.stop,
                )
        return merged

    @property
    def chosen(self) -> str | None:
        """The form the script chose for the answer, "json" or "sse"; None leaves it open."""
        forms = [step.form for step in self._steps() if isinstance(step, As)]
        return forms[-1] if forms else None

    @property
    def form(self) -> str:
        """The form of the answer: one line that ends the exchange is JSON, all else a stream."""
        if self.chosen is not None:
            return self.chosen
        writes = [one for one in self.plan if isinstance(one, Write)]
        over = any(isinstance(one, Over) for one in self.plan)
        hangs = any(isinstance(step, HangUp) for step in self._steps())
        single = len(writes) == 1 and writes[0].line.times == 1 and over and not hangs
        return "json" if single else "sse"

    def _steps(self) -> list[object]:
        return [one.step for one in self.plan if isinstance(one, Do)]
