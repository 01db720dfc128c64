"""Every era row of the fault matrix, with and without permission, in memory and over pipes.

The row ids stand in the test ids: `pytest -k P11`. What is asserted: the verdict, the rule
that gave it, the exact requests the peer received, fresh ids, and that the whole took no
longer than the deadlines allow.
"""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from driven import driven
from msgspec import Struct

from fakes import FAULTS, fault
from workbench import AsyncMultiServerClient, ManualClock, PeerConfig

NEWER = ("2026-07-28", "2099-12-31")
ROWS = [name for name in FAULTS if name[0] in "PL"]


class Expected(Struct, frozen=True):
    """What must come of one row under one flag."""

    era: str | None
    rule: str
    discovers: int = 1
    handshakes: int = 0


def _modern(rule: str = "ERA-01", discovers: int = 1, handshakes: int = 0) -> Expected:
    return Expected("modern", rule, discovers, handshakes)


def _refused(rule: str, discovers: int = 1, handshakes: int = 0) -> Expected:
    return Expected(None, rule, discovers, handshakes)


LEGACY = Expected("legacy", "LEG-00", 1, 1)

BOTH = {
    # The flag makes no difference: modern proof never downgrades.
    "P01": _modern(),
    "P03": _modern(discovers=2),
    "P04": _refused("ERA-05", discovers=2),
    "P04-then-unknown-method": _refused("ERA-20", discovers=2),
    "P05": _modern(discovers=2),
    "P06": _refused("ERA-07"),
    "P07": _modern(discovers=2),
    "P08": _refused("ERA-03"),
    "P09": _refused("ERA-03"),
    "P10": _refused("ERA-03"),
    "P18": _refused("ERA-08"),
    "P21": _modern(),
    "P22": _modern(),
}
STRICT = {
    "P02": "ERA-10",
    "P11": "ERA-11",
    "P12": "ERA-12",
    "P13": "ERA-13",
    "P14": "ERA-14",
    "P15": "ERA-15",
    "P16": "ERA-16",
    "P16-envelope": "ERA-18",
    "P17": "ERA-17",
    "P19": "ERA-09",
    "P20": "ERA-11",
}
HANDSHAKE = {
    "L02": "LEG-03",
    "L03": "LEG-04",
    "L04": "LEG-05",
    "L05": "LEG-06",
    "L06": "LEG-06",
    "L07": "LEG-07",
    "L08": "LEG-07",
    "L09": "LEG-07",
    "L10": "LEG-08",
    "L11": "LEG-08",
    "L12": "LEG-06",
    "L13": "LEG-09",
}
LATE = {
    "P20-late": _modern(discovers=2, handshakes=1),
    "P20-late-after-handshake": LEGACY,
    "P20-late-and-no-handshake": _modern(handshakes=1),
}


def expected(name: str, allow_legacy: bool) -> Expected:
    """Return what the matrix demands of one variant."""
    row = name[:3]
    if row in BOTH:
        return BOTH.get(name, BOTH[row])
    if not allow_legacy:
        return _refused(STRICT.get(name, STRICT.get(row, "ERA-10")))
    if name in LATE:
        return LATE[name]
    if row in HANDSHAKE:
        return _refused(HANDSHAKE[row], handshakes=1)
    return LEGACY


def settings(name: str, allow_legacy: bool) -> dict[str, Any]:
    """Return the peer settings a row is run with; lengths in ms."""
    common: dict[str, Any] = {"allow_legacy": allow_legacy}
    if name.startswith("P07"):
        common["modern_revisions"] = NEWER
    return common


def client(clock: Any = None) -> AsyncMultiServerClient:
    return AsyncMultiServerClient(clock=clock, can_declare={"elicitation": {}})


def check(name: str, allow_legacy: bool, row: Any, received: list[dict[str, Any]]) -> None:
    """Compare one peer's report row, and what it received, with the matrix."""
    want = expected(name, allow_legacy)
    assert (row.era, row.rule) == (want.era, want.rule), row.reason
    assert row.status == ("ready" if want.era else "unavailable")
    counted = Counter(body["method"] for body in received)
    probes_heard = 0 if name == "P12-exit-at-start" else want.discovers
    assert counted.pop("server/discover", 0) == probes_heard
    assert counted.pop("initialize", 0) == want.handshakes
    assert counted.pop("notifications/initialized", 0) == (1 if want.era == "legacy" else 0)
    assert counted == {}, "nothing else may be sent during a negotiation"
    ids = [body["id"] for body in received if "id" in body]
    assert len(ids) == len(set(ids)), "every request has a fresh id"
    if want.era is None:
        assert row.hint.endswith("."), "a refusal says what to do"
        assert row.reason.count(". ") >= 1, "a refusal names what was seen and the rule"


@pytest.mark.parametrize("allow_legacy", [False, True], ids=["strict", "legacy-allowed"])
@pytest.mark.parametrize("name", ROWS)
def test_in_memory(name: str, allow_legacy: bool) -> None:
    """Fault matrix, era rows; the clock is moved, so the time bound is exact."""
    fake = fault(name, discovery_timeout_s=1.0)

    async def story() -> tuple[Any, float]:
        clock = ManualClock()
        peers = client(clock)
        # The handshake deadline outlasts the late answer, as the row wants it to arrive.
        peers.add_server(
            "peer", fake, legacy_probe_timeout_ms=2_000, **settings(name, allow_legacy)
        )
        report = await driven(peers.connect_all(), clock)
        took_s = clock.now()
        await driven(peers.aclose(), clock)
        return report.peers[0], took_s

    row, took_s = asyncio.run(story())
    check(name, allow_legacy, row, fake.received)
    bound_s = 1.0 * expected(name, allow_legacy).discovers + (2.0 if allow_legacy else 0.0)
    assert took_s <= bound_s


@pytest.mark.parametrize("allow_legacy", [False, True], ids=["strict", "legacy-allowed"])
@pytest.mark.parametrize("name", ROWS)
def test_over_stdio(name: str, allow_legacy: bool, tmp_path: Path) -> None:
    """Fault matrix, era rows, with a real process; the wait is bounded, not measured."""
    late = name.startswith("P20")
    record = tmp_path / "received.jsonl"
    timing: dict[str, Any] = {
        "discovery_timeout_ms": 1_000 if late else 400,
        # A late answer must be late: a spawned process normally has a grace on top.
        "startup_grace_ms": 0 if late else 3_000,
        "legacy_probe_timeout_ms": 3_000 if late else 1_000,
    }

    async def story() -> Any:
        peers = client()
        with fault(name, discovery_timeout_s=1.0).over_stdio(record=record) as command:
            config = PeerConfig(name="peer", command=command[0], args=tuple(command[1:]))
            peers.add_server("peer", config, **timing, **settings(name, allow_legacy))
            async with asyncio.timeout(20):
                report = await peers.connect_all()
                await peers.aclose()
        return report.peers[0]

    row = asyncio.run(story())
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    check(name, allow_legacy, row, [json.loads(line) for line in lines])


def test_the_matrix_is_complete() -> None:
    """Fault matrix: no era row is missing from the ready-made fakes."""
    rows = {name[:3] for name in ROWS}
    assert rows == {f"P{n:02}" for n in range(1, 23)} | {f"L{n:02}" for n in range(1, 14)}


@pytest.mark.parametrize("wrong", [_modern(), _refused("ERA-11"), LEGACY])
def test_the_check_itself_can_fail(wrong: Expected, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a check that cannot fail proves nothing."""
    monkeypatch.setitem(STRICT, "P02", wrong.rule)
    fake = fault("P02-error-32601")

    async def story() -> Any:
        clock = ManualClock()
        peers = client(clock)
        peers.add_server("peer", fake)
        report = await driven(peers.connect_all(), clock)
        await driven(peers.aclose(), clock)
        return report.peers[0]

    with pytest.raises(AssertionError):
        check("P02-error-32601", False, asyncio.run(story()), fake.received)
