"""What somebody who listens holds."""

import asyncio

from driven import driven, turns

from workbench.core.subscription import State, Subscription, Wanted
from workbench.drivers.clock import ManualClock
from workbench.drivers.listening import MOST_EVENTS, Listening, News, Part

TOOLS = Wanted(("tools",))


def listening(*states: State) -> Listening:
    held = Listening(TOOLS, ManualClock(), None)
    for number, state in enumerate(states):
        subscription = Subscription(peer=f"p{number}", wanted=TOOLS, state=state)
        held.parts[f"p{number}"] = Part(held, subscription)
    return held


def test_its_state_is_that_of_the_first_that_is_not_listening() -> None:
    """Case L01: never shown as open when it is not."""
    assert listening(State.LISTENING, State.LISTENING).state is State.LISTENING
    assert listening(State.LISTENING, State.AWAY, State.GIVEN_UP).state is State.AWAY
    assert not listening(State.LISTENING, State.OPENING).settled()
    assert listening(State.LISTENING, State.AWAY).settled()


def test_only_the_latest_events_are_kept() -> None:
    """Design 7.9: everything is bounded."""
    held = listening(State.LISTENING)
    for _ in range(MOST_EVENTS + 10):
        held.add(News(number=held.next_number(), at=0.0, peer="p0", what="tools changed"))
    assert len(held.events) == MOST_EVENTS
    assert (held.events[0].number, held.events[-1].number) == (11, MOST_EVENTS + 10)


def test_waiting_ends_with_the_condition_or_in_time() -> None:
    """Ours: a bounded wait on the client's clock, which leaves no timer behind."""

    async def story() -> None:
        clock = ManualClock()
        held = Listening(TOOLS, clock, None)
        assert await driven(held.wait_for(lambda _: False, 3.0), clock) is False
        assert clock.now() == 3.0
        waiting = asyncio.ensure_future(held.wait_for(lambda one: one.events, 3.0))
        await turns()
        held.add(News(number=1, at=3.0, peer="p", what="listening"))
        assert await waiting is True
        assert clock.next_due() is None

    asyncio.run(story())
