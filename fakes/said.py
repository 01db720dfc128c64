"""A recorded frame as a step of the script language, fit to be said to another request.

Takes:  a frame, and the requests it may answer
Gives:  a `Reply`, an `Error` or a `Notify`, with marks where ids and tokens stood
Never:  loses what was wrong with the frame: a broken envelope stays broken

A wrong id keeps its relation to the right one: "1" for 1 becomes the string of whatever
id the replay is asked with.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from fakes.steps import PROGRESS_TOKEN, REQUEST_ID, Error, Notify, Reply
from workbench.core.wire.keys import JSONRPC, SUBSCRIPTION_ID_KEY
from workbench.core.wire.message import Notification, Request, RequestId, same_id

_HONEST = {"jsonrpc", "id", "result", "error"}
Asked = Request | Notification | None


def answered(
    frame: bytes, waiting: Sequence[Asked]
) -> tuple[Reply | Error, RequestId | None] | None:
    """Return an answer as a step, and the id of the request it belongs to.

    Args:
        frame: what came.
        waiting: the requests that may be meant, oldest first.

    Returns:
        None for what is no JSON object; the id is None when nobody can tell.
    """
    try:
        body = msgspec.json.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(body, dict) or "method" in body:
        return None
    requests = [one for one in waiting if isinstance(one, Request)]
    request, wanted = _meant(body, requests)
    edits = _edits(body, wanted)
    error = body.get("error")
    if isinstance(error, dict) and _is_error(error) and "result" not in body:
        step: Reply | Error = Error(
            code=error["code"], message=error["message"], data=error.get("data"), **edits
        )
    else:
        step = Reply(result=_marked(body.get("result"), request), **edits)
    return step, request.id if request is not None else None


def announced(message: Notification, cause: Asked, *, listeners: bool) -> Notify:
    """Return a notification as a step.

    Args:
        message: what came.
        cause: the message it is said in, whose id and token become marks.
        listeners: whether it belongs to no request, so that it goes to every open stream.
    """
    params = dict(message.params)
    meta = params.get("_meta")
    if isinstance(meta, dict) and SUBSCRIPTION_ID_KEY in meta:
        if listeners:
            rest = {key: value for key, value in meta.items() if key != SUBSCRIPTION_ID_KEY}
            params = {**params, "_meta": rest}
            if not rest:
                del params["_meta"]
        elif isinstance(cause, Request) and same_id(cause.id, meta[SUBSCRIPTION_ID_KEY]):
            params = {**params, "_meta": {**meta, SUBSCRIPTION_ID_KEY: REQUEST_ID}}
    token = _token(cause)
    if token is not None and params.get("progressToken") == token:
        params["progressToken"] = PROGRESS_TOKEN
    return Notify(message.method, params, listeners)


def _meant(body: dict[str, Any], requests: Sequence[Request]) -> tuple[Request | None, Any]:
    """Return the request an answer belongs to, and its id as a word of the script language."""
    given = body.get("id", msgspec.UNSET)
    for request in requests:
        if same_id(request.id, given if isinstance(given, int | str) else None):
            return request, "same"
    for request in requests:
        if isinstance(given, str) and given == str(request.id):
            return request, "string"
        if isinstance(given, float) and given == request.id:
            return request, "float"
    latest = requests[-1] if requests else None
    if given is msgspec.UNSET:
        return latest, "missing"
    if latest is not None and type(given) is type(latest.id):
        return latest, "other"
    return latest, given


def _edits(body: dict[str, Any], wanted: Any) -> dict[str, Any]:
    edits: dict[str, Any] = {} if wanted == "same" else {"id": wanted}
    extra = {key: value for key, value in body.items() if key not in _HONEST}
    missing = []
    if "jsonrpc" not in body:
        missing.append("jsonrpc")
    elif body["jsonrpc"] != JSONRPC:
        extra["jsonrpc"] = body["jsonrpc"]
    error = body.get("error", msgspec.UNSET)
    if error is not msgspec.UNSET and ("result" in body or not _is_error(error)):
        extra["error"] = error
    if "result" not in body and (error is msgspec.UNSET or not _is_error(error)):
        missing.append("result")
    if extra:
        edits["envelope"] = extra
    if missing:
        edits["envelope_without"] = tuple(missing)
    return edits


def _is_error(error: Any) -> bool:
    return (
        isinstance(error, dict)
        and type(error.get("code")) is int
        and isinstance(error.get("message"), str)
        and set(error) <= {"code", "message", "data"}
    )


def _marked(result: Any, request: Request | None) -> Any:
    """Return a result with the mark in place of the id of the stream it ends."""
    meta = result.get("_meta") if isinstance(result, dict) else None
    if request is None or not isinstance(meta, dict):
        return result
    if not same_id(request.id, meta.get(SUBSCRIPTION_ID_KEY)):
        return result
    return {**result, "_meta": {**meta, SUBSCRIPTION_ID_KEY: REQUEST_ID}}


def _token(cause: Asked) -> Any:
    meta = cause.params.get("_meta") if cause is not None else None
    return meta.get("progressToken") if isinstance(meta, dict) else None
