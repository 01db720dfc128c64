"""Whether a JSON Schema is one at all, and small enough to be used: cheap, before any library.

Takes:  a schema a peer declared
Gives:  the path of the first fault, or why it cannot be used safely
Never:  fetches, compiles or follows anything; the work is bounded by `MOST_SUBSCHEMAS`

Two questions. `malformed` is asked of every tool of every listing, so it takes
microseconds; it knows the handful of keywords whose wrong type makes a tool useless.
`unusable` is asked once, before a schema is handed to a validator. Spec: basic/index,
"JSON Schema Usage"; fault matrix C06.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from workbench.core.text.visible import visible

MOST_SUBSCHEMAS: Final = 10_000
"""Subschemas looked at; a declaration with more is no description of a tool."""
MOST_DEPTH: Final = 64
"""Levels of nesting; deeper ones make validators recurse until they fail."""
DEFAULT_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
DIALECTS: Final = frozenset(
    {
        DEFAULT_DIALECT,
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-04/schema",
    }
)
"""Dialects a validator is there for; an absent `$schema` means 2020-12."""

_Type: Any = Literal["null", "boolean", "object", "array", "number", "string", "integer"]
_TYPES: Final = frozenset(get_args(_Type))
_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_ONES: Final = (
    "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties",
    "unevaluatedProperties", "unevaluatedItems", "additionalItems", "items",
)  # fmt: skip
_KEYWORDS: Final = frozenset({*_MAPS, *_LISTS, *_ONES, "type", "required", "enum"})


def _without(known: Iterable[str], name: str, *fields: Any) -> Any:
    """Return a struct of these fields, into which nothing converts that has other keywords."""
    absent = [
        (f"no_{number}", UnsetType, msgspec.field(name=keyword, default=UNSET))
        for number, keyword in enumerate(sorted(_KEYWORDS.difference(known)))
    ]
    return msgspec.defstruct(name, [*fields, *absent], gc=False)


# A conversion is all C: a sixth of the time that the same questions take in Python.
_Member: Any = _without({"type"}, "_Member", ("type", _Type))
_MEMBERS: Any = (("properties", dict[str, _Member], {}), ("required", list[str], []))
_Flat: Any = _without(
    {"type", "properties", "required"}, "_Flat", ("type", _Type, "object"), *_MEMBERS
)
FlatObject: Any = _without(
    {"type", "properties", "required"}, "FlatObject", ("type", Literal["object"]), *_MEMBERS
)
"""What most tools take: an object of plain typed members. In what converts to it there is
nothing to find fault with."""


def dialect_of(schema: dict[str, Any]) -> str:
    """Return the dialect a schema declares, without the empty fragment older ones end in."""
    declared = schema.get("$schema", DEFAULT_DIALECT)
    return declared.rstrip("#") if isinstance(declared, str) else ""


def malformed(schema: dict[str, Any]) -> str:
    """Return the path and fault of the first keyword of the wrong type, or "".

    A schema in a dialect that is not known here is not judged.
    """
    if _is_flat(schema) or ("$schema" in schema and dialect_of(schema) not in DIALECTS):
        return ""
    for path, one, _ in _walk(schema):
        fault = _fault(one) if isinstance(one, dict) else _no_schema(one)
        if fault:
            return f"{visible(path, 120)}{fault}"
    return ""


def unusable(schema: dict[str, Any]) -> str:
    """Return why a schema must not be given to a validator, or ""."""
    dialect = dialect_of(schema)
    if dialect not in DIALECTS:
        return f"its dialect “{visible(dialect, 80)}” is not supported"
    found = list(_walk(schema))
    parts = [(path, one) for path, one, _ in found if isinstance(one, dict)]
    # With bases of its own a schema may name its parts by whole addresses.
    if not any(isinstance(one.get(key), str) for _, one in parts for key in ("$id", "id")):
        foreign = next((path for path, one in parts if _is_foreign(one)), None)
        if foreign is not None:
            return f"{visible(foreign, 120)} refers outside itself; nothing is fetched"
    if len(found) > MOST_SUBSCHEMAS:
        return f"it has more than {MOST_SUBSCHEMAS} subschemas"
    return f"it is more than {MOST_DEPTH} levels deep" if found[-1][2] > MOST_DEPTH else ""


def _is_flat(schema: dict[str, Any]) -> bool:
    """Say whether a schema is what most tools take: an object of plain typed members."""
    try:
        msgspec.convert(schema, _Flat)
    except (msgspec.ValidationError, UnicodeEncodeError):  # or halves of surrogates in a name
        return False
    return True


def _walk(schema: Any) -> Iterator[tuple[str, Any, int]]:
    # Breadth first and bounded: what is beyond the bounds is looked at by nobody.
    level: list[tuple[str, Any]] = [("$", schema)]
    left, depth = MOST_SUBSCHEMAS + 1, 0
    while level and depth <= MOST_DEPTH + 1:
        below: list[tuple[str, Any]] = []
        for path, one in level:
            yield path, one, depth
            left -= 1
            if left <= 0:
                return
            if isinstance(one, dict) and not _KEYWORDS.isdisjoint(one):
                below.extend(_children(path, one))
        level, depth = below, depth + 1


def _children(path: str, schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for keyword in _MAPS:
        named = schema.get(keyword)
        if isinstance(named, dict):
            yield from ((f"{path}.{keyword}/{name}", one) for name, one in named.items())
    for keyword in _LISTS:
        listed = schema.get(keyword)
        if isinstance(listed, list):
            yield from ((f"{path}.{keyword}[{n}]", one) for n, one in enumerate(listed))
    for keyword in _ONES:
        one = schema.get(keyword)
        if isinstance(one, list) and keyword == "items":
            yield from ((f"{path}.items[{n}]", each) for n, each in enumerate(one))
        elif keyword in schema:
            yield f"{path}.{keyword}", one


def _fault(schema: dict[str, Any]) -> str:
    for keyword in _MAPS:
        if keyword in schema and not isinstance(schema[keyword], dict):
            return f".{keyword} is not an object"
    for keyword in _LISTS:
        if keyword in schema and not isinstance(schema[keyword], list):
            return f".{keyword} is not an array"
    if "type" in schema and not _is_type(schema["type"]):
        return ".type is no JSON type"
    if "enum" in schema and not isinstance(schema["enum"], list):
        return ".enum is not an array"
    required = schema.get("required", [])
    # The oldest dialects say it with a boolean on the property itself.
    if isinstance(required, bool):
        return ""
    return "" if _is_names(required) else ".required is no array of strings"


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _no_schema(value: Any) -> str:
    return "" if isinstance(value, bool) else " is no schema"


def _is_type(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, str) and one in _TYPES for one in value)
    return isinstance(value, str) and value in _TYPES


def _is_foreign(schema: dict[str, Any]) -> bool:
    references = (schema.get(keyword, "#") for keyword in ("$ref", "$dynamicRef", "$recursiveRef"))
    return any(not isinstance(one, str) or not one.startswith("#") for one in references)
