"""JSON with comments is read strictly, and a fault is one sentence with its place."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.config.jsonc import DEEPEST, read_jsonc
from workbench.core.errors import ConfigError, Kind

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NOISE = st.sampled_from(["", " ", "\n", "\t", "\r\n", "// a } comment\n", "/* [ , */", "/**/"])


def fault(text: str) -> str:
    """Return the message for `text`, which must be refused."""
    with pytest.raises(ConfigError) as caught:
        read_jsonc(text, "mcp.json")
    assert (caught.value.failure.kind, caught.value.failure.stage) == (Kind.CONFIG, "config")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} // end', {"a": 1}),
        ('// first\n{"a": /* in */ 1}', {"a": 1}),
        ('/* over\n two lines */ {"a": 1}', {"a": 1}),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('{"a": [1, // one\n], /* end */ }', {"a": [1]}),
        ('{"url": "http://x/*y*/", "b": "a // b, }"}', {"url": "http://x/*y*/", "b": "a // b, }"}),
        ('{"a": "\\" // no comment"}', {"a": '" // no comment'}),
        ("\ufeff{}", {}),
        ("[true, false, null, -0, 1e3, 0.5]", [True, False, None, 0, 1000.0, 0.5]),
        ('["\\u00e9\\ud83d\\ude00"]', ["é😀"]),
    ],
)
def test_comments_and_trailing_commas_are_allowed(text: str, value: Any) -> None:
    """Case N13: comment or trailing comma; inside a string both are content."""
    assert read_jsonc(text)[0] == value


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "line 1, column 1", "a value"),
        ("{", "line 1, column 2", 'a key in double quotes or "}"'),
        ('{\n  "a": 1\n  "b": 2}', "line 3, column 3", '"," or "}"'),
        ('{"a": 1,, "b": 2}', "line 1, column 9", "a key in double quotes"),
        ("[,]", "line 1, column 2", "a value"),
        ("[1,,]", "line 1, column 4", "a value"),
        ("[1 2]", "line 1, column 4", '"," or "]"'),
        ("{,}", "line 1, column 2", "a key in double quotes"),
        ('{"a" 1}', "line 1, column 6", '":" after the key'),
        ('{"a":}', "line 1, column 6", "a value"),
        ("{a: 1}", "line 1, column 2", "a key in double quotes"),
        ("{'a': 1}", "line 1, column 2", "a key in double quotes"),
        ("{\"a\": 'b'}", "line 1, column 7", "a value"),
        ('{"a": tru}', "line 1, column 7", "a value"),
        ('{"a": NaN}', "line 1, column 7", "a value"),
        ('{"a": Infinity}', "line 1, column 7", "a value"),
        ('{"a": 01}', "line 1, column 8", '"," or "}"'),
        ('{"a": +1}', "line 1, column 7", "a value"),
        ('{} {"b": 1}', "line 1, column 4", "the end of the file"),
        ('// é\n/* x\n */ "a', "line 3, column 5", "a double quote on the same line"),
        ('{"a": "x\ny"}', "line 1, column 7", "a double quote on the same line"),
        ('{"a": "\\q"}', "line 1, column 7", "a valid escape"),
        ('{"a": "\\ud800"}', "line 1, column 7", "whole characters"),
        ('{"a": 1} /* open', "line 1, column 10", '"*/"'),
        ('{"a": 1e999}', "line 1, column 7", "not so large"),
        ('{"a": ' + "9" * 5000 + "}", "line 1, column 7", "not so large"),
        ("\x00", "line 1, column 1", "a value"),
        ("{\u00a0}", "line 1, column 2", "U+00A0"),
    ],
)
def test_a_fault_names_line_column_and_what_was_expected(
    text: str, place: str, expected: str
) -> None:
    """Case N13: error with file and line instead of a file that is ignored silently."""
    message = fault(text)
    assert message.startswith(f"mcp.json {place}: expected ")
    assert expected in message


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"mcpServers": {"notes": {}, "notes": {}}}', "$.mcpServers.notes appears twice"),
        ('{"a": 1, "a": 1}', "$.a appears twice"),
        ('{"a": 1, "\\u0061": 2}', "$.a appears twice"),
        ('[0, {"b": {}, "b": {}}]', "$[1].b appears twice"),
    ],
)
def test_a_duplicate_key_is_refused_with_its_path(text: str, path: str) -> None:
    """Case N13: the second duplicate must not win."""
    assert path in fault(text)


def test_a_duplicate_key_is_refused_with_both_lines() -> None:
    """Case N13: the reader finds both."""
    message = fault('{\n"a": 1,\n// here\n"b": 2,\n"a": 3}')
    assert message.startswith("mcp.json line 5: $.a appears twice (first on line 2)")


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_deep_nesting_is_a_fault_and_no_overflow(opening: str) -> None:
    """Ours: a file of a million brackets must not end in a RecursionError."""
    assert "nesting" in fault(opening * 100_000)


def test_nesting_up_to_the_limit_is_read() -> None:
    """Ours: the limit is where it says."""
    value, _ = read_jsonc("[" * DEEPEST + "]" * DEEPEST)
    assert value == json.loads("[" * DEEPEST + "]" * DEEPEST)
    fault("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


def test_the_root_knows_the_line_of_every_path() -> None:
    """Case N13: a wrong value is reported with its line too."""
    _, root = read_jsonc('{\n"a": {\n\n"b": [1,\n2]}}')
    places = (root, root.key("a"), root.key("a").key("b"), root.key("a").key("b").item(1))
    assert [place.line for place in places] == [1, 2, 4, 5]


def test_a_fault_shows_no_piece_of_a_value() -> None:
    """Case X01: the text around a fault may be a secret."""
    for text in ('{"k": hunter22}', '{"k": "hunter22}', '{"k": "hunter22\\q"}', '["a" hunter22]'):
        assert "hunt" not in fault(text)


def commented(value: Any, draw: Any) -> str:
    """Return JSON text for `value` with noise and trailing commas wherever they are allowed."""

    def gap() -> str:
        return str(draw(NOISE))

    if isinstance(value, dict):
        pairs = [
            f"{gap()}{json.dumps(k)}{gap()}:{gap()}{commented(v, draw)}{gap()}"
            for k, v in value.items()
        ]
        return "{" + ",".join(pairs) + ("," if pairs and draw(st.booleans()) else "") + gap() + "}"
    if isinstance(value, list):
        items = [f"{gap()}{commented(v, draw)}{gap()}" for v in value]
        return "[" + ",".join(items) + ("," if items and draw(st.booleans()) else "") + gap() + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@given(JSON, st.data())
def test_what_is_written_with_comments_reads_as_without(value: Any, data: st.DataObject) -> None:
    """Ours: property; the standard library's reading is the oracle."""
    text = commented(value, data.draw)
    assert read_jsonc(text)[0] == json.loads(json.dumps(value))


@given(st.text(st.sampled_from('{}[]:,"/*\\ \n\ta1.-e\u2028\x00\ufeff') | st.characters()))
def test_random_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    """Ours: property; what the strict standard parser takes is taken, the rest is a fault."""
    try:
        value, _ = read_jsonc(text)
    except ConfigError:
        return
    json.dumps(value)


def test_a_long_string_costs_no_more_memory_than_its_length_explains() -> None:
    """Ours: the matcher kept a way back for each character, 120 bytes of it."""
    text = '{"a": "' + "x" * 200_000 + "\\n" * 50_000 + '"}'
    tracemalloc.start()
    try:
        value, _ = read_jsonc(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(value["a"]) == 250_000
    assert peak < 10 * len(text)
