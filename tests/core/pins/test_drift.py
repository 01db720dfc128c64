"""A tool that changed since it was pinned is noticed, and the part that changed is named."""

from typing import Any

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.pins.drift import Drift, changes, digest_of, drift_of, pin_tool, pin_tools
from workbench.core.text.redact import Redactor
from workbench.core.tool import Listing, Tool

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
FAILED = Failure(kind=Kind.PROTOCOL_VIOLATION, detail="no list")


def tool(name: str = "t", **definition: Any) -> Tool:
    return Tool(name=name, definition={"name": name, "inputSchema": SCHEMA, **definition})


def listing(*tools: Tool, **how: Any) -> Listing:
    return Listing(peer="p", tools=tools, **how)


PINNED = pin_tools(listing(tool(description="d", annotations={"readOnlyHint": True})), Redactor())


@pytest.mark.parametrize(
    ("definition", "changed"),
    [
        ({"description": "d", "annotations": {"readOnlyHint": True}}, ()),
        ({"annotations": {"readOnlyHint": True}, "description": "d"}, ()),
        ({"description": "d ", "annotations": {"readOnlyHint": True}}, ("description",)),
        ({"description": "d", "annotations": {"readOnlyHint": False}}, ("annotations",)),
        ({"description": "d"}, ("annotations",)),
        (
            {"description": "d", "annotations": {"readOnlyHint": True}, "outputSchema": SCHEMA},
            ("schema",),
        ),
        ({"description": "d", "annotations": {"readOnlyHint": True}, "_meta": {}}, ("other",)),
        ({"description": "e", "inputSchema": {"type": "object"}, "annotations": {}},
         ("description", "schema", "annotations")),
    ],
)  # fmt: skip
def test_the_changed_parts_are_named(definition: dict[str, Any], changed: tuple[str, ...]) -> None:
    """Fault matrix C13: description, schema, annotations."""
    found = drift_of(PINNED, listing(tool(**definition)))
    assert [one.changed for one in found] == ([changed] if changed else [])


def test_added_and_removed_tools_are_named_in_order() -> None:
    """Ours: a new tool may be a trap, a missing one breaks a caller."""
    found = drift_of(PINNED, listing(tool("z"), tool("a")))
    assert [(one.name, one.changed) for one in found] == [
        ("a", ("added",)),
        ("t", ("removed",)),
        ("z", ("added",)),
    ]


def test_a_list_that_failed_or_was_cut_proves_nothing_missing() -> None:
    """Fault matrix C07: a partial list is no list."""
    assert drift_of(PINNED, listing(failure=FAILED, complete=False)) == ()
    assert drift_of(PINNED, listing(complete=False)) == ()
    assert len(drift_of(PINNED, listing(tool("new"), complete=False))) == 1
    assert drift_of(None, listing(tool())) == ()


def test_a_change_of_the_name_alone_inside_a_pin_is_still_a_change() -> None:
    """Ours: the digest of the whole decides, the parts only explain."""
    before, after = pin_tool(tool("a")), pin_tool(tool("b"))
    assert before.parts == after.parts
    assert changes(before, after) == ("other",)
    assert changes(None, None) == ()


def test_a_drift_reads_aloud_and_shows_hostile_names_as_text() -> None:
    """Design section 7.10."""
    changed = Drift(peer="p", name="a\x1b[2J", changed=("schema", "description"))
    assert changed.line() == ("the tool a\\x1b[2J changed since it was pinned: schema, description")
    assert Drift(peer="p", name="t", changed=("added",)).line() == (
        "the tool t was added since the peer was pinned"
    )


def test_the_digest_is_of_the_canonical_form() -> None:
    """Ours: the order of keys is no change; a lone surrogate has a digest too."""
    assert digest_of({"b": 1, "a": [1]}) == digest_of({"a": [1], "b": 1})
    assert digest_of({"a": 1}) != digest_of({"a": "1"})
    assert len(digest_of("\ud800")) == 64


def test_a_secret_in_a_name_is_not_written_down() -> None:
    """Design section 5: a peer knows its own secrets and might put them anywhere."""
    pins = pin_tools(listing(tool("get_hunter2-token")), Redactor(["hunter2-token"]))
    assert list(pins) == ["get_‹redacted›"]
