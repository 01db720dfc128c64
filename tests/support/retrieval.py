"""How good a search for tools is: labelled queries, two figures, and what to beat.

The tools and queries in `tests/discovery/` were written before the ranking was tuned. Every
second query was looked at while the synonyms were chosen; the others, the held-out half,
were not.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from workbench.core.menu.menu import Menu
from workbench.discovery.index import Index
from workbench.discovery.inventory import load_inventory

FOLDER: Final = Path(__file__).resolve().parents[1] / "discovery"
FIRST: Final = 5
"""Places that count for recall."""

Search = Callable[[str], Sequence[int]]
"""A query -> positions among the items of the menu, best first."""


class Labelled(NamedTuple):
    """One query, and the positions of the tools that answer it."""

    query: str
    wanted: frozenset[int]


class Figures(NamedTuple):
    """How good a search is, both from 0 to 1."""

    recall: float
    """Share of the wanted tools among the first five, averaged over the queries."""
    mrr: float
    """One divided by the place of the first wanted tool, averaged; 0 for none."""


def tools() -> Menu:
    """Return the menu of the labelled tools."""
    return load_inventory(str(FOLDER / "tools.json"))


def labelled(menu: Menu) -> list[Labelled]:
    """Return the labelled queries, in the order of the file."""
    places = {f"{item.peer}:{item.local}": place for place, item in enumerate(menu.items)}
    rows = json.loads((FOLDER / "queries.json").read_text(encoding="utf-8"))
    return [Labelled(row["query"], frozenset(places[one] for one in row["wanted"])) for row in rows]


def measured(search: Search, queries: Iterable[Labelled]) -> Figures:
    """Return the figures of a search over some queries."""
    recalls: list[float] = []
    ranks: list[float] = []
    for one in queries:
        found = list(search(one.query))
        hits = len(one.wanted & set(found[:FIRST]))
        recalls.append(hits / min(len(one.wanted), FIRST))
        place = next((n for n, where in enumerate(found, 1) if where in one.wanted), None)
        ranks.append(0.0 if place is None else 1 / place)
    return Figures(sum(recalls) / len(recalls), sum(ranks) / len(ranks))


def ours(menu: Menu) -> Search:
    """Return the search of the product."""
    index = Index(menu.items)
    return lambda query: [found.position for found in index.rank(query)]


def substring(menu: Menu) -> Search:
    """Return plain substring match: by how many words of the query the text contains."""
    texts = _texts(menu)

    def search(query: str) -> list[int]:
        words = query.lower().split()
        counts = [(sum(word in text for word in words), place) for place, text in texts]
        return [place for count, place in sorted(counts, key=lambda one: -one[0]) if count]

    return search


def whole_substring(menu: Menu) -> Search:
    """Return the plainest of all: the text contains the query as it was typed."""
    texts = _texts(menu)
    return lambda query: [place for place, text in texts if query.lower() in text]


def _texts(menu: Menu) -> list[tuple[int, str]]:
    return [
        (place, f"{item.canonical} {item.tool.description}".lower())
        for place, item in enumerate(menu.items)
    ]
