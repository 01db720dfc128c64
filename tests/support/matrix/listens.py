"""Row C12: listen streams that go wrong.

Where a peer never acknowledges, the deadline is reached by moving the client's clock, not
by waiting for it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from msgspec.structs import replace
from places import Place

from fakes import FAULTS, fault, modern
from matrix.scene import Cast, Scene, scene, with_a_good_one
from matrix.untouched import good_is_untouched
from workbench import ManualClock
from workbench.core.subscription import ACKNOWLEDGE_S

Check = Callable[[Place, ManualClock, float], Awaitable[None]]
VARIANTS: Final = tuple(name for name in FAULTS if name.startswith("C12-"))
LISTEN: Final = "subscriptions/listen"
CANCELLED: Final = "notifications/cancelled"
LIMIT_S: Final = 5.0
CHECKS: Final[dict[str, Check]] = {}
TIMELESS: Final = ("C12-no-ack", "C12-wrong-id")
"""Variants whose clock is moved by the check."""


def row(name: str) -> Callable[[Check], Check]:
    """Register the check of a variant."""

    def register(check: Check) -> Check:
        CHECKS[name] = check
        return check

    return register


async def until(condition: Callable[[], bool], limit_s: float) -> None:
    """Wait for what nobody announces; bounded."""
    never = asyncio.get_running_loop().create_future()
    async with asyncio.timeout(limit_s):
        while not condition():
            await asyncio.wait([never], timeout=0.01)


def asked(place: Place) -> list[dict[str, Any]]:
    """Return every listen request the peer got, oldest first."""
    return [body for body in place.received() if body.get("method") == LISTEN]


def cancelled(place: Place) -> list[Any]:
    """Return the ids of the requests that were called off by a message."""
    return [b["params"]["requestId"] for b in place.received() if b.get("method") == CANCELLED]


def heard(handle: Any) -> list[tuple[str, str | None]]:
    """Return what was told, and by which rule."""
    return [(news.what, news.rule) for news in handle.events]


def check_filters(place: Place) -> None:
    """Insist on a new id and the same filter for every listen request."""
    requests = asked(place)
    assert len({body["id"] for body in requests}) == len(requests) >= 2
    filters = [body["params"]["notifications"] for body in requests]
    assert filters == [{"toolsListChanged": True}] * len(requests)


async def _unacknowledged(
    place: Place, clock: ManualClock, limit_s: float, came: Callable[[], bool]
) -> None:
    asking = asyncio.ensure_future(place.client.listen("peer", tools=True))
    await until(lambda: bool(asked(place)) and came(), limit_s)
    assert not asking.done(), "silence is no agreement"
    clock.advance(ACKNOWLEDGE_S)
    handle = await asking
    assert heard(handle) == [("not acknowledged", "SUB-05")]
    await until(lambda: clock.next_due() is not None, limit_s)
    assert len(asked(place)) == 1, "not again before a pause"
    clock.advance(1.0)
    await until(lambda: len(asked(place)) == 2, limit_s)
    check_filters(place)
    # Over HTTP a request is called off by closing its stream.
    assert cancelled(place) == ([] if place.way == "http" else [asked(place)[0]["id"]])
    assert (await place.client.call("search")).is_error is False
    await handle.close()


@row("C12-no-ack")
async def no_ack(place: Place, clock: ManualClock, limit_s: float) -> None:
    await _unacknowledged(place, clock, limit_s, lambda: True)


@row("C12-wrong-id")
async def wrong_id(place: Place, clock: ManualClock, limit_s: float) -> None:
    def strays() -> list[str]:
        return [one.what for one in place.client.journal.entries("peer", "stray")]

    await _unacknowledged(place, clock, limit_s, lambda: bool(strays()))
    assert all("somebody-else" in told and "SUB-02" in told for told in strays())


async def _given_up_at_once(place: Place, state: str, told: tuple[str, str]) -> None:
    handle = await place.client.listen("peer", tools=True)
    assert (handle.state, heard(handle)) == (state, [told])
    assert (await place.client.call("search", timeout_s=LIMIT_S)).is_error is False
    assert (len(asked(place)), place.row().status) == (1, "ready")
    await handle.close()


@row("C12-partial-ack")
async def partial_ack(place: Place, clock: ManualClock, limit_s: float) -> None:
    await _given_up_at_once(place, "nothing was granted", ("nothing granted", "SUB-01"))
    # What grants nothing is not left open.
    assert cancelled(place) == ([] if place.way == "http" else [asked(place)[0]["id"]])


@row("C12-refused")
async def refused(place: Place, clock: ManualClock, limit_s: float) -> None:
    await _given_up_at_once(place, "not supported", ("not supported", "SUB-04"))
    assert cancelled(place) == []


async def _again(place: Place, limit_s: float, ended: str) -> Any:
    handle = await place.client.listen("peer", tools=True)
    listed = place.methods().count("tools/list")
    again = ("listening again", None)
    assert await handle.wait_for(lambda one: again in heard(one), limit_s), heard(handle)
    assert heard(handle)[:3] == [("listening", None), (ended, "SUB-03"), again]
    check_filters(place)
    return handle, listed


@row("C12-ends-with-result")
async def ends_with_result(place: Place, clock: ManualClock, limit_s: float) -> None:
    handle, listed = await _again(place, limit_s, "ended by the peer")
    await until(lambda: place.methods().count("tools/list") > listed, limit_s)
    assert (await place.client.call("search", timeout_s=LIMIT_S)).is_error is False
    await handle.close()


@row("C12-ends-without-result")
async def ends_without_result(place: Place, clock: ManualClock, limit_s: float) -> None:
    if place.way == "http":  # only the stream is lost
        handle, listed = await _again(place, limit_s, "dropped")
        await until(lambda: place.methods().count("tools/list") > listed, limit_s)
        assert (await place.client.call("search", timeout_s=LIMIT_S)).is_error is False
    else:  # the peer is lost with it, is started anew, and does it again
        handle, _ = await _again(place, limit_s, "lost")
        assert place.methods().count("server/discover") >= 2
    await handle.close()


async def _told(name: str, place: Place) -> None:
    await place.listed()
    await CHECKS[name](place, place.clock, LIMIT_S)
    await good_is_untouched(place)


async def _fooled(name: str, place: Place) -> None:
    await place.listed()
    await CHECKS[name](place, place.clock, 0.2)


def _clock(name: str) -> dict[str, Any]:
    return {"clock": ManualClock()} if name in TIMELESS else {}


def _cast(name: str) -> Cast:
    return replace(with_a_good_one(fault(name)), options=_clock(name))


def _in_order(name: str) -> Cast:
    return Cast(fakes={"peer": modern(list_changed=True)}, options=_clock(name))


def scenes() -> list[Scene]:
    """Return a scene for each variant of the fakes."""
    assert set(CHECKS) == set(VARIANTS)
    assert set(TIMELESS) < set(VARIANTS)
    return [
        replace(
            scene(name, partial(_told, name), partial(_cast, name)),
            fool=scene(
                name, partial(_fooled, name), partial(_cast, name), partial(_in_order, name)
            ).fool,
        )
        for name in VARIANTS
    ]
