"""What changed between two definitions of one tool, in words a person can judge.

Takes:  the definition as it was accepted, and as it is now
Gives:  one safe line for each member that differs, a bounded number of them
Never:  shows a peer's text unescaped, and never walks deeper than a person would read

Source: fault matrix C13, "drift is reported".
"""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from workbench.core.text.json_text import canonical_text
from workbench.core.text.visible import visible

MOST_LINES: Final = 8
"""Differences told; the last line says that there are more."""
_DEPTH: Final = 6
_SHOWN: Final = 120


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what differs, members in sorted order; nothing when the JSON is the same."""
    found = tuple(islice(_walk("", before, after, _DEPTH), MOST_LINES + 1))
    if len(found) > MOST_LINES:
        return (*found[:MOST_LINES], "and more")
    return found


def same(before: Any, after: Any) -> bool:
    """Say whether two values are the same JSON: `1`, `1.0` and `true` are three things."""
    try:
        return bool(before == after) and _text(before) == _text(after)
    except RecursionError:  # too deep to be compared or written by a recursion
        return canonical_text(before) == canonical_text(after)


def _walk(path: str, before: Any, after: Any, depth: int) -> Iterator[str]:
    if same(before, after):
        return
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)) or depth == 0:
        yield f"{path} was {_quoted(before)}, is {_quoted(after)}"
        return
    for key in sorted({*before, *after}):
        inner = f"{path}.{visible(key, 60)}" if path else visible(key, 60)
        if key not in after:
            yield f"{inner} was {_quoted(before[key])}, is gone"
        elif key not in before:
            yield f"{inner} is new: {_quoted(after[key])}"
        else:
            yield from _walk(inner, before[key], after[key], depth - 1)


def _text(value: Any) -> bytes:
    try:
        # Ten thousand tools are compared at a time, so it had better be fast.
        return msgspec.json.encode(value, order="deterministic")
    except (OverflowError, ValueError):  # a number beyond 64 bits
        return json.dumps(value, sort_keys=True).encode()


def _quoted(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply to be shown"
    return visible(text, _SHOWN)
