"""JSON-RPC messages as frozen values, and the value for a frame that is none of them.

None of the classes has subclasses, so where every call passes, `type(x) is Result` asks the
same as `isinstance` at a tenth of its price.

Spec: 2026-07-28 basic/index, "Messages".
"""

from enum import StrEnum
from typing import Any, TypeAlias, final

from msgspec import Struct

RequestId: TypeAlias = int | str
"""A JSON-RPC id. `True`, `1.0` and `null` are not ids, and `1` is not `"1"`."""


@final
class Request(Struct, frozen=True):
    """A message that wants an answer."""

    id: RequestId
    method: str
    params: dict[str, Any]


@final
class Notification(Struct, frozen=True):
    """A message that gets no answer."""

    method: str
    params: dict[str, Any]


@final
class Result(Struct, frozen=True):
    """A success answer; `result` is any JSON value, checked by whoever asked."""

    id: RequestId
    result: Any


@final
class ErrorReply(Struct, frozen=True):
    """An error answer; `id` is None when the sender could not read the request's id."""

    id: RequestId | None
    code: int
    message: str
    data: Any = None


class Fault(StrEnum):
    """Why a frame is not a JSON-RPC message."""

    BLANK = "blank line"
    NOT_UTF8 = "not UTF-8"
    NOT_JSON = "not JSON"
    TOO_DEEP = "nested too deeply"
    TOO_LONG = "longer than the frame cap"
    BATCH = "a batch array"
    NOT_AN_OBJECT = "not a JSON object"
    WRONG_JSONRPC = '"jsonrpc" is missing or not "2.0"'
    RESULT_AND_ERROR = "both result and error"
    NEITHER_RESULT_NOR_ERROR = "neither result nor error"
    WRONG_ID = "an id that is not a string or an integer"
    WRONG_METHOD = "a method that is not a string, or beside a result"
    WRONG_PARAMS = "params that are not an object"
    WRONG_ERROR = "an error object without an integer code and a string message"


@final
class Malformed(Struct, frozen=True, repr_omit_defaults=True):
    """A frame that is not a message. The reader records it and goes on.

    `id` is set when a usable id could be read, so that whoever waits for it can be told.
    """

    fault: Fault
    detail: str
    """What exactly was wrong, one line."""
    sample: str
    """The start of the frame as escaped text, at most 200 characters."""
    id: RequestId | None = None
    rest: Any = None
    """Of a success that is nested too deeply: the result with null for each part that is."""


Message: TypeAlias = Request | Notification | Result | ErrorReply
Incoming: TypeAlias = Message | Malformed


def same_id(mine: RequestId, theirs: RequestId | None) -> bool:
    """Say whether two ids are the same JSON value: same type and same content."""
    return type(mine) is type(theirs) and mine == theirs
