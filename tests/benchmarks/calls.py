"""How many calls a second over a pipe: `make bench`.

All contestants in one run, taking turns, several times; medians with their spread, and the
ratios that matter on any machine. Prints a table and writes build/bench.json. Nothing here
is asserted: a timed assertion would be a flaky test.
"""

import argparse
import asyncio
import json
import platform
import statistics
import time
from pathlib import Path
from typing import Any, Final

from contestants import CONTESTANTS, Call
from rich.console import Console
from rich.table import Table

AT_ONCE: Final = 64
RESULTS: Final = Path(__file__).resolve().parents[2] / "build" / "bench.json"


async def measured(name: str, calls: int) -> tuple[float, float]:
    """Return calls a second, one after another and 64 at once."""
    async with CONTESTANTS[name]() as call:
        await _many(call, 200)
        started = time.perf_counter()
        await _many(call, calls)
        alone = calls / (time.perf_counter() - started)
        each = max(calls // AT_ONCE, 1)
        started = time.perf_counter()
        await asyncio.gather(*(_many(call, each) for _ in range(AT_ONCE)))
        together = each * AT_ONCE / (time.perf_counter() - started)
    return alone, together


async def _many(call: Call, count: int) -> None:
    for _ in range(count):
        await call()


def run(rounds: int, calls: int) -> dict[str, dict[str, list[float]]]:
    """Let every contestant take its turn in every round."""
    found: dict[str, dict[str, list[float]]] = {
        name: {"sequential": [], "concurrent": []} for name in CONTESTANTS
    }
    for _ in range(rounds):
        for name, kinds in found.items():
            alone, together = asyncio.run(measured(name, calls))
            kinds["sequential"].append(alone)
            kinds["concurrent"].append(together)
    return found


def shown(found: dict[str, dict[str, list[float]]]) -> Table:
    """Return medians, spread, and ratios to the SDK and to the floor."""
    table = Table(title="calls a second over stdio, journal on: median (lowest to highest)")
    for column in ("client", "one after another", "× SDK", "of floor", "64 at once", "× SDK"):
        table.add_column(column, justify="left" if column == "client" else "right")
    medians = {
        name: {kind: statistics.median(values) for kind, values in kinds.items()}
        for name, kinds in found.items()
    }
    for name, kinds in found.items():
        mine, sdk, floor = medians[name], medians["mcp SDK"], medians["floor"]
        table.add_row(
            name,
            _spread(kinds["sequential"]),
            f"{mine['sequential'] / sdk['sequential']:.2f}",
            f"{mine['sequential'] / floor['sequential']:.2f}",
            _spread(kinds["concurrent"]),
            f"{mine['concurrent'] / sdk['concurrent']:.2f}",
        )
    return table


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f})"


def main() -> None:
    """Measure, print, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=2_000, help="calls of each kind and round")
    given = parser.parse_args()
    found = run(given.rounds, given.calls)
    machine: dict[str, Any] = {"python": platform.python_version(), "system": platform.machine()}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"machine": machine, "calls_per_s": found}, indent=2), "utf-8")
    Console(width=120).print(shown(found))


if __name__ == "__main__":
    main()
