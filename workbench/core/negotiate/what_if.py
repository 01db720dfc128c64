"""The peer's next answer, chosen by hand: "what if it had said -32601?"

Takes:  where a negotiation stands, and a choice: a name, an error code, a body, or bytes
Gives:  the event that such an answer would be, its bytes, and words for it
Never:  a shortcut past the codec: a frame is encoded and decoded as if it had been heard

Source: the fault matrix of the ready-made fakes; spec: server/discover, basic/versioning.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.events import (
    Closed,
    DeadlinePassed,
    Event,
    ExchangeEnded,
    Opened,
    Received,
    StartFailed,
)
from workbench.core.negotiate.snapshot import TERMINAL, Negotiation, State
from workbench.core.text.visible import sample
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.envelope import error_reply, notification, result_reply
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.keys import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    LOG_MESSAGE,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    SERVER_INFO_KEY,
    UNSUPPORTED_VERSION,
)
from workbench.core.wire.message import RequestId
from workbench.core.wire.versions import LEGACY_REVISIONS

Choice = str | int | bytes | Mapping[str, Any]
"""A name from `answers_for`, an error code, the frame itself, or a body: with `jsonrpc` the
whole message, with `result` or `error` its main part, otherwise the result."""

_FUTURE: Final = "2099-01-01"
_INFO: Final = {"name": "supposed", "version": "1.0.0"}


class Supposed(Struct, frozen=True, kw_only=True):
    """An answer nobody gave."""

    words: str
    """What it is, as the rest of "what if the peer …"; safe to show."""
    event: Event
    frame: bytes | None = None


class Offer(Struct, frozen=True, kw_only=True):
    """One answer that can be chosen by name."""

    name: str
    words: str
    make: Callable[[Negotiation, RequestId], Event | bytes | dict[str, Any]]


def answers_for(so_far: Negotiation, kind: str = "memory") -> tuple[Offer, ...]:
    """Return what can be supposed of the peer now; nothing once the verdict is given.

    Args:
        so_far: where the negotiation stands.
        kind: the sort of transport; over HTTP a status can be an answer, and nothing closes.
    """
    if so_far.state in TERMINAL:
        return ()
    if so_far.deadline_at is None:
        return _OPENING
    asked = _HANDSHAKE if so_far.state is State.HANDSHAKING else _PROBE
    offers = (*asked, *_ANY, *(_HTTP if kind == "http" else _PIPE))
    return tuple(one for one in offers if one.name not in _out_of_place(so_far))


def _out_of_place(so_far: Negotiation) -> set[str]:
    # An answer to the probe can be late only while the probe has none, and a revision is
    # mutual only if it is another than the one that was refused.
    out = set() if so_far.discover_ids else {"late"}
    refused = {*so_far.refused_versions, so_far.version}
    return out if set(so_far.terms.modern_revisions) - refused else out | {"-32022-mutual"}


def suppose(so_far: Negotiation, choice: Choice, kind: str = "memory") -> Supposed:
    """Return the answer that was chosen, as the event it would be.

    Raises:
        MisuseError: if the verdict is given, nothing was asked yet, or there is no such
            answer.
    """
    if isinstance(choice, str):
        return _named(so_far, choice, kind)
    if so_far.deadline_at is None or so_far.state in TERMINAL:
        raise _misuse("no question is open, so there is nothing to answer")
    asked = _asked(so_far)
    if isinstance(choice, bytes):
        return _heard(choice, f"wrote {sample(choice, 60)}")
    if isinstance(choice, int):
        body = error_reply(asked, choice, "chosen by hand")
        return _heard(encode(body), f"answered with error {choice}")
    body = dict(choice)
    if "jsonrpc" not in body:
        whole = "result" in body or "error" in body
        body = {"jsonrpc": "2.0", "id": asked, **(body if whole else {"result": body})}
    return _heard(encode(body), f"answered {sample(encode(body), 60)}")


def read_choice(text: str) -> int | bytes | dict[str, Any]:
    """Return what a person typed as a choice: an error code, a body, or the bytes of a frame."""
    typed = text.encode("utf-8", "replace")
    try:
        value = msgspec.json.decode(typed)
    except msgspec.MsgspecError:
        return typed
    return value if isinstance(value, int | dict) and not isinstance(value, bool) else typed


def _named(so_far: Negotiation, name: str, kind: str) -> Supposed:
    offers = answers_for(so_far, kind)
    offer = next((one for one in offers if one.name == name), None)
    if offer is None:
        names = ", ".join(one.name for one in offers)
        raise _misuse(
            f"there is no answer called {sample(name.encode(errors='replace'), 60)!r} here",
            f"Choose one of: {names}." if names else "Go back to a moment without a verdict.",
        )
    made = offer.make(so_far, _asked(so_far))
    if isinstance(made, dict):
        made = encode(made)
    if isinstance(made, bytes):
        return _heard(made, offer.words)
    return Supposed(words=offer.words, event=made)


def _heard(frame: bytes, words: str) -> Supposed:
    return Supposed(words=words, event=Received(decode(frame)), frame=frame)


def _asked(so_far: Negotiation) -> RequestId:
    # What was asked last; ids count up, whether or not an answer has used one up.
    if so_far.state is State.HANDSHAKING and so_far.initialize_id is not None:
        return so_far.initialize_id
    return (so_far.discover_ids or (so_far.next_id - 1,))[-1]


def _discovery(*versions: str, **changes: Any) -> dict[str, Any]:
    result: dict[str, Any] = {
        "resultType": "complete",
        "supportedVersions": list(versions),
        "capabilities": {"tools": {}},
        "ttlMs": 3_600_000,
        "cacheScope": "public",
        "_meta": {SERVER_INFO_KEY: _INFO},
    }
    return {key: value for key, value in {**result, **changes}.items() if value is not None}


def _handshake(version: str, **changes: Any) -> dict[str, Any]:
    result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": _INFO}
    return {key: value for key, value in {**result, **changes}.items() if value is not None}


def _result(
    build: Callable[[Negotiation], dict[str, Any]],
) -> Callable[[Negotiation, RequestId], dict[str, Any]]:
    return lambda so_far, asked: result_reply(asked, build(so_far))


def _error(
    code: int, message: str, data: Callable[[Negotiation], Any] = lambda so_far: None
) -> Callable[[Negotiation, RequestId], dict[str, Any]]:
    return lambda so_far, asked: error_reply(asked, code, message, data(so_far))


def _supported(*versions: str) -> Callable[[Negotiation], Any]:
    return lambda so_far: {"supported": list(versions), "requested": so_far.version}


def _offer(
    name: str, words: str, make: Callable[[Negotiation, RequestId], Event | bytes | dict[str, Any]]
) -> Offer:
    return Offer(name=name, words=words, make=make)


def _ended(trouble: Trouble, status: int) -> Callable[[Negotiation, RequestId], Event]:
    return lambda so_far, asked: ExchangeEnded(
        ExchangeEnd(request_id=asked, trouble=trouble, status=status)
    )


def _late(so_far: Negotiation, asked: RequestId) -> dict[str, Any]:
    probe = (so_far.discover_ids or (asked,))[0]
    return result_reply(probe, _discovery(so_far.version))


def _deadline(so_far: Negotiation, asked: RequestId) -> Event:
    return DeadlinePassed(so_far.deadline_at or 0.0)


_UNSTARTED: Final = Failure(
    kind=Kind.COULD_NOT_START, stage="transport", detail="nothing could be started (supposed)"
)

_OPENING: Final = (
    _offer("opened", "could be reached", lambda so_far, asked: Opened()),
    _offer("unreachable", "could not be started", lambda so_far, asked: StartFailed(_UNSTARTED)),
)

_PROBE: Final = (
    _offer(
        "valid",
        "answered with a valid DiscoverResult",
        _result(lambda so_far: _discovery(so_far.version)),
    ),
    _offer(
        "legacy-only",
        "named only legacy revisions",
        _result(lambda so_far: _discovery(*LEGACY_REVISIONS)),
    ),
    _offer(
        "future-only", "named only a future revision", _result(lambda so_far: _discovery(_FUTURE))
    ),
    _offer(
        "no-result-type",
        "left out resultType",
        _result(lambda so_far: _discovery(so_far.version, resultType=None)),
    ),
    _offer("no-result", "answered with an empty result", _result(lambda so_far: {})),
    _offer(
        "-32601",
        "answered -32601, method not found",
        _error(METHOD_NOT_FOUND, "Method not found"),
    ),
    _offer("-32602", "answered -32602, invalid params", _error(INVALID_PARAMS, "Invalid params")),
    _offer(
        "-32020", "answered -32020, header mismatch", _error(HEADER_MISMATCH, "Header mismatch")
    ),
    _offer(
        "-32021",
        "answered -32021, it needs elicitation",
        _error(
            MISSING_CAPABILITY,
            "Missing required client capability",
            lambda so_far: {"requiredCapabilities": {"elicitation": {}}},
        ),
    ),
    _offer(
        "-32022-mutual",
        "answered -32022, offering another revision we speak",
        lambda so_far, asked: error_reply(
            asked,
            UNSUPPORTED_VERSION,
            "Unsupported protocol version",
            {
                "supported": [v for v in so_far.terms.modern_revisions if v != so_far.version],
                "requested": so_far.version,
            },
        ),
    ),
    _offer(
        "-32022-same",
        "answered -32022, listing the very revision it refuses",
        lambda so_far, asked: error_reply(
            asked,
            UNSUPPORTED_VERSION,
            "Unsupported protocol version",
            {"supported": [so_far.version], "requested": so_far.version},
        ),
    ),
    _offer(
        "-32022-legacy",
        "answered -32022, listing legacy revisions",
        _error(UNSUPPORTED_VERSION, "Unsupported protocol version", _supported(*LEGACY_REVISIONS)),
    ),
    _offer(
        "-32022-bare",
        "answered -32022 without data",
        _error(UNSUPPORTED_VERSION, "Unsupported protocol version"),
    ),
)

_HANDSHAKE: Final = (
    _offer(
        "valid",
        "answered with a valid InitializeResult",
        _result(lambda so_far: _handshake(so_far.terms.legacy_revisions[-1])),
    ),
    _offer(
        "unknown-revision",
        "chose a revision we do not know",
        _result(lambda so_far: _handshake("1999-12-31")),
    ),
    _offer(
        "modern-revision",
        "chose the modern revision in the handshake",
        _result(lambda so_far: _handshake(so_far.version)),
    ),
    _offer(
        "no-server-info",
        "left out serverInfo",
        _result(lambda so_far: _handshake(so_far.terms.legacy_revisions[-1], serverInfo=None)),
    ),
    _offer("-32603", "answered -32603, internal error", _error(INTERNAL_ERROR, "Internal error")),
    _offer(
        "-32022",
        "answered -32022, offering a modern revision",
        lambda so_far, asked: error_reply(
            asked,
            UNSUPPORTED_VERSION,
            "Unsupported protocol version",
            {"supported": list(so_far.terms.modern_revisions)},
        ),
    ),
    _offer("late", "answered the probe after all", _late),
)

_ANY: Final = (
    _offer(
        "both",
        "sent a result and an error together",
        lambda so_far, asked: {
            **result_reply(asked, {}),
            "error": {"code": INTERNAL_ERROR, "message": "both"},
        },
    ),
    _offer(
        "wrong-id",
        "answered with the id as a text",
        lambda so_far, asked: result_reply(str(asked), {"resultType": "complete"}),
    ),
    _offer("garbage", "wrote text that is not JSON", lambda so_far, asked: b"Server ready!"),
    _offer("blank", "wrote an empty line", lambda so_far, asked: b""),
    _offer(
        "notification",
        "sent a notification",
        lambda so_far, asked: notification(LOG_MESSAGE, {"level": "info", "data": "ready"}),
    ),
    _offer("silence", "said nothing until the deadline", _deadline),
)

_PIPE: Final = (
    _offer(
        "close",
        "closed its output",
        lambda so_far, asked: Closed("exited with status 1", "supposed: no reason given"),
    ),
)

_HTTP: Final = (
    _offer("http-404", "answered HTTP 404, empty", _ended(Trouble.STATUS, 404)),
    _offer("http-401", "answered HTTP 401", _ended(Trouble.AUTH, 401)),
    _offer("http-503", "answered HTTP 503", _ended(Trouble.SERVER, 503)),
    _offer("http-202", "answered HTTP 202 without a body", _ended(Trouble.NO_ANSWER, 202)),
)


def _misuse(detail: str, hint: str = "Step to a moment where the peer is asked.") -> MisuseError:
    return MisuseError(Failure(kind=Kind.MISUSE, stage="negotiate", detail=detail, hint=hint))
