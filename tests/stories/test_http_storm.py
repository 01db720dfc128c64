"""Five hundred calls at once over HTTP, many of them cut off: each ends, and ends once."""

import asyncio
import os
import random
from collections import Counter
from typing import Any

import psutil

from fakes import as_sse, cut, hang_up, modern, on, silence, status
from workbench import AsyncMultiServerClient, PeerConfig, WorkbenchError

CALLS = 500
SEED = 20260728


def faults(seed: int) -> list[Any]:
    """Return rules that break about half of the calls, each in one of six ways."""
    chance = random.Random(seed)
    ways = (
        lambda: (hang_up("close"),),
        lambda: (hang_up("reset"),),
        lambda: (as_sse(), hang_up("end")),
        lambda: (cut(10, how="reset"),),
        lambda: (status(500),),
        lambda: (silence(),),
    )
    hit = chance.sample(range(1, CALLS + 1), CALLS // 2)
    return [on("tools/call").nth(n).then(*chance.choice(ways)()) for n in sorted(hit)]


def connections(port: int) -> list[Any]:
    """Return the open connections of this process to or from one port."""
    mine = psutil.Process(os.getpid()).net_connections("tcp")
    return [
        one
        for one in mine
        if one.status == psutil.CONN_ESTABLISHED
        and port in (one.laddr.port, one.raddr.port if one.raddr else 0)
    ]


def test_every_call_ends_in_exactly_one_way_and_no_connection_is_left() -> None:
    """Spec: basic/transports/streamable-http; field cases H06, S20."""
    fake = modern(tools=["echo"]).script(*faults(SEED))

    async def one(client: AsyncMultiServerClient, number: int) -> str:
        try:
            result = await client.call("echo", {"q": str(number)}, timeout_s=3.0)
        except WorkbenchError as problem:
            return type(problem).__name__
        assert result.text == f'echo: {{"q":"{number}"}}', "an answer went to another call"
        return "result"

    async def storm(url: str) -> list[str]:
        client = AsyncMultiServerClient()
        client.add_server("peer", PeerConfig(name="peer", url=url), discovery_timeout_ms=20_000)
        async with client:
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            calls = [asyncio.ensure_future(one(client, number)) for number in range(CALLS)]
            done, _ = await asyncio.wait(calls, timeout=60)
            assert len(done) == CALLS, "every call ends"
            outcomes = Counter(str(outcome.ended) for outcome in client.outcomes)
            assert sum(outcomes.values()) == CALLS, "every call has one outcome"
        return [call.result() for call in calls]

    with fake.over_http() as url:
        ends = Counter(asyncio.run(storm(url)))
        port = int(url.split(":")[2].split("/")[0])
        assert connections(port) == []
    # What is cut off before the answer may have run; nothing else is said of it.
    assert ends["result"] >= CALLS // 4, ends
    assert set(ends) <= {"result", "OutcomeUnknown", "TookTooLong"}, ends
