"""What a recovery stepper remembers: commands, and the moment after each of them.

Takes:  nothing; the stepper builds these values
Gives:  `Command`, `Moment` and their parts, frozen, so that going back is keeping old ones
Never:  refers to a live peer

Source: design section 3.
"""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from workbench.core.errors import Failure
from workbench.core.outcome import Outcome
from workbench.core.recovery.comeback import Standing
from workbench.core.recovery.recover import Decision
from workbench.core.recovery.restart import RecoveryPolicy
from workbench.drivers.verdict import Status

Deed: TypeAlias = Literal[
    "start", "call", "answer", "kill", "decide", "wait", "next start", "restart"
]
"""What a person can do."""

Wish: TypeAlias = Literal["a call", "a call with a key", "a read"]
"""What is sent: a call that nobody calls repeatable, one that somebody does, or a read."""
WISHES: Final[tuple[Wish, ...]] = ("a call", "a call with a key", "a read")


class Command(Struct, frozen=True, kw_only=True):
    """One deed of a person, with everything it depends on."""

    do: Deed
    wish: Wish = "a call"
    """For "call"."""
    agreed: bool = False
    """For "decide": whether the user said yes."""
    seconds: float = 0.0
    """For "wait"."""
    policy: RecoveryPolicy
    chance: float
    """The random number, 0 to 1, for every pause that is decided on meanwhile."""
    starts_fail: bool
    """Whether starts end in a failure instead of a process."""

    def words(self) -> str:
        """Return the deed in a few words."""
        match self.do:
            case "start":
                return "start the peer"
            case "call":
                return f"send {self.wish}"
            case "answer":
                return "let the answer arrive"
            case "kill":
                return "kill the peer"
            case "decide":
                return "the user says: repeat" if self.agreed else "decide without asking"
            case "wait":
                return f"let {self.seconds:g} s pass"
            case "next start":
                return "let time pass to the next start"
            case "restart":
                return "restart the peer by hand"


class Noted(Struct, frozen=True):
    """One decision that was made on the way to a moment."""

    at: float
    """Clock seconds."""
    what: str
    rule: str | None
    detail: str = ""


class Start(Struct, frozen=True, kw_only=True):
    """One attempt to start the peer."""

    number: int
    at: float
    """Clock seconds of its end, which is when it is counted."""
    why: str
    """Who wanted it."""
    ready: bool
    detail: str = ""
    """Why it failed."""


class Flight(Struct, frozen=True, kw_only=True):
    """The request that is, or was, under way."""

    method: str
    name: str
    """Of the tool, as its peer wrote it; "" for a read."""
    key: str | None
    """The idempotency key, the caller's word that repeating is harmless."""
    sent: int
    """How often it was sent, each time with a new id."""
    started_at: float
    state: Literal["in flight", "undecided", "ended"] = "in flight"
    lost: Failure | None = None
    """How its transport broke, once it did."""
    decision: Decision | None = None


class Moment(Struct, frozen=True, kw_only=True):
    """Everything that is known after one command."""

    did: str = "nothing yet"
    at: float = 0.0
    """Clock seconds."""
    status: Status = Status.IDLE
    standing: Standing = Standing()
    flight: Flight | None = None
    noted: tuple[Noted, ...] = ()
    """What was decided on the way here, oldest first."""
    starts: tuple[Start, ...] = ()
    """Every start so far."""
    outcomes: tuple[Outcome, ...] = ()
    """How each call so far has ended: exactly one for each that has."""
