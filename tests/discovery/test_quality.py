"""The search finds what people mean: figures over labelled queries, with floors."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from retrieval import FOLDER, labelled, measured, ours, substring, tools, whole_substring

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "tool_discovery.md"
RECALL_FLOOR: Final = 0.72
MRR_FLOOR: Final = 0.65
"""For the half of the queries that nobody looked at while the ranking was tuned."""


def test_the_labelled_set_is_large_and_sound() -> None:
    """Ours: figures over a handful of easy queries would say nothing."""
    menu = tools()
    queries = labelled(menu)
    assert len(menu.items) >= 250
    assert len(queries) >= 60
    assert len({one.query for one in queries}) == len(queries)
    peers = Counter(menu.items[place].peer for one in queries for place in one.wanted)
    assert len(peers) >= 30


def test_it_is_better_than_substring_match_on_queries_it_was_not_tuned_on() -> None:
    """Ours: recall@5 and mean reciprocal rank, above both the baseline and the floors."""
    menu = tools()
    held_out = labelled(menu)[1::2]
    mine = measured(ours(menu), held_out)
    for plain in (substring(menu), whole_substring(menu)):
        theirs = measured(plain, held_out)
        assert mine.recall > theirs.recall + 0.15 and mine.mrr > theirs.mrr + 0.15
    assert mine.recall >= RECALL_FLOOR and mine.mrr >= MRR_FLOOR


def test_the_page_gives_the_figures_that_are_measured() -> None:
    """Ours: figures in prose go stale; another SQLite may move them a little."""
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \|((?: \d\.\d{3} / \d\.\d{3} \|){3})$", page, re.MULTILINE)
    menu = tools()
    queries = labelled(menu)
    assert f"{len(queries)} queries, {len(menu.items)} tools" in page
    assert len(rows) == 3
    for row, search in zip(rows, (ours(menu), substring(menu), whole_substring(menu)), strict=True):
        written = [float(figure) for figure in re.findall(r"\d\.\d{3}", row)]
        halves = (queries, queries[::2], queries[1::2])
        found = [figure for half in halves for figure in measured(search, half)]
        assert written == pytest.approx(found, abs=0.02)
    assert not ours(menu)("what is 17% of 2350")


def test_the_measure_tells_good_from_bad() -> None:
    """Ours: a check must be able to fail."""
    menu = tools()
    queries = labelled(menu)
    perfect = {one.query: sorted(one.wanted) for one in queries}
    assert measured(lambda query: perfect[query], queries) == (1.0, 1.0)
    assert measured(lambda query: [], queries) == (0.0, 0.0)
    late = measured(lambda query: [-1, *perfect[query]], queries)
    assert late.recall == 1.0 and late.mrr == 0.5


def test_queries_are_not_the_names_of_tools() -> None:
    """Ours: queries that repeat a tool's own name would flatter every search."""
    menu = tools()
    rows = json.loads((FOLDER / "queries.json").read_text(encoding="utf-8"))
    names = {item.local.lower() for item in menu.items}
    assert not [
        row for row in rows if row["query"].replace(" ", "_").lower() in names - {"pods_count"}
    ]
