"""What a fake in memory has seen, over all its lifetimes.

It is the one mutable thing of a `Fake`: tests read it after the fact.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from fakes.steps import Step
from workbench.core.text import sample


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
        """One entry per open link: makes it do these steps."""

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
