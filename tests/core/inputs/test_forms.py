"""Flat forms."""

from typing import Any

import pytest

from workbench.core.inputs.forms import MOST_FIELDS, choices, form_fault, with_defaults


def form(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


TITLED = [{"const": "#f00", "title": "Red"}, {"const": "#0f0", "title": "Green"}]


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string"},
        {"type": "string", "format": "email", "minLength": 3},
        {"type": "number", "minimum": 0},
        {"type": "integer"},
        {"type": "boolean", "default": False},
        {"type": "string", "enum": ["a", "b"], "default": "a"},
        {"type": "string", "enum": ["a"], "enumNames": ["A"]},
        {"type": "string", "oneOf": TITLED},
        {"enum": ["a"]},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1},
        {"type": "array", "items": {"anyOf": TITLED}},
    ],
)
def test_every_field_the_specification_shows_is_one(field: dict[str, Any]) -> None:
    """Spec: client/elicitation, requested schema."""
    assert form_fault(form(f=field)) == ""


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ({}, ".type"),
        ({"type": "array"}, ".type"),
        ({"type": "object"}, ".properties"),
        ({"type": "object", "properties": []}, ".properties"),
        ({**form(), "required": "a"}, ".required"),
        ({**form(), "required": [1]}, ".required"),
        (form(a={"type": "object"}), ".properties.a"),
        (form(a={"type": "object", "properties": {}}), ".properties.a"),
        (form(a={"type": "array"}), ".properties.a"),
        (form(a={"type": "array", "items": {"type": "object"}}), ".properties.a"),
        (form(a={"type": ["string", "null"]}), ".properties.a"),
        (form(a={"type": "string", "oneOf": [{"type": "object"}]}), ".properties.a"),
        (form(a={"type": "string", "$ref": "#/x"}), ".properties.a"),
        (form(a={"$ref": "https://a.example/"}), ".properties.a"),
        (form(a=True), ".properties.a"),
        (form(**{f"f{n}": {"type": "string"} for n in range(MOST_FIELDS + 1)}), "more than"),
    ],
)
def test_what_is_no_flat_form_is_named(schema: Any, fault: str) -> None:
    """Spec: client/elicitation: flat objects with primitive properties only."""
    assert fault in form_fault(schema)


def test_defaults_fill_what_was_left_out_and_nothing_else() -> None:
    """Spec: client/elicitation: clients should pre-populate fields with defaults."""
    schema = form(
        name={"type": "string", "default": "John"},
        age={"type": "integer", "default": 30},
        ok={"type": "boolean", "default": False},
        free={"type": "string"},
    )
    assert with_defaults(schema, {"age": 7}) == {"age": 7, "name": "John", "ok": False}


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"enum": ["a", 1]}, ("a", 1)),
        ({"type": "string", "oneOf": TITLED}, ("#f00", "#0f0")),
        ({"type": "array", "items": {"anyOf": TITLED}}, ("#f00", "#0f0")),
        ({"type": "array", "items": {"enum": ["a"]}}, ("a",)),
        ({"type": "string"}, ()),
    ],
)
def test_choices_are_found_in_all_four_forms(field: dict[str, Any], expected: Any) -> None:
    """Spec: client/elicitation, enum schema."""
    assert choices(field) == expected
