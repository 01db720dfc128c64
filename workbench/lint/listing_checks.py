"""Checks of lists of tools: rules LINT-26 to LINT-28.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  compares two walks with each other: a list may change between them
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from workbench.core.schema_shape import malformed
from workbench.core.text.visible import visible
from workbench.core.wire.headers import annotation_fault
from workbench.core.wire.keys import TOOLS_LIST
from workbench.lint.envelope_checks import Seen
from workbench.lint.record import Asked, Life


def check_names(life: Life) -> Seen:
    """LINT-26: no name twice on one page."""
    for asked in _walk(life, TOOLS_LIST):
        names = Counter(str(tool.get("name")) for tool in _tools(asked) if "name" in tool)
        for name, times in names.items():
            if times > 1:
                yield asked.answers[0], f"{times} tools are called {visible(name, 80)}"


def check_declarations(life: Life) -> Seen:
    """LINT-27: schemas that are schemas, annotations that can be headers."""
    for asked in _walk(life, TOOLS_LIST):
        for tool in _tools(asked):
            for what in _declaration_faults(tool, bool(life.is_modern(asked))):
                yield asked.answers[0], f"{visible(str(tool.get('name', '?')), 80)}: {what}"


def check_cursors(life: Life) -> Seen:
    """LINT-28: a walk that ends."""
    seen: dict[str, set[str]] = {}
    for asked in life.of("client"):
        method, cursor = asked.request.method, asked.request.params.get("cursor")
        result = asked.result
        if not method.endswith("/list") or not isinstance(result, dict):
            continue
        if cursor is None:
            seen[method] = set()
        follows = result.get("nextCursor")
        passed = seen.setdefault(method, set())
        if isinstance(cursor, str):
            passed.add(cursor)
        if isinstance(follows, str) and follows in passed:
            yield asked.answers[0], f"the cursor {visible(repr(follows), 60)} leads back"


def _declaration_faults(tool: dict[str, Any], modern: bool) -> Iterator[str]:
    for member in ("inputSchema", "outputSchema"):
        schema = tool.get(member)
        if isinstance(schema, dict) and (fault := malformed(schema)):
            yield f"{member} {fault}"
    void = annotation_fault(tool.get("inputSchema")) if modern else None
    if void is not None:
        yield void


def _walk(life: Life, method: str) -> Iterator[Asked]:
    return (
        asked
        for asked in life.of("client")
        if asked.request.method == method and isinstance(asked.result, dict)
    )


def _tools(asked: Asked) -> list[dict[str, Any]]:
    tools = asked.result.get("tools")
    return [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
