"""One peer's tools, page by page, as a conversation.

Takes:  the answer to each `tools/list`
Gives:  `Ask` for the next page, and at the end one `Listing`
Never:  walks a cursor twice, and never lets one bad tool take the others down

Spec: server/tools "Listing Tools", server/utilities/pagination ("" is a cursor; only an
absent or null one ends the walk). Ours: every loop is bounded, and a partial list is
flagged so that nobody caches it.
"""

from collections import Counter
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.call import Answer, success_value
from workbench.core.errors import Failure, Kind
from workbench.core.rules import RULES
from workbench.core.text import visible
from workbench.core.tool import CacheScope, Dropped, Listing, Tool
from workbench.core.wire.versions import Era

MAX_PAGES: Final = 1_000
"""Longest walk; 1,000 pages of 20 tools is far more than any menu can use."""
MAX_TOOLS: Final = 100_000


class Ask(Struct, frozen=True):
    """Request the next page with these parameters."""

    params: dict[str, Any]


class Walk(Struct, frozen=True, kw_only=True):
    """A listing in progress."""

    peer: str
    era: Era
    accept_missing_result_type: bool = False
    tools: tuple[Tool, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    cursors: tuple[str, ...] = ()
    scopes: tuple[Any, ...] = ()
    ttls: tuple[Any, ...] = ()
    started_at: float = 0.0


def begin(walk: Walk) -> tuple[Walk, Ask]:
    """Return the first request of a walk."""
    return walk, Ask({})


def step(walk: Walk, answer: Answer | Failure, now: float) -> tuple[Walk, Ask | Listing]:
    """Take the answer to the latest request.

    Args:
        walk: the listing so far; not changed.
        answer: what came back, or why nothing did (deadline, broken transport).
        now: clock time in seconds; freshness counts from the first page.
    """
    if isinstance(answer, Failure):
        return walk, _without_list(walk, answer, now)
    value = success_value(
        answer,
        walk.era,
        peer=walk.peer,
        stage="listing",
        accept_missing_result_type=walk.accept_missing_result_type,
    )
    if isinstance(value, Failure):
        return walk, _without_list(walk, value, now)
    fault = _page_fault(value)
    if fault:
        return walk, _without_list(walk, _violation(walk, fault), now)
    if not walk.cursors and not walk.scopes:
        walk = replace(walk, started_at=now)
    walk = _with_page(walk, value)
    return _onward(walk, value.get("nextCursor"))


def _onward(walk: Walk, cursor: str | None) -> tuple[Walk, Ask | Listing]:
    if cursor is None:
        return walk, _listing(walk)
    reason = None
    if cursor in walk.cursors:
        reason = f"the cursor “{visible(cursor, 60)}” came twice"
    elif len(walk.cursors) + 1 >= MAX_PAGES:
        reason = f"more than {MAX_PAGES} pages"
    elif len(walk.tools) > MAX_TOOLS:
        reason = f"more than {MAX_TOOLS} tools"
    if reason:
        cut = Dropped(name="(further pages)", reason=reason, rule="LIST-05")
        walk = replace(walk, dropped=(*walk.dropped, cut))
        return walk, _listing(walk, complete=False)
    return replace(walk, cursors=(*walk.cursors, cursor)), Ask({"cursor": cursor})


def _with_page(walk: Walk, value: dict[str, Any]) -> Walk:
    tools, dropped = list(walk.tools), list(walk.dropped)
    for index, definition in enumerate(value["tools"]):
        tool = _read_tool(definition, index)
        (tools if isinstance(tool, Tool) else dropped).append(tool)  # type: ignore[arg-type]
    return replace(
        walk,
        tools=tuple(tools),
        dropped=tuple(dropped),
        scopes=(*walk.scopes, value.get("cacheScope")),
        ttls=(*walk.ttls, value.get("ttlMs")),
    )


def _read_tool(definition: Any, index: int) -> Tool | Dropped:
    if not isinstance(definition, dict):
        return _dropped(f"(tool {index})", "the declaration is not an object")
    name = definition.get("name")
    if not isinstance(name, str) or not name:
        return _dropped(f"(tool {index})", "the name is missing or not a string")
    schema = definition.get("inputSchema")
    if not isinstance(schema, dict):
        return _dropped(name, "inputSchema is missing or not an object")
    if schema.get("type") != "object":
        return _dropped(name, 'inputSchema.type is not "object"')
    output = definition.get("outputSchema")
    if output is not None and not isinstance(output, dict):
        return _dropped(name, "outputSchema is not an object")
    return Tool(name=name, definition=definition)


def _dropped(name: str, reason: str) -> Dropped:
    return Dropped(name=visible(name, 120), reason=reason, rule="LIST-03")


def _page_fault(value: dict[str, Any]) -> str | None:
    if not isinstance(value.get("tools"), list):
        return "$.tools is missing or not an array"
    cursor = value.get("nextCursor")
    if cursor is not None and not isinstance(cursor, str):
        return "$.nextCursor is not a string"
    return None


def _listing(walk: Walk, complete: bool = True) -> Listing:
    counted = Counter(tool.name for tool in walk.tools)
    twice = sorted(name for name, count in counted.items() if count > 1)
    refused = tuple(
        Dropped(name=visible(name, 120), reason=f"declared {counted[name]} times", rule="LIST-04")
        for name in twice
    )
    unique = walk.tools
    if twice:
        unique = tuple(tool for tool in walk.tools if counted[tool.name] == 1)
    return Listing(
        peer=walk.peer,
        tools=unique,
        dropped=(*walk.dropped, *refused),
        cache_scope=_scope(walk.scopes),
        ttl_ms=_ttl(walk.ttls),
        received_at=walk.started_at,
        complete=complete,
    )


def _scope(scopes: tuple[Any, ...]) -> CacheScope:
    # One page that is private, or says nothing we know, makes the whole list private.
    return "public" if scopes and all(scope == "public" for scope in scopes) else "private"


def _ttl(ttls: tuple[Any, ...]) -> int | None:
    # The list is as fresh as its shortest-lived page; a hint that is no integer is no hint.
    hints = [ttl if type(ttl) is int else 0 for ttl in ttls]
    return max(min(hints), 0) if hints else None


def _violation(walk: Walk, fault: str) -> Failure:
    return Failure(
        kind=Kind.PROTOCOL_VIOLATION,
        peer=walk.peer,
        stage="listing",
        rule="LIST-02",
        detail=f"the answer to tools/list is malformed: {fault}",
        hint=RULES["LIST-02"].hint,
    )


def _without_list(walk: Walk, failure: Failure, now: float) -> Listing:
    # Pages that arrived before the fault are no list: nobody can tell what is missing.
    return Listing(
        peer=walk.peer, dropped=walk.dropped, received_at=now, complete=False, failure=failure
    )
