"""Calls of a tool: one after another and 64 at once, over stdio and over HTTP.

Also the same through the synchronous client, which hands each call to its own thread.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from contestants import ARGUMENTS, Connected, Contestant, Target, present, yardstick
from figures import OURS, Effort, Goal, Row

AT_ONCE: Final = 64
SYNC: Final = "workbench, sync"
_BETWEEN_LOOKS: Final = 8
"""Calls between two looks at the time."""


def stdio(effort: Effort) -> list[Row]:
    """Measure over a pipe, the synchronous client too."""
    alone = Row(
        work="stdio, one call after another",
        unit="calls/s",
        more_is_better=True,
        goals=(Goal(1.8, "mcp SDK"), Goal(0.75, "floor")),
    )
    together = Row(
        work=f"stdio, {AT_ONCE} calls at once",
        unit="calls/s",
        more_is_better=True,
        goals=(Goal(8, "mcp SDK"),),
    )
    for _ in range(effort.rounds):
        _round(yardstick(), effort, alone, together)
        alone.add(SYNC, _through_sync(yardstick(), effort.seconds))
    return [alone, together]


def http(effort: Effort) -> list[Row]:
    """Measure over HTTP on this machine."""
    alone = Row(
        work="HTTP, one call after another",
        unit="calls/s",
        more_is_better=True,
        goals=(Goal(2.5, "mcp SDK"),),
    )
    together = Row(
        work=f"HTTP, {AT_ONCE} calls at once",
        unit="calls/s",
        more_is_better=True,
        goals=(Goal(5, "mcp SDK"),),
    )
    with served() as url:
        for _ in range(effort.rounds):
            _round(url, effort, alone, together)
    return [alone, together]


@contextmanager
def served() -> Iterator[str]:
    """Run the HTTP yardstick and give its address."""
    program = [sys.executable, str(Path(__file__).with_name("yardstick_http.py"))]
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def _round(target: Target, effort: Effort, alone: Row, together: Row) -> None:
    for name, contestant in present().items():
        one, many = asyncio.run(_measured(contestant, target, effort.seconds))
        alone.add(name, one)
        together.add(name, many)


async def _measured(contestant: Contestant, target: Target, seconds: float) -> tuple[float, float]:
    async with contestant([target]) as connected:
        await _stretch(connected, seconds / 4, 1)
        alone = await _stretch(connected, seconds, 1)
        return alone, await _stretch(connected, seconds, AT_ONCE)


async def _stretch(connected: Connected, seconds: float, at_once: int) -> float:
    """Call for so long with so many callers; return calls a second."""
    count, started = 0, time.perf_counter()
    call, end = connected.call, started + seconds

    async def caller() -> None:
        nonlocal count
        while time.perf_counter() < end:
            for _ in range(_BETWEEN_LOOKS):
                await call()
            count += _BETWEEN_LOOKS

    await asyncio.gather(*(caller() for _ in range(at_once)))
    return count / (time.perf_counter() - started)


def _through_sync(target: list[str], seconds: float) -> float:
    from workbench import MultiServerClient

    with MultiServerClient() as client:
        client.add_server(OURS, target)
        for _ in range(_BETWEEN_LOOKS):
            client.call("echo", ARGUMENTS)
        count, started = 0, time.perf_counter()
        while time.perf_counter() < started + seconds:
            for _ in range(_BETWEEN_LOOKS):
                client.call("echo", ARGUMENTS)
            count += _BETWEEN_LOOKS
        return count / (time.perf_counter() - started)
