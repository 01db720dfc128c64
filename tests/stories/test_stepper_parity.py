"""A person and the asyncio driver come to the same decisions, fault by fault.

Every era row of the fault matrix is played twice with the same script: once by the owner of
a peer, as in production, once by a stepper that runs through it. State, evidence, next state
and rule of every decision must be identical, and so must every byte that was sent. The record
the owner leaves is then stepped through as well.
"""

import asyncio
from typing import Any

import pytest
from driven import driven
from msgspec import Struct
from msgspec.structs import replace

from fakes import FAULTS, fault
from workbench import ManualClock, PeerConfig
from workbench.admission import admit
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.edits import possible_rows
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms
from workbench.drivers.clock import SystemClock
from workbench.drivers.owner import Owner
from workbench.drivers.stepper import Stepper

NEWER = ("2026-07-28", "2099-12-31")
VARIANTS = [name for name in FAULTS if name[0] in "PL"]
ROWS = list({name[:3]: name for name in reversed(VARIANTS)}.values())[::-1]
UNASKED = "P12-exit-at-start"
"""It ends before it is asked; whether the question still goes out is luck, with any driver."""
PROCESSES = [(name, flag) for name in ROWS for flag in (False, True) if flag or name[0] == "P"]
FLAGS = pytest.mark.parametrize("allow_legacy", [False, True], ids=["strict", "legacy-allowed"])

Decisions = tuple[tuple[str, str, str, str], ...]


class Played(Struct, frozen=True):
    """What came of one peer."""

    decisions: Decisions
    sent: tuple[bytes, ...]
    era: str | None
    rule: str | None


def terms(name: str, allow_legacy: bool, **timing: Any) -> Terms:
    """Return the terms of a row; the handshake deadline outlasts a late answer."""
    revisions = {"modern_revisions": NEWER} if name.startswith("P07") else {}
    timing = {"legacy_probe_timeout_ms": 2_000, **timing}
    return Terms(allow_legacy=allow_legacy, can_declare={"elicitation": {}}, **revisions, **timing)


def sent_of(journal: Journal) -> tuple[bytes, ...]:
    return tuple(entry.frame or b"" for entry in journal.entries(kind="sent"))


def decided_in(journal: Journal) -> Decisions:
    """Return the decisions of a negotiation, as its journal has them."""
    found = []
    for entry in journal.entries(kind="decision"):
        before, _, after = entry.what.partition(" → ")
        found.append((before, entry.evidence or "", after, entry.rule or ""))
    return tuple(found)


def played(verdict: Any, decisions: Decisions, journal: Journal) -> Played:
    settled, failure = verdict.settled, verdict.failure
    era = None if settled is None else str(settled.era)
    rule = settled.rule if settled is not None else failure.rule if failure else None
    return Played(decisions, sent_of(journal), era, rule)


def comparable(name: str, one: Played) -> Played:
    return replace(one, sent=()) if name == UNASKED else one


def in_production(endpoint: Any, given: Terms, clock: Any) -> tuple[Played, Journal]:
    journal = Journal()

    async def whole() -> Any:
        owner = Owner("peer", endpoint, given, clock, journal)
        verdict = await owner.connect()
        await owner.close()
        return verdict

    async def bounded() -> Any:
        async with asyncio.timeout(30):
            return await (driven(whole(), clock) if isinstance(clock, ManualClock) else whole())

    verdict = asyncio.run(bounded())
    return played(verdict, decided_in(journal), journal), journal


def by_hand(endpoint: Any, given: Terms, **options: Any) -> Played:
    with Stepper(endpoint, given, **options) as stepper:
        stepper.run()
        assert stepper.finished, stepper
        return played(stepper.verdict, stepper.decisions, stepper.journal)


@FLAGS
@pytest.mark.parametrize("name", VARIANTS)
def test_in_memory(name: str, allow_legacy: bool) -> None:
    """Ours: one core, two drivers; nothing a learner sees is a simulation."""
    given = terms(name, allow_legacy)
    production, journal = in_production(fault(name), given, ManualClock())
    peer = fault(name)
    assert comparable(name, by_hand(peer, given)) == comparable(name, production)
    assert len(production.decisions) >= 2
    recorded = Stepper.from_journal(
        Journal.from_jsonl(journal.to_jsonl()),
        can_declare=given.can_declare,
        modern_revisions=given.modern_revisions,
    )
    with recorded:
        recorded.run()
        assert recorded.note in ("", "The negotiation is over."), "as the record decided"
        assert recorded.decisions == production.decisions
        assert recorded.finished


@pytest.mark.parametrize(("name", "allow_legacy"), PROCESSES)
def test_over_stdio(name: str, allow_legacy: bool) -> None:
    """Ours: the same with a real process; a late answer needs real time."""
    late = name.startswith("P20")
    given = terms(
        name,
        allow_legacy,
        discovery_timeout_ms=1_000 if late else 400,
        startup_grace_ms=0 if late else 3_000,
        legacy_probe_timeout_ms=3_000 if late else 1_000,
    )
    with fault(name).over_stdio() as command:
        config = PeerConfig(name="peer", command=command[0], args=tuple(command[1:]))
        production, _ = in_production(admit("peer", config, {}, None)[1], given, SystemClock())
    with fault(name).over_stdio() as command:
        config = PeerConfig(name="peer", command=command[0], args=tuple(command[1:]))
        stepped = by_hand(admit("peer", config, {}, None)[1], given)
    assert comparable(name, stepped) == comparable(name, production)


@FLAGS
@pytest.mark.parametrize("name", [name for name in FAULTS if name[0] == "H"])
def test_over_http(name: str, allow_legacy: bool) -> None:
    """Ours: the same where a request is an exchange of its own, with an end of its own."""
    given = terms(name, allow_legacy, discovery_timeout_ms=400, legacy_probe_timeout_ms=5_000)

    def endpoint(url: str) -> Any:
        return admit("peer", PeerConfig(name="peer", url=url), {}, None)[1]

    with fault(name).over_http() as url:
        production, _ = in_production(endpoint(url), given, SystemClock())
    with fault(name).over_http() as url:
        stepped = by_hand(endpoint(url), given)
    assert stepped == production


def test_another_table_is_found() -> None:
    """Ours: a comparison that cannot fail proves nothing; one changed row is seen."""
    given = terms("P02", False)
    production, journal = in_production(fault("P02"), given, ManualClock())
    key = (State.PROBING, Sign.UNRECOGNIZED_ERROR)
    other = next(row for row in possible_rows(*key) if row.next is State.HANDSHAKING)
    with Stepper(fault("P02"), given) as stepper:
        stepper.edit_row(*key, other)
        stepper.run()
        changed = played(stepper.verdict, stepper.decisions, stepper.journal)
    assert changed.decisions != production.decisions
    assert changed.sent != production.sent
    assert (changed.era, production.era) == ("legacy", None)
    with Stepper.from_journal(journal) as recorded:
        recorded.edit_row(*key, other)
        recorded.run()
        assert recorded.decisions != production.decisions


def test_a_peer_that_does_otherwise_is_found() -> None:
    """Ours: the same comparison, with another script instead of another table."""
    given = terms("P02", True)
    production, _ = in_production(fault("L01"), given, ManualClock())
    assert by_hand(fault("L03-id-string"), given) != production
