"""How long `import workbench` takes beyond starting Python; run me, I print one line.

A figure to read, not a check: it depends on the machine and on what else runs there.
"""

import statistics
import subprocess
import sys
import time
from typing import Final

RUNS: Final = 15


def wall_ms(statement: str) -> float:
    """Return the wall time of a fresh interpreter that runs `statement`, in milliseconds."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, timeout=60)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Measure in turns, so that a busy moment falls on both sides, and print the medians."""
    statements = ("pass", "import workbench", "from workbench import MultiServerClient")
    taken: dict[str, list[float]] = {statement: [] for statement in statements}
    for _ in range(RUNS):
        for statement in statements:
            taken[statement].append(wall_ms(statement))
    bare, *medians = (statistics.median(times) for times in taken.values())
    for statement, median in zip(statements[1:], medians, strict=True):
        sys.stdout.write(f"{statement}: {median - bare:.1f} ms (median of {RUNS} runs)\n")


if __name__ == "__main__":
    main()
