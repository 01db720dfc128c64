"""The whole policy as data: (state, sign) -> next state, what to do, rule.

Takes:  nothing
Gives:  `TRANSITIONS`, and `IMPOSSIBLE` for the pairs that cannot occur, each with the reason
Never:  a function; to change the policy, change a row

A test shows that every pair is in exactly one of the two. Row comments name the rows of
the fault matrix they answer.
"""

from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import Struct

from workbench.core.negotiate.signs import AMBIGUOUS, Sign
from workbench.core.negotiate.snapshot import TERMINAL, State


class Do(StrEnum):
    """What a row makes the machine do besides changing state."""

    PROBE = "send server/discover"
    CORRECT = "send a corrected server/discover with a new id"
    REOPEN = "open a fresh transport"
    INITIALIZE = "send the one initialize"
    SHORTEN = "drop the start-up grace"
    RECORD = "record a stray"
    SETTLE_MODERN = "settle as modern"
    SETTLE_LEGACY = "send notifications/initialized and settle as legacy"
    REFUSE = "refuse the peer"


class Row(Struct, frozen=True):
    """One line of the policy."""

    next: State
    do: Do
    rule: str


Policy: TypeAlias = dict[tuple[State, Sign], Row]

_P, _A, _C = State.PROBING, State.PROBING_ALLOWED, State.CORRECTING
_R, _H = State.REOPENING, State.HANDSHAKING
_NO, _YES, _OLD = State.UNAVAILABLE, State.MODERN, State.LEGACY

_MODERN_PROOF: Final[dict[Sign, Row]] = {
    # The same meaning wherever it is seen: the peer is modern, and stays so.
    Sign.DISCOVERED: Row(_YES, Do.SETTLE_MODERN, "ERA-01"),  # P01, late P20
    Sign.VERSION_OFFER: Row(_C, Do.CORRECT, "ERA-02"),  # P07
    Sign.VERSION_DEAD_END: Row(_NO, Do.REFUSE, "ERA-03"),  # P08 P09 P10
    Sign.HEADER_MISMATCH: Row(_C, Do.CORRECT, "ERA-04"),  # P03
    Sign.CAPABILITY_NEEDED: Row(_C, Do.CORRECT, "ERA-06"),  # P05
    Sign.CAPABILITY_DEAD_END: Row(_NO, Do.REFUSE, "ERA-07"),  # P06
    Sign.NO_MUTUAL_VERSION: Row(_NO, Do.REFUSE, "ERA-08"),  # P18
}

_CLOSED_TO_LEGACY: Final[dict[Sign, str]] = {
    # Ambiguous signals without permission: fail closed, zero initialize.
    Sign.LEGACY_ONLY: "ERA-09",  # P19
    Sign.UNRECOGNIZED_ERROR: "ERA-10",  # P02
    Sign.SILENCE: "ERA-11",  # P11
    Sign.CLOSED: "ERA-12",  # P12
    Sign.EMPTY_LINES: "ERA-13",  # P13
    Sign.NOT_JSON: "ERA-14",  # P14
    Sign.WRONG_ID: "ERA-15",  # P15
    Sign.MALFORMED_RESULT: "ERA-16",  # P16
    Sign.NO_RESULT_TYPE: "ERA-17",  # P17
    Sign.BROKEN_ENVELOPE: "ERA-18",
    Sign.HTTP_STATUS: "ERA-23",  # H06 H07 H10 H11
    Sign.NO_ANSWER: "ERA-24",  # H14 H15 H17
}

_NO_ERA_VERDICT: Final[dict[Sign, Row]] = {
    # About the way, not the peer: refused whatever the flag says, zero initialize.
    Sign.AUTH_NEEDED: Row(_NO, Do.REFUSE, "HTTP-01"),  # H12
    Sign.SERVER_TROUBLE: Row(_NO, Do.REFUSE, "HTTP-02"),  # H13
    Sign.REDIRECTED: Row(_NO, Do.REFUSE, "HTTP-03"),  # H18
    Sign.UNREACHABLE: Row(_NO, Do.REFUSE, "HTTP-04"),
}

_HANDSHAKE_REFUSED: Final[dict[Sign, str]] = {
    Sign.SILENCE: "LEG-03",  # L02
    Sign.EMPTY_LINES: "LEG-03",
    Sign.NOT_JSON: "LEG-03",
    Sign.WRONG_ID: "LEG-04",  # L03
    Sign.HANDSHAKE_ERROR: "LEG-05",  # L04
    Sign.BROKEN_ENVELOPE: "LEG-06",  # L05 L06 L12
    Sign.HANDSHAKE_MALFORMED: "LEG-07",  # L07 L08 L09
    Sign.HANDSHAKE_REVISION: "LEG-08",  # L10 L11
    Sign.CLOSED: "LEG-09",  # L13
    Sign.HTTP_STATUS: "LEG-10",
    Sign.NO_ANSWER: "LEG-10",
    Sign.OLD_TRANSPORT: "LEG-11",
}

TRANSITIONS: Final[Policy] = {
    **{
        (state, sign): row
        for state in (_P, _A, _C, _H)
        for sign, row in (_MODERN_PROOF | _NO_ERA_VERDICT).items()
    },
    **{
        (state, sign): row
        for state in (_P, _A)
        for sign, row in {
            Sign.OPENED: Row(state, Do.PROBE, "ERA-00"),
            Sign.LIFE: Row(state, Do.SHORTEN, "ERA-21"),
            Sign.STRAY: Row(state, Do.RECORD, "ERA-22"),  # P21
            Sign.START_FAILED: Row(_NO, Do.REFUSE, "PROC-01"),
        }.items()
    },
    **{(_P, sign): Row(_NO, Do.REFUSE, rule) for sign, rule in _CLOSED_TO_LEGACY.items()},
    **{(_A, sign): Row(_H, Do.INITIALIZE, "LEG-01") for sign in _CLOSED_TO_LEGACY},
    (_A, Sign.CLOSED): Row(_R, Do.REOPEN, "LEG-02"),  # P12
    # After modern proof nothing ambiguous opens the way to legacy.
    **{(_C, sign): Row(_NO, Do.REFUSE, "ERA-20") for sign in _CLOSED_TO_LEGACY},
    (_C, Sign.HEADER_AGAIN): Row(_NO, Do.REFUSE, "ERA-05"),  # P04
    (_C, Sign.STRAY): Row(_C, Do.RECORD, "ERA-22"),
    (_R, Sign.OPENED): Row(_H, Do.INITIALIZE, "LEG-02"),
    (_R, Sign.START_FAILED): Row(_NO, Do.REFUSE, "PROC-01"),
    **{(_H, sign): Row(_NO, Do.REFUSE, rule) for sign, rule in _HANDSHAKE_REFUSED.items()},
    (_H, Sign.HANDSHAKE_VALID): Row(_OLD, Do.SETTLE_LEGACY, "LEG-00"),  # L01
    (_H, Sign.STRAY): Row(_H, Do.RECORD, "ERA-22"),
    (_H, Sign.LIFE): Row(_H, Do.SHORTEN, "ERA-21"),
}

_HANDSHAKE_SIGNS: Final = frozenset(
    {
        Sign.HANDSHAKE_VALID,
        Sign.HANDSHAKE_MALFORMED,
        Sign.HANDSHAKE_REVISION,
        Sign.HANDSHAKE_ERROR,
    }
)

IMPOSSIBLE: Final[dict[tuple[State, Sign], str]] = {
    **{
        (state, sign): "the verdict stands; frames go to the session, not to the negotiation"
        for state in TERMINAL
        for sign in Sign
    },
    **{
        (_R, sign): "nothing is connected while a transport is being opened"
        for sign in Sign
        if sign not in (Sign.OPENED, Sign.START_FAILED)
    },
    **{(state, sign): "no initialize is out" for state in (_P, _A) for sign in _HANDSHAKE_SIGNS},
    **{
        (_C, sign): "an answer to initialize is a stray once the peer has proved modern"
        for sign in _HANDSHAKE_SIGNS
    },
    **{
        (state, Sign.OLD_TRANSPORT): "it is looked for only after a refused initialize"
        for state in (_P, _A, _C)
    },
    **{(state, Sign.HEADER_AGAIN): "no header was corrected yet" for state in (_P, _A, _H)},
    (_C, Sign.LIFE): "the frame that led here was the sign of life",
    **{
        (state, sign): "a transport is opened once, before the first frame"
        for state in (_C, _H)
        for sign in (Sign.OPENED, Sign.START_FAILED)
    },
    **{
        (_H, sign): "an ambiguous answer to the probe is a stray while a handshake is out"
        for sign in (AMBIGUOUS | {Sign.LEGACY_ONLY}) - set(_HANDSHAKE_REFUSED)
    },
}
