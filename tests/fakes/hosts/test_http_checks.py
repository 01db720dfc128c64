from typing import Any

import pytest

from fakes.hosts.http_checks import (
    accepts,
    annotated,
    decoded,
    media_type,
    modern_refusal,
    origin_refusal,
)
from workbench.core.wire.envelope import request_meta
from workbench.core.wire.message import Request
from workbench.core.wire.versions import LATEST_MODERN

META = request_meta(LATEST_MODERN)


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
        ("=?base64?IHBhZGRlZCA=?=", " padded "),
        ("=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
        ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
        ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ("=?base64?SGVsbG9=?=", None),
        ("=?base64?SGVs bG8=?=", None),
        ("=?base64?/w==?=", None),
        ("=?base64??=", ""),
    ],
)
def test_header_values_are_decoded_as_the_table_says(header: str, value: str | None) -> None:
    """Spec: value encoding, encoding examples; a form nobody would send is refused."""
    assert decoded(header) == value


def check(arguments: Any, headers: list[tuple[str, str]], kind: str = "integer") -> bool:
    schema = {"properties": {"n": {"type": kind, "x-mcp-header": "N"}}}
    params = {"name": "t", "arguments": arguments, "_meta": META}
    standard = [
        ("mcp-protocol-version", LATEST_MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "t"),
    ]
    tools = [{"name": "t", "inputSchema": schema}]
    return modern_refusal(Request(1, "tools/call", params), standard + headers, tools) is None


@pytest.mark.parametrize(
    ("value", "header", "fits"),
    [
        (42, "42", True),
        (42, "42.0", True),
        (42, "43", False),
        (42, "x", False),
        (-7, "-7", True),
        (True, "true", True),
        (True, "True", False),
        (True, "1", False),
        (False, "false", True),
        ("", "", True),
        ("a", "A", False),
        ("ü", "ü", False),
        ("a\x00", "a\x00", False),
    ],
)
def test_a_parameter_compares_by_its_kind(value: Any, header: str, fits: bool) -> None:
    """Spec: type conversion; server behaviour for custom headers."""
    assert check({"n": value}, [("mcp-param-n", header)]) is fits


def test_a_parameter_header_is_there_exactly_once_or_not_at_all() -> None:
    """Spec: the table of scenarios of custom headers."""
    assert check({}, []) and check({"n": None}, []) and check(None, [])
    assert not check({"n": 1}, [])
    assert not check({"n": None}, [("mcp-param-n", "null")])
    assert not check({"n": 1}, [("mcp-param-n", "1"), ("mcp-param-n", "1")])
    assert check({"n": 1}, [("mcp-param-n", "1"), ("mcp-param-other", "x")])


def test_annotations_count_only_along_properties() -> None:
    """Spec: schema extension, statically reachable."""
    leaf = {"type": "string", "x-mcp-header": "L"}
    schema = {
        "properties": {
            "a": {"properties": {"b": leaf}},
            "c": {"items": leaf},
            "d": {"anyOf": [leaf]},
            "x-mcp-header": {"type": "string"},
        },
        "$defs": {"e": leaf},
    }
    assert list(annotated(schema)) == [(("a", "b"), "L")]
    for odd in (None, [], "x", {"properties": []}, {"properties": {"a": None}}):
        assert list(annotated(odd)) == []


def test_a_schema_that_contains_itself_ends() -> None:
    """Ours: bounded, whatever a script holds."""
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["again"] = schema
    assert list(annotated(schema)) == []


@pytest.mark.parametrize(
    "meta",
    [None, [], {}, {"io.modelcontextprotocol/protocolVersion": 1}, dict(list(META.items())[:1])],
)
def test_missing_metadata_comes_before_headers(meta: Any) -> None:
    """Spec: `_meta` is required; -32602 rather than -32020."""
    refusal = modern_refusal(Request(1, "tools/list", {"_meta": meta}), [], [])
    assert refusal is not None and (refusal.status, refusal.code) == (400, -32602)


def test_a_standard_header_sent_twice_is_a_mismatch() -> None:
    """Ours: two readers of one message must not see two values."""
    headers = [("mcp-protocol-version", LATEST_MODERN)] + [("mcp-method", "tools/list")] * 2
    refusal = modern_refusal(Request(1, "tools/list", {"_meta": META}), headers, [])
    assert refusal is not None and refusal.code == -32020


def test_media_types_are_read_without_parameters() -> None:
    """Ours: RFC 9110, case-insensitive."""
    assert media_type("Text/HTML; charset=x") == "text/html"
    assert accepts({"accept": "text/*"}, "text/event-stream")
    assert not accepts({}, "application/json")


def test_a_request_without_host_is_foreign() -> None:
    """Spec: DNS rebinding."""
    assert origin_refusal({}, (), ()) is not None
    assert origin_refusal({"host": "localhost"}, (), ()) is None
    assert origin_refusal({"host": "a.test:1"}, (), ("a.test",)) is None
    assert origin_refusal({"host": "[::1"}, (), ()) is not None
