"""One peer's tools, as values.

Takes:  what a walk over the pages of `tools/list` collected
Gives:  `Listing`: the tools that can be used, and why the others cannot
Never:  lets one bad tool take the others down

The walk itself is `workbench.core.pages`; here each declaration is judged. A schema is
looked at by `workbench.core.schema_shape`, which takes microseconds, so that a tool nobody
could call never reaches a menu; a validator sees it only when it is called.

Spec: 2026-07-28 server/tools "Listing Tools".
"""

from collections import Counter
from typing import Any

from workbench.core.pages import Collected
from workbench.core.schema_shape import malformed
from workbench.core.text import visible
from workbench.core.tool import Dropped, Listing, Tool
from workbench.core.wire.headers import annotation_fault


def listing_of(peer: str, collected: Collected, *, mirrored: bool = False) -> Listing:
    """Judge what a walk collected; one bad tool never takes the others down.

    Args:
        peer: name of the peer.
        collected: the end of the walk.
        mirrored: whether calls mirror arguments into headers (modern HTTP), so that a void
            `x-mcp-header` makes its tool unusable; elsewhere annotations mean nothing.
    """
    read = [_read_tool(item, index, mirrored) for index, item in enumerate(collected.items)]
    dropped = (*(one for one in read if isinstance(one, Dropped)), *collected.cut)
    if collected.failure is not None:
        return Listing(
            peer=peer,
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
        peer=peer,
        tools=tuple(tool for tool in read if isinstance(tool, Tool) and counted[tool.name] == 1),
        dropped=(*dropped, *refused),
        cache_scope=collected.cache_scope,
        ttl_ms=collected.ttl_ms,
        received_at=collected.received_at,
        complete=collected.complete,
        stale=collected.stale,
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
