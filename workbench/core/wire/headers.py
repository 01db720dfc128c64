"""The HTTP headers that mirror a modern message, and the reverse.

Takes:  the final body of a message, and for `tools/call` the tool's declaration
Gives:  the headers to send with it; the text a header stands for; why an annotation is void
Never:  reads anything but the body and the declaration: what is mirrored is what is sent

Spec: 2026-07-28 basic/transports/streamable-http, "Request Metadata". An intermediary may
route by these headers while the server acts by the body, so both come from one place.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from workbench.core.text.visible import visible
from workbench.core.wire.keys import TOOLS_CALL, VERSION_KEY

VERSION_HEADER: Final = "MCP-Protocol-Version"
METHOD_HEADER: Final = "Mcp-Method"
NAME_HEADER: Final = "Mcp-Name"
PARAM_PREFIX: Final = "Mcp-Param-"
"""What stands in front of the name an annotation gives."""
ANNOTATION: Final = "x-mcp-header"
_ANNOTATION_BYTES: Final = ANNOTATION.encode()
"""The key in a parameter's schema that asks for a header."""

NAMED: Final[Mapping[str, str]] = {
    TOOLS_CALL: "name",
    "prompts/get": "name",
    "resources/read": "uri",
}
"""Methods whose requests carry `Mcp-Name`, and the parameter it mirrors."""

SAFE_INTEGER: Final = 2**53 - 1
"""Largest integer, in either direction, that every JSON reader keeps exact."""

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PLAIN: Final = re.compile(r"[\x20-\x7e]*")
_OPENS, _CLOSES = "=?base64?", "?="
_PRIMITIVES: Final = ("string", "integer", "boolean")
_MOST_SCHEMAS: Final = 10_000

_ONE: Final = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not "
    "propertyNames then unevaluatedItems unevaluatedProperties".split()
)
"""Keywords whose value is a schema."""
_LIST: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas (`items` in older dialects)."""
_MAP: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"}
)
"""Keywords whose value maps names to schemas, `properties` apart."""


class Annotated(Struct, frozen=True):
    """One parameter that is mirrored into a header."""

    path: tuple[str, ...]
    """Keys that lead to the argument, from the outermost."""
    header: str
    """The whole name of the header."""


def http_headers_for(message: Mapping[str, Any], tool: Any = None) -> dict[str, str]:
    """Return the protocol headers of one POST, built from its final body.

    Args:
        message: the body as it will be serialized.
        tool: for `tools/call`, the declaration from the listing (or a `Tool`), whose
            annotations name the arguments to mirror; None means there are none.

    Raises:
        ValueError: if an argument that has to be mirrored has no header form, such as an
            integer that not every JSON reader keeps exact.
    """
    headers: dict[str, str] = {}
    params = _mapping(message.get("params"))
    version = _mapping(params.get("_meta")).get(VERSION_KEY)
    if isinstance(version, str):
        headers[VERSION_HEADER] = version
    method = message.get("method")
    if not isinstance(method, str):
        return headers
    headers[METHOD_HEADER] = encode_header_value(method)
    name = params.get(NAMED.get(method, ""))
    if isinstance(name, str):
        headers[NAME_HEADER] = encode_header_value(name)
    if method == TOOLS_CALL and tool is not None:
        schema = _mapping(getattr(tool, "definition", tool)).get("inputSchema")
        headers |= _parameter_headers(schema, _mapping(params.get("arguments")))
    return headers


def encode_header_value(text: str) -> str:
    """Return `text` as a header value: as it is where that is safe, else in Base64.

    Raises:
        ValueError: if the text holds a lone surrogate, which has no UTF-8 form.
    """
    looks_encoded = text.startswith(_OPENS) and text.endswith(_CLOSES)
    if _PLAIN.fullmatch(text) and text == text.strip(" ") and not looks_encoded:
        return text
    return f"{_OPENS}{base64.b64encode(text.encode()).decode()}{_CLOSES}"


def decode_header_value(value: str) -> str | None:
    """Return the text a header value stands for, or None when it stands for none.

    A value that opens and closes like an encoded one but holds no canonical Base64 of
    UTF-8 never equals anything a body says.
    """
    if len(value) < len(_OPENS) + len(_CLOSES):
        return value
    if not (value.startswith(_OPENS) and value.endswith(_CLOSES)):
        return value
    inner = value[len(_OPENS) : -len(_CLOSES)]
    try:
        data = base64.b64decode(inner.encode("ascii"), validate=True)
        text = data.decode()
    except (binascii.Error, ValueError):
        return None
    return text if base64.b64encode(data).decode() == inner else None


def parameter_text(value: Any) -> str | None:
    """Return the text of one argument before it is encoded; None means no header.

    Raises:
        ValueError: if the value has no header form.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1.0 is an integer for JSON Schema, and 1 in a header
    if not isinstance(value, int):
        raise ValueError(f"a {type(value).__name__} cannot be sent in a header")
    if abs(value) > SAFE_INTEGER:
        raise ValueError(f"{value} is outside ±(2^53-1), which not every reader keeps exact")
    return str(value)


def annotated_parameters(schema: Any) -> tuple[Annotated, ...]:
    """Return the parameters an `inputSchema` wants mirrored, in the order it names them.

    Only what `properties` alone lead to counts. Call `annotation_fault` first: a schema with
    a fault mirrors nothing reliably.

    Raises:
        ValueError: if the schema is too large to be searched.
    """
    return tuple(
        Annotated(path, PARAM_PREFIX + here[ANNOTATION])
        for path, here in _positions(schema)
        if path and isinstance(here.get(ANNOTATION), str)
    )


def annotation_fault(schema: Any) -> str | None:
    """Say why an `inputSchema` has a void `x-mcp-header`, or None when all are sound."""
    seen: set[str] = set()
    try:
        faults = (_fault(path, here, seen) for path, here in _positions(schema))
        return next((fault for fault in faults if fault is not None), None)
    except ValueError as problem:
        return f"{problem}, too many to look for {ANNOTATION}"


def _fault(path: tuple[str, ...] | None, here: dict[str, Any], seen: set[str]) -> str | None:
    if ANNOTATION not in here:
        return None
    if not path:
        return f"{ANNOTATION} stands where no chain of properties leads to a parameter"
    where = f"{ANNOTATION} of {visible('.'.join(path), 60)}"
    name = here[ANNOTATION]
    if not isinstance(name, str):
        return f"{where} is not a string"
    if not name:
        return f"{where} is empty"
    if not _TOKEN.fullmatch(name):
        return f"{where} is no header name: “{visible(name, 40)}”"
    if here.get("type") not in _PRIMITIVES:
        shown = visible(str(here.get("type", "missing")), 40)
        return f"{where} needs type string, integer or boolean, not {shown}"
    if name.lower() in seen:
        return f"{where} names “{visible(name, 40)}” a second time (case does not count)"
    seen.add(name.lower())
    return None


def _parameter_headers(schema: Any, arguments: Mapping[str, Any]) -> dict[str, str]:
    headers: dict[str, str] = {}
    try:
        if _ANNOTATION_BYTES not in msgspec.json.encode(schema):
            return headers  # most schemas; seen sooner in the text than on a walk
    except RecursionError:
        pass  # the walk below does not recurse
    for parameter in annotated_parameters(schema):
        try:
            text = parameter_text(_at(arguments, parameter.path))
        except ValueError as problem:
            raise ValueError(f"argument {'.'.join(parameter.path)}: {problem}") from None
        if text is not None:
            headers[parameter.header] = encode_header_value(text)
    return headers


def _positions(schema: Any) -> Iterator[tuple[tuple[str, ...] | None, dict[str, Any]]]:
    """Yield each schema with the chain of properties that leads to it, or None for no chain.

    Only places where a schema may stand are looked at: `default` and `enum` hold data, and
    a property may itself be called x-mcp-header. `$ref` is not followed.
    """
    waiting: list[tuple[tuple[str, ...] | None, Any]] = [((), schema)]
    for _ in range(_MOST_SCHEMAS):
        if not waiting:
            return
        path, here = waiting.pop()
        if not isinstance(here, dict):
            continue
        yield path, here
        inner = [*_by_property(path, here), *((None, one) for one in _elsewhere(here))]
        waiting.extend(reversed(inner))
    raise ValueError(f"the schema holds more than {_MOST_SCHEMAS} schemas")


def _by_property(
    path: tuple[str, ...] | None, here: dict[str, Any]
) -> Iterator[tuple[tuple[str, ...] | None, Any]]:
    properties = here.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            yield None if path is None else (*path, name), inner


def _elsewhere(here: dict[str, Any]) -> Iterator[Any]:
    for keyword, value in here.items():
        if isinstance(value, dict):
            if keyword in _ONE:
                yield value
            elif keyword in _MAP:
                yield from value.values()
        elif isinstance(value, list) and keyword in _LIST:
            yield from value


def _at(arguments: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = arguments
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
