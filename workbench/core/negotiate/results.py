"""The two results an era rests on, read strictly.

Takes:  the `result` member of an answer, any JSON value
Gives:  `Discovery` or `Handshake`, or `Unreadable` with the path of the first fault
Never:  repairs a value; an absent cache hint is noted, a hint of the wrong type is a fault

Spec: schema `DiscoverResult` (2026-07-28), `InitializeResult` (2025-11-25). The two cache
hints are required by the schema but say nothing about the era, so their absence is noted
and does not flip the verdict (ours; field case E17).
"""

from typing import Any

from msgspec import Struct

from workbench.core.text.visible import visible
from workbench.core.wire.keys import COMPLETE, SERVER_INFO_KEY


class Unreadable(Struct, frozen=True):
    """Why a result is not what was asked for."""

    fault: str
    """Path and rule, such as "$.supportedVersions is missing"."""
    only_result_type: bool = False
    """True when the missing `resultType` is the only fault."""


class Discovery(Struct, frozen=True, kw_only=True):
    """The facts of a valid DiscoverResult."""

    supported: tuple[str, ...]
    capabilities: dict[str, Any]
    server_info: dict[str, Any] = {}
    instructions: str = ""
    ttl_ms: int | None = None
    cache_scope: str | None = None
    deviations: tuple[str, ...] = ()


class Handshake(Struct, frozen=True, kw_only=True):
    """The facts of a structurally valid InitializeResult; the revision is not judged here."""

    version: str
    capabilities: dict[str, Any]
    server_info: dict[str, Any]
    instructions: str = ""


def read_discover_result(result: Any, accept_missing_result_type: bool) -> Discovery | Unreadable:
    """Read a DiscoverResult.

    Args:
        result: the JSON value under `result`.
        accept_missing_result_type: the named per-peer deviation; noted when it is used.
    """
    if not isinstance(result, dict):
        return Unreadable(f"$ is {_type(result)}, not an object")
    versions = result.get("supportedVersions")
    if "supportedVersions" not in result:
        return Unreadable("$.supportedVersions is missing")
    if not isinstance(versions, list):
        return Unreadable(f"$.supportedVersions is {_type(versions)}, not an array")
    for index, version in enumerate(versions):
        if not isinstance(version, str):
            return Unreadable(f"$.supportedVersions[{index}] is {_type(version)}, not a string")
    fault = _wrong_type(result)
    if fault:
        return Unreadable(fault)
    deviations = [f"{hint} missing" for hint in ("ttlMs", "cacheScope") if hint not in result]
    if "resultType" not in result:
        if not accept_missing_result_type:
            return Unreadable("$.resultType is missing", only_result_type=True)
        deviations.append("resultType missing, accepted by configuration")
    elif result["resultType"] != COMPLETE:
        return Unreadable(f'$.resultType is {_value(result["resultType"])}, not "{COMPLETE}"')
    meta = result.get("_meta")
    info = meta.get(SERVER_INFO_KEY) if isinstance(meta, dict) else None
    return Discovery(
        supported=tuple(versions),
        capabilities=result["capabilities"],
        server_info=info if isinstance(info, dict) else {},
        instructions=result.get("instructions", ""),
        ttl_ms=result.get("ttlMs"),
        cache_scope=result.get("cacheScope"),
        deviations=tuple(deviations),
    )


def _wrong_type(result: dict[str, Any]) -> str | None:
    if "capabilities" not in result:
        return "$.capabilities is missing"
    if not isinstance(result["capabilities"], dict):
        return f"$.capabilities is {_type(result['capabilities'])}, not an object"
    if "ttlMs" in result and type(result["ttlMs"]) is not int:
        return f"$.ttlMs is {_type(result['ttlMs'])}, not an integer"
    for field in ("cacheScope", "instructions"):
        if field in result and not isinstance(result[field], str):
            return f"$.{field} is {_type(result[field])}, not a string"
    return None


def read_initialize_result(result: Any) -> Handshake | Unreadable:
    """Read an InitializeResult: a revision, object capabilities, a non-empty identity."""
    if not isinstance(result, dict):
        return Unreadable(f"$ is {_type(result)}, not an object")
    version = result.get("protocolVersion")
    if not isinstance(version, str):
        return Unreadable(f"$.protocolVersion is {_type(version, result, 'protocolVersion')}")
    capabilities = result.get("capabilities")
    if not isinstance(capabilities, dict):
        shown = _type(capabilities, result, "capabilities")
        return Unreadable(f"$.capabilities is {shown}, not an object")
    info = result.get("serverInfo")
    if not isinstance(info, dict):
        return Unreadable(f"$.serverInfo is {_type(info, result, 'serverInfo')}, not an object")
    for field in ("name", "version"):
        value = info.get(field)
        if not isinstance(value, str) or not value.strip():
            shown = _type(value, info, field) if not isinstance(value, str) else "empty"
            return Unreadable(f"$.serverInfo.{field} is {shown}, not a non-empty string")
    instructions = result.get("instructions")
    return Handshake(
        version=version,
        capabilities=capabilities,
        server_info=info,
        instructions=instructions if isinstance(instructions, str) else "",
    )


def _type(value: Any, parent: dict[str, Any] | None = None, key: str = "") -> str:
    if parent is not None and key not in parent:
        return "missing"
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _value(value: Any) -> str:
    return f'"{visible(value, 40)}"' if isinstance(value, str) else _type(value)
