"""What the core wants done is done, in its order, on one transport or two."""

import asyncio
import json
from typing import Any

from driven import driven
from playbook import DISCOVERY, HANDSHAKE
from scripted import Recipe, Scripted

from workbench import ManualClock
from workbench.core.errors import Kind
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.drivers.owner import Owner, Status


def connected(said: Any, **terms: Any) -> tuple[Owner, Recipe]:
    """Connect once; time moves by itself."""
    recipe = Recipe(said)
    clock = ManualClock()
    owner = Owner("peer", recipe, Terms(**terms), clock, Journal())

    async def run() -> None:
        await driven(owner.connect(), clock)
        await driven(owner.close(), clock)

    asyncio.run(run())
    return owner, recipe


def methods(transport: Scripted) -> list[str]:
    return [body["method"] for body in transport.bodies]


def test_the_exchanges_of_a_negotiation_are_given_up_when_it_is_over() -> None:
    """Ours: a probe that was superseded is not worth a connection."""

    def slow(transport: Scripted, body: dict[str, Any]) -> None:
        if body["method"] == "initialize":
            transport.answer(body, HANDSHAKE)

    owner, recipe = connected(slow, allow_legacy=True)
    (transport,) = recipe.made
    assert methods(transport) == ["server/discover", "initialize", "notifications/initialized"]
    assert transport.given_up == [1, 2]
    assert owner.verdict.settled is not None


def test_an_exchange_without_an_answer_ends_the_wait_at_once() -> None:
    """Fault matrix H06: nobody waits for a deadline that can bring nothing."""

    def refused(transport: Scripted, body: dict[str, Any]) -> None:
        end = ExchangeEnd(request_id=body["id"], trouble=Trouble.STATUS, status=400)
        transport.receiver.exchange_ended(end)

    owner, recipe = connected(refused)
    failure = owner.verdict.failure
    assert failure is not None and (failure.rule, failure.peer) == ("ERA-23", "peer")
    assert owner.verdict.ready_ms == 0.0, "the clock did not move"
    assert methods(recipe.made[0]) == ["server/discover"]


def test_a_transport_that_cannot_be_opened_is_a_verdict() -> None:
    """Design 9: a peer's trouble is a row, never an exception."""
    owner, _ = connected(None)
    assert owner.status is Status.UNAVAILABLE
    assert owner.verdict.failure is not None
    assert owner.verdict.failure.kind is Kind.COULD_NOT_START


def test_a_deadline_that_was_replaced_does_not_count() -> None:
    """Fault matrix P03: a correction has the whole time again."""

    def late(transport: Scripted, body: dict[str, Any]) -> None:
        if len(transport.bodies) == 1:
            error = {"code": -32020, "message": "no"}
            frame = json.dumps({"jsonrpc": "2.0", "id": body["id"], "error": error}).encode()
            transport.receiver.frame_received(frame, body["id"])
        else:
            transport.answer(body, DISCOVERY)

    owner, recipe = connected(late)
    assert owner.verdict.settled is not None
    assert methods(recipe.made[0]) == ["server/discover"] * 2
