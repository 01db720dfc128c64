"""Peers of a configuration, visited: what is said is safe, secrets are gone, nothing is judged."""

import json
import sys
from typing import Any

import pytest
from lab_at_hand import laboratory

import workbench  # noqa: F401 - plugs the views in
from workbench.comparison.visits import Visit, Visits, visit, visit_of
from workbench.core.text.redact import Redactor
from workbench.views.display import frame_of, html_of

MODERN = Visit(verdict="modern", version="2026-07-28", tools=("a", "b"), took_ms=12)


def plain(text: str) -> str:
    return text


def way(*arguments: str) -> dict[str, Any]:
    args = ["-m", "fakes", *arguments, "--stdio"]
    return {
        "way": {"command": sys.executable, "args": args, "env": {}, "cwd": None},
        "settings": {"allow_legacy": False},
    }


def value(**visits: Visit) -> Visits:
    return Visits(seen={"notes": visits}, clients=tuple(visits), versions={"mcp": "2.3.0"})


def test_ours_visits_two_peers_and_a_pinned_one_is_left_alone() -> None:
    """Ours: era, version and tools; what a lock forbids is not started by anybody."""
    ways = {
        "notes": way("modern", "--tools", "search,create"),
        "old": way("legacy"),
        "pinned": {**way("modern"), "refused": "pinned: the program has changed"},
    }
    seen = visit(laboratory(), ways, ("workbench", "workbench-legacy"), "2026-12-01", plain)
    notes = seen.seen["notes"]["workbench"]
    assert (notes.verdict, notes.tools) == ("modern", ("create", "search"))
    assert notes.took_ms is not None and notes.ready
    assert seen.seen["old"]["workbench"].verdict == "refused"
    assert seen.seen["old"]["workbench-legacy"].verdict == "legacy"
    assert {one.why for one in seen.seen["pinned"].values()} == {"pinned: the program has changed"}
    assert [cells[-1] for cells in seen.cells()] == ["yes", "no: the era", "yes"]
    assert not seen.all_ready


def test_secrets_and_hostile_text_go_before_anything_is_shown() -> None:
    """Ours: an error of a client may hold the address with its token."""
    clean = Redactor(["hunter2-token"]).clean
    said = {
        "version": None,
        "why": "E",
        "said": "at http://x/?k=hunter2-token \x1b[31m" + "x" * 999,
    }
    one = visit_of(said, clean)
    assert "hunter2" not in one.why and "\x1b" not in one.why and len(one.why) < 250
    listed = visit_of({"version": "2026-07-28", "tools": ["b\x07", "hunter2-token"]}, clean)
    assert listed.tools is not None and not any("hunter2" in t or "\x07" in t for t in listed.tools)


def test_agreement_is_about_era_and_tools() -> None:
    """Ours: nobody here knows what a real peer should be called."""
    other = Visit(verdict="modern", version="2026-07-28", tools=("a",), took_ms=9)
    assert value(workbench=MODERN, mcp=MODERN).cells()[0][-1] == "yes"
    assert value(workbench=MODERN, mcp=other).cells()[0][-1] == "no: the tools"
    hang = value(workbench=MODERN, mcp=Visit(verdict="hang"))
    assert hang.cells()[0][-1] == "no: the era" and not hang.all_ready
    assert value(workbench=MODERN, mcp=MODERN).all_ready


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "\x1b[31mred", "a|b`c"])
def test_a_peers_name_and_words_stay_text(text: str) -> None:
    """Ours: design 7.10."""
    one = Visits(
        seen={text: {"mcp": visit_of({"why": text, "tools": [text], "version": text}, plain)}},
        clients=("mcp",),
    )
    shown = one.to_text() + one.to_markdown() + one.to_json() + (html_of(one) or "")
    assert "\x1b" not in shown + frame_of(one).to_string()
    assert "<img" not in one.to_markdown() + (html_of(one) or "")
    assert json.loads(one.to_json())["visits"][0]["client"] == "mcp Client"


def test_a_list_that_failed_is_told() -> None:
    """Ours: a session without a list is not ready."""
    one = Visit(verdict="modern", version="2026-07-28", took_ms=3, why="MCPError")
    assert (one.ready, one.words()) == (False, "modern 2026-07-28, no list, 3 ms, MCPError")
