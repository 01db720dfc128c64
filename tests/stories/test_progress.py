"""Progress, deadlines and cancellation, on every transport.

Spec: basic/patterns/progress, basic/patterns/cancellation. Field cases R05, R06.
"""

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from fakes import PROGRESS_TOKEN, Fake, answer_default, delay, modern, notify, on, silence
from workbench import MultiServerClient, PeerConfig
from workbench.core.errors import TookTooLong
from workbench.drivers.patience import Progress

Way = Literal["memory", "stdio", "http"]
WAYS: tuple[Way, ...] = ("memory", "stdio", "http")


def step(value: float, token: Any = PROGRESS_TOKEN) -> Any:
    return notify("notifications/progress", {"progressToken": token, "progress": value})


def called(fake: Fake, way: Way, tmp_path: Path, **wishes: Any) -> Any:
    """Call the tool once; return the result or the exception, and what the fake received."""
    record = tmp_path / "received.jsonl"

    def call(target: Any) -> Any:
        with MultiServerClient() as client:
            client.add_server("peer", target)
            try:
                return client.call("t", **wishes)
            except TookTooLong as late:
                return late

    if way == "memory":
        return call(fake), fake.received
    if way == "http":
        with fake.over_http() as url:
            return call(PeerConfig(name="peer", url=url)), fake.received
    with fake.over_stdio(record=record) as command:
        end = call(command)
        lines = record.read_text(encoding="utf-8").split("\n")
        return end, [json.loads(line) for line in lines if line]


@pytest.mark.parametrize("way", WAYS)
def test_progress_arrives_in_order_and_only_with_the_calls_own_token(
    way: Way, tmp_path: Path
) -> None:
    """Field case R06."""
    seen: list[Progress] = []
    peer = modern("peer", tools=["t"]).script(
        on("tools/call").then(step(1), step(9, "foreign"), step(2), step(2), answer_default())
    )
    end, received = called(peer, way, tmp_path, on_progress=seen.append)
    assert end.is_error is False
    assert [one.progress for one in seen] == [1.0, 2.0]
    token = received[-1]["params"]["_meta"]["progressToken"]
    assert isinstance(token, str) and token


@pytest.mark.parametrize("way", WAYS)
def test_a_call_lives_on_progress_longer_than_its_deadline(way: Way, tmp_path: Path) -> None:
    """Spec: a client may reset its clock on progress."""
    ticks = [one for value in range(1, 7) for one in (delay(0.25), step(value))]
    peer = modern("peer", tools=["t"]).script(on("tools/call").then(*ticks, answer_default()))
    end, _ = called(peer, way, tmp_path, timeout_s=1.0, on_progress=lambda one: None)
    assert not isinstance(end, TookTooLong)


@pytest.mark.parametrize("way", WAYS)
def test_progress_for_ever_ends_at_the_hard_limit(way: Way, tmp_path: Path) -> None:
    """Field case R06; spec: a maximum is enforced regardless of progress."""
    ticks = [one for value in range(1, 200) for one in (delay(0.05), step(value))]
    peer = modern("peer", tools=["t"]).script(on("tools/call").then(*ticks, silence()))
    end, _ = called(
        peer, way, tmp_path, timeout_s=0.3, max_timeout_s=0.6, on_progress=lambda one: None
    )
    assert isinstance(end, TookTooLong)


@pytest.mark.parametrize("way", ["memory", "stdio"])
def test_a_pipe_is_told_which_request_was_given_up(way: Way, tmp_path: Path) -> None:
    """Field case R05; over HTTP the closed stream says so."""
    peer = modern("peer", tools=["t"]).script(on("tools/call").then(silence()))
    end, received = called(peer, way, tmp_path, timeout_s=0.2, on_progress=lambda one: None)
    assert isinstance(end, TookTooLong)
    asked, cancelled = received[-2:]
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == asked["id"]
