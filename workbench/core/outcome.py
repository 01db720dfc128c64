"""How each call ended: in exactly one of seven ways.

Takes:  a result or a failure
Gives:  `Outcome`, and a bounded record of the latest ones that can be shown
Never:  grows without bound, and never keeps arguments or results

=================  ====================================================================
result             the peer did it and said so
tool error         the peer did it and the tool reports that it failed
protocol error     the peer answered with an error, or broke the protocol
refused            this side refused: the name, the arguments, the peer's state, the policy
cancelled          the caller or the user gave up
timed out          the deadline passed; the peer was told to stop
outcome unknown    the transport broke after sending; it may have been done
=================  ====================================================================

Source: design section 7.7.
"""

from collections import deque
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from workbench.core.call import ToolResult
from workbench.core.errors import Failure, Kind
from workbench.core.text.markdown import table
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible

DEFAULT_CAPACITY: Final = 1_000
"""Outcomes kept."""
OUTCOME_COLUMNS: Final = ("No", "Peer", "What", "Ended", "Rounds", "Took (ms)", "Rule", "Detail")


class Ended(StrEnum):
    """The seven ends."""

    RESULT = "result"
    TOOL_ERROR = "tool error"
    PROTOCOL_ERROR = "protocol error"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    OUTCOME_UNKNOWN = "outcome unknown"


_RESULT: Final = Ended.RESULT
_TOOL_ERROR: Final = Ended.TOOL_ERROR
_ENDS: Final = {
    Kind.PROTOCOL_VIOLATION: Ended.PROTOCOL_ERROR,
    Kind.REFUSED: Ended.PROTOCOL_ERROR,
    Kind.CANCELLED: Ended.CANCELLED,
    Kind.TOOK_TOO_LONG: Ended.TIMED_OUT,
    Kind.OUTCOME_UNKNOWN: Ended.OUTCOME_UNKNOWN,
}


class Outcome(Struct, frozen=True):
    """How one call ended."""

    number: int
    """Counts the calls of one client from 1, in the order in which they ended."""
    peer: str
    """Empty when no peer was found for the name."""
    method: str
    name: str
    """The canonical name, the URI, or the name of the prompt."""
    ended: Ended
    rounds: int = 0
    """How often the peer asked back."""
    sent: int = 0
    """How many requests were sent: 0 when nothing was, 2 after a repeat or one round."""
    started_at: float = 0.0
    """Clock seconds."""
    took_ms: float = 0.0
    """Milliseconds, with the time people took to decide."""
    rule: str | None = None
    detail: str = ""
    """Why it ended otherwise than with a result, or with an old one; safe to show."""


def ended_as(end: Any) -> Ended:
    """Return which of the seven an end is: a `Failure`, a `ToolResult`, or another value."""
    if type(end) is ToolResult:
        return _TOOL_ERROR if end.is_error else _RESULT
    if isinstance(end, Failure):
        return _ENDS.get(end.kind, Ended.REFUSED)
    return _RESULT


class Outcomes(Shown):
    """The latest outcomes, oldest first.

    Args:
        capacity: most outcomes kept; must be positive.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        if capacity <= 0:
            raise ValueError(f"a record of outcomes needs room, not {capacity}")
        self._ring: deque[Outcome] = deque(maxlen=capacity)
        self._count = 0

    def __repr__(self) -> str:
        return f"<Outcomes of {self._count} calls, {len(self._ring)} kept>"

    def __len__(self) -> int:
        return len(self._ring)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(tuple(self._ring))

    def __getitem__(self, index: int) -> Outcome:
        return self._ring[index]

    def add(
        self,
        *,
        peer: str,
        method: str,
        name: str,
        ended: Ended,
        rounds: int = 0,
        sent: int = 0,
        started_at: float = 0.0,
        took_ms: float = 0.0,
        rule: str | None = None,
        detail: str = "",
    ) -> None:
        """Record one end; takes the fields of `Outcome` but its number, which is the next."""
        number = self._count = self._count + 1
        self._ring.append(
            Outcome(number, peer, method, name, ended, rounds, sent, started_at, took_ms,
                    rule, detail)
        )  # fmt: skip

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict an outcome, with texts that are safe to show."""
        return [
            {**asdict(one), "ended": str(one.ended), "name": visible(one.name, 128)} for one in self
        ]

    def to_text(self) -> str:
        """Return one line an outcome."""
        return "\n".join(_line(row) for row in self.to_rows()) or "no call has ended yet"

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return table(OUTCOME_COLUMNS, [_cells(row) for row in self.to_rows()])


def _line(row: dict[str, Any]) -> str:
    why = f": {row['detail']}" if row["detail"] else ""
    rule = f" [{row['rule']}]" if row["rule"] else ""
    where = f" ({row['peer']})" if row["peer"] else ""
    shown = f"{row['number']}  {row['method']} {row['name']}{where}: {row['ended']}{why}{rule}"
    return visible(shown)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(row["number"]),
        row["peer"],
        f"{row['method']} {row['name']}",
        row["ended"],
        str(row["rounds"]),
        f"{row['took_ms']:.1f}",
        row["rule"] or "",
        row["detail"],
    )
