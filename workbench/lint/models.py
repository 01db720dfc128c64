"""The official wire models as an oracle: rule LINT-32.

Takes:  a `Life`, and which of its frames other rules have found at fault, and why
Gives:  (frame, what was seen) for each message that is not what its revision's schema says
Never:  is loaded before somebody lints: the models cost half a second to import

The models are those of the package `mcp-types`. A method that no revision knows belongs to
an extension and is not judged; what another rule has said about a member is not said again.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, get_args

from workbench.core.text.visible import visible
from workbench.core.wire.keys import INITIALIZE, INPUT_REQUIRED
from workbench.core.wire.message import Notification, Result
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN
from workbench.lint.envelope_checks import Seen
from workbench.lint.record import Asked, Frame, Life

_MOST: Final = 3
"""Faults told of one message."""
SAID_BEFORE: Final[Mapping[str, frozenset[str]]] = {
    "LINT-05": frozenset({"_meta"}),
    "LINT-08": frozenset({"resultType"}),
    "LINT-09": frozenset({"ttlMs", "cacheScope"}),
    "LINT-10": frozenset({"inputRequests", "requestState"}),
}
"""Rule -> the members it speaks of."""


def check_models(life: Life, told: Mapping[int, frozenset[str]] | None = None) -> Seen:
    """LINT-32: members and types as in the schema of the revision.

    Args:
        life: what to check.
        told: frame number -> the rules already found broken there.
    """
    told = told or {}
    for frame, where, fault in _faults(life):
        members = {
            name for rule in told.get(frame.number, ()) for name in SAID_BEFORE.get(rule, ())
        }
        if not members & set(where):
            place = ".".join(str(part) for part in where)
            yield frame, visible(f"{place}: {fault}" if place else fault, 160)


def _faults(life: Life) -> Iterator[tuple[Frame, tuple[Any, ...], str]]:
    for frame in life.frames:
        message = frame.message
        if isinstance(message, Notification):
            version = _notification_version(life)
            if version is not None:
                yield from _notification_faults(frame, message, version)
    for asked in life.asked:
        version = _version(life, asked)
        if version is None:
            continue
        yield from _request_faults(asked, version)
        for frame in asked.answers:
            if isinstance(frame.message, Result):
                yield from _result_faults(asked, frame, frame.message.result, version)


def _request_faults(asked: Asked, version: str) -> Iterator[tuple[Frame, tuple[Any, ...], str]]:
    from mcp_types import methods

    server = asked.frame.by == "server"
    surface = methods.SERVER_REQUESTS if server else methods.CLIENT_REQUESTS
    method = asked.request.method
    model = surface.get((method, version))
    if model is None:
        if any(known == method for known, _ in surface) and not (server and _modern(version)):
            yield asked.frame, (), f"revision {version} has no request {method}"
        return
    body = {"jsonrpc": "2.0", "id": 0, "method": method}
    yield from _held(asked.frame, model, _with_params(body, asked.frame))


def _notification_faults(
    frame: Frame, message: Notification, version: str
) -> Iterator[tuple[Frame, tuple[Any, ...], str]]:
    from mcp_types import methods

    client = frame.by == "client"
    surface = methods.CLIENT_NOTIFICATIONS if client else methods.SERVER_NOTIFICATIONS
    model = surface.get((message.method, version))
    if model is None:
        if any(known == message.method for known, _ in surface):
            yield frame, (), f"revision {version} has no {message.method} of the {frame.by}"
        return
    body = {"jsonrpc": "2.0", "method": message.method}
    yield from _held(frame, model, _with_params(body, frame))


def _result_faults(
    asked: Asked, frame: Frame, result: Any, version: str
) -> Iterator[tuple[Frame, tuple[Any, ...], str]]:
    from mcp_types import methods

    surface = methods.CLIENT_RESULTS if frame.by == "client" else methods.SERVER_RESULTS
    model: Any = surface.get((asked.request.method, version))
    if model is not None:
        yield from _held(frame, _arm(model, result), result)


def _arm(model: Any, result: Any) -> Any:
    """Return the one model of several that a result claims to be."""
    arms = get_args(model)
    if not arms:
        return model
    asks = isinstance(result, dict) and result.get("resultType") == INPUT_REQUIRED
    fitting = [arm for arm in arms if (arm.__name__ == "InputRequiredResult") == asks]
    return fitting[0] if len(fitting) == 1 else model


def _held(frame: Frame, model: Any, value: Any) -> Iterator[tuple[Frame, tuple[Any, ...], str]]:
    from pydantic import ValidationError

    try:
        _adapter(model).validate_python(value, by_name=False)
    except ValidationError as problem:
        for error in problem.errors(include_url=False, include_input=False)[:_MOST]:
            yield frame, error["loc"], error["msg"]


@cache
def _adapter(model: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(model)


def _with_params(body: dict[str, Any], frame: Frame) -> dict[str, Any]:
    # An absent member and an empty one decode alike; the models know absent ones only.
    return {**body, "params": frame.params} if frame.params else body


def _version(life: Life, asked: Asked) -> str | None:
    if asked.frame.by == "server":
        return _agreed(life) if life.era == "legacy" else None
    modern = life.is_modern(asked)
    if modern:
        named = asked.version or LATEST_MODERN
        return named if _modern(named) else None
    if modern is None:
        return None
    if asked.request.method == INITIALIZE:
        return _known_legacy(asked.request.params.get("protocolVersion"))
    return _agreed(life)


def _notification_version(life: Life) -> str | None:
    return {"modern": LATEST_MODERN, "legacy": _agreed(life)}.get(life.era)


def _agreed(life: Life) -> str:
    greeted = life.handshake
    result = greeted.result if greeted is not None else None
    return _known_legacy(result.get("protocolVersion") if isinstance(result, dict) else None)


def _known_legacy(version: Any) -> str:
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    return version if version in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_LEGACY


def _modern(version: str) -> bool:
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    return version in MODERN_PROTOCOL_VERSIONS
