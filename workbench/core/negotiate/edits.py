"""An edited copy of the policy table: which rows the machine could carry out instead.

Takes:  a state and a sign
Gives:  the rows that make sense there, and a new table with one of them in it
Never:  changes the real table, and never lets a second `initialize` into one

The rules a row names stay the rulebook's. A row that settles an era without the proof it
rests on is not offered: there would be nothing to settle.
"""

from typing import Final

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import TERMINAL, State
from workbench.core.negotiate.table import IMPOSSIBLE, TRANSITIONS, Do, Policy, Row
from workbench.core.rulebook.rules import RULES

_FIRST: Final = (State.PROBING, State.PROBING_ALLOWED)
_ONE_FRAME: Final = frozenset({Sign.OPENED, Sign.START_FAILED, Sign.CLOSED})
"""Signs that are no frame and no deadline: after them nothing more can be waited for."""


def possible_rows(state: State, sign: Sign) -> tuple[Row, ...]:
    """Return the rows that could stand here, the real one first; none where no row can."""
    real = TRANSITIONS.get((state, sign))
    if real is None or sign is Sign.LIFE:
        return () if real is None else (real,)
    if sign is Sign.OPENED:
        others = [Row(state, Do.PROBE, "ERA-00")] if state in _FIRST else []
        if state in _FIRST or state is State.REOPENING:
            others.append(Row(State.HANDSHAKING, Do.INITIALIZE, "LEG-01"))
    else:
        others = _others(state, sign)
    refused = Row(State.UNAVAILABLE, Do.REFUSE, _refusal(real))
    return tuple(dict.fromkeys((real, *others, refused)))


def with_row(policy: Policy, state: State, sign: Sign, row: Row) -> Policy:
    """Return a copy of `policy` in which this one row is another.

    Raises:
        MisuseError: if the machine could not carry the row out, or its rule is unknown.
    """
    if row.rule not in RULES:
        raise _misuse(f"there is no rule {row.rule!r}", "Name a rule of the rulebook.")
    possible = possible_rows(state, sign)
    if (row.next, row.do) not in {(one.next, one.do) for one in possible}:
        why = IMPOSSIBLE.get((state, sign), "the machine has nothing to do it with")
        offered = "; ".join(words_of(one) for one in possible) or "none"
        raise _misuse(
            f"({state}, {sign}) cannot lead to “{words_of(row)}”: {why}",
            f"Rows that could stand there: {offered}.",
        )
    return {**policy, (state, sign): row}


def edits_of(policy: Policy) -> tuple[tuple[State, Sign, Row], ...]:
    """Return the rows in which a table differs from the real one."""
    return tuple(
        (state, sign, row)
        for (state, sign), row in policy.items()
        if TRANSITIONS.get((state, sign)) != row
    )


def words_of(row: Row) -> str:
    """Return what a row does, in words: `refuse the peer → unavailable [ERA-10]`."""
    return f"{row.do} → {row.next} [{row.rule}]"


def _others(state: State, sign: Sign) -> list[Row]:
    others = []
    if sign is Sign.DISCOVERED:
        others.append(Row(State.MODERN, Do.SETTLE_MODERN, "ERA-01"))
    if sign in (Sign.HANDSHAKE_VALID, Sign.HANDSHAKE_REVISION):
        others.append(Row(State.LEGACY, Do.SETTLE_LEGACY, "LEG-00"))
    if state in (*_FIRST, State.CORRECTING) and sign is Sign.CLOSED:
        others.append(Row(State.REOPENING, Do.REOPEN, "LEG-02"))
    if sign in _ONE_FRAME:
        return others
    if state in (*_FIRST, State.CORRECTING):
        others.append(Row(State.HANDSHAKING, Do.INITIALIZE, "LEG-01"))
        others.append(Row(State.CORRECTING, Do.CORRECT, "ERA-02"))
    if state not in TERMINAL and sign is not Sign.SILENCE:
        # Silence comes with the deadline: with nothing set anew, the wait would never end.
        others.append(Row(state, Do.RECORD, "ERA-22"))
    return others


def _refusal(real: Row) -> str:
    return real.rule if real.do is Do.REFUSE else "ERA-10"


def _misuse(detail: str, hint: str) -> MisuseError:
    return MisuseError(Failure(kind=Kind.MISUSE, stage="negotiate", detail=detail, hint=hint))
