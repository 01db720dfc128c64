"""JSON text to message and back, with every envelope check in one place.

Takes:  one frame (bytes without its line end), or a message body (dict)
Gives:  a message, or a `Malformed` value that says why it is none
Never:  raises for what a peer sent, and never guesses

Spec: 2026-07-28 basic/index "Responses" (exactly one of result and error; an id is a
string or an integer). Seed lesson, "Exige-se".
"""

from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from workbench.core.text.visible import sample
from workbench.core.wire.depth import shallow
from workbench.core.wire.keys import JSONRPC
from workbench.core.wire.message import (
    ErrorReply,
    Fault,
    Incoming,
    Malformed,
    Notification,
    Request,
    RequestId,
    Result,
)

BOM: Final = b"\xef\xbb\xbf"
"""A byte order mark in UTF-8; JSON has none, and one in front of it is ignored."""


class _Envelope(Struct):
    jsonrpc: Any = UNSET
    id: Any = UNSET
    method: Any = UNSET
    params: Any = UNSET
    result: Any = UNSET
    error: Any = UNSET


_UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_DECODE: Final = msgspec.json.Decoder(_Envelope).decode
_WHOLE: Final = msgspec.json.Decoder(msgspec.Raw).decode
"""Reads to the end and makes nothing of it."""
_ENCODE: Final = msgspec.json.Encoder().encode


def encode(body: dict[str, Any]) -> bytes:
    """Serialize one message body to compact UTF-8 JSON without a line end.

    Raises:
        TypeError: if a value has no JSON form (an argument the caller passed).
    """
    return _ENCODE(body)


def decode(frame: bytes) -> Incoming:
    """Read one frame.

    Returns:
        A message whose envelope is valid, or `Malformed`; a byte order mark in front of
        the text is ignored, anything else unexpected is named.
    """
    try:
        envelope = _DECODE(frame)
    except _UNREADABLE as problem:
        if not frame.startswith(BOM):
            return _unreadable(frame, problem)
        # One mark is ignored, not a row of them: what a peer repeats must cost nothing.
        try:
            envelope = _DECODE(frame[len(BOM) :])
        except _UNREADABLE as still:
            return _unreadable(frame, still)
    if (
        envelope.result is not UNSET
        and envelope.error is UNSET
        and envelope.method is UNSET
        and type(envelope.id) is int
        and envelope.jsonrpc == JSONRPC
    ):
        return Result(envelope.id, envelope.result)  # what nearly every frame is
    if envelope.jsonrpc != JSONRPC:
        unset = envelope.jsonrpc is UNSET
        shown = 'no "jsonrpc"' if unset else f'a "jsonrpc" of {_shown(envelope.jsonrpc)}'
        return _bad(frame, envelope, Fault.WRONG_JSONRPC, shown)
    if envelope.method is not UNSET:
        return _asked(frame, envelope)
    return _answered(frame, envelope)


def too_long(size: int, head: bytes, cap: int) -> Malformed:
    """Describe a frame that the framer dropped because it passed the cap (both in bytes)."""
    return Malformed(
        Fault.TOO_LONG, f"{size} bytes, the cap is {cap}; the frame was dropped", sample(head)
    )


def _answered(frame: bytes, envelope: _Envelope) -> Incoming:
    has_result, has_error = envelope.result is not UNSET, envelope.error is not UNSET
    if has_result and has_error:
        return _bad(frame, envelope, Fault.RESULT_AND_ERROR)
    if not has_result and not has_error:
        return _bad(frame, envelope, Fault.NEITHER_RESULT_NOR_ERROR)
    if has_result:
        if not _is_id(envelope.id):
            return _bad(frame, envelope, Fault.WRONG_ID, f"the id is {_shown(envelope.id)}")
        return Result(envelope.id, envelope.result)
    return _refused(frame, envelope)


def _refused(frame: bytes, envelope: _Envelope) -> Incoming:
    answer_id = None if envelope.id is UNSET else envelope.id
    if answer_id is not None and not _is_id(answer_id):
        return _bad(frame, envelope, Fault.WRONG_ID, f"the id is {_shown(answer_id)}")
    error = envelope.error
    if not isinstance(error, dict):
        return _bad(frame, envelope, Fault.WRONG_ERROR)
    code, message = error.get("code"), error.get("message")
    if type(code) is not int or not isinstance(message, str):
        return _bad(frame, envelope, Fault.WRONG_ERROR)
    return ErrorReply(answer_id, code, message, error.get("data"))


def _asked(frame: bytes, envelope: _Envelope) -> Incoming:
    if not isinstance(envelope.method, str):
        return _bad(frame, envelope, Fault.WRONG_METHOD)
    if envelope.result is not UNSET or envelope.error is not UNSET:
        return _bad(frame, envelope, Fault.WRONG_METHOD, "a method beside a result or an error")
    params = {} if envelope.params is UNSET else envelope.params
    if not isinstance(params, dict):
        return _bad(frame, envelope, Fault.WRONG_PARAMS)
    if envelope.id is UNSET:
        return Notification(envelope.method, params)
    if not _is_id(envelope.id):
        return _bad(frame, envelope, Fault.WRONG_ID, f"the id is {_shown(envelope.id)}")
    return Request(envelope.id, envelope.method, params)


def _is_id(value: Any) -> bool:
    return type(value) is int or type(value) is str


def _shown(value: Any) -> str:
    if isinstance(value, UnsetType):
        return "missing"
    # As it stands in JSON, so that 1, "1" and true are told apart.
    try:
        return sample(_ENCODE(value), 60)
    except RecursionError:
        return Fault.TOO_DEEP.value  # what can just be read cannot always be written


def _bad(frame: bytes, envelope: _Envelope, fault: Fault, detail: str | None = None) -> Malformed:
    known: RequestId | None = envelope.id if _is_id(envelope.id) else None
    return Malformed(fault, detail or fault.value, sample(frame), known)


def _unreadable(frame: bytes, problem: Exception) -> Incoming:
    text = frame.removeprefix(BOM).strip()
    if not text:
        return Malformed(Fault.BLANK, Fault.BLANK.value, "")
    if isinstance(problem, RecursionError):
        return _too_deep(frame)
    fault = Fault.NOT_JSON
    try:
        frame.decode("utf-8")
    except UnicodeDecodeError as undecodable:
        return Malformed(
            Fault.NOT_UTF8, f"byte {undecodable.start} is not valid UTF-8", sample(frame)
        )
    if isinstance(problem, msgspec.ValidationError):
        # It was refused at its first character; whether it is JSON at all shows at its last.
        try:
            _WHOLE(text)
        except RecursionError:
            return _too_deep(frame)
        except msgspec.DecodeError as broken:
            problem = broken
        else:
            fault = Fault.BATCH if text.startswith(b"[") else Fault.NOT_AN_OBJECT
    detail = fault.value if fault is not Fault.NOT_JSON else f"not JSON: {problem}"
    return Malformed(fault, detail, sample(frame))


def _too_deep(frame: bytes) -> Malformed:
    """Describe a frame nobody can read as a whole, with its id and the rest of its result."""
    read = shallow(frame.removeprefix(BOM))
    message = None if read is None or read == frame else decode(read)
    known, rest = None, None
    if isinstance(message, Result):
        known, rest = message.id, message.result
    elif isinstance(message, ErrorReply):
        known = message.id
    detail = Fault.TOO_DEEP.value if known is None else "parts that are nested too deeply"
    return Malformed(Fault.TOO_DEEP, detail, sample(frame), known, rest)
