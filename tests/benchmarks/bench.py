"""How fast, beside other clients and the bare pipe: `make bench`.

All contestants in one run, taking turns, several times; medians with their spread, and the
ratios that matter on any machine. Prints a table and writes build/bench.json. Nothing here
is asserted: a timed assertion would be a flaky test.
"""

import argparse
import gc
import importlib
import json
import logging
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import calls
import inside
import lists
import msgspec
from contestants import PACKAGES, present, versions
from figures import EFFORTS, OURS, Effort, Row
from rich.console import Console
from rich.table import Table

RESULTS: Final = Path(__file__).resolve().parents[2] / "build" / "bench.json"
GROUPS: Final[dict[str, Callable[[Effort], list[Row]]]] = {
    "stdio": calls.stdio,
    "http": calls.http,
    "starts": lists.starts,
    "listings": lists.listings,
    "merging": lists.merging,
    "memory": inside.memory,
    "imports": inside.imports,
    "negotiation": inside.negotiation,
}


def quieten() -> None:
    """Load every contestant and keep them from costing one another time."""
    for name in present():
        importlib.import_module(PACKAGES.get(name, "workbench"))
    logging.disable(logging.WARNING)  # what is logged costs time and hides the table
    gc.collect()
    gc.freeze()  # or each collection of garbage would go through all their modules


def shown(rows: list[Row]) -> Table:
    """Return medians with the lowest and the highest, ratios, and goals."""
    names = [name for name in (*present(), calls.SYNC) if any(name in r.figures for r in rows)]
    table = Table(title="median, and lowest to highest; ratios are of speed, round by round")
    for column in ("work", "unit", *names, "× SDK", "× floor", "goal", "met"):
        table.add_column(column, justify="left" if column in ("work", "unit") else "right")
    for row in rows:
        table.add_row(
            row.work,
            row.unit,
            *(_figure(row.figures.get(name)) for name in names),
            _ratio(row.ratio("mcp SDK")),
            _ratio(row.ratio("floor")),
            "\n".join(goal.text for goal in row.goals),
            "\n".join({True: "yes", False: "no", None: "?"}[row.met(goal)] for goal in row.goals),
        )
        table.add_section()
    return table


def _figure(values: list[float] | None) -> str:
    if not values:
        return ""
    low, middle, high = min(values), statistics.median(values), max(values)
    form = ",.0f" if middle >= 100 else ",.1f"
    return f"{middle:{form}}\n{low:{form}} to {high:{form}}"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def kept(rows: list[Row], effort: str, took_s: float) -> dict[str, Any]:
    """Return everything that was measured, with what it depends on, as JSON values."""
    return {
        "measured_on": time.strftime("%Y-%m-%d", time.gmtime()),
        "effort": effort,
        "took_s": round(took_s),
        "processors": os.cpu_count(),
        "versions": versions(),
        "rows": [
            {
                **msgspec.to_builtins(row),
                "figures": {who: [round(v, 3) for v in vs] for who, vs in row.figures.items()},
                "ratios": {who: row.ratio(who) for who in row.figures if who != OURS},
                "goals": [{"goal": goal.text, "met": row.met(goal)} for goal in row.goals],
            }
            for row in rows
        ],
    }


def main() -> None:
    """Measure, print, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help=f"some of: {','.join(GROUPS)}", default=",".join(GROUPS))
    parser.add_argument("--effort", choices=EFFORTS, default="full")
    parser.add_argument("--rounds", type=int, help="how often each contestant takes its turn")
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the figures are kept")
    given = parser.parse_args()
    unknown = set(given.only.split(",")) - set(GROUPS)
    if unknown:
        parser.error(f"no group is called {', '.join(sorted(unknown))}")
    effort = EFFORTS[given.effort]
    if given.rounds:
        effort = msgspec.structs.replace(effort, rounds=given.rounds)
    quieten()
    started, rows = time.monotonic(), []
    for group in given.only.split(","):
        rows += GROUPS[group](effort)
    took_s = time.monotonic() - started
    given.json.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(kept(rows, given.effort, took_s), indent=1, ensure_ascii=False)
    given.json.write_text(text + "\n", "utf-8")
    console = Console(width=200)
    console.print(shown(rows))
    console.print(f"{took_s:.0f} s; figures in {given.json}")


if __name__ == "__main__":
    main()
