"""Field cases about starting again, and about the time a call may take."""

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest
from cased import told
from driven import driven, turns
from tiny import PRELUDE, command

from fakes import PROGRESS_TOKEN, Fake, answer_default, delay, modern, notify, on, silence
from workbench import AsyncMultiServerClient, ManualClock, RecoveryPolicy
from workbench.core.errors import TookTooLong

BRIEF: Final = """
with open(sys.argv[1], "a") as file:
    file.write("start ")
for message in messages():
    answer(message)
    if message["method"] == "tools/list":
        sys.exit(0)
"""


def test_R01_a_server_that_answers_and_ends_is_not_started_without_end(tmp_path: Path) -> None:
    """Rule RECOV-03: real processes; a start that only answered does not reset the count."""
    starts = tmp_path / "starts"
    config = command([*_python(PRELUDE + BRIEF), str(starts)])
    eager = RecoveryPolicy(first_delay_s=0.001, cap_s=0.001, jitter=0.0, starts=4)

    async def story() -> Any:
        async with AsyncMultiServerClient(recover=eager) as client:
            client.add_server("peer", config, discovery_timeout_ms=30_000)
            await client.connect_all()
            await client.discover_tools()
            async with asyncio.timeout(30):
                while "RECOV-03" not in {e.rule for e in client.journal.entries()}:
                    await asyncio.wait([asyncio.ensure_future(turns())], timeout=0.02)
            for _ in range(10):
                await client.connect_all()
            return client.report().peers[0]

    row = asyncio.run(story())
    assert starts.read_text(encoding="utf-8").split() == ["start"] * 4
    assert row.status == "unavailable" and "restart" in row.hint


def test_R01_a_server_that_never_starts_has_the_same_budget_whoever_asks() -> None:
    """Rule RECOV-03: connecting again and again is bounded too; a hand may start it anew."""
    never = modern("never").script(on("server/discover").then(silence()))

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        for _ in range(20):
            await driven(client.connect_all(), clock)
        assert never.lifetimes == 3
        await driven(client.restart("never"), clock)
        assert never.lifetimes == 4

    few = RecoveryPolicy(starts=3, window_s=3_600.0)
    told(story, {"never": never}, options={"recover": few}, discovery_timeout_ms=500)


def _python(code: str) -> list[str]:
    import sys

    return [sys.executable, "-I", "-S", "-c", code]


def ticking(token: Any) -> Fake:
    """Return a server that reports progress every 100 ms for a minute and never answers."""
    ticks: list[Any] = []
    for value in range(1, 600):
        told_of = {"progressToken": token, "progress": value}
        ticks += [delay(0.1), notify("notifications/progress", told_of)]
    return modern("peer", tools=["t"]).script(on("tools/call").then(*ticks))


@pytest.mark.parametrize(
    ("token", "ends_at_s"), [(PROGRESS_TOKEN, 3.0), ("foreign", 1.0), (1, 1.0)]
)
def test_R06_only_its_own_progress_moves_a_deadline_and_never_beyond_the_limit(
    token: Any, ends_at_s: float
) -> None:
    """Spec: a client may reset its clock on progress, and should have a maximum all the same."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> float:
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        begun = clock.now()
        call = client.call("t", timeout_s=1.0, max_timeout_s=3.0, on_progress=lambda one: None)
        with pytest.raises(TookTooLong):
            await driven(call, clock)
        return clock.now() - begun

    assert told(story, {"peer": ticking(token)}) == pytest.approx(ends_at_s)


def test_R06_progress_after_the_answer_is_nobodys() -> None:
    """Each call has a token of its own, so a late word reaches no other call."""
    late = notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": 5})
    peer = modern("peer", tools=["t"]).script(on("tools/call").then(answer_default(), late))
    seen: list[Any] = []

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> list[Any]:
        for _ in range(2):
            await driven(client.call("t", on_progress=seen.append), clock)
            await turns()
        calls = [body for body in peer.received if body["method"] == "tools/call"]
        return [body["params"]["_meta"]["progressToken"] for body in calls]

    first, second = told(story, {"peer": peer})
    assert first != second and seen == []
