"""Is it a schema, and may it be used."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core import schema_shape
from workbench.core.schema_shape import (
    MOST_DEPTH,
    MOST_SUBSCHEMAS,
    dialect_of,
    malformed,
    unusable,
)


def props(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": ["object", "null"]},
        props(a={"type": "string"}, b=True, c=False, d={}),
        props(a={"enum": [1, None]}, type={"type": "integer"}, required={"type": "boolean"}),
        props(a={"$ref": "#/$defs/x"}) | {"$defs": {"x": {"type": "array", "items": {}}}},
        {"allOf": [{"if": {}, "then": {"not": {}}, "else": True}]},
        {"type": "object", "default": {"properties": 7}, "examples": [{"type": "nonsense"}]},
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "properties": {"a": {"required": True}},
        },
        {"$schema": "https://a.example/mine", "type": "nonsense", "properties": 7},
    ],
)
def test_a_schema_passes(schema: dict[str, Any]) -> None:
    """Spec: basic/index: another dialect is not judged by the rules of this one."""
    assert malformed(schema) == ""


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"properties": 7}, "$.properties"),
        (props(a=7), "$.properties/a"),
        (props(a={"type": "strng"}), "$.properties/a.type"),
        (props(a={"type": []}), "$.properties/a.type"),
        (props(a={"type": {"a": 1}}), "$.properties/a.type"),
        (props(a={"items": 7}), "$.properties/a.items"),
        (props(a={"items": [{"type": 7}]}), "$.properties/a.items[0].type"),
        ({"required": "a"}, "$.required"),
        ({"required": [1]}, "$.required"),
        ({"anyOf": {}}, "$.anyOf"),
        ({"anyOf": [None]}, "$.anyOf[0]"),
        ({"enum": "a"}, "$.enum"),
        ({"not": []}, "$.not"),
        ({"$defs": {"x": {"type": 3}}}, "$.$defs/x.type"),
        ({"additionalProperties": "no"}, "$.additionalProperties"),
    ],
)
def test_a_keyword_of_the_wrong_type_is_named(schema: dict[str, Any], path: str) -> None:
    """Fault matrix C06."""
    assert malformed(schema).startswith(path)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://a.example/x"},
        props(a={"$ref": "http://169.254.169.254/latest"}),
        props(a={"$ref": "file:///etc/passwd"}),
        props(a={"$ref": "other.json"}),
        props(a={"items": {"$dynamicRef": "https://a.example/#x"}}),
        props(a={"$ref": 7}),
    ],
)
def test_a_reference_outside_itself_makes_it_unusable(schema: dict[str, Any]) -> None:
    """Spec: basic/index, $ref resolution: must not be dereferenced, should be rejected."""
    assert "nothing is fetched" in unusable(schema)
    assert malformed(schema) == "", "it is still a schema, so the tool stays listed"


@pytest.mark.parametrize(
    "schema",
    [
        props(a={"$ref": "#/$defs/x"}, b={"$ref": "#"}, c={"$ref": "#anchor"}),
        {"$id": "https://a.example/base", "$ref": "https://a.example/base#/$defs/x"},
        props(**{"$ref": {"type": "string"}}),
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$schema": "https://json-schema.org/draft/2019-09/schema"},
    ],
)
def test_what_refers_to_itself_alone_can_be_used(schema: dict[str, Any]) -> None:
    """Spec: basic/index, schema dialect."""
    assert unusable(schema) == ""


@pytest.mark.parametrize("dialect", ["https://a.example/mine", "", 7, None, "draft-07"])
def test_an_unknown_dialect_is_unusable(dialect: Any) -> None:
    """Spec: basic/index: an unsupported dialect is handled with an error that says so."""
    assert "is not supported" in unusable({"$schema": dialect})


def test_the_default_dialect_is_2020_12() -> None:
    """Spec: basic/index."""
    assert dialect_of({}).endswith("2020-12/schema")


def test_size_and_depth_are_bounded() -> None:
    """Spec: basic/index, composition-keyword resource use."""
    wide = props(**{f"p{n}": {} for n in range(MOST_SUBSCHEMAS + 5)})
    assert "more than" in unusable(wide)
    deep: dict[str, Any] = {}
    for _ in range(MOST_DEPTH + 5):
        deep = {"items": deep}
    assert "levels deep" in unusable(deep)
    assert malformed(wide) == malformed(deep) == ""


def test_a_schema_that_branches_without_end_is_looked_at_in_bounded_time() -> None:
    """Ours: shared parts are written out again and again by a hostile hand."""
    one: dict[str, Any] = {}
    for _ in range(60):
        one = {"allOf": [one, one]}
    assert malformed(one) == ""
    assert unusable(one) != ""


_PARTS = st.sampled_from(
    [{"type": "string"}, {"type": "strng"}, {"type": ["string"]}, {"enum": []}, {"enum": 1},
     {"type": "object", "properties": 7}, {"type": "array", "items": {}}, {}, True, 7, None,
     {"type": {}}, {"title": "x", "type": "integer"}, {"type": "string", "required": "a"}]
)  # fmt: skip
_SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", "thing", ["object"], 3]),
        "properties": st.dictionaries(st.sampled_from("ab"), _PARTS) | st.none(),
        "required": st.lists(st.sampled_from(["a", 1])) | st.just("a"),
        "anyOf": st.just([]) | st.just(7),
        "description": st.just("x"),
    },
)


@given(schema=_SCHEMAS)
@settings(max_examples=300, deadline=None)
def test_the_short_look_passes_nothing_the_long_one_finds(schema: dict[str, Any]) -> None:
    """Ours: a shortcut is an optimization, not another opinion."""
    if schema_shape._is_flat(schema):
        found = [schema_shape._fault(one) for _, one, _ in schema_shape._walk(schema)]
        assert found == [""] * len(found)
