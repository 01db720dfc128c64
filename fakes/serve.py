"""The smallest honest server: a loop that reads lines and answers each until the end.

Takes:  a handler `(method, params) -> result`, and a pair of byte streams
Gives:  one answer line per request, and the number of messages handed to the handler
Never:  stops for a bad line, answers a notification, or tells a client what broke inside

It works over any binary streams, `io.BytesIO` included. Spec: 2026-07-28 basic/index;
seed card "Serve JSON-RPC lines until EOF".
"""

from collections.abc import Callable, Iterator
from typing import IO, Any, Final

import msgspec

from fakes.errors import RpcError
from workbench.core.wire.codec import decode
from workbench.core.wire.envelope import error_reply, result_reply
from workbench.core.wire.framing import LineFramer, Oversized
from workbench.core.wire.keys import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR
from workbench.core.wire.message import Fault, Malformed, Notification, Request

Handler = Callable[[str, dict[str, Any]], Any]

MAX_REQUEST_BYTES: Final = 1_048_576
"""Longest accepted line in bytes; a longer one is answered with -32700."""
_UNREADABLE: Final = frozenset({Fault.NOT_JSON, Fault.NOT_UTF8, Fault.TOO_DEEP, Fault.TOO_LONG})


class StdioTransport:
    """Two byte streams, read and written a line at a time.

    Args:
        stdin: where requests come from; of a text stream, its binary `buffer` is used.
        stdout: where answers go; likewise, and flushed after each line.
        max_bytes: longest accepted line.
    """

    def __init__(self, stdin: IO[Any], stdout: IO[Any], max_bytes: int = MAX_REQUEST_BYTES) -> None:
        self._stdin: IO[bytes] = getattr(stdin, "buffer", stdin)
        self._stdout: IO[bytes] = getattr(stdout, "buffer", stdout)
        self._framer = LineFramer(max_bytes)

    def frames(self) -> Iterator[bytes | Oversized]:
        """Yield each line without its end, until the input ends."""
        while chunk := self._stdin.readline(65_536):
            yield from self._framer.feed(chunk)
        yield from self._framer.end()

    def write(self, body: dict[str, Any]) -> None:
        """Write one message and flush.

        Raises:
            TypeError: if the body has no JSON form; nothing is written then.
        """
        self._stdout.write(msgspec.json.encode(body) + b"\n")
        self._stdout.flush()


def serve(handler: Handler, transport: StdioTransport) -> int:
    """Answer every request until the input ends.

    The handler gets the method and the params (`{}` when there are none) and returns the
    result, any JSON value. It may raise `RpcError` to choose the error; anything else it
    raises becomes -32603 with nothing but the type's name.

    Returns:
        How many requests and notifications the handler has been given.
    """
    handled = 0
    for frame in transport.frames():
        if isinstance(frame, Oversized):
            transport.write(error_reply(None, PARSE_ERROR, "Parse error: the line is too long"))
            continue
        message = decode(frame)
        if isinstance(message, Malformed):
            if message.fault is not Fault.BLANK:
                transport.write(_not_a_message(message))
        elif isinstance(message, Request):
            handled += 1
            _send(transport, message, _answer(handler, message))
        elif isinstance(message, Notification):
            handled += 1
            _notice(handler, message)
    return handled


def _answer(handler: Handler, request: Request) -> dict[str, Any]:
    try:
        return result_reply(request.id, handler(request.method, request.params))
    except RpcError as problem:
        return error_reply(request.id, problem.code, problem.message, problem.data)
    except Exception as problem:
        return _internal(request, problem)


def _send(transport: StdioTransport, request: Request, body: dict[str, Any]) -> None:
    try:
        transport.write(body)
    except (TypeError, msgspec.MsgspecError, RecursionError, ValueError) as problem:
        transport.write(_internal(request, problem))


def _notice(handler: Handler, message: Notification) -> None:
    # Nobody waits for an answer, so there is nobody to tell about a failure.
    try:
        handler(message.method, message.params)
    except Exception:
        return


def _internal(request: Request, problem: Exception) -> dict[str, Any]:
    text = f"Internal error: {type(problem).__name__}"
    return error_reply(request.id, INTERNAL_ERROR, text)


def _not_a_message(message: Malformed) -> dict[str, Any]:
    if message.fault in _UNREADABLE:
        return error_reply(None, PARSE_ERROR, f"Parse error: {message.fault.value}")
    return error_reply(message.id, INVALID_REQUEST, f"Invalid Request: {message.detail}")
