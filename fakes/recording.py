"""What a fake in memory or behind HTTP has seen, over all its lifetimes.

It is the one mutable thing of a `Fake`: tests read it after the fact.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from fakes.steps import Step
from workbench.core.text.visible import sample

if TYPE_CHECKING:
    from threading import Condition


class Exchange(Struct, frozen=True, kw_only=True):
    """One HTTP request, and how it was answered so far."""

    method: str
    path: str
    """With the query, as it was requested."""
    headers: dict[str, str]
    """Names in lower case; a header sent twice has both values, joined by ", "."""
    body: Any = None
    """The decoded JSON; text that is not JSON as safe text; None without a body."""
    status: int | None = None
    """None until the head of the response was sent, and for ever if it never was."""
    response_headers: dict[str, str] = {}
    """Names in lower case."""
    ended: Literal["open", "answered", "hung up", "client left"] = "open"
    """"hung up" is the fake's doing."""


class Recording:
    """Grows while links are open; read it through the `Fake`."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        """Every JSON object the client sent, in order of arrival."""
        self.unreadable: list[str] = []
        """Every frame that was no JSON object, as safe text."""
        self.effects: list[str] = []
        """What was done and cannot be undone."""
        self.lifetimes = 0
        """How many links have been opened."""
        self.used: set[int] = set()
        """Indexes of the rules that have acted."""
        self.live: list[Callable[[tuple[Step, ...]], None]] = []
        """One entry per open link or HTTP host: makes it do these steps."""
        self.exchanges: list[Exchange] = []
        """Every HTTP request, in order of arrival."""
        self.changed: Condition | None = None
        """Notified after each change, once an HTTP host writes here from its own thread."""

    def opened(self, exchange: Exchange) -> int:
        """Keep a new exchange and return its number."""
        self.exchanges.append(exchange)
        self.notify()
        return len(self.exchanges) - 1

    def update(self, number: int, **changes: Any) -> None:
        """Change what is known of an exchange."""
        self.exchanges[number] = msgspec.structs.replace(self.exchanges[number], **changes)
        self.notify()

    def notify(self) -> None:
        """Wake whoever waits for a change."""
        if self.changed is not None:
            with self.changed:
                self.changed.notify_all()

    def did(self, text: str) -> None:
        """Keep one effect."""
        self.effects.append(text)
        self.notify()

    def note(self, frame: bytes) -> None:
        """Keep one frame from the client; a blank line is not worth it."""
        try:
            body = msgspec.json.decode(frame)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            body = None
        if isinstance(body, dict):
            self.received.append(body)
        elif frame.strip():
            self.unreadable.append(sample(frame))
