"""What only this client has or is: the decisions, its memory, the time to import it."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from contestants import present
from figures import OURS, Effort, Goal, Row

_CLIENTS: Final = {
    OURS: "from workbench import AsyncMultiServerClient",
    "mcp SDK": "from mcp import Client",
    "FastMCP": "from fastmcp import Client",
}
_STEPS: Final = 2
"""Steps of a negotiation with a modern peer: opened, answered."""


def negotiation(effort: Effort) -> list[Row]:
    """Measure one step of the pure negotiation."""
    row = Row(work="one step of the negotiation", unit="µs")
    times = max(int(20_000 * effort.seconds), 10)
    for _ in range(effort.rounds):
        row.add(OURS, _negotiated(times) / times / _STEPS * 1_000_000)
    return [row]


def _negotiated(times: int) -> float:
    from yardstick import DISCOVERED

    from workbench.core.events import Opened, Received
    from workbench.core.negotiate.machine import step
    from workbench.core.negotiate.snapshot import Terms, begin
    from workbench.core.wire.message import Result

    terms = Terms()
    answered = Received(Result(1, DISCOVERED))
    started = time.perf_counter()
    for _ in range(times):
        snapshot, _ = step(begin(terms, 1), Opened(), 0.0)
        snapshot, actions = step(snapshot, answered, 0.1)
    took = time.perf_counter() - started
    assert any(type(action).__name__ == "Settle" for action in actions)
    return took


def imports(effort: Effort) -> list[Row]:
    """Measure `import workbench`, and of what a client needs, beyond starting Python."""
    package = Row(work="import workbench, beyond starting Python", unit="ms")
    client = Row(work="import the client, beyond starting Python", unit="ms")
    for _ in range(effort.rounds):
        bare = _wall_ms("pass")
        package.add(OURS, _wall_ms("import workbench") - bare)
        for name, statement in _CLIENTS.items():
            if name in present():
                client.add(name, _wall_ms(statement) - bare)
    return [package, client]


def _wall_ms(statement: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, timeout=60)
    return (time.perf_counter() - started) * 1_000


def memory(effort: Effort) -> list[Row]:
    """Measure the memory of a process with one peer, and what calls add to it."""
    whole = Row(work="memory with one peer, above Python", unit="MB", goals=(Goal(40),))
    added = Row(work=f"memory that {effort.calls:,} calls add", unit="MB", goals=(Goal(5),))
    for _ in range(min(effort.rounds, 3)):
        bare, connected, after = _memory_mb(effort.calls)
        whole.add(OURS, connected - bare)
        added.add(OURS, after - connected)
    return [whole, added]


def _memory_mb(calls: int) -> list[float]:
    """Return what a process holds bare, connected, and after the calls; in MB (10⁶ bytes)."""
    import psutil

    program = [sys.executable, str(Path(__file__).with_name("caller.py")), str(calls)]
    pipe: Any = subprocess.PIPE
    held = []
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        looked_at = psutil.Process(process.pid)
        for _ in process.stdout:
            held.append(looked_at.memory_info().rss / 1_000_000)
            process.stdin.write("\n")
            process.stdin.flush()
    assert len(held) == 3 and not process.returncode
    return held
