"""An inventory as an MCP server: what it answers to each message, in both eras.

Takes:  a menu, and one message at a time
Gives:  the answer, or None where there is none to give
Never:  runs a tool of the inventory: it lists them and searches them, and says whose they are

A modern request carries its revision in `_meta` and is answered by itself, at any time. Every
other request is a legacy one and is refused with -32002 until `initialize` has been answered.
Source: seed card, "Project: MCP Tool Discovery Workbench"; Spec: 2026-07-28 server/discover,
server/tools, basic/index; 2025-11-25 basic/lifecycle.
"""

from typing import Any, Final

from workbench.core.errors import MisuseError
from workbench.core.menu.menu import Menu
from workbench.core.menu.shortlist import SMALLEST, definition_of
from workbench.core.text.visible import visible
from workbench.core.version import __version__
from workbench.core.wire.envelope import error_reply, result_reply
from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    COMPLETE,
    DISCOVER,
    INITIALIZE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    PARSE_ERROR,
    SERVER_INFO_KEY,
    TOOLS_CALL,
    TOOLS_LIST,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
)
from workbench.core.wire.message import Fault, Incoming, Malformed, Request
from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS

CATALOG_SEARCH: Final = "catalog_search"
PAGE: Final = 32
"""Tools on one page of a `tools/list`."""
DEFAULT_CHARS: Final = 4_000
MOST_CHARS: Final = 1_000_000
DEFAULT_LIMIT: Final = 10
MOST_LIMIT: Final = 100
LONGEST_QUERY: Final = 2_000

_INFO: Final = {"name": "mcp-workbench-catalogue", "version": __version__}
_TTL_MS: Final = 3_600_000
_INSTRUCTIONS: Final = (
    f"Search this catalogue with {CATALOG_SEARCH}. The other tools are listed for reading: "
    "each belongs to another server and is called there."
)
_UNREADABLE: Final = frozenset({Fault.NOT_JSON, Fault.NOT_UTF8, Fault.TOO_DEEP, Fault.TOO_LONG})

SEARCH_TOOL: Final[dict[str, Any]] = {
    "name": CATALOG_SEARCH,
    "title": "Search the tool catalogue",
    "description": (
        "Find the tools that fit a task, best first: their whole definitions, as many as a "
        "budget of characters has room for."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": LONGEST_QUERY,
                "description": "What the tool should do, in your own words.",
            },
            "max_chars": {
                "type": "integer",
                "minimum": SMALLEST,
                "maximum": MOST_CHARS,
                "default": DEFAULT_CHARS,
                "description": "Longest answer, in characters of JSON.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_LIMIT,
                "default": DEFAULT_LIMIT,
                "description": "Most tools in the answer.",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {"tools": {"type": "array", "items": {"type": "object"}}},
        "required": ["tools"],
    },
    "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
}


class Catalogue:
    """One server, for one client and one lifetime.

    Args:
        menu: the inventory, read with `CATALOG_SEARCH` reserved.
        max_chars: the budget of a search that names none.
    """

    def __init__(self, menu: Menu, max_chars: int = DEFAULT_CHARS) -> None:
        self._menu = menu
        self._max_chars = max_chars
        tools = [SEARCH_TOOL, *(definition_of(item) for item in menu.items)]
        self._pages = [tools[start : start + PAGE] for start in range(0, len(tools), PAGE)]
        self._greeted = False

    def answer(self, message: Incoming) -> dict[str, Any] | None:
        """Return the body of the answer to a message; None for what gets none."""
        if isinstance(message, Malformed):
            return _complaint(message)
        if not isinstance(message, Request):
            return None
        meta = message.params.get("_meta")
        try:
            if isinstance(meta, dict) and VERSION_KEY in meta:
                served = self._modern(message, meta)
            else:
                served = self._legacy(message)
        except _Refusal as refusal:
            return error_reply(message.id, refusal.code, str(refusal), refusal.data)
        return result_reply(message.id, served)

    # -- the eras ----------------------------------------------------------------------

    def _modern(self, request: Request, meta: dict[str, Any]) -> dict[str, Any]:
        version = meta[VERSION_KEY]
        if not isinstance(version, str):
            raise _Refusal(INVALID_PARAMS, f"{VERSION_KEY} is not a string")
        if version not in MODERN_REVISIONS:
            data = {"supported": list(MODERN_REVISIONS), "requested": version}
            raise _Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        if not isinstance(meta.get(CAPABILITIES_KEY), dict):
            raise _Refusal(INVALID_PARAMS, f"params._meta lacks {CAPABILITIES_KEY}")
        result: dict[str, Any]
        hints = {"ttlMs": _TTL_MS, "cacheScope": "public"}
        if request.method == DISCOVER:
            supported = [*MODERN_REVISIONS, *LEGACY_REVISIONS]
            result = {"supportedVersions": supported, **_offer(), **hints}
        elif request.method == TOOLS_LIST:
            result = {**self._page(request.params), **hints}
        elif request.method == TOOLS_CALL:
            result = self._call(request.params)
        else:
            raise _unknown_method(request.method)
        return {"resultType": COMPLETE, **result, "_meta": {SERVER_INFO_KEY: _INFO}}

    def _legacy(self, request: Request) -> dict[str, Any]:
        if request.method == INITIALIZE:
            return self._greet(request.params)
        if request.method == "ping":
            return {}
        if not self._greeted:
            raise _Refusal(NOT_INITIALIZED, "Server not initialized: send initialize first")
        if request.method == TOOLS_LIST:
            return self._page(request.params)
        if request.method == TOOLS_CALL:
            return self._call(request.params)
        raise _unknown_method(request.method)

    def _greet(self, params: dict[str, Any]) -> dict[str, Any]:
        if self._greeted:
            raise _Refusal(INVALID_REQUEST, "Already initialized")
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise _Refusal(INVALID_PARAMS, "protocolVersion is missing")
        self._greeted = True
        agreed = asked if asked in LEGACY_REVISIONS else LEGACY_REVISIONS[-1]
        return {"protocolVersion": agreed, **_offer(), "serverInfo": _INFO}

    # -- the tools ---------------------------------------------------------------------

    def _page(self, params: dict[str, Any]) -> dict[str, Any]:
        number = _page_number(params.get("cursor"), len(self._pages))
        page: dict[str, Any] = {"tools": self._pages[number]}
        if number + 1 < len(self._pages):
            page["nextCursor"] = f"page-{number + 2}"
        return page

    def _call(self, params: dict[str, Any]) -> dict[str, Any]:
        name, given = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            raise _Refusal(INVALID_PARAMS, "name is missing")
        if not isinstance(given, dict):
            raise _Refusal(INVALID_PARAMS, "arguments must be an object")
        if name != CATALOG_SEARCH:
            item = self._menu.get(name)
            if item is None:
                raise _Refusal(INVALID_PARAMS, f"Unknown tool: {visible(name, 80)}")
            said = f"{name} is only listed here; call {item.local} at the server {item.peer}."
            return _tool_error(said)
        fault = _fault(given)
        if fault:
            return _tool_error(fault)
        try:
            found = self._menu.search(
                given["query"],
                max_chars=given.get("max_chars", self._max_chars),
                limit=given.get("limit", DEFAULT_LIMIT),
            )
        except MisuseError as problem:
            return _tool_error(problem.failure.detail)
        return {
            "content": [{"type": "text", "text": found.text}],
            "structuredContent": {"tools": found.definitions},
            "isError": False,
        }


class _Refusal(Exception):
    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def _offer() -> dict[str, Any]:
    return {"capabilities": {"tools": {}}, "instructions": _INSTRUCTIONS}


def _page_number(cursor: Any, pages: int) -> int:
    if cursor is None:
        return 0
    numbers = {f"page-{number + 1}": number for number in range(1, pages)}
    if not isinstance(cursor, str) or cursor not in numbers:
        raise _Refusal(INVALID_PARAMS, "Invalid cursor")
    return numbers[cursor]


def _fault(given: dict[str, Any]) -> str:
    """Say what is wrong with the arguments of a search, so that a model can correct them."""
    unknown = sorted(set(given) - set(SEARCH_TOOL["inputSchema"]["properties"]))
    if unknown:
        return f"{CATALOG_SEARCH} has no parameter {visible(unknown[0], 40)!r}"
    query = given.get("query")
    if not isinstance(query, str) or not 1 <= len(query) <= LONGEST_QUERY:
        return f"query must be a string of 1 to {LONGEST_QUERY} characters"
    for name, least, most in (("max_chars", SMALLEST, MOST_CHARS), ("limit", 1, MOST_LIMIT)):
        value = given.get(name, least)
        if type(value) is not int or not least <= value <= most:
            return f"{name} must be an integer from {least} to {most}"
    return ""


def _tool_error(said: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": visible(said)}], "isError": True}


def _unknown_method(method: str) -> "_Refusal":
    return _Refusal(METHOD_NOT_FOUND, f"Method not found: {visible(method, 80)}")


def _complaint(message: Malformed) -> dict[str, Any] | None:
    if message.fault is Fault.BLANK:
        return None
    if message.fault in _UNREADABLE:
        return error_reply(None, PARSE_ERROR, f"Parse error: {message.fault.value}")
    return error_reply(message.id, INVALID_REQUEST, f"Invalid Request: {message.detail}")
