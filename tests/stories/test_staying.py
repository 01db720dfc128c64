"""Listening and recovery over real pipes and sockets: what memory cannot show.

Waits are for conditions, bounded by five seconds each; no time is asserted.
"""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fakes import Fake, answer_default, close, effect, exit_, modern, notify, on
from fakes.library.index import find
from workbench import AsyncMultiServerClient, MultiServerClient, PeerConfig, RecoveryPolicy
from workbench.core.errors import OutcomeUnknown

TOOLS = "notifications/tools/list_changed"
LISTEN = "subscriptions/listen"
SOON = RecoveryPolicy(first_delay_s=0.01, jitter=0.0)


@contextmanager
def reached(peer: Fake, transport: str, **how: Any) -> Iterator[PeerConfig]:
    """Give the configuration that reaches a fake over a transport."""
    if transport == "http":
        with peer.over_http() as url:
            yield PeerConfig(name="p", url=url)
    else:
        with peer.over_stdio(**how) as command:
            yield PeerConfig(name="p", command=command[0], args=tuple(command[1:]))


def heard(handle: Any) -> list[str]:
    return [news.what for news in handle.events]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_change_is_heard_and_read_anew(transport: str) -> None:
    """Spec: subscriptions over both transports; over HTTP the answer is a stream."""
    announced = on("tools/call").then(notify(TOOLS, {}, listeners=True), answer_default())
    peer = modern("p", tools=["touch"], list_changed=True).script(announced)
    with reached(peer, transport) as config, MultiServerClient() as client:
        client.add_server("p", config)
        with client.listen("p") as handle:
            assert handle.state == "listening", client.report().to_text()
            client.call("touch")
            assert handle.wait_for(lambda one: "tools changed" in heard(one))
            journal = client.journal
            lists = lambda _: len([e for e in journal.entries() if e.method == "tools/list"]) >= 4  # noqa: E731
            assert handle.wait_for(lists), journal.to_text()
        assert handle.state == "closed"


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("name", ["C12-partial-ack", "C12-refused"])
def test_a_peer_without_subscriptions_stays_usable(transport: str, name: str) -> None:
    """Case L04: -32601 is a feature that is off; the connection stays."""
    with reached(find(name), transport) as config, MultiServerClient() as client:
        client.add_server("p", config)
        handle = client.listen("p")
        expected = {"C12-refused": "not supported", "C12-partial-ack": "nothing was granted"}
        assert handle.state == expected[name], client.journal.to_text()
        assert not client.call("search").is_error


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_an_ended_stream_is_asked_for_again(transport: str) -> None:
    """Seed exercise 5; case L01: a stream that ends is noticed on every path."""
    peer = find("C12-ends-with-result" if transport == "http" else "C12-ends-without-result")
    with reached(peer, transport) as config, MultiServerClient(recover=SOON) as client:
        client.add_server("p", config)
        handle = client.listen("p")
        assert handle.wait_for(lambda one: "listening again" in heard(one)), heard(handle)
        ids = [
            e.request_id
            for e in client.journal.entries()
            if e.method == LISTEN and e.shape == "request"
        ]
        assert len(ids) >= 2 and len(set(ids)) == len(ids)


def test_a_cut_stream_over_http_is_a_drop_and_the_peer_stays_ready() -> None:
    """Case L01: there is no connection to lose, and the stream is noticed all the same."""
    ends = on(LISTEN).nth(1).then(answer_default(), close())
    peer = modern("p", tools=["t"], list_changed=True).script(ends)
    with peer.over_http() as url, MultiServerClient() as client:
        client.add_server("p", PeerConfig(name="p", url=url))
        handle = client.listen("p")
        assert handle.wait_for(lambda one: "listening again" in heard(one)), heard(handle)
        assert heard(handle)[:3] == ["listening", "dropped", "listening again"]
        assert client.report().peers[0].status == "ready"


def test_a_killed_process_is_brought_back_and_listened_to(tmp_path: Path) -> None:
    """Fault matrix C04: restarted, discovered, listed, subscriptions re-opened."""
    record = tmp_path / "received"
    peer = modern("p", tools=["t"], list_changed=True)
    with reached(peer, "stdio", record=record) as config:

        async def story() -> None:
            client = AsyncMultiServerClient(recover=SOON)
            client.add_server("p", config)
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            handle = await client.listen("p")
            os.kill(child_of(client), signal.SIGKILL)
            assert await handle.wait_for(lambda one: "listening again" in heard(one))
            assert client.report().peers[0].status == "ready"
            assert not (await client.call("t")).is_error
            await client.aclose()

        asyncio.run(story())
    lines = record.read_text(encoding="utf-8")
    assert lines.count('"server/discover"') == 2 and lines.count(f'"{LISTEN}"') == 2


def child_of(client: AsyncMultiServerClient) -> int:
    """Return the process behind the only peer."""
    import psutil

    fakes = []
    for one in psutil.Process().children(recursive=True):
        try:
            command = one.cmdline()
        except (psutil.ZombieProcess, psutil.NoSuchProcess):  # of a test before this one
            continue
        if "fakes" in " ".join(command) and "--stdio" in command:
            fakes.append(one.pid)
    assert len(fakes) == 1, fakes
    return fakes[0]


def test_a_side_effect_happens_once_although_its_process_died(tmp_path: Path) -> None:
    """Case R03: the counter is 1; the outcome goes to the caller as unknown."""
    done = tmp_path / "effects"
    dying = on("tools/call").in_lifetime(1).then(effect("counted"), exit_(9))
    peer = modern("p", tools=["t"]).script(dying)
    with reached(peer, "stdio", effects=done) as config, MultiServerClient(recover=SOON) as client:
        client.add_server("p", config)
        with pytest.raises(OutcomeUnknown):
            client.call("t")
        handle = client.listen("p")
        assert handle.wait_for(lambda _: client.report().peers[0].status == "ready", 5.0)
        assert done.read_text(encoding="utf-8").splitlines() == ["counted"]
        assert not client.call("t").is_error
