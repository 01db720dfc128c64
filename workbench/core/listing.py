"""One peer's tools, page by page, as a conversation.

Takes:  the answer to each `tools/list`
Gives:  `Ask` for the next page, and at the end one `Listing`
Never:  lets one bad tool take the others down

The walk itself is `workbench.core.pages`; here each declaration is judged. A schema is
looked at by `workbench.core.schema_shape`, which takes microseconds, so that a tool nobody
could call never reaches a menu; a validator sees it only when it is called.

Spec: 2026-07-28 server/tools "Listing Tools".
"""

from collections import Counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from workbench.core import pages
from workbench.core.call import Answer
from workbench.core.errors import Failure
from workbench.core.pages import Ask, Collected, Pages
from workbench.core.schema_shape import malformed
from workbench.core.text import visible
from workbench.core.tool import Dropped, Listing, Tool
from workbench.core.wire.headers import annotation_fault
from workbench.core.wire.keys import TOOLS_LIST
from workbench.core.wire.versions import Era

__all__ = ["Ask", "Walk", "begin", "step"]


class Walk(Struct, frozen=True, kw_only=True):
    """A listing in progress."""

    peer: str
    era: Era
    accept_missing_result_type: bool = False
    mirrored: bool = False
    """Whether calls mirror arguments into headers (modern HTTP), so that a void
    `x-mcp-header` makes its tool unusable; elsewhere annotations mean nothing."""
    pages: Pages | None = None
    """The walk over the pages; set by `begin`."""


def begin(walk: Walk) -> tuple[Walk, Ask]:
    """Return the first request of a walk."""
    state, ask = pages.begin(
        Pages(
            peer=walk.peer,
            era=walk.era,
            method=TOOLS_LIST,
            member="tools",
            accept_missing_result_type=walk.accept_missing_result_type,
        )
    )
    return replace(walk, pages=state), ask


def step(walk: Walk, answer: Answer | Failure, now: float) -> tuple[Walk, Ask | Listing]:
    """Take the answer to the latest request.

    Args:
        walk: the listing so far, as `begin` or the last `step` returned it; not changed.
        answer: what came back, or why nothing did (deadline, broken transport).
        now: clock time in seconds; freshness counts from the first page.
    """
    assert walk.pages is not None  # a walk that was not begun has asked nothing
    state, outcome = pages.step(walk.pages, answer, now)
    walk = replace(walk, pages=state)
    return walk, outcome if isinstance(outcome, Ask) else _listing(walk, outcome)


def _listing(walk: Walk, collected: Collected) -> Listing:
    read = [_read_tool(item, index, walk.mirrored) for index, item in enumerate(collected.items)]
    dropped = (*(one for one in read if isinstance(one, Dropped)), *collected.cut)
    if collected.failure is not None:
        return Listing(
            peer=walk.peer,
            dropped=dropped,
            received_at=collected.received_at,
            complete=False,
            failure=collected.failure,
        )
    counted = Counter(tool.name for tool in read if isinstance(tool, Tool))
    refused = tuple(
        Dropped(name=visible(name, 120), reason=f"declared {count} times", rule="LIST-04")
        for name, count in sorted(counted.items())
        if count > 1
    )
    return Listing(
        peer=walk.peer,
        tools=tuple(tool for tool in read if isinstance(tool, Tool) and counted[tool.name] == 1),
        dropped=(*dropped, *refused),
        cache_scope=collected.cache_scope,
        ttl_ms=collected.ttl_ms,
        received_at=collected.received_at,
        complete=collected.complete,
    )


def _read_tool(definition: Any, index: int, mirrored: bool) -> Tool | Dropped:
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
    for member in ("inputSchema", "outputSchema"):
        fault = malformed(definition.get(member) or {})
        if fault:
            return _dropped(name, f"{member} is no JSON Schema: {fault}")
    void = annotation_fault(schema) if mirrored else None
    if void is not None:
        return Dropped(name=visible(name, 120), reason=void, rule="LIST-07")
    return Tool(name=name, definition=definition)


def _dropped(name: str, reason: str) -> Dropped:
    return Dropped(name=visible(name, 120), reason=reason, rule="LIST-03")
