"""Checks of the errors only modern servers know: rules LINT-19 to LINT-22.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  takes an error for a fault because it is one: refusing is anybody's right
"""

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.core.text.visible import visible
from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    DISCOVER,
    HEADER_MISMATCH,
    MISSING_CAPABILITY,
    TOOLS_CALL,
    UNSUPPORTED_VERSION,
)
from workbench.core.wire.message import ErrorReply
from workbench.lint.envelope_checks import Seen
from workbench.lint.record import Asked, Frame, Life
from workbench.lint.request_checks import header_faults


def check_version_errors(life: Life) -> Seen:
    """LINT-19: -32022 with what a client needs to choose another version."""
    for asked, frame, error in _errors(life, UNSUPPORTED_VERSION):
        data = error.data if isinstance(error.data, dict) else {}
        supported, requested = data.get("supported"), data.get("requested")
        if not isinstance(supported, list) or not all(isinstance(one, str) for one in supported):
            yield frame, "its data lists no supported versions"
        elif asked.version in supported:
            yield frame, f"it refuses {visible(asked.version or '', 40)} and lists it as supported"
        if not isinstance(requested, str):
            yield frame, "its data does not say which version was requested"
        elif asked.version is not None and requested != asked.version:
            seen = f"{visible(requested, 40)}, and it was {visible(asked.version, 40)}"
            yield frame, f"it says that the request was in {seen}"


def check_capability_errors(life: Life) -> Seen:
    """LINT-20: -32021 with what is needed, which was not declared."""
    for asked, frame, error in _errors(life, MISSING_CAPABILITY):
        data = error.data if isinstance(error.data, dict) else {}
        required = data.get("requiredCapabilities")
        if not isinstance(required, dict) or not required:
            yield frame, "its data names no required capabilities"
            continue
        declared = asked.frame.meta.get(CAPABILITIES_KEY)
        if isinstance(declared, dict) and _holds(declared, required):
            names = ", ".join(visible(name, 40) for name in required)
            yield frame, f"it misses {names}, which the request declared"


def check_header_errors(life: Life) -> Seen:
    """LINT-21: -32020 only where headers and body differ."""
    for asked, frame, error in _errors(life, HEADER_MISMATCH):
        headers = asked.frame.facts.headers
        if not headers and not life.is_http:
            yield frame, "this transport has no headers"
        elif headers and asked.request.method != TOOLS_CALL:
            if not any(header_faults(asked, headers)):
                yield frame, f"the headers fit the body ({visible(error.message, 80)})"


def check_versions(life: Life) -> Seen:
    """LINT-22: no success for a version that is not supported."""
    for asked in life.of("client"):
        result = asked.result
        if asked.request.method != DISCOVER or not isinstance(result, dict):
            continue
        supported = result.get("supportedVersions")
        if not isinstance(supported, list) or not all(isinstance(one, str) for one in supported):
            continue
        if asked.version is not None and asked.version not in supported:
            listed = visible(", ".join(supported), 80) or "none"
            said = f"it answers a request in {visible(asked.version, 40)} and supports {listed}"
            yield asked.answers[0], said


def _errors(life: Life, code: int) -> Iterator[tuple[Asked, Frame, ErrorReply]]:
    for asked in life.of("client"):
        for frame in asked.answers:
            if isinstance(frame.message, ErrorReply) and frame.message.code == code:
                yield asked, frame, frame.message


def _holds(declared: Mapping[str, Any], required: Mapping[str, Any]) -> bool:
    return all(
        name in declared
        and (not isinstance(value, dict) or _holds(_mapping(declared[name]), value))
        for name, value in required.items()
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
