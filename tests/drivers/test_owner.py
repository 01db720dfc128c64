"""One owner, one peer: a verdict, then answers, each in exactly one way."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from driven import driven, turns
from playbook import DISCOVERY
from scripted import Recipe, Scripted

from fakes import answer_default, delay, modern, on
from workbench import ManualClock
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms
from workbench.core.wire.message import Result
from workbench.drivers.owner import Owner, Status


def helpful(transport: Scripted, body: dict[str, Any]) -> None:
    """Answer the probe and every call but those of a tool named "never"."""
    if body["method"] == "server/discover":
        transport.answer(body, DISCOVERY)
    elif body["params"].get("name") != "never":
        transport.answer(body, {"resultType": "complete"})


def play(story: Callable[[Owner, Recipe], Awaitable[None]], *, still: bool = False) -> None:
    """Run a story with an owner; time moves by itself unless it stands still."""

    async def run() -> None:
        clock, recipe = ManualClock(), Recipe(helpful)
        owner = Owner("peer", recipe, Terms(), clock, Journal())

        async def inside() -> None:
            try:
                await story(owner, recipe)
            finally:
                await owner.close()

        await (inside() if still else driven(inside(), clock))

    asyncio.run(run())


def test_every_request_has_a_new_id_and_fresh_metadata() -> None:
    """Seed skill, hard rejects; design 7.1."""

    async def story(owner: Owner, recipe: Recipe) -> None:
        await owner.connect()
        for _ in range(3):
            answer = await owner.request("tools/call", {"name": "t"}, timeout_s=1.0)
            assert isinstance(answer, Result)
        bodies = recipe.made[0].bodies
        assert [body["id"] for body in bodies] == [1, 2, 3, 4]
        assert all(len(body["params"]["_meta"]) == 3 for body in bodies)

    play(story)


def test_a_deadline_gives_the_exchange_up_and_says_nothing_else() -> None:
    """Spec: basic/patterns/cancellation, over HTTP the closed stream is the signal."""

    async def story(owner: Owner, recipe: Recipe) -> None:
        await owner.connect()
        late = await owner.request("tools/call", {"name": "never"}, timeout_s=2.0)
        assert isinstance(late, Failure) and late.kind is Kind.TOOK_TOO_LONG
        transport = recipe.made[0]
        assert transport.given_up[-1] == 2
        assert len(transport.bodies) == 2
        assert isinstance(await owner.request("tools/list", {}, timeout_s=1.0), Result)

    play(story)


def test_a_cancelled_caller_gives_the_exchange_up() -> None:
    """Field case R05: the peer is told."""

    async def story(owner: Owner, recipe: Recipe) -> None:
        await owner.connect()
        calling = asyncio.ensure_future(owner.request("tools/call", {"name": "never"}, timeout_s=9))
        await turns()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert recipe.made[0].given_up[-1] == 2

    play(story, still=True)


@pytest.mark.parametrize("value", [object(), 1j, {(): 1}])
def test_what_has_no_json_form_is_refused_before_it_is_sent(value: Any) -> None:
    """Design 9: the caller's move; the peer is untouched."""

    async def story(owner: Owner, recipe: Recipe) -> None:
        await owner.connect()
        params = {"name": "t", "arguments": {"a": value}}
        with pytest.raises(MisuseError):
            await owner.request("tools/call", params, timeout_s=1.0)
        assert len(recipe.made[0].bodies) == 1
        assert isinstance(await owner.request("tools/list", {}, timeout_s=1.0), Result)

    play(story)


def test_a_peer_that_is_not_ready_gets_nothing() -> None:
    """Rule PEER-01."""

    async def story(owner: Owner, recipe: Recipe) -> None:
        away = await owner.request("tools/list", {}, timeout_s=1.0)
        assert isinstance(away, Failure) and away.kind is Kind.PEER_AWAY
        assert recipe.made == []

    play(story)


def test_two_connects_at_once_are_one_negotiation() -> None:
    """Ours: one owner task a peer."""

    async def story(owner: Owner, recipe: Recipe) -> None:
        first, second = await asyncio.gather(owner.connect(), owner.connect())
        assert first is second and owner.status is Status.READY
        assert (await owner.connect()) is first
        assert len(recipe.made) == 1

    play(story)


def test_a_closed_owner_can_connect_again_with_a_new_transport() -> None:
    """Seed skill: the verdict lives as long as the transport; ids are never used twice."""

    async def story(owner: Owner, recipe: Recipe) -> None:
        await owner.connect()
        await owner.close()
        assert owner.status is Status.IDLE
        await owner.connect()
        assert [transport.bodies[0]["id"] for transport in recipe.made] == [1, 2]

    play(story)


def test_a_request_that_stays_open_has_no_deadline_and_ends_with_its_caller() -> None:
    """Spec: basic/patterns/subscriptions, cancellation; the id is told before any answer."""
    peer = modern("p", list_changed=True)
    asked: list[Any] = []

    async def story() -> None:
        clock = ManualClock()
        owner = Owner("p", peer, Terms(), clock, Journal())
        await driven(owner.connect(), clock)
        params = {"notifications": {"toolsListChanged": True}}
        opening = owner.keep_open("subscriptions/listen", params, asked.append)
        waiting = asyncio.ensure_future(opening)
        await turns()
        assert clock.next_due() is None and not waiting.done()
        waiting.cancel()
        await asyncio.wait([waiting])
        await turns()
        assert peer.received[-1]["params"]["requestId"] == asked[0]
        await driven(owner.close(), clock)
        failed = await owner.keep_open("subscriptions/listen", params, asked.append)
        assert isinstance(failed, Failure) and len(asked) == 1

    asyncio.run(story())


def test_word_of_a_connection_comes_although_its_caller_is_gone() -> None:
    """Ours: whoever asked may have been cancelled; the peer is ready all the same."""
    peer = modern("p").script(on("server/discover").then(delay(0.5), answer_default()))
    told: list[tuple[str, Status]] = []

    async def story() -> None:
        clock = ManualClock()
        owner = Owner("p", peer, Terms(), clock, Journal())
        owner.on_connected = lambda name: told.append((name, owner.status))
        connecting = asyncio.ensure_future(owner.connect())
        await turns()
        connecting.cancel()
        await asyncio.wait([connecting])
        clock.advance(0.5)
        await turns()
        assert told == [("p", Status.READY)]
        await driven(owner.close(), clock)

    asyncio.run(story())
