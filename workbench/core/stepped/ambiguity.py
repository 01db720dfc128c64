"""Which signals prove nothing, and what a table makes of each of them.

Takes:  a table and the flag `allow_legacy`
Gives:  one row a signal: what was seen, where it leads, the rule
Never:  interprets: the rows are the table's

Source: seed lesson, "the stdio compatibility probe"; design section 7.2.
"""

from typing import Final

from msgspec import Struct

from workbench.core.negotiate.signs import AMBIGUOUS, Sign
from workbench.core.negotiate.snapshot import State
from workbench.core.negotiate.table import Policy, Row

COLUMNS: Final = ("The peer's first answer", "What comes of it", "Rule")

HTTP_ONLY: Final = frozenset({Sign.HTTP_STATUS, Sign.NO_ANSWER})
DOUBTFUL: Final[tuple[Sign, ...]] = (
    *(sign for sign in Sign if sign in AMBIGUOUS),
    Sign.CLOSED,
    Sign.LEGACY_ONLY,
)
"""Everything that neither proves a modern peer nor, by itself, a legacy one."""


class Doubt(Struct, frozen=True):
    """One ambiguous signal under one table."""

    sign: Sign
    row: Row

    def cells(self) -> tuple[str, str, str]:
        """Return one text for each of `COLUMNS`."""
        return str(self.sign), f"{self.row.do} → {self.row.next}", self.row.rule


def doubts(policy: Policy, *, allow_legacy: bool, kind: str = "memory") -> tuple[Doubt, ...]:
    """Return every ambiguous first answer and what the table makes of it.

    Args:
        policy: the table.
        allow_legacy: the operator's flag for this peer.
        kind: the sort of transport; two signals come over HTTP only, one never does.
    """
    state = State.PROBING_ALLOWED if allow_legacy else State.PROBING
    left_out = {Sign.CLOSED} if kind == "http" else HTTP_ONLY
    return tuple(Doubt(sign, policy[state, sign]) for sign in DOUBTFUL if sign not in left_out)
