"""Twenty peers that are killed, stalled and talked nonsense at, under thousands of calls.

What happened is read from the fakes' own record, not from the client's. Everything is in
memory and time moves by itself, so that a storm of minutes takes seconds; a seed that
fails fails again (it is printed, and it is in the name of the test). Kills of real
processes are in `test_real_kills.py`.

Each of ten seeds makes more than 5,000 calls. Seed 0 is a quick test; the nine others are
marked `storm`: `make test` and `make chaos` run them, `make check` does not.
"""

import asyncio
import random
from collections import Counter
from typing import Any, Final

import pytest
from driven import driven, turns
from stormy import Calls, peer_named

from fakes import (
    Fake,
    answer_default,
    close,
    delay,
    exit_,
    notify,
    on,
    raw,
)
from workbench import AsyncMultiServerClient, ManualClock, RecoveryPolicy

PEERS: Final = 20
STEPS: Final = 660
CALLS: Final = 5_000
"""The least that comes of so many steps."""
BOUND_S: Final = 60.0
"""Of real time for one seed; it takes about a tenth of that."""
SEEDS: Final = [
    pytest.param(seed, id=f"seed-{seed}", marks=[pytest.mark.storm] if seed else [])
    for seed in range(10)
]
SETTLE_S: Final = 600.0
LIST_CHANGED: Final = "notifications/tools/list_changed"
TOOLS: Final = ("die-after", "die-before", "read", "slow", "stall", "write")
WEIGHTS: Final = (1, 1, 30, 10, 2, 30)
STRAY: Final = '{"jsonrpc":"2.0","id":999999,"result":{}}'
EAGER: Final = RecoveryPolicy(
    first_delay_s=0.2, cap_s=5.0, healthy_s=2.0, starts=500, give_up_after=500
)


def peer(name: str) -> Fake:
    """Return a peer whose tools do what their names say."""
    slow = on("tools/call").where(name="slow").then(delay(0.5), answer_default())
    return peer_named(name, TOOLS, slow)


class Storm:
    """One seeded run.

    Args:
        seed: of every choice.
        steps: each makes up to 17 calls and may hurt one peer.
    """

    def __init__(self, seed: int, steps: int = 0) -> None:
        random.seed(seed)  # the pauses of the client draw from here
        self.dice = random.Random(seed)
        self.steps = steps
        self.clock = ManualClock()
        self.peers = {f"p{number:02}": peer(f"p{number:02}") for number in range(PEERS)}
        self.client = AsyncMultiServerClient(
            clock=self.clock, recover=EAGER, merge_policy="prefix-always"
        )
        tools = (TOOLS, WEIGHTS)
        self.calls = Calls(self.client, self.dice, list(self.peers), tools, given_up=0.05)

    async def blow(self) -> None:
        client, clock = self.client, self.clock
        for name, peer in self.peers.items():
            client.add_server(name, peer)
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        handle = await driven(client.listen(), clock)
        calls: list[asyncio.Future[None]] = []
        for _ in range(self.steps):
            for _ in range(self.dice.randrange(18)):
                calls.append(asyncio.ensure_future(self.call(len(calls))))
            if self.dice.random() < 0.6:
                self.hurt(self.dice.choice(list(self.peers.values())))
            await turns(self.dice.randrange(1, 6))
            if self.dice.random() < 0.5:
                clock.advance(self.dice.uniform(0.0, 1.5))
        everything = asyncio.gather(*calls)
        await driven(asyncio.wait_for(everything, None), clock)
        calm = handle.wait_for(lambda one: self.all_ready() and one.state == "listening", SETTLE_S)
        self.calm = await driven(calm, clock)
        self.states = {row.peer: row.status for row in client.report().peers}
        self.count = len(calls)
        self.numbers = client.outcomes[-1].number
        await driven(client.aclose(), clock)
        self.left = len(asyncio.all_tasks()) - 1

    def all_ready(self) -> bool:
        return self.client.report().all_ready

    async def call(self, number: int) -> None:
        """Make one call."""

        async def begun(_: object) -> None:
            await turns(2 + self.dice.randrange(4))  # not before it has begun

        await self.calls.one(number, lambda _: self.dice.choice([0.2, 5.0]), begun)

    def hurt(self, peer: Fake) -> None:
        """Do something to a peer that is there."""
        harm = self.dice.choice(
            [
                (close(),),
                (exit_(9),),
                (raw("not JSON at all"), raw(b"\xff\xfe"), raw(STRAY)),
                (raw('{"jsonrpc":"2.0","id":1,', newline=False), exit_(1)),
                (notify(LIST_CHANGED, {}, listeners=True, times=20),),
                (notify(LIST_CHANGED, {}),),
            ]
        )
        if peer._recording.live:
            peer.say(*harm)

    def received(self) -> Counter[str]:
        """Count how often each call arrived at any peer, by its argument."""
        return Counter(
            str(body["params"]["arguments"]["q"])
            for peer in self.peers.values()
            for body in peer.received
            if body.get("method") == "tools/call"
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_storm_loses_no_call_and_repeats_none_without_a_word(seed: int) -> None:
    """Design 7.7; fault matrix C04, C08; cases R01, R03: by the peers' own record."""
    print(f"seed {seed}")  # noqa: T201
    storm = Storm(seed, STEPS)

    async def bounded() -> None:
        async with asyncio.timeout(BOUND_S):
            await storm.blow()

    asyncio.run(bounded())
    ends = storm.calls.ends()
    print(f"{storm.count} calls: {dict(ends)}")  # noqa: T201
    assert storm.count >= CALLS
    assert ends.total() == storm.count == storm.numbers, "each call ended once"
    storm.calls.check(storm.received())
    assert storm.calm, storm.states
    assert set(storm.states.values()) == {"ready"}
    assert storm.left == 0, "no task is left behind"
    check_effects(storm)
    assert len(ends) >= 4, "the storm was one"


def check_effects(storm: Storm) -> None:
    """Compare what the peers did with what was asked of them."""
    for peer in storm.peers.values():
        asked: Counter[Any] = Counter()
        for body in peer.received:
            if body.get("method") == "tools/call":
                asked[body["params"]["name"]] += 1
        done = Counter(peer.effects)
        assert all(done[tool] <= asked[tool] for tool in done), peer.name
        assert done["write"] == asked["write"] and done["stall"] == done["die-before"] == 0
        assert done["die-after"] == asked["die-after"]


def test_the_check_of_a_storm_can_fail() -> None:
    """Ours: a call that a peer saw twice without a key is noticed, and so is a wrong deed."""
    storm = Storm(0)
    storm.calls.ended["call-0"] = "result"
    body = {"method": "tools/call", "params": {"name": "write", "arguments": {"q": "call-0"}}}
    storm.peers["p00"].received.extend([body, body])
    assert storm.received()["call-0"] == 2
    with pytest.raises(AssertionError, match="without a key"):
        storm.calls.check(storm.received())
    with pytest.raises(AssertionError):
        check_effects(storm)
