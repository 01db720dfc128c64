"""`listen`, `restart` and `menu_change` in both colours (`workbench.listen_verbs`)."""

import asyncio
import threading
from typing import Any

import pytest

from fakes import close, modern
from workbench import AsyncMultiServerClient, MultiServerClient, RecoveryPolicy
from workbench.core.errors import MisuseError
from workbench.core.subscription import State, Wanted
from workbench.listen_verbs import _wanted

SOON = RecoveryPolicy(first_delay_s=0.0)


@pytest.mark.parametrize(
    ("how", "lists", "uris"),
    [
        ((False, False, False, ()), ("tools",), ()),
        ((True, True, True, ()), ("prompts", "resources", "tools"), ()),
        ((False, False, False, ("a:b",)), (), ("a:b",)),
        ((True, False, False, ("a:b",)), ("tools",), ("a:b",)),
    ],
)
def test_with_nothing_chosen_tools_are_listened_to(
    how: Any, lists: tuple[str, ...], uris: tuple[str, ...]
) -> None:
    """Ours: the commonest wish needs no word."""
    assert _wanted(*how) == Wanted(lists, uris)  # type: ignore[arg-type]


def test_listening_brings_the_peers_up() -> None:
    """Design 4: peers are connected by the first verb that needs them."""

    async def story() -> None:
        async with AsyncMultiServerClient() as client:
            client.add_server("p", modern("p", list_changed=True))
            async with await client.listen(resources="a:b", tools=True) as handle:
                assert handle.state is State.LISTENING
                assert handle.subscriptions["p"].wanted.uris == ("a:b",)
            assert handle.state is State.CLOSED

    asyncio.run(story())


def test_a_restart_by_hand_works_from_any_thread() -> None:
    """Design 4: the synchronous client, in a script, a thread, a cell."""
    peer = modern("p", tools=["t"])
    with MultiServerClient(recover=SOON) as client:
        client.add_server("p", peer)
        client.call("t")
        thread = threading.Thread(target=client.restart, args=("p",))
        thread.start()
        thread.join(5)
        assert (peer.lifetimes, client.report().peers[0].status) == (2, "ready")
        assert not client.menu_change
        with pytest.raises(MisuseError):
            client.restart("q")


def test_events_reach_a_callback_of_the_synchronous_client() -> None:
    """Ours: what a widget shows."""
    seen = threading.Event()

    def callback(news: Any) -> None:
        if news.what == "listening again":
            seen.set()

    peer = modern("p", tools=["t"], list_changed=True)
    with MultiServerClient(recover=SOON) as client:
        client.add_server("p", peer)
        handle = client.listen(on_event=callback)
        assert "listening" in repr(handle)

        async def end() -> None:
            peer.say(close())

        client._wait(end())
        assert seen.wait(5)
        assert handle.wait_for(lambda one: one.state == "listening")
