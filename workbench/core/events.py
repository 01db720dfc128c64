"""What can happen to a negotiation, in the past tense.

Takes:  nothing; these are plain values the drivers build
Gives:  the vocabulary of `negotiate.machine.step`
"""

from typing import TypeAlias

from msgspec import Struct

from workbench.core.errors import Failure
from workbench.core.wire.exchange import ExchangeEnd
from workbench.core.wire.message import Incoming


class Opened(Struct, frozen=True):
    """A transport is open; nothing was sent on it yet."""


class LifeSeen(Struct, frozen=True):
    """The first byte of this transport arrived, on any stream."""


class Received(Struct, frozen=True):
    """One frame arrived and was decoded."""

    message: Incoming
    number: int | None = None
    """Journal number of the frame."""


class ExchangeEnded(Struct, frozen=True):
    """One request's own exchange is over and brought no answer (HTTP only)."""

    end: ExchangeEnd
    number: int | None = None
    """Journal number of what was recorded of it."""


class DeadlinePassed(Struct, frozen=True):
    """The deadline that was set last has passed."""

    at: float
    """The clock time it was set to, in seconds."""


class Closed(Struct, frozen=True):
    """The transport ended by itself."""

    how: str
    """One clause with the exit status, already safe to show."""
    stderr_tail: str = ""


class StartFailed(Struct, frozen=True):
    """The transport could not be opened."""

    failure: Failure


Event: TypeAlias = (
    Opened | LifeSeen | Received | ExchangeEnded | DeadlinePassed | Closed | StartFailed
)
