"""The verbs for what happens between calls, in both colours: listening, restarting.

Takes:  the upkeep of a client (`workbench.upkeep`)
Gives:  two classes the clients inherit from, and the handle that `listen` returns
Never:  decides anything

Source: design section 4; seed lesson, subscriptions and exercise 5.
"""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from workbench.calls import misuse
from workbench.core.menu.menu_change import MenuChange
from workbench.core.subscription import State, Subscription, Wanted
from workbench.core.text.visible import visible
from workbench.drivers.listening import Listening, News
from workbench.drivers.pool import Pool
from workbench.menus import Menus
from workbench.upkeep import Upkeep

T = TypeVar("T")
OnEvent = Callable[[News], object]
Condition = Callable[[Any], object]


class Subscribed:
    """What an asynchronous `listen` returns; an async context manager that ends it.

    Args:
        upkeep: moves it.
        listening: its state.
    """

    def __init__(self, upkeep: Upkeep, listening: Listening) -> None:
        self._upkeep = upkeep
        self._listening = listening

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.state}, {len(self.events)} events>"

    @property
    def state(self) -> State:
        """Where it stands; of several peers, that of the first that is not listening."""
        return self._listening.state

    @property
    def subscriptions(self) -> dict[str, Subscription]:
        """Each peer's part as a value: its id, what was granted, what is missing."""
        return self._listening.subscriptions

    @property
    def events(self) -> tuple[News, ...]:
        """The latest events, oldest first; at most 1,000 are kept."""
        return self._listening.events

    async def wait_for(self, condition: Condition, timeout_s: float = 5.0) -> bool:
        """Wait until a condition on this handle holds; return whether it did in time.

        Args:
            condition: is asked after each event: `lambda one: one.state == "listening"`.
            timeout_s: seconds of the client's clock.
        """
        return await self._listening.wait_for(lambda _: condition(self), timeout_s)

    async def close(self) -> None:
        """Stop listening, and let the peers know; safe to call twice."""
        await self._upkeep.end(self._listening)

    async def __aenter__(self) -> "Subscribed":
        """Return the handle."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening."""
        await self.close()


class AsyncListenVerbs:
    """Coroutines; the client sets `_pool`, `_menus` and `_upkeep`."""

    _pool: Pool
    _menus: Menus
    _upkeep: Upkeep

    async def _connected(self) -> None:
        raise NotImplementedError

    async def listen(
        self,
        peer: str | None = None,
        *,
        tools: bool = False,
        prompts: bool = False,
        resource_list: bool = False,
        resources: Iterable[str] = (),
        on_event: OnEvent | None = None,
    ) -> Subscribed:
        """Listen to what peers announce; with nothing chosen, to changes of their tools.

        What changed is read anew and merged again; `menu_change` and the event "menu
        changed" say how the menu differs. A subscription that breaks off is asked for again,
        with a new id, and so it is after a restart of its peer. Any number can be open.

        Args:
            peer: whom to listen to; None means everybody, also those that are ready later.
            tools: changes of the list of tools.
            prompts: changes of the list of prompts.
            resource_list: changes of the list of resources.
            resources: URIs whose content is watched.
            on_event: called with each event (`News`), on the client's loop; must not block.

        Returns:
            The handle, once every ready peer has answered or let 10 s pass.

        Raises:
            MisuseError: if no peer has that name, or a URI is no text.
        """
        if peer is not None and peer not in self._pool.members:
            known = ", ".join(visible(name) for name in self._pool.members)
            raise misuse(f"no peer is called “{visible(peer, 60)}”", f"Known: {known}.")
        uris = (resources,) if isinstance(resources, str) else tuple(dict.fromkeys(resources))
        if not all(isinstance(uri, str) for uri in uris):
            raise misuse("resources= takes URIs", "Pass a list of texts.")
        wanted = _wanted(tools, prompts, resource_list, uris)
        await self._connected()
        names = tuple(self._pool.members) if peer is None else (peer,)
        return Subscribed(self._upkeep, await self._upkeep.listen(names, wanted, on_event))

    async def restart(self, peer: str) -> None:
        """Start a peer afresh by hand, whatever became of it; a ready one is closed first.

        Its failures are forgiven, it is negotiated with, listed and subscribed to anew. The
        report says whether it is ready then.

        Args:
            peer: name of the peer.

        Raises:
            MisuseError: if no peer has that name.
        """
        await self._upkeep.recovery.restart(peer)

    @property
    def menu_change(self) -> MenuChange:
        """How the menu differs from the one `merge` accepted last; `merge` accepts it."""
        return self._menus.change


class Listener:
    """What a synchronous `listen` returns; a context manager that ends it.

    Args:
        inner: the handle on the client's loop.
        wait: runs a coroutine there.
    """

    def __init__(self, inner: Subscribed, wait: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._inner = inner
        self._wait = wait

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.state}, {len(self.events)} events>"

    @property
    def state(self) -> State:
        """Where it stands; of several peers, that of the first that is not listening."""
        return self._inner.state

    @property
    def subscriptions(self) -> dict[str, Subscription]:
        """Each peer's part as a value: its id, what was granted, what is missing."""
        return self._inner.subscriptions

    @property
    def events(self) -> tuple[News, ...]:
        """The latest events, oldest first; at most 1,000 are kept."""
        return self._inner.events

    def wait_for(self, condition: Condition, timeout_s: float = 5.0) -> bool:
        """Wait until a condition on this handle holds; return whether it did in time.

        Args:
            condition: is asked after each event, on the client's own thread.
            timeout_s: seconds of the client's clock.
        """
        return bool(self._wait(self._inner.wait_for(lambda _: condition(self), timeout_s)))

    def close(self) -> None:
        """Stop listening, and let the peers know; safe to call twice."""
        self._wait(self._inner.close())

    def __enter__(self) -> "Listener":
        """Return the handle."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self.close()


class ListenVerbs:
    """The same verbs without async and await."""

    _inner: Any

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        raise NotImplementedError

    def listen(self, peer: str | None = None, **what: Any) -> Listener:
        """Listen to what peers announce; see `AsyncMultiServerClient.listen`.

        Args:
            peer: whom to listen to; None means everybody.
            what: tools, prompts, resource_list, resources, on_event.

        Raises:
            MisuseError: if no peer has that name, or a URI is no text.
        """
        return Listener(self._wait(self._inner.listen(peer, **what)), self._wait)

    def restart(self, peer: str) -> None:
        """Start a peer afresh by hand; see `AsyncMultiServerClient.restart`.

        Raises:
            MisuseError: if no peer has that name.
        """
        self._wait(self._inner.restart(peer))

    @property
    def menu_change(self) -> MenuChange:
        """How the menu differs from the one `merge` accepted last; `merge` accepts it."""
        change: MenuChange = self._inner.menu_change
        return change


def _wanted(tools: bool, prompts: bool, resource_list: bool, uris: tuple[str, ...]) -> Wanted:
    chosen = {"tools": tools, "prompts": prompts, "resources": resource_list}
    lists = tuple(kind for kind in ("prompts", "resources", "tools") if chosen[kind])
    if not lists and not uris:
        return Wanted(("tools",))
    return Wanted(lists, uris)  # type: ignore[arg-type]
