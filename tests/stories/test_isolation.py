"""Many peers, some of them bad: each is alone in its trouble.

In memory the clock is moved, so times are exact; over pipes the order of events is what is
asserted, never how long something took.
"""

import asyncio
import itertools
import json
import random
from typing import Any, Final

import pytest
from driven import driven
from tiny import command, tiny

from fakes import Fake, answer_default, delay, fault, legacy, modern, on, silence
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient
from workbench.core.menu.menu import Menu
from workbench.core.report import StartupReport

pytestmark = pytest.mark.usefixtures("started")

ECHO: Final = "for message in messages(): answer(message)\n"
MUTE: Final = "for message in messages(): pass\n"
LIMIT_S: Final = 20.0
TWENTY: Final = [f"peer-{number:02}" for number in range(20)]
SILENT: Final = frozenset(TWENTY[::4])


def quiet() -> Fake:
    return modern(tools=["never"]).script(on("*").then(silence()))


@pytest.mark.parametrize("allow_legacy", [False, True])
def test_twenty_peers_are_decided_within_the_deadline_of_the_silent_ones(
    allow_legacy: bool,
) -> None:
    """Case N11, M04: five silent peers cost one deadline together, and the others nothing."""

    async def story() -> tuple[StartupReport, float]:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        for name in TWENTY:
            fake = quiet() if name in SILENT else modern(name, tools=[f"tool-of-{name}"])
            client.add_server(
                name,
                fake,
                allow_legacy=allow_legacy,
                discovery_timeout_ms=1_000,
                legacy_probe_timeout_ms=1_500,
            )
        report = await driven(client.connect_all(), clock)
        took_s = clock.now()
        await driven(client.aclose(), clock)
        return report, took_s

    report, took_s = asyncio.run(story())
    assert took_s == (2.5 if allow_legacy else 1.0)
    assert {row.peer for row in report.peers if row.status == "unavailable"} == SILENT
    assert {row.ready_ms for row in report.peers if row.status == "ready"} == {0.0}


def test_a_slow_peer_costs_its_own_time_only() -> None:
    """Case N11, M04: each peer's time to be ready is its own, whatever the others take."""
    waits = {"at-once": 0.0, "slow": 0.4, "slower": 0.9}

    async def story() -> StartupReport:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        for name, wait_s in waits.items():
            late = on("server/discover").then(delay(wait_s), answer_default())
            client.add_server(name, modern(name).script(late))
        report = await driven(client.connect_all(), clock)
        await driven(client.aclose(), clock)
        return report

    ready = {row.peer: row.ready_ms for row in asyncio.run(story()).peers}
    assert ready == pytest.approx({name: wait_s * 1_000 for name, wait_s in waits.items()})


def test_fifteen_peers_work_while_five_are_still_connecting(started: Any) -> None:
    """Case N11: over pipes; the good ones are ready and called before the silent ones end."""

    async def story() -> None:
        client = AsyncMultiServerClient()
        for name in TWENTY:
            code = MUTE if name in SILENT else f"TOOLS = ['at-{name}']\n{ECHO}"
            # The silent ones have all the time in the world, so only isolation ends the wait.
            patience_ms = 600_000 if name in SILENT else 20_000
            client.add_server(name, tiny(code), discovery_timeout_ms=patience_ms)
        connecting = asyncio.ensure_future(client.connect_all())
        async with asyncio.timeout(LIMIT_S):
            while sum(row.status == "ready" for row in client.report().peers) < 15:
                await asyncio.wait([connecting], timeout=0.01)
            others = [row for row in client.report().peers if row.status != "ready"]
            assert {row.peer for row in others} == SILENT
            assert {row.reason for row in others} == {"the peer is connecting"}
            assert not connecting.done()
            await client.discover_tools()
            names = client.merge().names
            assert len(names) == 15
            calls = (client.call(name, {"q": name}) for name in names)
            assert [result.text for result in await asyncio.gather(*calls)] == list(names)
            assert not connecting.done()
            await client.aclose()
            await connecting

    asyncio.run(story())
    assert len(started.groups) == 20


def test_N11_a_good_peer_works_beside_one_that_hangs_crashes_or_talks_garbage() -> None:
    """Case N11: every bad peer is a row with its own reason; nobody raises for it."""
    bad = {
        "hang": (tiny(MUTE), "ERA-11"),
        "crash": (command(["sh", "-c", "echo 'no key' >&2; exit 3"]), "ERA-12"),
        "garbage": (
            command(["sh", "-c", "while read -r line; do echo '<html>no</html>'; done"]),
            "ERA-14",
        ),
        "missing": (command(["no-such-program-anywhere"]), "PROC-01"),
    }
    with MultiServerClient() as client:
        for name, (config, _) in bad.items():
            client.add_server(name, config, discovery_timeout_ms=300, startup_grace_ms=200)
        client.add_server("good", tiny(ECHO), discovery_timeout_ms=20_000)
        rows = {row.peer: row for row in client.connect_all().peers}
        assert client.call("echo", {"q": "fine"}).text == "fine"
    assert (rows["good"].status, rows["good"].rule) == ("ready", "ERA-01")
    for name, (_, rule) in bad.items():
        assert (rows[name].status, rows[name].rule) == ("unavailable", rule), rows[name].reason
    assert "no key" in rows["crash"].reason
    assert "<html>" in rows["garbage"].reason


def test_N11_a_peer_that_dies_takes_nobody_along() -> None:
    """Case N11, C04: one of three dies in a call; the other two go on, and it can come back."""
    with fault("C04-dies-before").over_stdio() as argv, MultiServerClient() as client:
        client.add_server("dies", command(argv))
        for name in ("one", "two"):
            client.add_server(name, tiny(f"TOOLS = ['{name}']\n{ECHO}"))
        client.connect_all()
        client.discover_tools()
        client.merge()
        with pytest.raises(Exception, match="exited with status 9"):
            client.call("create")
        assert [client.call(name, {"q": name}).text for name in ("one", "two")] == ["one", "two"]
        states = {row.peer: row.status for row in client.report().peers}
        assert states == {"dies": "unavailable", "one": "ready", "two": "ready"}
        again = {row.peer: row.status for row in client.connect_all().peers}
        assert again == {"dies": "ready", "one": "ready", "two": "ready"}


def gathered(order: tuple[str, ...], delays: dict[str, float]) -> tuple[StartupReport, Menu]:
    """Register four peers in this order, answering after these delays; report and menu."""
    servers = {
        "alpha": modern("alpha", tools=["search", "create"]),
        "beta": legacy("beta", tools=["search", "zip"]),
        "gamma": fault("P04"),
        "delta": modern("delta", tools=["create", "search"], page_size=1),
    }

    async def story() -> tuple[StartupReport, Menu]:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        for name in order:
            late = on("server/discover").then(delay(delays[name]), answer_default())
            fake = servers[name].script(late) if delays[name] else servers[name]
            client.add_server(name, fake, allow_legacy=name == "beta")
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        menu = client.merge()
        report = client.report()
        await driven(client.aclose(), clock)
        return report, menu

    return asyncio.run(story())


ALL_FOUR: Final = ("alpha", "beta", "delta", "gamma")
AT_ONCE: Final = dict.fromkeys(ALL_FOUR, 0.0)


@pytest.mark.parametrize("order", list(itertools.permutations(ALL_FOUR)), ids="-".join)
def test_M05_any_order_of_registration_gives_the_same_report(order: tuple[str, ...]) -> None:
    """Fault matrix M05, case N07: byte for byte, with two eras, a refusal and collisions."""
    report, menu = gathered(order, AT_ONCE)
    expected, known = gathered(ALL_FOUR, AT_ONCE)
    assert report.to_json() == expected.to_json()
    assert menu == known
    assert len(report.collisions) == 2


@pytest.mark.parametrize("seed", range(12))
def test_M05_any_timing_of_the_start_gives_the_same_report(seed: int) -> None:
    """Fault matrix M05, case N12: whoever is first; only the time to be ready may differ."""
    chance = random.Random(seed)
    delays = {name: chance.choice([0.1, 0.2, 0.5, 0.9]) for name in ALL_FOUR}
    delays["gamma"] = 0.0
    report, menu = gathered(tuple(chance.sample(ALL_FOUR, 4)), delays)
    expected, known = gathered(ALL_FOUR, AT_ONCE)
    assert timeless(report) == timeless(expected)
    assert menu == known


def timeless(report: StartupReport) -> dict[str, Any]:
    """Return the report without the one thing that is a time."""
    body: dict[str, Any] = json.loads(report.to_json())
    for row in body["peers"]:
        row.pop("ready_ms")
    return body
