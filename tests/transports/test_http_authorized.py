"""The way to a peer that asks who we are."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from aiohttp import web
from desk import Desk, Visit

from workbench.core.wire.exchange import Trouble
from workbench.drivers.clock import ManualClock
from workbench.transports.http_address import address_of
from workbench.transports.http_authorized import AuthorizedWay, Hold
from workbench.transports.http_credentials import Asked, Errand, NoCredentials, Reply
from workbench.transports.http_way import Lost

Story = Callable[[AuthorizedWay, Desk], Awaitable[None]]


class Keys:
    """Credentials that are given out one after the other; "!" fails."""

    def __init__(self, *keys: str | None) -> None:
        self.refusals: list[Reply] = []
        self._keys = iter(keys)

    async def current(self, asked: Asked, errand: Errand) -> dict[str, str]:
        return self._next() or {}

    async def renewed(
        self, asked: Asked, given: Mapping[str, str], refusal: Reply, errand: Errand
    ) -> dict[str, str] | None:
        self.refusals.append(refusal)
        return self._next()

    def _next(self) -> dict[str, str] | None:
        key = next(self._keys)
        if key == "!":
            raise NoCredentials("nobody is there")
        return None if key is None else {"Authorization": key}


async def guard(visit: Visit) -> web.StreamResponse:
    """Let in the key "good"; tell "low" that it is not enough."""
    key = visit.headers.get("authorization")
    status = 200 if key == "good" else 403 if key == "low" else 401
    return web.Response(
        status=status, text=f"said to {key}", headers={"WWW-Authenticate": "Bearer"}
    )


def play(keys: Keys, story: Story) -> None:
    async def run() -> None:
        async with Desk(guard) as desk:
            way = AuthorizedWay(address_of(desk.url, {}, {}), keys, ManualClock(), {})
            way.open()
            try:
                await story(way, desk)
            finally:
                await way.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("keys", "sent", "status"),
    [
        (["good"], ["good"], 200),
        ([None, "good"], [None, "good"], 200),
        (["old", "good"], ["old", "good"], 200),
        (["low", "good"], ["low", "good"], 200),
        (["old", None], ["old"], 401),
        (["old", "older"], ["old", "older"], 401),
    ],
)
def test_a_request_is_sent_once_more_and_never_a_third_time(
    keys: list[str | None], sent: list[str | None], status: int
) -> None:
    """Spec: basic/authorization, error handling; retries are bounded."""

    async def story(way: AuthorizedWay, desk: Desk) -> None:
        got = await way.request("POST", {"X-Own": "1"}, b"{}")
        assert got.response.status == status
        # Whoever shows a refusal can still read it.
        assert await got.response.text() == f"said to {sent[-1]}"
        assert [visit.headers.get("authorization") for visit in desk.visits] == sent
        assert {(v.headers["x-own"], v.body) for v in desk.visits} == {("1", b"{}")}

    play(Keys(*keys), story)


def test_who_renews_sees_the_challenge() -> None:
    """Spec: basic/authorization: the flow begins with what the challenge says."""
    keys = Keys(None, None)

    async def story(way: AuthorizedWay, desk: Desk) -> None:
        (await way.request("POST", {})).response.close()
        assert keys.refusals[0].status == 401
        assert ("WWW-Authenticate", "Bearer") in keys.refusals[0].headers

    play(keys, story)


@pytest.mark.parametrize(
    ("keys", "status", "how"),
    [
        (["!"], None, "was not asked, because authorization failed: nobody is there"),
        (["old", "!"], 401, "and authorization failed: nobody is there"),
    ],
)
def test_credentials_that_cannot_be_had_end_the_exchange(
    keys: list[str | None], status: int | None, how: str
) -> None:
    """Fault matrix H12: authorization needed, and no verdict about anything else."""

    async def story(way: AuthorizedWay, desk: Desk) -> None:
        with pytest.raises(Lost) as lost:
            await way.request("POST", {})
        end = lost.value.end
        assert (end.trouble, end.status, end.how) == (Trouble.AUTH, status, how)

    play(Keys(*keys), story)


def test_holds_that_overlap_count_once() -> None:
    """Ours: five calls that wait for one person wait as long as one."""
    clock = ManualClock()
    hold: Any = Hold(clock)
    with hold:
        clock.advance(1)
        with hold:
            clock.advance(2)
            assert hold.seconds == 3
        clock.advance(3)
    clock.advance(10)
    assert hold.seconds == 6
    with hold:
        clock.advance(1)
    assert hold.seconds == 7
