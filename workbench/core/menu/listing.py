"""One peer's tools, as values.

Takes:  what a walk over the pages of `tools/list` collected
Gives:  `Listing`: the tools that can be used, and why the others cannot
Never:  lets one bad tool take the others down

The walk itself is `workbench.core.results.pages`; here each declaration is judged. A schema is
looked at by `workbench.core.schema_shape`, which takes microseconds, so that a tool nobody
could call never reaches a menu; a validator sees it only when it is called.

Spec: 2026-07-28 server/tools "Listing Tools".
"""

from collections import Counter
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from workbench.core.results.pages import Collected
from workbench.core.schema_shape import FlatObject, malformed
from workbench.core.text.visible import visible
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
    items = collected.items
    if not mirrored and _all_plain(items):
        read: list[Tool | Dropped] = [Tool(name=item["name"], definition=item) for item in items]
    else:
        read = [_read_tool(item, index, mirrored) for index, item in enumerate(items)]
    dropped = (*[one for one in read if type(one) is Dropped], *collected.cut)
    if collected.failure is not None:
        return Listing(
            peer=peer,
            dropped=dropped,
            received_at=collected.received_at,
            complete=False,
            failure=collected.failure,
        )
    tools = [one for one in read if type(one) is Tool]
    names = [tool.name for tool in tools]
    counted = Counter(names) if len(set(names)) < len(names) else Counter()
    twice = sorted([name for name, count in counted.items() if count > 1])
    refused = tuple(
        Dropped(name=visible(name, 120), reason=f"declared {counted[name]} times", rule="LIST-04")
        for name in twice
    )
    if twice:
        tools = [tool for tool in tools if counted[tool.name] == 1]
    return Listing(
        peer=peer,
        tools=tuple(tools),
        dropped=(*dropped, *refused),
        cache_scope=collected.cache_scope,
        ttl_ms=collected.ttl_ms,
        received_at=collected.received_at,
        complete=collected.complete,
        stale=collected.stale,
    )


_AT_ONCE: Final = 100
"""Few enough for what a conversion makes to stay in the processor's cache."""


class _Plain(Struct, gc=False):
    """A tool without anything that has to be looked at twice."""

    name: Annotated[str, msgspec.Meta(min_length=1)]
    inputSchema: FlatObject
    kind: UnsetType = msgspec.field(name="outputSchema", default=UNSET)


def _all_plain(items: tuple[Any, ...]) -> bool:
    """Say whether every tool is surely in order; asked of many at once, all in C."""
    try:
        for start in range(0, len(items), _AT_ONCE):
            msgspec.convert(items[start : start + _AT_ONCE], list[_Plain])
    except msgspec.ValidationError:
        return False
    return True


def _read_tool(definition: Any, index: int, mirrored: bool) -> Tool | Dropped:
    if definition is None:
        return _dropped(f"(tool {index})", "the declaration is null or nested too deeply")
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
    fault = malformed(schema)
    if fault:
        return _dropped(name, f"inputSchema is no JSON Schema: {fault}")
    fault = malformed(output) if output else ""
    if fault:
        return _dropped(name, f"outputSchema is no JSON Schema: {fault}")
    void = annotation_fault(schema) if mirrored else None
    if void is not None:
        return Dropped(name=visible(name, 120), reason=void, rule="LIST-07")
    return Tool(name=name, definition=definition)


def _dropped(name: str, reason: str) -> Dropped:
    return Dropped(name=visible(name, 120), reason=reason, rule="LIST-03")
