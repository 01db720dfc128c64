"""A request whose HTTP exchange brought no answer, judged.

Takes:  the end of the exchange, after an era was settled
Gives:  a JSON-RPC error that an error status carried, or a `Failure` that says what is
        known: not sent, not accepted, or perhaps executed
Never:  claims that a request did not run when nobody can know

Spec: 2026-07-28 basic/transports/streamable-http; cases E12, H06, H10; design section 7.7,
"each call ends in exactly one of".
"""

from typing import Final

from workbench.core.errors import Failure, Kind
from workbench.core.rulebook.rules import RULES
from workbench.core.wire.codec import decode
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.message import ErrorReply, same_id

_NOT_ACCEPTED: Final = frozenset({429, 503})
"""Said before anything was done: the server is busy, or is not there yet."""

_MEANING: Final = {
    Trouble.AUTH: (Kind.AUTH_NEEDED, "HTTP-01"),
    Trouble.SERVER: (Kind.OUTCOME_UNKNOWN, "HTTP-02"),
    Trouble.REDIRECT: (Kind.HTTP_STATUS, "HTTP-03"),
    Trouble.STATUS: (Kind.HTTP_STATUS, "HTTP-06"),
    Trouble.NO_ANSWER: (Kind.OUTCOME_UNKNOWN, "HTTP-05"),
    Trouble.BROKEN: (Kind.OUTCOME_UNKNOWN, "HTTP-05"),
    Trouble.UNREACHABLE: (Kind.PIPE_CLOSED, "HTTP-04"),
    Trouble.OLD_TRANSPORT: (Kind.HTTP_STATUS, "LEG-11"),
}


def outcome_of(end: ExchangeEnd, peer: str) -> ErrorReply | Failure:
    """Return what the request of an exchange ended in.

    Args:
        end: of an exchange that carried a request.
        peer: name of the peer, for the failure.
    """
    carried = decode(end.answer) if end.answer else None
    if isinstance(carried, ErrorReply) and end.request_id is not None:
        if carried.id is None or same_id(end.request_id, carried.id):
            return ErrorReply(end.request_id, carried.code, carried.message, carried.data)
    kind, rule = _MEANING[end.trouble]
    if end.trouble is Trouble.SERVER and end.status in _NOT_ACCEPTED:
        kind = Kind.HTTP_STATUS
    return Failure(
        kind=kind,
        peer=peer,
        stage="call",
        rule=rule,
        detail=f"the peer {end.seen}. {RULES[rule].sentence}",
        hint=RULES[rule].hint,
    )
