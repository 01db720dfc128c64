"""What an HTTP host checks before a server sees a message: pure, and strict.

Takes:  the headers of a request, and for a modern one its decoded body
Gives:  a `Refusal`, or None
Never:  reads a socket, and never shares code with the client side it judges

Spec: 2026-07-28 basic/transports/streamable-http, "Security & Endpoint", "Request
Metadata", "Server Validation".
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from fakes.http_steps import JSON_TYPE, SSE_TYPE
from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    TOOLS_CALL,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
)
from workbench.core.wire.message import Request

VERSION_HEADER: Final = "mcp-protocol-version"
METHOD_HEADER: Final = "mcp-method"
NAME_HEADER: Final = "mcp-name"
PARAM_PREFIX: Final = "mcp-param-"
SESSION_HEADER: Final = "mcp-session-id"

NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Method -> the member of params that `Mcp-Name` repeats."""

STATUS_OF_CODE: Final = {
    -32700: 400,
    -32600: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    -32021: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""JSON-RPC error code -> HTTP status of a modern answer; every other code has 200."""

_LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_SENTINEL: Final = re.compile(r"=\?base64\?(.*)\?=", re.DOTALL)
_SAFE: Final = re.compile(r"[\x20-\x7e\t]*")


class Refusal(Struct, frozen=True, kw_only=True):
    """Why a message does not get through."""

    status: int
    code: int = 0
    """JSON-RPC error code; 0 sends no JSON-RPC body."""
    message: str = ""
    data: Any = None


def origin_refusal(
    headers: Mapping[str, str], origins: Sequence[str], hosts: Sequence[str]
) -> Refusal | None:
    """Refuse a foreign Host, and an Origin that is present and not allowed.

    Args:
        headers: with lower-case names.
        origins: allowed besides this machine's own, compared exactly.
        hosts: names allowed besides this machine's own, without port.
    """
    host = _host_of(f"//{headers.get('host', '')}")
    if host is None or host not in {*_LOCAL, *hosts}:
        return Refusal(status=403, code=-32600, message="Host is not allowed")
    origin = headers.get("origin")
    if origin is None or origin in origins:
        return None
    if origin.startswith(("http://", "https://")) and _host_of(origin) in _LOCAL:
        parts = urlsplit(origin)
        if not (parts.path or parts.query or parts.fragment or "@" in parts.netloc):
            return None
    return Refusal(status=403, code=-32600, message="Origin is not allowed")


def _host_of(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
        return parts.hostname
    except ValueError:
        return None


def media_refusal(headers: Mapping[str, str]) -> Refusal | None:
    """Refuse a body that is not JSON, and a client that cannot read both kinds of answer."""
    if media_type(headers.get("content-type", "")) != JSON_TYPE:
        return Refusal(status=415, code=-32600, message=f"Content-Type must be {JSON_TYPE}")
    if not (accepts(headers, JSON_TYPE) and accepts(headers, SSE_TYPE)):
        text = f"Accept must list {JSON_TYPE} and {SSE_TYPE}"
        return Refusal(status=406, code=-32600, message=text)
    return None


def media_type(value: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return value.partition(";")[0].strip().lower()


def accepts(headers: Mapping[str, str], wanted: str) -> bool:
    """Say whether `Accept` admits a media type."""
    listed = {media_type(one) for one in headers.get("accept", "").split(",")}
    return not listed.isdisjoint({wanted, "*/*", f"{wanted.partition('/')[0]}/*"})


def modern_refusal(
    request: Request, headers: Sequence[tuple[str, str]], tools: Sequence[Mapping[str, Any]]
) -> Refusal | None:
    """Refuse a request whose metadata is missing or contradicts its headers.

    Whether its version is supported is the server's business, not this check's.

    Args:
        request: the decoded body.
        headers: as they came, names in lower case.
        tools: the definitions a `tools/call` may name, for `Mcp-Param-*`.
    """
    meta = request.params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    for key, kind in ((VERSION_KEY, str), (CAPABILITIES_KEY, dict)):
        if not isinstance(meta.get(key), kind):
            return Refusal(status=400, code=INVALID_PARAMS, message=f"params._meta lacks {key}")
    wanted = {VERSION_HEADER: meta[VERSION_KEY], METHOD_HEADER: request.method}
    named = NAMED.get(request.method)
    if named is not None:
        wanted[NAME_HEADER] = request.params.get(named)
    for name, value in wanted.items():
        if isinstance(value, str):
            problem = _contradiction(name, _all(headers, name), value, name == NAME_HEADER)
            if problem:
                return _mismatch(problem)
    return _param_refusal(request, headers, tools)


def _param_refusal(
    request: Request, headers: Sequence[tuple[str, str]], tools: Sequence[Mapping[str, Any]]
) -> Refusal | None:
    if request.method != TOOLS_CALL:
        return None
    named = (tool for tool in tools if tool.get("name") == request.params.get("name"))
    schema = next(named, {}).get("inputSchema")
    for path, word in annotated(schema):
        name = f"{PARAM_PREFIX}{word.lower()}"
        value = _at(request.params.get("arguments"), path)
        problem = _contradiction(name, _all(headers, name), value, encoded=True)
        if problem:
            return _mismatch(problem)
    return None


def annotated(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path and the header word of each annotated property, reached by `properties`."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or len(path) > 64:
        return
    for name, below in properties.items():
        word = below.get("x-mcp-header") if isinstance(below, dict) else None
        if isinstance(word, str) and word:
            yield (*path, name), word
        yield from annotated(below, (*path, name))


def _at(arguments: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _all(headers: Sequence[tuple[str, str]], name: str) -> list[str]:
    return [value for one, value in headers if one == name]


def _contradiction(name: str, sent: list[str], value: Any, encoded: bool) -> str | None:
    """Return what is wrong with the lines of one header, or None."""
    if value is None:
        return f"{name} is sent, but the body has no such value" if sent else None
    if not sent:
        return f"{name} is missing"
    if len(sent) > 1:
        return f"{name} is sent {len(sent)} times"
    if not _SAFE.fullmatch(sent[0]):
        return f"{name} holds invalid characters"
    text = decoded(sent[0]) if encoded else sent[0]
    if text is None:
        return f"{name} cannot be decoded"
    return None if _equal(text, value) else f"{name} differs from the body"


def decoded(text: str) -> str | None:
    """Undo the base64 form of a header value; None when it cannot be undone."""
    match = _SENTINEL.fullmatch(text)
    if match is None:
        return text
    try:
        raw = base64.b64decode(match[1], validate=True)
        return raw.decode() if base64.b64encode(raw).decode() == match[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _equal(text: str, value: Any) -> bool:
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, int | float):
        try:
            return float(text) == value
        except ValueError:
            return False
    return bool(text == value)


def _mismatch(problem: str) -> Refusal:
    return Refusal(status=400, code=HEADER_MISMATCH, message=f"Header mismatch: {problem}")
