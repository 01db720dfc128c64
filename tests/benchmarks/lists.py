"""Starting peers and listing their tools, and merging what very many list."""

import asyncio
import time
from typing import Any, Final

from contestants import Contestant, present, yardstick
from figures import OURS, Effort, Goal, Row

MERGED_PEERS: Final = 200


def starts(effort: Effort) -> list[Row]:
    """Measure how long it takes until the tools of 1, 20 and 50 stdio peers are known."""
    rows = []
    for contestant in present().values():  # what is loaded at the first start counts for nobody
        asyncio.run(_started(contestant, 1))
    for count in effort.peers:
        goals = (Goal(1 / 1.1, "mcp SDK"), Goal(1 / 0.3, "FastMCP")) if count >= 50 else ()
        plural = "peer" if count == 1 else "peers"
        row = Row(work=f"connect and list {count} stdio {plural}", unit="ms", goals=goals)
        # Twenty processes on two processors take so long that few rounds have to do.
        for _ in range(effort.rounds if count == 1 else effort.starts):
            for name, contestant in present().items():
                row.add(name, asyncio.run(_started(contestant, count)) * 1_000)
                _buried()
        rows.append(row)
    return rows


def listings(effort: Effort) -> list[Row]:
    """Measure how long a connected peer's list of very many tools takes."""
    rows = []
    for count in effort.tools:
        goals = (Goal(8, "mcp SDK"),) if count >= 20_000 else ()
        row = Row(work=f"list {count:,} tools", unit="ms", goals=goals)
        for _ in range(effort.rounds):
            for name, contestant in present().items():
                row.add(name, asyncio.run(_listed(contestant, count)) * 1_000)
        rows.append(row)
    return rows


def merging(effort: Effort) -> list[Row]:
    """Measure merging the tools of 200 peers, and how that grows."""
    few, many = effort.merged
    bound = Goal(500.0)
    rows = [
        Row(work=f"merge {few:,} tools of {MERGED_PEERS} peers", unit="ms"),
        Row(work=f"merge {many:,} tools of {MERGED_PEERS} peers", unit="ms", goals=(bound,)),
    ]
    grown = Row(work=f"merging {many // few} × as many tools", unit="× the time", goals=(Goal(12),))
    stocks = [_stock(few), _stock(many)]
    for _ in range(effort.rounds):
        # In turns, so that neither finds its names in the processor's cache: a merge is done once.
        took = [_merged(stock) * 1_000 for stock in stocks]
        for row, figure in zip(rows, took, strict=True):
            row.add(OURS, figure)
        grown.add(OURS, took[1] / took[0])
    return [*rows, grown]


def _buried() -> None:
    """Wait for the peers of one contestant to end: the next one must not pay for that."""
    import psutil

    def is_peer(process: psutil.Process) -> bool:
        try:
            return process.name().startswith("python")
        except psutil.Error:  # it has ended just now
            return False

    psutil.wait_procs(list(filter(is_peer, psutil.Process().children())), timeout=10)


async def _started(contestant: Contestant, count: int) -> float:
    started = time.perf_counter()
    async with contestant([yardstick(way="light")] * count) as connected:
        found = await connected.list_tools()
        took = time.perf_counter() - started
    assert found == count, f"{found} tools of {count} peers"
    return took


async def _listed(contestant: Contestant, count: int) -> float:
    async with contestant([yardstick(count)]) as connected:
        started = time.perf_counter()
        found = await connected.list_tools()
        took = time.perf_counter() - started
    assert found == count, f"{found} tools of {count}"
    return took


def _stock(count: int) -> list[Any]:
    from yardstick import tool

    from workbench.core.tool import Listing, Tool

    each = max(count // MERGED_PEERS, 1)
    listings = []
    for number in range(MERGED_PEERS):
        # Every tenth name is one that all peers have, as such names do.
        tools = [tool(index if index % 10 == 0 else number * each + index) for index in range(each)]
        named = {one["name"]: Tool(name=one["name"], definition=one) for one in tools}
        listings.append(Listing(peer=f"peer{number:03}", tools=tuple(named.values())))
    return listings


def _merged(stock: list[Any]) -> float:
    from workbench.core.menu.merge import merge
    from workbench.drivers.bulk import Bulk

    # Nothing is waited for, so the processor's time is the time; the collector is put off, as
    # the client does it.
    with Bulk():
        started = time.process_time()
        menu = merge(stock, "prefix-on-collision")
        took = time.process_time() - started
    assert menu.items
    return took
