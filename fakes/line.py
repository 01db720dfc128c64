"""Steps to bytes: how an answer, a notification or a request is written down.

Takes:  a step, and the message it belongs to
Gives:  a `Line`: bytes, how often, and in which pieces
Never:  writes; and never expands a repetition, so 64 MiB stay one small value
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from fakes.steps import PROGRESS_TOKEN, REQUEST_ID, Ask, Error, Notify, Raw, Reply
from workbench.core.wire.envelope import error_reply, result_reply
from workbench.core.wire.keys import JSONRPC, SUBSCRIPTION_ID_KEY
from workbench.core.wire.message import Notification, Request, RequestId

PIECE: Final = 64 * 1024
"""Largest write in bytes: about what a pipe takes at once."""


class Line(Struct, frozen=True):
    """Bytes to write."""

    data: bytes
    times: int = 1
    chunk: int = 0
    """Bytes per write; 0 writes as much as fits."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the writes, in order; a huge repetition is never held as a whole."""
        if not self.data:
            return
        size = self.chunk or PIECE
        batch = max(1, PIECE // len(self.data))
        for start in range(0, self.times, batch):
            block = self.data * min(batch, self.times - start)
            for index in range(0, len(block), size):
                yield block[index : index + size]


def answer_line(step: Reply | Error, request: Request) -> Line:
    """Write down an answer with everything that was edited in it."""
    if isinstance(step, Error):
        data = filled(step.data, request)
        body = error_reply(request.id, step.code, step.message, data)
    else:
        body = result_reply(request.id, filled(step.result, request))
    _put_id(body, step.id, request.id)
    body.update(filled(step.envelope, request))
    for name in step.envelope_without:
        body.pop(name, None)
    text = msgspec.json.encode(body)
    if step.pad:
        text = text[:1] + b" " * step.pad + text[1:]
    return Line(step.before.encode() + text + step.after.encode(), step.times, step.chunk)


def notification_line(
    step: Notify, message: Request | Notification | None, stream: RequestId | None = None
) -> Line:
    """Write down a notification, stamped with a listen stream's id if there is one."""
    params = filled(step.params, message)
    if stream is not None:
        params = {**params, "_meta": {**params.get("_meta", {}), SUBSCRIPTION_ID_KEY: stream}}
    body: dict[str, Any] = {"jsonrpc": JSONRPC, "method": step.method}
    if params:
        body["params"] = params
    return Line(msgspec.json.encode(body) + b"\n", step.times)


def request_line(step: Ask, message: Request | Notification | None) -> Line:
    """Write down a request to the client."""
    body: dict[str, Any] = {"jsonrpc": JSONRPC, "id": step.id, "method": step.method}
    if step.params:
        body["params"] = filled(step.params, message)
    return Line(msgspec.json.encode(body) + b"\n")


def raw_line(step: Raw, message: Request | Notification | None) -> Line:
    """Write down raw bytes; the id mark becomes the id's JSON form."""
    content = step.content()
    if isinstance(message, Request):
        content = content.replace(REQUEST_ID.encode(), msgspec.json.encode(message.id))
    return Line(content, step.times, step.chunk)


def filled(value: Any, message: Request | Notification | None) -> Any:
    """Return `value` with the two marks replaced by what `message` says."""
    if isinstance(value, dict):
        return {name: filled(item, message) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, message) for item in value]
    if value == REQUEST_ID and isinstance(message, Request):
        return message.id
    if value == PROGRESS_TOKEN and message is not None:
        meta = message.params.get("_meta")
        return meta.get("progressToken") if isinstance(meta, dict) else None
    return value


def _put_id(body: dict[str, Any], wanted: Any, honest: RequestId) -> None:
    match wanted:
        case "same":
            pass
        case "missing":
            body.pop("id")
        case "other":
            body["id"] = honest + 1_000 if isinstance(honest, int) else f"{honest}-other"
        case "string":
            body["id"] = str(honest)
        case "float":
            body["id"] = float(honest) if isinstance(honest, int) else honest
        case literal:
            body["id"] = literal
