"""What of a tool is searched; hostile declarations cost little and break nothing."""

from typing import Any

import pytest

from workbench.discovery.document import COLUMNS, MOST_PARAMETERS, document_of


def test_each_part_of_a_declaration_goes_into_its_column() -> None:
    """Spec: server/tools, "Tool"."""
    document = document_of(
        "listPods",
        "kube-prod",
        {
            "name": "listPods",
            "title": "Pods",
            "description": "Lists pods.",
            "annotations": {"title": "Show pods"},
            "inputSchema": {
                "type": "object",
                "properties": {
                    "nameSpace": {"type": "string", "description": "Where to look."},
                    "phase": {"enum": ["Running", "Failed", 7]},
                    "filter": {
                        "type": "object",
                        "properties": {"nodeName": {"title": "Node"}},
                    },
                },
            },
        },
    )
    assert document == (
        "list pods listpods",
        "Pods Show pods",
        "Lists pods.",
        "name Space phase filter node Name",
        "Where to look. Running Failed Node",
        "kube-prod",
    )
    assert len(COLUMNS) == len(document)


@pytest.mark.parametrize(
    "definition",
    [
        {},
        {"title": 7, "description": ["x"], "annotations": "x", "inputSchema": None},
        {"inputSchema": {"properties": ["x"], "items": 7, "anyOf": "x"}},
        {"inputSchema": {"properties": {"a": 1, "b": None, "c": {"enum": "x", "title": 3}}}},
    ],
)
def test_a_member_of_a_wrong_type_counts_as_absent(definition: dict[str, Any]) -> None:
    """Ours: server text is data of any shape."""
    document = document_of("x", "", definition)
    assert (document.name, document.title, document.description) == ("x", "", "")


def test_a_schema_is_walked_no_further_than_the_bounds() -> None:
    """Ours: neither depth nor breadth of a declaration is trusted."""
    wide = {"properties": {f"p{n}": {} for n in range(10_000)}}
    assert len(document_of("x", "", {"inputSchema": wide}).parameters.split()) == MOST_PARAMETERS
    deep: dict[str, Any] = {"properties": {"end": {}}}
    for _ in range(1_000):
        deep = {"properties": {"in": deep}}
    assert "end" not in document_of("x", "", {"inputSchema": deep}).parameters
    bushy: dict[str, Any] = {}
    for _ in range(8):
        bushy = {"anyOf": [bushy] * 50}
    assert document_of("x", "", {"inputSchema": bushy}).parameters == ""


def test_alternatives_and_items_are_looked_into_and_references_are_not() -> None:
    """Ours: `$ref` is never followed."""
    schema = {
        "anyOf": [{"properties": {"one": {}}}, {"$ref": "#/$defs/two"}],
        "items": {"properties": {"three": {}}},
        "$defs": {"two": {"properties": {"two": {}}}},
    }
    assert document_of("x", "", {"inputSchema": schema}).parameters == "three one"
