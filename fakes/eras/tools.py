"""Listing and calling tools, the part both eras have in common.

Takes:  the server and the params of a `tools/list` or `tools/call`
Gives:  the bare result without anything an era adds, or an `Error`
"""

from typing import Any

import msgspec

from fakes.server import Server
from fakes.steps import Error
from workbench.core.wire.keys import INVALID_PARAMS


def page(server: Server, params: dict[str, Any]) -> dict[str, Any] | Error:
    """Return one page of tools; a cursor this server never gave is refused."""
    cursor, tools, size = params.get("cursor"), server.definitions(), server.page_size
    if not size:
        return {"tools": tools} if cursor is None else _bad_cursor()
    starts = {
        None if start == 0 else f"from-{start}": start for start in range(0, len(tools), size)
    }
    if not isinstance(cursor, str | None) or (cursor not in starts and tools):
        return _bad_cursor()
    start = starts.get(cursor, 0)
    result: dict[str, Any] = {"tools": tools[start : start + size]}
    if start + size < len(tools):
        result["nextCursor"] = f"from-{start + size}"
    return result


def call(server: Server, params: dict[str, Any]) -> dict[str, Any] | Error:
    """Return the echo of a call; an unknown tool is refused."""
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or name not in [one.get("name") for one in server.definitions()]:
        return Error(code=INVALID_PARAMS, message=f"Unknown tool: {name}")
    if not isinstance(arguments, dict):
        return Error(code=INVALID_PARAMS, message="arguments must be an object")
    text = f"{name}: {msgspec.json.encode(arguments).decode()}"
    return {"content": [{"type": "text", "text": text}], "isError": False}


def _bad_cursor() -> Error:
    return Error(code=INVALID_PARAMS, message="Invalid cursor")
