"""The handles: frames as they are, a clock that moves only while one waits, and clients."""

import asyncio
from typing import Any

import pytest

from fakes import Fake, answer_default, close, delay, lines, modern, notify, on, raw, silence
from workbench import AsyncMultiServerClient, MultiServerClient, modern_request
from workbench.exercises import PeerGone, Unreadable, peer_of
from workbench.exercises.booth import Booth
from workbench.exercises.peer import AsyncPeer, Peer


def ask(number: int, method: str = "tools/list") -> dict[str, Any]:
    """Return one modern request."""
    return modern_request(number, method, {}, "2026-07-28", {})


def notes(*rules: Any) -> Fake:
    """Return a server with one tool."""
    return modern("notes", tools=["search"], list_changed=True).script(*rules)


def test_a_message_goes_out_as_it_is_and_the_answer_comes_back() -> None:
    """Ours: an exercise shows what was sent, so nothing may be corrected on the way."""
    booth = Booth({"notes": notes()})
    peer = Peer("notes", booth)
    answer = peer.ask(ask(7))
    assert answer is not None
    assert answer["id"] == 7
    peer.send('{"id": 1}')
    peer.send(b"  {}")
    assert [one.frame for one in booth.heard[1:]] == [b'{"id": 1}', b"  {}"]
    with pytest.raises(TypeError):
        peer.send({"x": object()})


def test_time_passes_only_while_something_is_waited_for() -> None:
    """Ours: a silent peer costs no real second."""
    peer = peer_of(notes(on("tools/list").nth(1).then(silence())))
    assert peer.ask(ask(1), timeout_ms=3_600_000) is None
    assert peer.now_ms == 3_600_000
    assert peer.ask(ask(2)) is not None
    assert peer.now_ms == 3_600_000


def test_what_comes_later_comes_at_its_time_and_in_order() -> None:
    """Ours: a delay is a delay, on the handle's clock."""
    late = on("tools/list").nth(1).then(delay(1.5), answer_default())
    peer = peer_of(notes(late))
    assert peer.ask(ask(1), timeout_ms=1_000) is None
    second = peer.ask(ask(2))
    assert second is not None
    assert second["id"] == 2
    first = peer.receive()
    assert first is not None
    assert (first["id"], peer.now_ms) == (1, 1_500)


def test_a_cancelled_answer_is_not_said() -> None:
    """Spec: basic/utilities/cancellation; a fake that obeys says nothing more."""
    slow = on("tools/list").then(delay(1, cancellable=True), answer_default())
    peer = peer_of(notes(slow))
    peer.send(ask(1))
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    peer.send(cancel)
    assert peer.receive(timeout_ms=5_000) is None


def test_a_connection_that_ends_says_so_and_can_be_opened_anew() -> None:
    """Ours: everything that was said is read first."""
    peer = peer_of(notes(on("tools/list").in_lifetime(1).then(answer_default(), close())))
    assert peer.ask(ask(1)) is not None
    assert peer.closed
    with pytest.raises(PeerGone):
        peer.receive()
    with pytest.raises(PeerGone):
        peer.send(ask(2))
    peer.reopen()
    assert not peer.closed
    assert peer.ask(ask(3)) is not None


def test_reopening_leaves_what_was_pending() -> None:
    """Ours: a new connection knows nothing of the old one."""
    peer = peer_of(notes(on("tools/list").in_lifetime(1).then(delay(1), answer_default())))
    peer.send(ask(1))
    peer.reopen()
    answer = peer.ask(ask(2))
    assert answer is not None
    assert answer["id"] == 2


def test_lines_that_are_no_objects_can_be_read_as_lines() -> None:
    """Ours: servers write banners on stdout; an exercise may want to see them."""
    peer = peer_of(notes(on("tools/list").then(lines("hello \x1b[31m", "[1]"), raw("{}"))))
    peer.send(ask(1))
    with pytest.raises(Unreadable, match=r"hello \\x1b"):
        peer.receive()
    assert peer.receive_line() == b"[1]"
    assert peer.receive() == {}
    assert peer.receive_line(timeout_ms=1) is None


def test_a_coroutine_has_the_same_verbs() -> None:
    """Ours: both colours of Python."""

    async def story() -> None:
        ended = on("tools/list").in_lifetime(1).nth(2).then(close())
        peer = AsyncPeer("notes", Booth({"notes": notes(ended)}))
        answer = await peer.ask(ask(1))
        assert answer is not None
        assert answer["id"] == 1
        await peer.send(ask(2))
        with pytest.raises(PeerGone):
            await peer.receive()
        await peer.reopen()
        assert await peer.receive_line(timeout_ms=5) is None
        assert await peer.receive(timeout_ms=5) is None

    asyncio.run(story())


def test_a_client_takes_a_handle_for_a_server() -> None:
    """Ours: an exercise can be solved with the client's own verbs."""
    peer = peer_of(notes())
    with MultiServerClient() as client:
        client.add_server("notes", peer)
        assert client.connect_all().all_ready
        client.discover_tools()
        client.merge()
        assert client.call("search", {"q": "tea"}).text == 'search: {"q":"tea"}'


def test_a_client_sees_a_handles_peer_end_and_come_back() -> None:
    """Ours: delays, news and ends pass through as from any server in memory."""
    news = notify("notifications/tools/list_changed", listeners=True)
    dies = on("tools/call").in_lifetime(1).then(close())
    peer = peer_of(notes(dies, on("tools/list").nth(2).then(delay(0.01), news, answer_default())))

    async def story() -> list[str]:
        async with AsyncMultiServerClient() as client:
            client.add_server("notes", peer)
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            called = await client.call("search", idempotency_key="once")
            return [called.text, client.report().peers[0].status]

    assert asyncio.run(story()) == ["search: {}", "ready"]


def test_a_client_outlives_a_trial() -> None:
    """Ours: a client that an answer forgot finds its peers gone, and nothing else happens."""
    booth = Booth({"notes": notes()})
    with MultiServerClient() as client:
        client.add_server("notes", Peer("notes", booth))
        client.connect_all()
        booth.close()
        assert client.discover_tools()["notes"].failure is not None
