"""A search of tools in a notebook: a frame, a table, and hostile names as text."""

import json

from workbench.core.menu.shortlist import Shortlist
from workbench.discovery.inventory import read_inventory
from workbench.views.shortlist import SHORTLIST_TYPES, shortlist_html

HOSTILE = "<img src=x onerror=alert(1)> pods"


def found(max_chars: int = 200) -> Shortlist:
    schema = {"type": "object"}
    tools = [
        {"name": "pods_count", "description": "Counts pods.", "inputSchema": schema},
        {"name": HOSTILE, "description": "\x1b[2J<b>" + "x" * 500, "inputSchema": schema},
    ]
    return read_inventory(json.dumps({"servers": {"k8s": tools}})).search(
        "pods", max_chars=max_chars
    )


def test_the_frame_has_one_row_a_match() -> None:
    """Ours: what is in, and what is not and why."""
    frame = found().to_frame()
    assert dict(frame.dtypes.astype(str)) == SHORTLIST_TYPES
    assert list(frame["outcome"]) == ["in", "over"]
    assert list(frame["tool"]) == ["pods_count", HOSTILE]
    assert "\x1b" not in frame["description"][1] and len(frame["description"][1]) <= 120
    empty = Shortlist(query="x", max_chars=None).to_frame()
    assert dict(empty.dtypes.astype(str)) == SHORTLIST_TYPES


def test_the_table_is_escaped_and_marks_what_is_in() -> None:
    """Design section 7.10: a name is text in every table."""
    html = found()._repr_html_()
    assert html is not None and html == shortlist_html(found())
    assert "<img" not in html and "&lt;img" in html and "<b>" not in html
    assert "1 of 2 tools, " in html and html.count("font-weight:bold;background") == 1
