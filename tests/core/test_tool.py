"""One tool as a value: read-only for whoever looks, and copied no earlier than that."""

import copy
from typing import Any

import pytest

from workbench.core.tool import Tool


def tool() -> tuple[Tool, dict[str, Any]]:
    declared: dict[str, Any] = {"name": "t", "inputSchema": {"type": "object", "required": []}}
    return Tool(name="t", definition=declared), declared


def test_what_is_looked_at_cannot_be_edited_and_is_the_same_each_time() -> None:
    """Ours: one copy serves every reader, and the peer's own stays as it came."""
    one, declared = tool()
    assert one.definition == declared and one.definition is one.definition
    for edit in (
        lambda: one.definition.update(name="u"),
        lambda: one.input_schema["required"].append("q"),
    ):
        with pytest.raises(TypeError, match="read-only"):
            edit()
    assert one.declared is declared


def test_nothing_is_copied_until_somebody_looks() -> None:
    """Ours: nobody looks at most of the tools in a long list."""
    one, declared = tool()
    declared["title"] = "set by its only owner, before anybody looked"
    assert one.definition["title"] == declared["title"]
    declared["title"] = "too late"
    assert one.definition["title"] != declared["title"]


def test_tools_are_equal_when_what_was_declared_is() -> None:
    """Ours: values, whoever has looked at them."""
    one, other = tool()[0], tool()[0]
    assert one.definition and one == other
    assert one != Tool(name="t", definition={"name": "t", "inputSchema": {}})


def test_a_deep_copy_can_be_edited() -> None:
    """Ours: as the refusal of an edit says."""
    one, declared = tool()
    loose = copy.deepcopy(one)
    loose.definition["inputSchema"]["required"].append("q")
    assert loose.definition["inputSchema"]["required"] == ["q"]
    assert one.definition == declared == {"name": "t", **{k: declared[k] for k in ("inputSchema",)}}
    assert declared["inputSchema"]["required"] == []


def test_a_declaration_that_is_nested_too_deeply_to_be_copied_is_itself() -> None:
    """Ours: as with any other value a cache cannot keep."""
    deep: dict[str, Any] = {}
    for _ in range(3_000):
        deep = {"properties": deep}
    assert Tool(name="t", definition=deep).definition is deep
