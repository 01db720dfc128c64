"""What was seen: one event becomes one sign, whatever the policy will make of it.

Takes:  an event and the negotiation so far
Gives:  `Evidence`: a sign from a closed list, with the facts a reader wants to see
Never:  decides; what a sign means stands in `table`

Spec: server/discover "DiscoverResult"; basic/versioning (-32020, -32021, -32022); the
2025-11-25 lifecycle for `InitializeResult`. Seed lesson, "Exige-se".
"""

from typing import Any, Final

import msgspec
from msgspec import Struct

from workbench.core.events import (
    Closed,
    DeadlinePassed,
    Event,
    ExchangeEnded,
    LifeSeen,
    Opened,
    Received,
    StartFailed,
)
from workbench.core.negotiate.results import (
    Discovery,
    Handshake,
    Unreadable,
    read_discover_result,
    read_initialize_result,
)
from workbench.core.negotiate.signs import LATE_AMBIGUOUS, Sign
from workbench.core.negotiate.snapshot import Negotiation, State
from workbench.core.text.visible import sample, visible
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.keys import (
    HEADER_MISMATCH,
    MISSING_CAPABILITY,
    RECOGNIZED_MODERN_ERRORS,
    UNSUPPORTED_VERSION,
)
from workbench.core.wire.message import (
    ErrorReply,
    Fault,
    Incoming,
    Malformed,
    Notification,
    Request,
    RequestId,
    Result,
    same_id,
)
from workbench.core.wire.versions import LEGACY_REVISIONS, highest_mutual

_SIGNS: Final = {
    Trouble.AUTH: Sign.AUTH_NEEDED,
    Trouble.SERVER: Sign.SERVER_TROUBLE,
    Trouble.REDIRECT: Sign.REDIRECTED,
    Trouble.STATUS: Sign.HTTP_STATUS,
    Trouble.NO_ANSWER: Sign.NO_ANSWER,
    Trouble.BROKEN: Sign.NO_ANSWER,
    Trouble.UNREACHABLE: Sign.UNREACHABLE,
    Trouble.OLD_TRANSPORT: Sign.OLD_TRANSPORT,
}


class Evidence(Struct, frozen=True, kw_only=True):
    """One sign and its facts."""

    sign: Sign
    seen: str
    """What was seen, as a clause with the peer as its subject; safe to show."""
    version: str | None = None
    """The revision to go on with, for signs that offer one."""
    refused_version: str | None = None
    """The modern revision the peer has just refused."""
    capabilities: dict[str, Any] = {}
    """Capabilities to declare from now on, for CAPABILITY_NEEDED."""
    discovery: Discovery | None = None
    handshake: Handshake | None = None
    code: int | None = None
    data: Any = None
    number: int | None = None
    """Journal number of the frame."""
    noise: Sign | None = None
    """For a stray: what the deadline will call it if nothing better comes."""


def classify(event: Event, so_far: Negotiation) -> Evidence:
    """Return the one sign this event is, given what was asked before."""
    match event:
        case Opened():
            return Evidence(sign=Sign.OPENED, seen="is open")
        case LifeSeen():
            return Evidence(sign=Sign.LIFE, seen="wrote its first byte")
        case StartFailed(failure):
            return Evidence(sign=Sign.START_FAILED, seen=failure.detail)
        case Closed(how, stderr_tail):
            tail = f"; stderr ends: {stderr_tail}" if stderr_tail else "; nothing on stderr"
            return Evidence(sign=Sign.CLOSED, seen=f"{how} before it answered{tail}")
        case DeadlinePassed():
            return _at_the_deadline(so_far)
        case Received(message, number):
            return _received(message, number, so_far)
        case ExchangeEnded(end, number):
            return _unanswered(end, number, so_far)


def _at_the_deadline(so_far: Negotiation) -> Evidence:
    waited = f"within {so_far.waited_ms} ms"
    if so_far.noise is None:
        return Evidence(sign=Sign.SILENCE, seen=f"said nothing {waited}")
    return Evidence(sign=so_far.noise, seen=f"{so_far.noise_seen} and gave no answer {waited}")


def _unanswered(end: ExchangeEnd, number: int | None, so_far: Negotiation) -> Evidence:
    # Only the end of what was asked last says something; the rest was superseded.
    asked = (so_far.discover_ids or (None,))[-1]
    if so_far.state is State.HANDSHAKING:
        asked = so_far.initialize_id
    if asked is None or not same_id(asked, end.request_id):
        return _stray(f"{end.seen}, too late to matter", number)
    sign = _SIGNS[end.trouble]
    if sign is Sign.NO_ANSWER and so_far.noise is Sign.WRONG_ID:
        sign = Sign.WRONG_ID
    seen = f"{so_far.noise_seen} and {end.seen}" if so_far.noise_seen else end.seen
    return Evidence(sign=sign, seen=seen, code=None, number=number)


def _received(message: Incoming, number: int | None, so_far: Negotiation) -> Evidence:
    match message:
        case Notification(method):
            return _stray(f"sent the notification {visible(method, 60)}", number)
        case Request(request_id, method):
            shown = visible(f"{method} (id {request_id!r})", 80)
            return _stray(f"sent the request {shown}, which no client may be sent now", number)
        case Malformed() if message.id is None:
            return _noise(message, number)
    answered = message.id
    if so_far.initialize_id is not None and same_id(so_far.initialize_id, answered):
        if so_far.state is State.CORRECTING:
            return _stray("answered initialize after it had proved modern", number)
        return _handshake_answer(message, number, so_far)
    if any(same_id(asked, answered) for asked in so_far.discover_ids):
        return _discover_answer(message, number, so_far)
    awaited = so_far.initialize_id or (so_far.discover_ids or (None,))[-1]
    seen = f"answered with id {_json(answered)} where {_json(awaited)} was asked"
    return _stray(seen, number, Sign.WRONG_ID)


def _json(answered: RequestId | None) -> str:
    # As it stands in the frame, so that 1 and "1" are told apart.
    return sample(msgspec.json.encode(answered), 60)


def _noise(message: Malformed, number: int | None) -> Evidence:
    if message.fault is Fault.BLANK:
        return _stray("sent an empty line", number, Sign.EMPTY_LINES)
    if message.fault is Fault.WRONG_ID:
        seen = f"answered with a wrong id ({message.detail})"
        return _stray(seen, number, Sign.WRONG_ID)
    seen = f"wrote something that is no message ({message.detail}): {message.sample}"
    return _stray(seen, number, Sign.NOT_JSON)


def _stray(seen: str, number: int | None, noise: Sign | None = None) -> Evidence:
    return Evidence(sign=Sign.STRAY, seen=seen, number=number, noise=noise)


def _discover_answer(
    message: Result | ErrorReply | Malformed, number: int | None, so_far: Negotiation
) -> Evidence:
    evidence = _first_answer(message, number, so_far)
    # While a handshake is in flight only modern proof counts; a late ambiguous answer to
    # the probe says nothing new.
    if so_far.state is State.HANDSHAKING and evidence.sign in LATE_AMBIGUOUS:
        return _stray(f"answered the probe too late: it {evidence.seen}", number)
    return evidence


def _first_answer(
    message: Result | ErrorReply | Malformed, number: int | None, so_far: Negotiation
) -> Evidence:
    if isinstance(message, ErrorReply):
        return _error(message, number, so_far)
    if isinstance(message, Malformed):
        seen = f"answered with {message.detail}: {message.sample}"
        return Evidence(sign=Sign.BROKEN_ENVELOPE, seen=seen, number=number)
    discovery = read_discover_result(message.result, so_far.terms.accept_missing_result_type)
    if isinstance(discovery, Unreadable):
        sign = Sign.NO_RESULT_TYPE if discovery.only_result_type else Sign.MALFORMED_RESULT
        seen = f"answered with a result that is no DiscoverResult ({discovery.fault})"
        return Evidence(sign=sign, seen=seen, number=number)
    return _versions(discovery, number, so_far)


def _versions(discovery: Discovery, number: int | None, so_far: Negotiation) -> Evidence:
    named = visible(", ".join(discovery.supported) or "no version at all", 120)
    version = highest_mutual(so_far.terms.modern_revisions, discovery.supported)
    if version is not None:
        return Evidence(
            sign=Sign.DISCOVERED,
            seen=f"answered with a valid DiscoverResult naming {named}",
            version=version,
            discovery=discovery,
            number=number,
        )
    only_legacy = bool(discovery.supported) and set(discovery.supported) <= set(LEGACY_REVISIONS)
    sign = Sign.LEGACY_ONLY if only_legacy else Sign.NO_MUTUAL_VERSION
    return Evidence(sign=sign, seen=f"answered with a DiscoverResult naming {named}", number=number)


def _error(reply: ErrorReply, number: int | None, so_far: Negotiation) -> Evidence:
    shown = f"answered with error {reply.code} “{visible(reply.message, 120)}”"
    facts = {"code": reply.code, "data": reply.data, "number": number}
    if reply.code == UNSUPPORTED_VERSION:
        return _unsupported(reply, shown, facts, so_far)
    if reply.code == HEADER_MISMATCH:
        sign = Sign.HEADER_AGAIN if so_far.header_corrected else Sign.HEADER_MISMATCH
        return Evidence(sign=sign, seen=shown, version=so_far.version, **facts)
    if reply.code == MISSING_CAPABILITY:
        return _missing(reply, shown, facts, so_far)
    return Evidence(sign=Sign.UNRECOGNIZED_ERROR, seen=shown, **facts)


def _unsupported(
    reply: ErrorReply, shown: str, facts: dict[str, Any], so_far: Negotiation
) -> Evidence:
    data = reply.data if isinstance(reply.data, dict) else {}
    supported = data.get("supported")
    listed = [v for v in supported if isinstance(v, str)] if isinstance(supported, list) else []
    asked_by_probe = so_far.initialize_id is None or not same_id(so_far.initialize_id, reply.id)
    refused = so_far.version if asked_by_probe else None
    excluding = (*so_far.refused_versions, *([refused] if refused else ()))
    version = highest_mutual(so_far.terms.modern_revisions, listed, excluding=excluding)
    named = visible(", ".join(listed), 120) or "no versions"
    return Evidence(
        sign=Sign.VERSION_DEAD_END if version is None else Sign.VERSION_OFFER,
        seen=f"{shown} listing {named}",
        version=version,
        refused_version=refused,
        **facts,
    )


def _missing(reply: ErrorReply, shown: str, facts: dict[str, Any], so_far: Negotiation) -> Evidence:
    data = reply.data if isinstance(reply.data, dict) else {}
    required = data.get("requiredCapabilities")
    names = sorted(required) if isinstance(required, dict) else []
    named = visible(", ".join(names), 120) or "nothing"
    seen = f"{shown} requiring {named}"
    new = [name for name in names if name not in so_far.capabilities]
    can = so_far.terms.can_declare
    if not new or not all(name in can for name in new):
        return Evidence(sign=Sign.CAPABILITY_DEAD_END, seen=seen, **facts)
    declared = {**so_far.capabilities, **{name: can[name] for name in new}}
    return Evidence(
        sign=Sign.CAPABILITY_NEEDED,
        seen=seen,
        version=so_far.version,
        capabilities=declared,
        **facts,
    )


def _handshake_answer(
    message: Result | ErrorReply | Malformed, number: int | None, so_far: Negotiation
) -> Evidence:
    if isinstance(message, Malformed):
        seen = f"answered initialize with {message.detail}: {message.sample}"
        return Evidence(sign=Sign.BROKEN_ENVELOPE, seen=seen, number=number)
    if isinstance(message, ErrorReply):
        if message.code in RECOGNIZED_MODERN_ERRORS:
            return _error(message, number, so_far)
        seen = f"answered initialize with error {message.code} “{visible(message.message, 120)}”"
        return Evidence(sign=Sign.HANDSHAKE_ERROR, seen=seen, code=message.code, number=number)
    handshake = read_initialize_result(message.result)
    if isinstance(handshake, Unreadable):
        seen = f"answered initialize with a result that is no InitializeResult ({handshake.fault})"
        return Evidence(sign=Sign.HANDSHAKE_MALFORMED, seen=seen, number=number)
    named = visible(handshake.version, 60)
    known = handshake.version in so_far.terms.legacy_revisions
    return Evidence(
        sign=Sign.HANDSHAKE_VALID if known else Sign.HANDSHAKE_REVISION,
        seen=f"answered initialize with revision {named}",
        version=handshake.version,
        handshake=handshake,
        number=number,
    )
