"""A group of exceptions never reaches a user: one failure, its cause, its hint.

What an application's own code raises may be a group, because task groups are everywhere
below it. Each place where this client calls such code is tried.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from places import WAYS, Way, tell

from fakes import PROGRESS_TOKEN, Fake, answer_default, fault, modern, notify, on
from workbench import AsyncMultiServerClient, Handlers, PeerConfig
from workbench.core.errors import InputRefused, OutcomeUnknown, WorkbenchError


def group() -> ExceptionGroup[Exception]:
    wet = ConnectionError("the socket is wet")
    return ExceptionGroup("unhandled errors in a TaskGroup", [ExceptionGroup("inner", [wet])])


def burst(*_: Any) -> Any:
    raise group()


async def burst_later(*_: Any) -> Any:
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(burst_at_once())


async def burst_at_once() -> None:
    raise ConnectionError("the socket is wet")


def one(error: BaseException) -> str:
    """Insist on one exception of ours with a cause and a hint, and return its detail."""
    assert isinstance(error, WorkbenchError) and not isinstance(error, BaseExceptionGroup)
    assert error.failure.hint and "Group" not in str(error)
    return error.failure.detail


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("handler", [burst, burst_later])
def test_a_handler_that_raises_a_group(
    handler: Callable[..., Any], way: Way, tmp_path: Path
) -> None:
    """Ours: the call ends, and says what the first cause was."""

    async def story(place: Any) -> None:
        await place.listed()
        with pytest.raises(InputRefused) as caught:
            await place.client.call("search", timeout_s=10)
        assert "ConnectionError: the socket is wet" in one(caught.value)
        assert "Group" not in place.client.journal.to_text()

    handlers = Handlers(elicitation=handler)
    tell(story, way, {"peer": fault("C10-confirm")}, tmp_path, handlers=handlers)


def test_callbacks_that_raise_a_group(tmp_path: Path) -> None:
    """Ours: the call is not touched, and the journal names the cause."""
    step = notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": 1})
    peer: Fake = modern("peer", tools=["t"], list_changed=True).script(
        on("tools/call").then(step, answer_default())
    )

    async def story(place: Any) -> None:
        await place.listed()
        await place.client.listen("peer", on_event=burst)
        assert not (await place.client.call("t", on_progress=burst)).is_error
        told = place.client.journal.to_text()
        assert told.count("a callback failed: ConnectionError: the socket is wet") == 2
        assert "Group" not in told

    tell(story, "memory", {"peer": peer}, tmp_path)


@pytest.mark.parametrize("decide", [burst, burst_later])
def test_a_decision_that_raises_a_group_is_a_no(decide: Callable[..., Any], tmp_path: Path) -> None:
    """Ours: what a fault of the application leads to is never a repeat."""

    async def story(place: Any) -> None:
        await place.listed()
        with pytest.raises(OutcomeUnknown) as caught:
            await place.client.call("create", on_retry=decide)
        one(caught.value)
        told = place.client.journal.to_text()
        assert "on_retry failed: ConnectionError: the socket is wet" in told
        assert "Group" not in told

    tell(story, "memory", {"peer": fault("C04-dies-after")}, tmp_path)


@pytest.mark.parametrize("token", [burst, burst_later])
def test_an_authorization_that_raises_a_group_is_one_row(token: Callable[..., Any]) -> None:
    """Fault matrix H12: no verdict about the peer; the text of the cause may hold a secret."""

    async def story(url: str) -> None:
        async with AsyncMultiServerClient() as client, asyncio.timeout(10):
            client.add_server("peer", PeerConfig(name="peer", url=url), authorization=token)
            (row,) = (await client.connect_all()).peers
            assert row.status == "unavailable"
            assert "ConnectionError" in row.reason and row.hint
            assert "Group" not in row.to_text() and "wet" not in row.to_text()

    with modern("peer").over_http() as url:
        asyncio.run(story(url))


def test_two_peers_in_trouble_are_two_rows_and_no_group() -> None:
    """Design section 9: an operation over many peers never raises for one of them."""

    class Broken:
        kind = "memory"
        identity = "broken"

        def new_transport(self, clock: Any) -> Any:
            raise group()

    async def story() -> None:
        async with AsyncMultiServerClient() as client, asyncio.timeout(10):
            client.add_server("a", Broken())
            client.add_server("b", Broken())
            client.add_server("good", modern("good", tools=["fine"]))
            rows = (await client.connect_all()).peers
            assert [row.status for row in rows] == ["unavailable", "unavailable", "ready"]
            for row in rows[:2]:
                assert "ConnectionError: the socket is wet" in row.reason
                assert "Group" not in row.to_text()
            await client.discover_tools()
            client.merge()
            assert (await client.call("fine")).is_error is False

    asyncio.run(story())
