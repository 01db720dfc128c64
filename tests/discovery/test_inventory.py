"""Inventories in the shapes people have, and one precise line for every other."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.errors import ConfigError
from workbench.discovery.inventory import load_inventory, read_inventory

SCHEMA = {"type": "object"}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": SCHEMA, **more}


def names(value: Any, **options: Any) -> list[tuple[str, str]]:
    menu = read_inventory(json.dumps(value), **options)
    return [(item.canonical, item.peer) for item in menu.items]


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_inventory(text, "tools.json")
    line = str(caught.value)
    assert "\n" not in line and line.isprintable()
    return line


@pytest.mark.parametrize(
    "value",
    [
        [tool("b"), tool("a")],
        {"tools": [tool("b"), tool("a")]},
        {"resultType": "complete", "tools": [tool("b"), tool("a")], "nextCursor": "x"},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("b"), tool("a")]}},
    ],
)
def test_one_list_of_tools_is_read_from_each_shape(value: Any) -> None:
    """Seed card: an inventory; Spec: server/tools, "Listing Tools"."""
    assert names(value) == [("a", "inventory"), ("b", "inventory")]


@pytest.mark.parametrize("group", ["servers", "peers"])
def test_several_servers_are_merged_as_a_client_merges_them(group: str) -> None:
    """Design section 7.5: both names are kept, and nothing is overwritten."""
    value = {group: {"notes": [tool("search")], "files": {"tools": [tool("search"), tool("x")]}}}
    assert names(value) == [("notes/search", "notes"), ("search", "files"), ("x", "files")]


def test_a_reserved_name_is_prefixed() -> None:
    """Ours: the catalogue's own tool keeps its name."""
    assert names([tool("catalog_search")], reserved={"catalog_search"}) == [
        ("inventory/catalog_search", "inventory")
    ]


def test_an_empty_inventory_is_one() -> None:
    """Ours: nothing is no fault."""
    assert names([]) == names({"tools": []}) == names({"servers": {}}) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["line 1, column 1"]),
        ('[{"name": "a",}]', ["line 1, column 15"]),
        ("[NaN]", ["NaN"]),
        ("[" * 100_000, ["nested too deeply"]),
        ('{"tools": [], "tools": []}', ["'tools'", "twice"]),
        ("7", ["$: ", "a list of tools", "a number"]),
        ("{}", ["$: ", "a list of tools", "an object"]),
        ('{"servers": [1]}', ["$.servers", "an array"]),
        ('{"servers": {}, "peers": {}}', ["two names for one thing"]),
        ('{"servers": {"notes": {"command": "x"}}}', ["$.servers.notes", "a list of tools"]),
        ('{"servers": {"": []}}', ["$.servers", "empty name"]),
        ("[3]", ["$[0]", "a tool, an object", "a number"]),
        ("[{}]", ["$[0].name", "none"]),
        ('[{"name": ""}]', ["$[0].name", "an empty one"]),
        ('[{"name": 3}]', ["$[0].name", "a number"]),
        ('[{"name": "a"}]', ["$[0].inputSchema", "none"]),
        ('[{"name": "a", "inputSchema": []}]', ["$[0].inputSchema", "an array"]),
        ('[{"name": "a", "inputSchema": {}}]', ["$[0].inputSchema", '"type": "object"']),
        (
            '[{"name": "a", "inputSchema": {"type": "object", "properties": 1}}]',
            ["$[0].inputSchema", "properties"],
        ),
        (
            '[{"name": "a", "description": 1, "inputSchema": {"type": "object"}}]',
            ["$[0].description", "a string"],
        ),
        (
            '[{"name": "a", "outputSchema": 1, "inputSchema": {"type": "object"}}]',
            ["$[0].outputSchema"],
        ),
        (
            json.dumps({"servers": {"n": [tool("a"), tool("b"), tool("a")]}}),
            ["$.servers.n[2].name", "'a'", "$.servers.n[0]"],
        ),
        (json.dumps({"servers": {"\x1b]0;x": 3}}), ["u001b"]),
    ],
)
def test_anything_else_is_one_line_with_its_path(text: str, parts: list[str]) -> None:
    """Design section 6: errors are one line that says what to do."""
    line = refused(text)
    assert line.startswith("tools.json: ") and all(part in line for part in parts), line


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["tools", "servers", "name", "inputSchema", "type"]), inner),
    max_leaves=12,
))  # fmt: skip
def test_whatever_json_it_is_the_answer_is_a_menu_or_one_line(value: Any) -> None:
    """Ours: no shape of JSON is a traceback."""
    try:
        read_inventory(json.dumps(value))
    except ConfigError as refusal:
        assert "\n" not in str(refusal)


def test_files_are_read_with_and_without_a_mark_and_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: what other programs write."""
    text = json.dumps([tool("a")])
    path = tmp_path / "tools.json"
    path.write_text(text, encoding="utf-8-sig")
    assert load_inventory(str(path)).names == ("a",)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
    assert load_inventory("-").names == ("a",)


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("missing.json", None, "no such file"),
        (".", None, "directory"),
        ("a\0b", None, "null"),
        ("latin.json", b'["\xe9"]', "line 1 is not UTF-8"),
    ],
)
def test_what_cannot_be_read_says_so(
    tmp_path: Path, name: str, content: bytes | None, part: str
) -> None:
    """Ours: check the path, the rights, the encoding."""
    path = tmp_path / name if "\0" not in name else name
    if content is not None:
        Path(path).write_bytes(content)
    with pytest.raises(ConfigError, match=part):
        load_inventory(str(path))


def test_half_a_surrogate_pair_is_refused_and_a_whole_one_is_text() -> None:
    """Ours: it used to end in an exception nobody documents, when a schema was looked at."""
    tool = '[{"name": "a", "description": "%s", "inputSchema": {"type": "object", "%s": 1}}]'
    assert read_inventory(tool % ("\\ud83d\\ude00", "b")).items[0].tool.description == "\U0001f600"
    assert read_inventory(tool % ("\\\\ud800", "b")).items[0].tool.description == "\\ud800"
    for halves in (("\\ud800", "b"), ("a", "\\udfff"), ("\udc80", "b")):
        with pytest.raises(ConfigError, match="surrogate"):
            read_inventory(tool % halves)
