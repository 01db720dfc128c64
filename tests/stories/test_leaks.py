"""A long session leaves nothing behind: no process, thread, file, task, object or memory.

Two hundred rounds, four misbehaving peers a round, each over real pipes. The faults are
those that are decided quickly, so that the rounds are many.
"""

import asyncio
import gc
import itertools
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import psutil
import pytest
from tiny import command, tiny

from workbench import AsyncMultiServerClient, MultiServerClient
from workbench.core.config.config import PeerConfig
from workbench.core.errors import WorkbenchError
from workbench.transports.groups import live_groups
from workbench.transports.guardian import GUARDIAN

ROUNDS: Final = 200
PEERS: Final = 4
AT_ONCE: Final = 4
"""Rounds, each with a client of its own, that run side by side."""
MOST_GROWTH: Final = 24 * 1024 * 1024
"""Bytes; 800 processes with a leak of one pipe buffer each would take more than twice that."""
KEPT: Final = ("AsyncMultiServerClient", "Owner", "Link", "StdioTransport", "Journal", "Task")
"""Classes whose objects must not outlive their round."""


def shell(script: str) -> PeerConfig:
    return command(["sh", "-c", script])


_REFUSAL: Final = """'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'"""
FAULTS: Final[dict[str, tuple[PeerConfig, dict[str, Any]]]] = {
    "exits": (shell("echo trouble >&2; exit 3"), {}),
    "killed": (shell("kill -KILL $$"), {}),
    "banner-and-exit": (shell("echo hello; printf half; exit 0"), {}),
    "refuses": (shell(f"read -r a; echo {_REFUSAL}; read -r b"), {}),
    "refuses-twice": (
        shell(f"read -r a; echo {_REFUSAL}; read -r b; exit 1"),
        {"allow_legacy": True},
    ),
    "closes-its-output": (shell("exec >&-; read -r a; read -r b"), {}),
    "leaves-a-child": (shell("sleep 60 & exit 0"), {}),
    "silent": (
        shell("while read -r a; do :; done"),
        {"discovery_timeout_ms": 20, "startup_grace_ms": 1},
    ),
    "missing": (command(["no-such-program-anywhere"]), {}),
    "dies-in-a-call": (
        tiny("for m in messages():\n  m['method'] == 'tools/call' and os._exit(9)\n  answer(m)"),
        {"discovery_timeout_ms": 20_000},
    ),
}


async def one_round(names: tuple[str, ...]) -> None:
    """Connect the named peers, use what became ready, and close."""
    async with AsyncMultiServerClient() as client:
        for index, name in enumerate(names):
            config, settings = FAULTS[name]
            client.add_server(f"{index}-{name}", config, **settings)
        report = await client.connect_all()
        ready = [row.peer for row in report.peers if row.status == "ready"]
        assert ready == [f"{i}-{name}" for i, name in enumerate(names) if name.startswith("dies")]
        if ready:
            await client.discover_tools()
            with pytest.raises(WorkbenchError):
                await client.call(client.merge().names[0])


def held() -> Counter[str]:
    """Count the living objects that must not outlive a round."""
    gc.collect()
    alive = Counter(type(one).__name__ for one in gc.get_objects())
    return Counter({name: alive[name] for name in KEPT if alive[name]})


def children() -> list[int]:
    mine = psutil.Process().children(recursive=True)
    return [child.pid for child in mine if child.pid != GUARDIAN.pid]


def test_two_hundred_rounds_of_bad_peers_leave_nothing_behind(started: Any) -> None:
    """Ours, design 7.9; case R01: also a session that reconnects all day stays small."""
    me = psutil.Process()
    names = itertools.cycle(FAULTS)

    async def rounds(count: int) -> tuple[Any, ...]:
        for _ in range(count // AT_ONCE):
            chosen = [tuple(itertools.islice(names, PEERS)) for _ in range(AT_ONCE)]
            await asyncio.gather(*(one_round(some) for some in chosen))
        ends_at = asyncio.get_running_loop().time() + 5.0
        # A pipe that was let go may be looked at once more, a second later.
        while held()["Link"] and asyncio.get_running_loop().time() < ends_at:
            await asyncio.wait([asyncio.ensure_future(_turn())], timeout=0.1)
        return me.num_fds(), me.num_threads(), len(asyncio.all_tasks()), held()

    async def story() -> None:
        # Whatever tests before this one have left in this process is theirs.
        others = held()
        before = await rounds(AT_ONCE)
        memory = me.memory_info().rss
        assert await rounds(ROUNDS) == before
        assert before[2] == 1, "one task: this one"
        assert not before[3] - others, "nothing of a round is left"
        assert me.memory_info().rss - memory < MOST_GROWTH
        assert live_groups() == frozenset()

    asyncio.run(story())
    assert children() == []
    peers = (ROUNDS + AT_ONCE) * PEERS
    assert len(started.groups) >= peers - peers // len(FAULTS) - 1, "only one kind never starts"


def test_the_background_thread_ends_with_its_client(started: Any) -> None:
    """Ours: a notebook makes a new client in every cell and closes it, or forgets to."""
    me = psutil.Process()

    def use(forgotten: bool) -> None:
        client = MultiServerClient()
        client.add_server("peer", FAULTS["refuses"][0])
        client.connect_all()
        if not forgotten:
            client.close()

    use(forgotten=False)
    files, threads = me.num_fds(), threading.active_count()
    for _ in range(20):
        use(forgotten=False)
    assert (me.num_fds(), threading.active_count()) == (files, threads)
    assert len(started.groups) == 21


def test_a_client_that_is_closed_while_it_connects_leaves_nothing(started: Any) -> None:
    """Ours: the Stop button in the first second; every turn of the loop is tried."""

    async def story(turns: int) -> None:
        client = AsyncMultiServerClient()
        for name in ("silent", "exits", "dies-in-a-call"):
            client.add_server(name, FAULTS[name][0], discovery_timeout_ms=600_000)
        connecting = asyncio.ensure_future(client.connect_all())
        for _ in range(turns):
            await asyncio.wait([asyncio.ensure_future(_turn())])
        await client.aclose()
        report = await connecting
        assert {row.status for row in report.peers} <= {"unavailable", "ready"}
        assert len(asyncio.all_tasks()) == 1

    for turns in range(1, 31, 3):
        asyncio.run(story(turns))
    assert children() == []


async def _turn() -> None:
    """Let the loop turn once."""


@pytest.mark.parametrize(
    "leak",
    [
        lambda kept: kept.append(AsyncMultiServerClient()),
        lambda kept: kept.append(open("/dev/null", "rb")),
    ],
    ids=["object", "file"],
)
def test_a_leak_is_noticed(leak: Callable[[list[Any]], None]) -> None:
    """Ours: a check must be able to fail."""
    kept: list[Any] = []
    before = psutil.Process().num_fds(), held()
    leak(kept)
    assert (psutil.Process().num_fds(), held()) != before
    for one in kept:
        if hasattr(one, "close"):
            one.close()
