"""How well and how fast tools are found: `python tests/benchmarks/discovery.py`.

Two tables. Quality: recall@5 and mean reciprocal rank over the labelled queries, beside plain
substring match, for the half that was looked at while tuning and the half that was not. Speed:
ten thousand tools indexed, and every labelled query asked of them once. Nothing here is
asserted; `tests/discovery/test_quality.py` holds the floors.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from retrieval import labelled, measured, ours, substring, tools, whole_substring
from rich.console import Console
from rich.table import Table

from workbench.core.menu.menu import Menu
from workbench.core.menu.merge import merge
from workbench.core.tool import Listing
from workbench.discovery.index import Index

MANY: Final = 10_000


def quality() -> Table:
    """Return one row a search, two figures a half of the queries."""
    menu = tools()
    queries = labelled(menu)
    halves = {"all": queries, "tuned on": queries[::2], "held out": queries[1::2]}
    table = Table(title=f"{len(queries)} queries over {len(menu.items)} tools: recall@5 / MRR")
    table.add_column("search")
    for name, half in halves.items():
        table.add_column(f"{name} ({len(half)})", justify="right")
    searches = {
        "workbench discover": ours(menu),
        "any word as a substring": substring(menu),
        "the query as a substring": whole_substring(menu),
    }
    for name, search in searches.items():
        found = [measured(search, half) for half in halves.values()]
        table.add_row(name, *(f"{one.recall:.3f} / {one.mrr:.3f}" for one in found))
    return table


def enlarged() -> Menu:
    """Return ten thousand tools: the labelled ones again and again, each time of other peers."""
    menu = tools()
    listings: list[Listing] = []
    left = MANY
    for copy in range(MANY):
        for peer in sorted({item.peer for item in menu.items}):
            own = [item.tool for item in menu.items_of(peer)][:left]
            left -= len(own)
            listings.append(Listing(peer=f"{peer}-{copy}", tools=tuple(own)))
        if not left:
            return merge(listings, "prefix-always")
    raise AssertionError("the labelled set is empty")


def speed() -> Table:
    """Return the seconds of indexing and the milliseconds of queries."""
    menu = enlarged()
    queries = [one.query for one in labelled(tools())]
    begun_at = time.perf_counter()
    index = Index(menu.items)
    built_s = time.perf_counter() - begun_at
    table = Table(title=f"{len(menu.items)} tools, {len(queries)} queries")
    for column in ("work", "goal", "median", "95 %", "slowest"):
        table.add_column(column, justify="left" if column == "work" else "right")
    table.add_row("index all", "1 s", f"{built_s:.2f} s", "", "")
    for name in ("a query, first time", "a query again"):
        table.add_row(name, "5 ms", *_figures([_asked(index, query) for query in queries]))
    return table


def _asked(index: Index, query: str) -> float:
    begun_at = time.perf_counter()
    index.rank(query)
    return (time.perf_counter() - begun_at) * 1_000


def _figures(times_ms: Sequence[float]) -> list[str]:
    shown = (median(times_ms), quantiles(times_ms, n=20)[-1], max(times_ms))
    return [f"{one:.1f} ms" for one in shown]


def main() -> None:
    """Print both tables."""
    console = Console()
    console.print(quality())
    console.print(speed())


if __name__ == "__main__":
    main()
