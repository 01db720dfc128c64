"""Checks of modern results: rules LINT-08 and LINT-09.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  asks of a legacy result what only modern ones have
"""

from collections.abc import Iterator
from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.core.wire.keys import (
    COMPLETE,
    DISCOVER,
    INPUT_REQUIRED,
    PROMPTS_LIST,
    RESOURCES_LIST,
    RESOURCES_READ,
    TEMPLATES_LIST,
    TOOLS_LIST,
)
from workbench.core.wire.message import Result
from workbench.lint.envelope_checks import Seen
from workbench.lint.record import Asked, Frame, Life

CACHEABLE: Final = frozenset(
    {DISCOVER, PROMPTS_LIST, RESOURCES_LIST, RESOURCES_READ, TEMPLATES_LIST, TOOLS_LIST}
)
KINDS: Final = (COMPLETE, INPUT_REQUIRED)
SCOPES: Final = ("public", "private")


def check_result_type(life: Life) -> Seen:
    """LINT-08: a known resultType in every modern result."""
    for asked, frame, result in modern_results(life):
        kind = result.get("resultType")
        if "resultType" not in result:
            yield frame, f"a result of {visible(asked.request.method, 60)} has no resultType"
        elif kind not in KINDS:
            yield frame, f"resultType is {visible(repr(kind), 60)}"


def check_cache_hints(life: Life) -> Seen:
    """LINT-09: ttlMs and cacheScope where an answer may be kept."""
    for asked, frame, result in modern_results(life):
        if asked.request.method not in CACHEABLE or result.get("resultType") == INPUT_REQUIRED:
            continue
        ttl = result.get("ttlMs")
        if type(ttl) is not int or ttl < 0:
            yield frame, f"ttlMs is {_shown(result, 'ttlMs')}"
        if result.get("cacheScope") not in SCOPES:
            yield frame, f"cacheScope is {_shown(result, 'cacheScope')}"


def modern_results(life: Life) -> Iterator[tuple[Asked, Frame, dict[str, Any]]]:
    """Yield each result object of a modern request, with the request and its frame."""
    for asked in life.of("client"):
        if life.is_modern(asked):
            for frame in asked.answers:
                if isinstance(frame.message, Result) and isinstance(frame.message.result, dict):
                    yield asked, frame, frame.message.result


def _shown(result: dict[str, Any], name: str) -> str:
    return visible(repr(result[name]), 60) if name in result else "missing"
