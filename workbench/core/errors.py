"""Failures as values, and the one tree of exceptions they become at the edge.

Inside the harness a failure is a row for the report: `Failure`. An operation on one peer
raises `failure.as_error()`; an operation over many peers never raises for one of them.

::

    WorkbenchError               carries .failure
    ├─ ConfigError               your file or your arguments; the path of the fault
    ├─ MisuseError               our API used out of order
    ├─ WrongArguments            arguments that break the tool's own schema; nothing was sent
    ├─ InputRefused              a call needed input that nobody here wanted to give
    ├─ PipeError                 the way to the peer
    │  ├─ CouldNotStart          spawn or connect failed
    │  ├─ PipeClosed             ended before the answer; the request was never executed
    │  ├─ OutcomeUnknown         ended after the request was sent; it may have been executed
    │  ├─ TookTooLong            also a TimeoutError
    │  ├─ AuthNeeded             HTTP 401 or 403: no verdict about the peer
    │  └─ HttpStatusError        another HTTP status that is no answer: 5xx, redirect, page
    ├─ PeerError                 what the peer said
    │  ├─ ProtocolViolation      not JSON-RPC, or well formed and not allowed
    │  └─ Refused                a JSON-RPC error: .code .message .data
    ├─ EraError                  negotiation ended without an era
    │  ├─ NoMutualVersion        both sides modern, no common revision
    │  └─ EraUnknown             the signal proves nothing
    ├─ MenuError                 names and owners
    │  ├─ NameCollision          two peers, one name, policy "reject"
    │  ├─ UnknownName            with the nearest names
    │  ├─ AmbiguousOwner         more than one owner, or another than before
    │  ├─ ToolChanged            not the tool that was accepted, under the policy "pin"
    │  └─ PeerAway               the owner is not ready
    ├─ CallCancelled             the caller gave up
    └─ InternalError             a hole in our own tables: please report

Source: design section 9.
"""

from enum import StrEnum
from typing import Any, ClassVar, final

from msgspec import Struct


class Blame(StrEnum):
    """Whose move it is."""

    CALLER = "caller"
    PEER = "peer"
    PIPE = "pipe"
    OURS = "ours"


class Kind(StrEnum):
    """What kind of failure; each has exactly one exception class."""

    CONFIG = "config"
    MISUSE = "misuse"
    ARGUMENTS = "wrong arguments"
    INPUT_REFUSED = "input refused"
    COULD_NOT_START = "could not start"
    PIPE_CLOSED = "pipe closed"
    OUTCOME_UNKNOWN = "outcome unknown"
    TOOK_TOO_LONG = "took too long"
    AUTH_NEEDED = "authorization needed"
    HTTP_STATUS = "http status"
    PROTOCOL_VIOLATION = "protocol violation"
    REFUSED = "refused by the peer"
    NO_MUTUAL_VERSION = "no mutual version"
    ERA_UNKNOWN = "era unknown"
    NAME_COLLISION = "name collision"
    UNKNOWN_NAME = "unknown name"
    AMBIGUOUS_OWNER = "ambiguous owner"
    TOOL_CHANGED = "tool changed"
    PEER_AWAY = "peer away"
    CANCELLED = "cancelled"
    INTERNAL = "internal"


@final
class Failure(Struct, frozen=True, kw_only=True):
    """One failure as a value: what was seen, which rule applied, what to do."""

    kind: Kind
    detail: str
    """What was seen, one line, already safe to show."""
    peer: str | None = None
    stage: str = ""
    """The pipeline stage: config, transport, negotiate, listing, merge, route, call, recover."""
    rule: str | None = None
    """Id of the rule that decided, see `workbench.rules`."""
    hint: str = ""
    """What the reader can do about it."""
    name: str = ""
    """Canonical name of the call whose outcome is unknown, as its peer wrote it, untrusted;
    "" in any other failure."""
    number: int | None = None
    """Journal number of the entry that shows it."""
    code: int | None = None
    """The JSON-RPC error code, when the peer sent one."""
    data: Any = None
    """The JSON-RPC error data, when the peer sent some; or the result that breaks the tool's
    own output schema (CALL-07), so that what a tool has done can still be seen."""

    @property
    def blame(self) -> Blame:
        """Whose move it is, from the kind."""
        return _BLAME.get(self.kind, Blame.CALLER)

    def line(self) -> str:
        """Return the whole failure as one readable line."""
        who = f"{self.peer}: " if self.peer else ""
        rule = f" [{self.rule}]" if self.rule else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{who}{self.detail}{rule}{hint}"

    def as_error(self) -> "WorkbenchError":
        """Return the exception for this failure, ready to raise."""
        return _BY_KIND[self.kind](self)


class WorkbenchError(Exception):
    """Root of everything this package raises on purpose."""

    kind: ClassVar[Kind]

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.line())
        self.failure = failure


class ConfigError(WorkbenchError):
    """Raised when a configuration or an argument is wrong; the message names the path."""

    kind = Kind.CONFIG


class MisuseError(WorkbenchError):
    """Raised when the API is used out of order, never for what a peer did."""

    kind = Kind.MISUSE


class WrongArguments(WorkbenchError):
    """Raised when arguments break the tool's input schema; nothing was sent."""

    kind = Kind.ARGUMENTS


class InputRefused(WorkbenchError):
    """Raised when a call needs input that the user, a handler or the policy did not give."""

    kind = Kind.INPUT_REFUSED


class PipeError(WorkbenchError):
    """Raised when the way to the peer failed."""


class CouldNotStart(PipeError):
    """Raised when a process or a connection could not be opened."""

    kind = Kind.COULD_NOT_START


class PipeClosed(PipeError):
    """Raised when the transport ended before the request was sent."""

    kind = Kind.PIPE_CLOSED


class OutcomeUnknown(PipeError):
    """Raised when the transport ended after the request was sent: it may have run."""

    kind = Kind.OUTCOME_UNKNOWN


class TookTooLong(PipeError, TimeoutError):
    """Raised when a deadline passed before the answer."""

    kind = Kind.TOOK_TOO_LONG


class AuthNeeded(PipeError):
    """Raised when HTTP answered 401 or 403; nothing is known about the peer behind it."""

    kind = Kind.AUTH_NEEDED


class HttpStatusError(PipeError):
    """Raised when HTTP answered with a status that is no answer: 5xx, a redirect, a page."""

    kind = Kind.HTTP_STATUS


class PeerError(WorkbenchError):
    """Raised for what a peer said."""


class ProtocolViolation(PeerError):
    """Raised when a peer's answer breaks the protocol."""

    kind = Kind.PROTOCOL_VIOLATION


class Refused(PeerError):
    """Raised when a peer answered with a JSON-RPC error; see `.failure.code` and `.data`."""

    kind = Kind.REFUSED


class EraError(WorkbenchError):
    """Raised when negotiation ended without an era."""


class NoMutualVersion(EraError):
    """Raised when a modern peer shares no revision with us."""

    kind = Kind.NO_MUTUAL_VERSION


class EraUnknown(EraError):
    """Raised when the first answer proves no era and no legacy probe was allowed or valid."""

    kind = Kind.ERA_UNKNOWN


class MenuError(WorkbenchError):
    """Raised for names: unknown, colliding, ambiguous, or owned by a peer that is away."""


class NameCollision(MenuError):
    """Raised under the policy "reject" when two peers offer one name; names both."""

    kind = Kind.NAME_COLLISION


class UnknownName(MenuError):
    """Raised when no tool has that canonical name; offers the nearest."""

    kind = Kind.UNKNOWN_NAME


class AmbiguousOwner(MenuError):
    """Raised when a name has more than one possible owner, or another one than before."""

    kind = Kind.AMBIGUOUS_OWNER


class ToolChanged(MenuError):
    """Raised under the drift policy "pin" when a tool is not what was accepted."""

    kind = Kind.TOOL_CHANGED


class PeerAway(MenuError):
    """Raised when the owning peer is not ready."""

    kind = Kind.PEER_AWAY


class CallCancelled(WorkbenchError):
    """Raised when the caller cancelled a call."""

    kind = Kind.CANCELLED


class InternalError(WorkbenchError):
    """Raised when one of our own tables has a hole."""

    kind = Kind.INTERNAL


_BLAME: dict[Kind, Blame] = {
    Kind.COULD_NOT_START: Blame.PIPE,
    Kind.PIPE_CLOSED: Blame.PIPE,
    Kind.OUTCOME_UNKNOWN: Blame.PIPE,
    Kind.TOOK_TOO_LONG: Blame.PIPE,
    Kind.AUTH_NEEDED: Blame.CALLER,
    Kind.HTTP_STATUS: Blame.PIPE,
    Kind.PROTOCOL_VIOLATION: Blame.PEER,
    Kind.REFUSED: Blame.PEER,
    Kind.NO_MUTUAL_VERSION: Blame.PEER,
    Kind.ERA_UNKNOWN: Blame.PEER,
    Kind.PEER_AWAY: Blame.PEER,
    Kind.INTERNAL: Blame.OURS,
}

_BY_KIND: dict[Kind, type[WorkbenchError]] = {
    error.kind: error
    for error in (
        ConfigError,
        MisuseError,
        WrongArguments,
        InputRefused,
        CouldNotStart,
        PipeClosed,
        OutcomeUnknown,
        TookTooLong,
        AuthNeeded,
        HttpStatusError,
        ProtocolViolation,
        Refused,
        NoMutualVersion,
        EraUnknown,
        NameCollision,
        UnknownName,
        AmbiguousOwner,
        ToolChanged,
        PeerAway,
        CallCancelled,
        InternalError,
    )
}
