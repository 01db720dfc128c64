"""Headers mirror the body, exactly and reversibly."""

import base64
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.wire.envelope import legacy_request, modern_request
from workbench.core.wire.headers import (
    ANNOTATION,
    Annotated,
    annotated_parameters,
    annotation_fault,
    decode_header_value,
    encode_header_value,
    http_headers_for,
    parameter_text,
)
from workbench.core.wire.versions import LATEST_MODERN

FIELD_VALUE = re.compile(r"|[\x21-\x7e]|[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]")


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def mirrored(name: str = "Region", type: Any = "string", **more: Any) -> dict[str, Any]:
    return {"type": type, ANNOTATION: name, **more}


def call(arguments: dict[str, Any], **properties: Any) -> dict[str, str]:
    """Return the parameter headers of one call."""
    body = modern_request(1, "tools/call", {"name": "t", "arguments": arguments}, LATEST_MODERN)
    headers = http_headers_for(body, {"name": "t", "inputSchema": schema(**properties)})
    return {name: value for name, value in headers.items() if name.startswith("Mcp-Param-")}


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("server/discover", {}, None),
        ("tools/list", {"name": "not a name"}, None),
        ("tools/call", {"name": "execute_sql"}, "execute_sql"),
        ("prompts/get", {"name": "greet"}, "greet"),
        ("resources/read", {"uri": "file:///a%20b?id=1"}, "file:///a%20b?id=1"),
        ("resources/read", {"name": "no uri"}, None),
    ],
)
def test_version_method_and_name_come_from_the_final_body(
    method: str, params: dict[str, Any], name: str | None
) -> None:
    """Spec: basic/transports/streamable-http, standard request headers; seed card."""
    headers = http_headers_for(modern_request(1, method, params, LATEST_MODERN))
    expected = {"MCP-Protocol-Version": LATEST_MODERN, "Mcp-Method": method}
    assert headers == expected | ({} if name is None else {"Mcp-Name": name})


def test_a_message_without_protocol_metadata_names_no_version() -> None:
    """Spec: the header mirrors `_meta`; a legacy message has none to mirror."""
    headers = http_headers_for(legacy_request(1, "initialize", {"protocolVersion": "2025-11-25"}))
    assert headers == {"Mcp-Method": "initialize"}
    assert http_headers_for({"jsonrpc": "2.0", "id": 1, "result": {}}) == {}


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("inner  spaces stay", "inner  spaces stay"),
        ("a\tb", "=?base64?YQli?="),
        ("=?base64?open", "=?base64?open"),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ("", ""),
        (True, "true"),
        (False, "false"),
        (42, "42"),
        (-7, "-7"),
        (1.0, "1"),
        (2**53 - 1, "9007199254740991"),
        (1 - 2**53, "-9007199254740991"),
    ],
)
def test_a_value_becomes_the_header_the_specification_shows(value: Any, header: str) -> None:
    """Spec: basic/transports/streamable-http, value encoding; case H04."""
    assert call({"a": value}, a=mirrored()) == {"Mcp-Param-Region": header}


@pytest.mark.parametrize("arguments", [{}, {"a": None}, {"b": "other"}])
def test_an_absent_or_null_value_has_no_header(arguments: dict[str, Any]) -> None:
    """Spec: basic/transports/streamable-http, the client MUST omit the header."""
    assert call(arguments, a=mirrored(), b={"type": "string"}) == {}


@pytest.mark.parametrize("value", [2**53, -(2**53), 10**400, 1.5, float("inf"), [1], {"x": 1}])
def test_a_value_without_a_header_form_is_refused(value: Any) -> None:
    """Spec: integers MUST be within ±(2^53-1); case H04."""
    with pytest.raises(ValueError, match="argument a"):
        call({"a": value}, a=mirrored(type="integer"))


def test_a_nested_argument_is_read_at_its_exact_path() -> None:
    """Spec: "exact property path"; a namesake elsewhere is not the argument."""
    inner = schema(region=mirrored("Method", "integer"))
    arguments = {"region": 1, "place": {"region": 2, "deep": {"region": 3}}}
    assert call(arguments, place=inner, region={"type": "integer"}) == {"Mcp-Param-Method": "2"}
    assert call({"place": "no object"}, place=inner) == {}
    assert call({"place": {}}, place=inner) == {}
    assert annotated_parameters(schema(place=inner)) == (
        Annotated(("place", "region"), "Mcp-Param-Method"),
    )


@given(st.text())
def test_every_text_survives_the_way_through_a_header(text: str) -> None:
    """Spec: value encoding; ours: over every Unicode string."""
    value = encode_header_value(text)
    assert FIELD_VALUE.fullmatch(value)
    assert decode_header_value(value) == text


@given(st.text(alphabet="=?base64ABC+/ ", max_size=24))
def test_whatever_looks_encoded_decodes_to_one_text_or_to_none(value: str) -> None:
    """Spec: servers decode before they compare; two headers never mean one text by accident."""
    text = decode_header_value(value)
    if text is not None and text != value:
        assert value == f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize(
    "value",
    [
        "=?base64?????=",
        "=?base64?eA?=",  # no padding
        "=?base64?eB==?=",  # not canonical: the last bits are not zero
        "=?base64?/w==?=",  # not UTF-8
        "=?base64?eA ==?=",
        "=?base64?é?=",
    ],
)
def test_a_broken_encoded_value_stands_for_nothing(value: str) -> None:
    """Spec: an invalid header value must not equal a body value."""
    assert decode_header_value(value) is None


@pytest.mark.parametrize("value", ["=?BASE64?eA==?=", "=?base64?eA==", "plain", "=?base64?="])
def test_a_value_without_the_exact_markers_is_itself(value: str) -> None:
    """Spec: "These markers are case-sensitive"."""
    assert decode_header_value(value) == value


def test_a_lone_surrogate_has_no_header_form() -> None:
    """Ours: it has no JSON form either."""
    with pytest.raises(ValueError):
        encode_header_value("\ud800")
    assert parameter_text("\ud800") == "\ud800"


@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ({"a": mirrored("")}, "empty"),
        ({"a": mirrored("two words")}, "no header name"),
        ({"a": mirrored("a:b")}, "no header name"),
        ({"a": mirrored("naïve")}, "no header name"),
        ({"a": mirrored("a\tb")}, "no header name"),
        ({"a": mirrored("a\r\nEvil: 1")}, "no header name"),
        ({"a": mirrored("a\n")}, "no header name"),
        ({"a": {"type": "string", ANNOTATION: 5}}, "not a string"),
        ({"a": mirrored(type="number")}, "number"),
        ({"a": mirrored(type="object")}, "object"),
        ({"a": mirrored(type="array")}, "array"),
        ({"a": mirrored(type="null")}, "null"),
        ({"a": mirrored(type=["string", "null"])}, "needs type"),
        ({"a": {ANNOTATION: "Region"}}, "missing"),
        ({"a": mirrored(), "b": mirrored()}, "second time"),
        ({"a": mirrored("Region"), "b": mirrored("REGION")}, "second time"),
        ({"a": schema(b=mirrored()), "c": mirrored("region")}, "second time"),
        ({"a": {"type": "array", "items": mirrored()}}, "no chain"),
        ({"a": {"type": "array", "prefixItems": [mirrored()]}}, "no chain"),
        ({"a": {"anyOf": [mirrored()]}}, "no chain"),
        ({"a": {"allOf": [schema(b=mirrored())]}}, "no chain"),
        ({"a": {"not": mirrored()}}, "no chain"),
        ({"a": {"if": mirrored()}}, "no chain"),
        ({"a": {"additionalProperties": mirrored()}}, "no chain"),
        ({"a": {"patternProperties": {"x": mirrored()}}}, "no chain"),
    ],
)
def test_a_void_annotation_is_named_with_its_reason(
    properties: dict[str, Any], reason: str
) -> None:
    """Spec: constraints on x-mcp-header values; case H05."""
    fault = annotation_fault(schema(**properties))
    assert fault is not None and reason in fault
    assert fault.isprintable()


@pytest.mark.parametrize(
    "whole",
    [
        {**schema(), ANNOTATION: "Root"},
        {**schema(), "$defs": {"x": mirrored()}},
        {**schema(), "definitions": {"x": schema(a=mirrored())}},
        {**schema(), "oneOf": [schema(a=mirrored())]},
    ],
)
def test_an_annotation_beside_the_parameters_is_void(whole: dict[str, Any]) -> None:
    """Spec: it must be "statically reachable" from the root."""
    assert "no chain" in str(annotation_fault(whole))


@pytest.mark.parametrize(
    "properties",
    [
        {"a": mirrored()},
        {"a": mirrored("A", "integer"), "b": mirrored("B", "boolean")},
        {"a": schema(b=schema(c=mirrored("!#$%&'*+-.^_`|~")))},
        {"a": {"type": "string"}},
        {ANNOTATION: {"type": "string"}},  # a parameter of that name
        {"a": {"type": "object", "default": {ANNOTATION: ""}, "examples": [{ANNOTATION: 1}]}},
        {"a": {"enum": [{ANNOTATION: ""}], "const": {ANNOTATION: 2}}},
    ],
)
def test_a_sound_schema_has_no_fault(properties: dict[str, Any]) -> None:
    """Spec: only the annotation itself is constrained, not data that look like it."""
    assert annotation_fault(schema(**properties)) is None


@pytest.mark.parametrize(
    "value", [None, 5, "text", [], {"properties": []}, {"properties": {"a": 1}}]
)
def test_what_is_no_schema_is_not_looked_into(value: Any) -> None:
    """Ours: a hostile schema must not break the listing."""
    assert annotation_fault(value) is None
    assert annotated_parameters(value) == ()


def test_a_schema_as_deep_as_it_likes_is_walked_with_bounded_work() -> None:
    """Design 7.9: schema work is bounded; no recursion to overflow."""
    deep: dict[str, Any] = mirrored("")
    for _ in range(50_000):
        deep = {"type": "object", "properties": {"a": deep}}
    assert "too many" in str(annotation_fault(deep)), "what was not searched is not sound"
