"""Real processes, killed: over pipes and over HTTP, under calls, beside peers in memory.

Time is real here, so a seed chooses what is done and to whom, and chance decides when it
hits. What happened is read from the files the processes write, not from the client.

Seed 0 is a quick test; the others are marked `storm` (`make chaos`).
"""

import asyncio
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from stormy import Calls, peer_named
from survivors import survivors

from fakes import Fake, answer_default, notify, on, raw
from fakes.load import dump
from workbench import AsyncMultiServerClient, PeerConfig, RecoveryPolicy
from workbench.transports.groups import KILL, live_groups, send_signal

PIPES: Final = ("pipe-0", "pipe-1", "pipe-2", "pipe-3", "pipe-4", "pipe-5")
HTTPS: Final = ("http-0", "http-1", "http-2")
MEMORIES: Final = ("memory-0", "memory-1", "memory-2")
EVERYBODY: Final = (*PIPES, *HTTPS, *MEMORIES)
STEPS: Final = 60
CALLS: Final = 300
"""The least that comes of so many steps."""
BOUND_S: Final = 60.0
SETTLE_S: Final = 30.0
START_S: Final = 15.0
TOOLS: Final = ("change", "die-after", "die-before", "garble", "read", "stall", "write")
WEIGHTS: Final = (2, 1, 1, 2, 30, 1, 30)
SEEDS: Final = [
    pytest.param(seed, id=f"seed-{seed}", marks=[pytest.mark.storm] if seed else [])
    for seed in range(3)
]
EAGER: Final = RecoveryPolicy(
    first_delay_s=0.05, cap_s=1.0, healthy_s=1.0, starts=500, give_up_after=500
)


def peer(name: str) -> Fake:
    """Return a peer whose tools do what their names say."""
    calls = on("tools/call")
    changed = notify("notifications/tools/list_changed", {}, listeners=True)
    return peer_named(
        name,
        TOOLS,
        calls.where(name="change").then(changed, answer_default()),
        calls.where(name="garble").then(raw("not JSON at all"), answer_default()),
    )


class Served:
    """A fake as a process behind one HTTP address, started again when it was killed.

    Args:
        name: of the peer.
        folder: where its script is and where it writes.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.script = folder / f"{name}.script"
        self.script.write_bytes(dump(peer(name).program))
        self.record, self.effects = folder / f"{name}.received", folder / f"{name}.effects"
        self.port = 0
        self.url = ""
        self.start()

    def start(self) -> None:
        """Start it, on the port it had before, and wait until it listens."""
        command = [sys.executable, "-m", "fakes", "--script", str(self.script)]
        command += ["--http", str(self.port)]
        command += ["--record", str(self.record), "--effects", str(self.effects)]
        self.child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.child.stdout is not None
        ready, _, _ = select.select([self.child.stdout], [], [], START_S)
        self.url = os.read(self.child.stdout.fileno(), 4_096).decode().strip() if ready else ""
        assert self.url, "it does not listen"
        self.port = int(self.url.split(":")[2].split("/")[0])

    def kill(self) -> None:
        """End it without a word."""
        self.child.send_signal(signal.SIGKILL)
        self.child.wait(START_S)
        assert self.child.stdout is not None
        self.child.stdout.close()


class Storm:
    """One run.

    Args:
        seed: of every choice.
        folder: an empty one, where processes write.
        steps: each makes up to 14 calls and may kill somebody.
    """

    def __init__(self, seed: int, folder: Path, steps: int = STEPS) -> None:
        self.dice = random.Random(seed)
        self.folder = folder
        self.steps = steps
        self.memories = {name: peer(name) for name in MEMORIES}
        self.served: dict[str, Served] = {}
        self.killed: Counter[str] = Counter()
        self.strangers = live_groups()
        self.client = AsyncMultiServerClient(recover=EAGER, merge_policy="prefix-always")
        tools = (TOOLS, WEIGHTS)
        self.calls = Calls(self.client, self.dice, EVERYBODY, tools, given_up=0.03)

    def blow(self) -> None:
        """Start everybody, make the storm, end everybody."""
        with ExitStack() as stack:
            for name in HTTPS:
                self.served[name] = one = Served(name, self.folder)
                stack.callback(lambda one=one: one.kill())
            self._register(stack)
            asyncio.run(self._bounded())

    def _register(self, stack: ExitStack) -> None:
        for name, fake in self.memories.items():
            self.client.add_server(name, fake)
        for name, served in self.served.items():
            target = PeerConfig(name=name, url=served.url)
            self.client.add_server(name, target, discovery_timeout_ms=10_000)
        for name in PIPES:
            command = stack.enter_context(
                peer(name).over_stdio(
                    record=self.folder / f"{name}.received", effects=self.folder / f"{name}.effects"
                )
            )
            target = PeerConfig(name=name, command=command[0], args=tuple(command[1:]))
            self.client.add_server(name, target, discovery_timeout_ms=10_000)

    async def _bounded(self) -> None:
        async with asyncio.timeout(BOUND_S):
            await self._blow()

    async def _blow(self) -> None:
        client = self.client
        assert (await client.connect_all()).all_ready
        await client.discover_tools()
        client.merge()
        handle = await client.listen()
        calls: list[asyncio.Future[None]] = []
        for _ in range(self.steps):
            for _ in range(self.dice.randrange(15)):
                calls.append(asyncio.ensure_future(self.call(len(calls))))
            if self.dice.random() < 0.3:
                await self.hurt()
            waiting = [call for call in calls if not call.done()]
            if waiting:  # the storm goes on when somebody has ended, not when time has passed
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.gather(*calls)
        self.calm = await handle.wait_for(
            lambda one: client.report().all_ready and one.state == "listening", SETTLE_S
        )
        self.states = {row.peer: row.status for row in client.report().peers}
        self.count, self.numbers = len(calls), client.outcomes[-1].number
        await client.discover_tools()
        client.merge()
        for name in self.states:
            await client.call(f"{name}/read", {"q": f"last-{name}"}, timeout_s=START_S)
        await client.aclose()
        self.left = len(asyncio.all_tasks()) - 1

    async def call(self, number: int) -> None:
        """Make one call."""
        await self.calls.one(
            number,
            lambda tool: 0.3 if tool == "stall" else 10.0,
            lambda task: asyncio.wait([task], timeout=0.0),
        )

    async def hurt(self) -> None:
        """Kill a process, whatever it is doing; one behind HTTP is started again."""
        groups = sorted(live_groups() - self.strangers)
        if groups and self.killed.total() % 5 != 4:
            send_signal(self.dice.choice(groups), KILL)
            self.killed["pipe"] += 1
            return
        served = self.dice.choice(list(self.served.values()))
        self.killed["http"] += 1
        await asyncio.to_thread(served.kill)
        await asyncio.to_thread(served.start)

    def received(self, name: str) -> list[dict[str, Any]]:
        """Return the calls a peer got, oldest first."""
        if name in self.memories:
            bodies = self.memories[name].received
        else:
            bodies = [json.loads(line) for line in _lines(self.folder / f"{name}.received")]
        return [body["params"] for body in bodies if body.get("method") == "tools/call"]

    def effects(self, name: str) -> Counter[str]:
        """Return how often a peer has executed each tool."""
        if name in self.memories:
            return Counter(self.memories[name].effects)
        return Counter(_lines(self.folder / f"{name}.effects"))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def check(storm: Storm) -> None:
    """Compare what the peers did with what was asked of them, and with what was said of it."""
    seen: Counter[str] = Counter()
    for name in EVERYBODY:
        asked = storm.received(name)
        seen.update(str(params["arguments"]["q"]) for params in asked)
        wanted = Counter(params["name"] for params in asked)
        done = storm.effects(name)
        # A process that is killed between reading and doing has done less, never more.
        assert all(done[tool] <= wanted[tool] for tool in done), name
        assert done["stall"] == done["die-before"] == 0, name
    storm.calls.check(seen)


@pytest.mark.parametrize("seed", SEEDS)
def test_processes_are_killed_and_no_call_is_lost_or_repeated(seed: int, tmp_path: Path) -> None:
    """Design 7.7; fault matrix C04; cases R01, R03, S20: by the processes' own record."""
    began_at = time.monotonic()
    storm = Storm(seed, tmp_path)
    storm.blow()
    ends = storm.calls.ends()
    took_s = time.monotonic() - began_at
    print(f"seed {seed}: {storm.count} calls, killed {dict(storm.killed)}, {dict(ends)}")  # noqa: T201
    print(f"took {took_s:.1f} s")  # noqa: T201
    assert storm.count >= CALLS
    assert storm.killed["pipe"] >= 5 and storm.killed["http"] >= 1, "the kills were real"
    assert ends.total() == storm.count == storm.numbers, "each call ended once"
    assert storm.calm and set(storm.states.values()) == {"ready"}, storm.states
    check(storm)
    assert ends["result"] > storm.count / 4 and ends["outcome unknown"] > 0, ends
    assert storm.left == 0, "no task is left behind"
    assert live_groups() == storm.strangers
    assert survivors(str(tmp_path)) == [], "no process is left behind"
    mine = {child.pid for child in psutil.Process().children()}
    assert not mine & {served.child.pid for served in storm.served.values()}


@pytest.mark.parametrize(
    ("word", "tool", "effects"), [("call-0", "write", []), ("other", "stall", ["stall"])]
)
def test_the_check_of_a_storm_can_fail(
    word: str, tool: str, effects: list[str], tmp_path: Path
) -> None:
    """Ours: a call that arrived twice without a key is noticed, and so is a wrong deed."""
    storm = Storm(0, tmp_path)
    body = {"method": "tools/call", "params": {"name": tool, "arguments": {"q": word}}}
    lines = [json.dumps(body)] * (2 if word == "call-0" else 1)
    (tmp_path / "pipe-0.received").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "pipe-0.effects").write_text("\n".join(effects), encoding="utf-8")
    with pytest.raises(AssertionError):
        check(storm)
