"""One script, two drivers: a person with the stepper, and the client on its own loop.

Both have to decide the same, at the same time, by the same rule.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import pytest
from driven import driven, turns
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import Fake, close, effect, exit_, modern, on, on_start
from workbench import AsyncMultiServerClient, Journal, ManualClock, RecoveryPolicy
from workbench.core.errors import WorkbenchError
from workbench.core.outcome import Outcome
from workbench.drivers.owner import Status
from workbench.drivers.recovery_stepper import RecoveryStepper

Deed = tuple[str, Any]
Seen = tuple[list[Any], list[Any], list[Any], int]
"""The plan after each deed, every decision, every outcome, and how often the peer started."""

NAME: Final = "p"


def peer(failing: Sequence[int] = (), dies: bool = False) -> Fake:
    """Return a peer that fails at some of its starts, and may die of its first call."""
    made = modern(NAME, tools=["write"])
    for lifetime in failing:
        made = made.script(on_start().in_lifetime(lifetime).then(exit_(3)))
    if dies:
        made = made.script(on("tools/call").in_lifetime(1).then(effect("write"), exit_(9)))
    return made


def rounded(plan: Any) -> Any:
    """Return a plan that can be compared: a sum of seconds may differ in its last digit."""
    if plan is None:
        return None
    return (plan.verdict, None if plan.at is None else round(plan.at, 6), plan.rule, plan.why)


def decisions(journal: Journal) -> list[Any]:
    """Return what was decided about losses and repeats, as it was written down."""
    return [
        (round(entry.at, 6), entry.what, entry.rule, entry.detail)
        for entry in journal.entries(kind="decision")
        if entry.stage == "recover"
    ]


def ends(outcomes: Sequence[Outcome]) -> list[Any]:
    return [(str(one.ended), one.sent, one.rule, round(one.took_ms, 3)) for one in outcomes]


def by_hand(deeds: Sequence[Deed], fake: Fake, policy: RecoveryPolicy, chance: float = 0.5) -> Seen:
    """Play the script with the stepper."""
    plans = []
    with RecoveryStepper(fake, name=NAME, policy=policy) as one:
        one.chance = chance
        one.start()
        for deed, value in deeds:
            match deed:
                case "kill" if one.moment.status is Status.READY:
                    fake.say(close())
                    one.wait(0.0)
                case "wait":
                    one.wait(value)
                case "restart":
                    one.restart()
                case "call":
                    one.call("a call with a key" if value == "key" else "a call")
                    if one.moment.flight is not None and one.moment.flight.state == "undecided":
                        one.decide(value is True)
                    if one.moment.flight is not None and one.moment.flight.state == "in flight":
                        one.answer()
            plans.append(rounded(one.moment.standing.plan))
        return plans, decisions(one.journal), ends(one.moment.outcomes), fake.lifetimes


def by_itself(
    deeds: Sequence[Deed], fake: Fake, policy: RecoveryPolicy, chance: float = 0.5
) -> Seen:
    """Play the script with the client."""
    plans: list[Any] = []

    async def story() -> Seen:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, recover=policy)
        client.add_server(NAME, fake)
        recovery = client._upkeep.recovery
        recovery._draw = lambda: chance
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        for deed, value in deeds:
            match deed:
                case "kill" if client.report().peers[0].status == "ready":
                    fake.say(close())
                    await turns(60)
                case "wait":
                    await later(clock, value)
                case "restart":
                    await driven(client.restart(NAME), clock)
                case "call":
                    await called(client, clock, value)
            case = recovery._cases[NAME]
            plans.append(rounded(case.standing.plan))
        seen = plans, decisions(client.journal), ends(list(client.outcomes)), fake.lifetimes
        await driven(client.aclose(), clock)
        return seen

    return asyncio.run(story())


async def called(client: AsyncMultiServerClient, clock: ManualClock, value: Any) -> None:
    key = "order-17" if value == "key" else None
    work = client.call("write", idempotency_key=key, on_retry=lambda _: value)
    try:
        await driven(work, clock)
    except WorkbenchError:
        return  # how it ended is in the outcomes


async def later(clock: ManualClock, seconds: float) -> None:
    """Let time pass, with everything that falls due in it."""
    end_at = clock.now() + seconds
    while True:
        await turns(80)
        due = clock.next_due()
        if due is None or due > end_at:
            break
        clock.move_to(due)
    clock.move_to(end_at)
    await turns(80)


SCRIPTS: Final[dict[str, tuple[list[Deed], dict[str, Any], RecoveryPolicy]]] = {
    "lost once, back as planned": (
        [("kill", 0), ("wait", 0.3), ("wait", 1.0)], {}, RecoveryPolicy(),
    ),
    "starts that fail, a notice, and up again": (
        [("kill", 0), ("wait", 0.5), ("wait", 1.0), ("wait", 2.0), ("wait", 60.0)],
        {"failing": (2, 3, 4)},
        RecoveryPolicy(),
    ),
    "given up, then a hand": (
        [("kill", 0), ("wait", 900.0), ("restart", 0)],
        {"failing": tuple(range(2, 5))},
        RecoveryPolicy(give_up_after=4),
    ),
    "an open circuit": (
        [("kill", 0), ("wait", 0.5), ("kill", 0), ("wait", 30.0), ("wait", 40.0)],
        {},
        RecoveryPolicy(starts=2),
    ),
    "a clean slate after ten seconds": (
        [("kill", 0), ("wait", 11.0), ("kill", 0), ("wait", 1.0)],
        {},
        RecoveryPolicy(),
    ),
    "lost in a call, a key": ([("call", "key"), ("wait", 5.0)], {"dies": True}, RecoveryPolicy()),
    "lost in a call, a yes": ([("call", True), ("wait", 5.0)], {"dies": True}, RecoveryPolicy()),
    "lost in a call, a no": ([("call", False), ("wait", 5.0)], {"dies": True}, RecoveryPolicy()),
    "a repeat that the budget forbids": (
        [("call", "key"), ("wait", 70.0), ("call", False)],
        {"dies": True},
        RecoveryPolicy(starts=1),
    ),
    "a repeat whose start fails": (
        [("call", "key"), ("wait", 5.0), ("call", False)],
        {"dies": True, "failing": (2,)},
        RecoveryPolicy(),
    ),
    "a call while it is away": ([("kill", 0), ("call", "key")], {}, RecoveryPolicy()),
    "no jitter, no pause": (
        [("kill", 0), ("wait", 0.0), ("kill", 0)],
        {},
        RecoveryPolicy(first_delay_s=0.0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_a_person_and_the_client_decide_the_same(name: str, chance: float) -> None:
    """Design 3: two drivers move the same core."""
    deeds, kind, policy = SCRIPTS[name]
    mine = by_hand(deeds, peer(**kind), policy, chance)
    assert mine == by_itself(deeds, peer(**kind), policy, chance)
    assert mine[1]


_DEEDS = st.one_of(
    st.tuples(st.just("kill"), st.just(0)),
    st.tuples(st.just("restart"), st.just(0)),
    st.tuples(st.just("wait"), st.sampled_from([0.0, 0.1, 0.45, 3.0, 12.0, 70.0])),
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(_DEEDS, max_size=10),
    st.sets(st.integers(2, 12), max_size=8),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([RecoveryPolicy(), RecoveryPolicy(starts=3, give_up_after=4, jitter=0.7)]),
)
def test_whatever_happens_they_decide_the_same(
    deeds: list[Deed], failing: set[int], chance: float, policy: RecoveryPolicy
) -> None:
    """Design 3: for any order of losses, waits and restarts."""
    kind = {"failing": tuple(sorted(failing))}
    assert by_hand(deeds, peer(**kind), policy, chance) == by_itself(
        deeds, peer(**kind), policy, chance
    )


def test_another_chance_is_another_decision() -> None:
    """Ours: a comparison must be able to fail."""
    deeds: list[Deed] = [("kill", 0)]
    policy = RecoveryPolicy()
    assert by_hand(deeds, peer(), policy, 0.0) != by_itself(deeds, peer(), policy, 1.0)
