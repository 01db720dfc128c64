"""All peers together, each alone in its trouble."""

import asyncio

from driven import driven

from fakes import Fake, modern, on, raw, silent
from workbench import ManualClock
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms
from workbench.drivers.owner import Owner
from workbench.drivers.pool import Member, Pool


def pool_of(clock: ManualClock, *fakes: Fake) -> Pool:
    journal = Journal()
    pool = Pool(clock, journal)
    for fake in fakes:
        owner = Owner(fake.name, fake, Terms(), clock, journal)
        pool.add(Member(owner, "", 5.0, False))
    return pool


def test_members_stand_in_name_order_whatever_the_order_of_registration() -> None:
    """Fault matrix M05."""
    pool = pool_of(ManualClock(), modern("b"), modern("a"))
    assert list(pool.members) == ["a", "b"]


def test_a_silent_peer_costs_its_own_deadline_and_nobody_elses() -> None:
    """Fault matrix M04."""

    async def story() -> None:
        clock = ManualClock()
        pool = pool_of(clock, modern("good"), silent("mute"))
        verdicts = await driven(pool.connect_all(), clock)
        assert clock.now() == 1.0
        assert (verdicts["good"].ready_ms, pool.ready) == (0.0, ("good",))
        assert verdicts["mute"].failure is not None
        await driven(pool.close(), clock)

    asyncio.run(story())


def test_only_ready_peers_are_listed_and_a_bad_list_is_one_peers_row() -> None:
    """Seed lesson: listings of live peers; field case N11."""

    async def story() -> None:
        clock = ManualClock()
        bad = modern("bad").script(on("tools/list").then(raw(b"[]\n")))
        pool = pool_of(clock, modern("good", tools=["t"]), bad, silent("mute"))
        await driven(pool.connect_all(), clock)
        listings = await driven(pool.list_all(), clock)
        assert set(listings) == {"good", "bad"}
        assert [tool.name for tool in listings["good"].tools] == ["t"]
        assert listings["bad"].failure is not None and listings["bad"].tools == ()
        await driven(pool.close(), clock)

    asyncio.run(story())


def test_a_chosen_few_can_be_connected() -> None:
    """Ours: one peer is connected again without the others."""

    async def story() -> None:
        clock = ManualClock()
        first, second = modern("first"), modern("second")
        pool = pool_of(clock, first, second)
        await driven(pool.connect_all(["second"]), clock)
        assert (first.lifetimes, second.lifetimes, pool.ready) == (0, 1, ("second",))
        await driven(pool.close(), clock)

    asyncio.run(story())
