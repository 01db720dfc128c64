"""The flat forms of an elicitation: what may be asked, and what is filled in already.

Takes:  a `requestedSchema`
Gives:  the path of the first thing a form may not hold, the defaults, and the fields
Never:  checks an answer; a schema library does that (`workbench.drivers.schemas`)

Spec: client/elicitation, "Requested Schema": an object of strings, numbers, booleans and
enumerations, one level deep. Forms are made for people: what cannot be drawn as one line
of a dialog is refused before anybody sees it.
"""

from typing import Any, Final

from workbench.core.text.visible import visible

MOST_FIELDS: Final = 200
"""Fields of one form; nobody fills in more."""
_PRIMITIVE: Final = frozenset({"string", "number", "integer", "boolean"})


def form_fault(schema: Any) -> str:
    """Return the path and the fault of a schema that is no flat form, or ""."""
    if not isinstance(schema, dict):
        return " is missing or not an object"
    if schema.get("type") != "object":
        return '.type is not "object"'
    fields = schema.get("properties")
    if not isinstance(fields, dict):
        return ".properties is missing or not an object"
    if len(fields) > MOST_FIELDS:
        return f".properties has more than {MOST_FIELDS} fields"
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return ".required is no array of strings"
    for name, field in fields.items():
        if not _is_field(field):
            return f".properties.{visible(name, 60)} is no text, number, yes-or-no or choice"
    return ""


def choices(field: dict[str, Any]) -> tuple[Any, ...]:
    """Return the values one may choose from, in order; () for a field that is no choice."""
    source = field["items"] if isinstance(field.get("items"), dict) else field
    if isinstance(source.get("enum"), list):
        return tuple(source["enum"])
    titled = source.get("oneOf") or source.get("anyOf") or ()
    return tuple(one["const"] for one in titled)


def with_defaults(schema: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with the form's defaults in every field that was left out."""
    defaults = {
        name: field["default"]
        for name, field in schema["properties"].items()
        if isinstance(field, dict) and "default" in field and name not in content
    }
    return {**content, **defaults}


def _is_field(field: Any) -> bool:
    if not isinstance(field, dict):
        return False
    kind = field.get("type")
    if kind == "array":
        items = field.get("items")
        return isinstance(items, dict) and _is_choice(items)
    if kind is None:
        return _is_choice(field)
    return isinstance(kind, str) and kind in _PRIMITIVE and not _is_nested(field)


def _is_choice(field: dict[str, Any]) -> bool:
    if isinstance(field.get("enum"), list):
        return True
    titled = field.get("oneOf") or field.get("anyOf")
    return isinstance(titled, list) and all(
        isinstance(one, dict) and "const" in one for one in titled
    )


def _is_nested(field: dict[str, Any]) -> bool:
    titled = field.get("oneOf", field.get("anyOf"))
    return (
        "properties" in field or "$ref" in field or (titled is not None and not _is_choice(field))
    )
