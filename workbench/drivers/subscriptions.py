"""Every subscription of one client, each moved by the core, told apart by their ids.

Takes:  what callers want to hear of, and what peers announce
Gives:  a `Listening`: its state, its latest events, its end
Never:  decides (`workbench.core.subscription` does), and never gives an announcement to a
        subscription whose id it does not carry

A modern peer is asked with `subscriptions/listen`, a request that stays open; over HTTP its
answer is a stream, and dropping that is its cancellation. A legacy peer announces list
changes by itself, and resources after its own `resources/subscribe`.

Spec: 2026-07-28 basic/patterns/subscriptions; 2025-11-25 server/resources, subscriptions.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from workbench.core import subscription
from workbench.core.call import Answer
from workbench.core.errors import Failure
from workbench.core.journal.journal import Journal
from workbench.core.menu.menu_change import MenuChange
from workbench.core.subscription import (
    OVER,
    URIS_KEY,
    Acknowledged,
    Announced,
    Cancel,
    Close,
    Ended,
    List,
    Open,
    PeerLost,
    PeerReady,
    Reread,
    Sent,
    Subscription,
    SubscriptionAction,
    SubscriptionEvent,
    Tell,
    TimePassed,
    Wanted,
    legacy_grant,
)
from workbench.core.text.visible import visible
from workbench.core.wire.keys import METHOD_NOT_FOUND, RESOURCES_READ, SUBSCRIPTION_ID_KEY
from workbench.core.wire.message import ErrorReply, Notification, RequestId, Result
from workbench.core.wire.versions import Era
from workbench.drivers.listening import Listening, News, Part
from workbench.drivers.pool import Pool
from workbench.transports.base import Clock

LISTEN: Final = "subscriptions/listen"
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
SUBSCRIBE: Final = "resources/subscribe"
UNSUBSCRIBE: Final = "resources/unsubscribe"


class Subscriptions:
    """All of them.

    Args:
        pool: the peers.
        clock: source of time.
        journal: where every step is noted.
        draw: gives a random number from 0 to 1 for each pause.
        reread: called with (peer, list) when a list is stale.
    """

    def __init__(
        self,
        pool: Pool,
        clock: Clock,
        journal: Journal,
        draw: Callable[[], float],
        reread: Callable[[str, List], object],
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._journal = journal
        self._draw = draw
        self._reread = reread
        self._held: dict[str, list[Part]] = {}
        self._by_id: dict[tuple[str, str, RequestId], Part] = {}
        self._farewells: set[asyncio.Task[None]] = set()

    # -- the verbs ---------------------------------------------------------------------

    def listen(
        self,
        peers: Iterable[str],
        wanted: Wanted,
        on_event: Callable[[News], object] | None = None,
    ) -> Listening:
        """Begin to listen; peers that are away are asked when they are ready."""
        listening = Listening(wanted, self._clock, on_event)
        ready = set(self._pool.ready)
        for name in peers:
            held = Part(listening, Subscription(peer=name, wanted=wanted))
            listening.parts[name] = held
            self._held.setdefault(name, []).append(held)
        for name, held in listening.parts.items():
            if name in ready:
                self._move(held, PeerReady())
        return listening

    async def end(self, listening: Listening) -> None:
        """Stop listening; the peers are told."""
        tasks = self._end(listening)
        if tasks:
            await asyncio.wait(tasks)
        if self._farewells:
            await asyncio.wait(self._farewells)

    async def close(self) -> None:
        """End every listening; the transports are closed next, so that no answer is awaited."""
        everyone = {held.listening for parts in self._held.values() for held in parts}
        tasks = [task for listening in everyone for task in self._end(listening)]
        for farewell in self._farewells:
            farewell.cancel()
        tasks += self._farewells
        if tasks:
            await asyncio.wait(tasks)

    def _end(self, listening: Listening) -> list[asyncio.Task[None]]:
        tasks = [held.task for held in listening.parts.values() if held.task is not None]
        for held in listening.parts.values():
            self._move(held, Close())
        return tasks

    # -- what happens ------------------------------------------------------------------

    def hear(self, peer: str, said: Notification) -> None:
        """Hand an announcement to the subscription it belongs to; never raises."""
        meta = said.params.get("_meta")
        token: Any = meta.get(SUBSCRIPTION_ID_KEY) if isinstance(meta, dict) else None
        if token is None:
            self._hear_legacy(peer, said)
            return
        held = self._by_id.get(_key(peer, token)) if type(token) in (int, str) else None
        if held is None:
            shown = visible(repr(token), 60)
            what = f"announced {visible(said.method, 60)} for the subscription {shown}, "
            self._stray(peer, what + "which nobody holds [SUB-02]")
        elif said.method == ACKNOWLEDGED:
            self._move(held, Acknowledged(said.params.get("notifications")))
        else:
            self._move(held, _announced(said))

    def peer_ready(self, peer: str) -> None:
        """Ask a peer again that has a new transport."""
        for held in tuple(self._held.get(peer, ())):
            self._move(held, PeerReady())

    def peer_lost(self, peer: str) -> None:
        """Take note that a peer's transport ended, with all that was open on it."""
        for held in tuple(self._held.get(peer, ())):
            self._move(held, PeerLost())

    def relisted(self, peer: str, change: MenuChange) -> None:
        """Tell whoever listens to a peer's tools that they were read anew."""
        for held in tuple(self._held.get(peer, ())):
            if change and "tools" in held.state.wanted.lists:
                told = Tell("menu changed", change.to_text(), "SUB-09")
                self._tell(held, told, change)
            held.listening.moved()

    # -- inside ------------------------------------------------------------------------

    def _hear_legacy(self, peer: str, said: Notification) -> None:
        parts = [held for held in self._held.get(peer, ()) if held.state.state not in OVER]
        relevant = said.method == subscription.RESOURCE_UPDATED
        if not parts or not (relevant or said.method in subscription.LIST_CHANGED):
            return
        if self._era(peer) is not Era.LEGACY:
            what = f"announced {visible(said.method, 60)} without a subscription id [SUB-02]"
            self._stray(peer, what)
            return
        for held in parts:
            if held.state.wanted.covers(said.method):
                self._move(held, _announced(said))

    def _move(self, held: Part, event: SubscriptionEvent) -> None:
        before = held.state
        now = self._clock.now()
        held.state, actions = subscription.step(before, event, now, self._draw())
        self._index(held, before.request_id)
        self._wake_at(held, before.wake_at)
        for action in actions:
            self._do(held, action)
        if held.state.state in OVER:
            parts = self._held.get(held.state.peer, [])
            if held in parts:
                parts.remove(held)
        held.listening.moved()

    def _index(self, held: Part, before: RequestId | None) -> None:
        after, peer = held.state.request_id, held.state.peer
        if before is not None and before != after:
            self._by_id.pop(_key(peer, before), None)
        if after is not None:
            self._by_id[_key(peer, after)] = held

    def _wake_at(self, held: Part, before: float | None) -> None:
        at = held.state.wake_at
        if at == before:
            return
        if held.timer is not None:
            held.timer.cancel()
        held.timer = None
        if at is not None:
            held.timer = self._clock.call_at(at, lambda: self._move(held, TimePassed()))

    def _do(self, held: Part, action: SubscriptionAction) -> None:
        match action:
            case Open():
                self._open(held)
            case Cancel():
                self._cancel(held)
            case Tell():
                self._tell(held, action)
            case Reread(lists, resources):
                peer = held.state.peer
                if resources:
                    self._pool.cache.invalidate(peer, RESOURCES_READ)
                for kind in lists:
                    self._reread(peer, kind)

    def _open(self, held: Part) -> None:
        peer = held.state.peer
        ask = self._ask_legacy if self._era(peer) is Era.LEGACY else self._ask
        task = asyncio.get_running_loop().create_task(ask(held), name=f"listening to {peer}")
        held.task = task

    async def _ask(self, held: Part) -> None:
        owner = self._pool.members[held.state.peer].owner
        mine = asyncio.current_task()
        params = {"notifications": held.state.wanted.to_filter()}
        answer = await owner.keep_open(LISTEN, params, lambda id: self._move(held, Sent(id)))
        if held.task is mine:
            held.task = None
            self._move(held, _ended(answer))

    async def _ask_legacy(self, held: Part) -> None:
        member = self._pool.members[held.state.peer]
        settled = member.owner.verdict.settled
        declared = settled.server_capabilities if settled is not None else {}
        promised = legacy_grant(declared, held.state.wanted)
        mine = asyncio.current_task()
        uris = []
        for uri in promised.uris:
            answer = await member.owner.request(
                SUBSCRIBE, {"uri": uri}, timeout_s=member.call_timeout_s
            )
            if isinstance(answer, Result):
                uris.append(uri)
        if held.task is mine:
            held.task = None
            agreed = Wanted(promised.lists, tuple(uris)).to_filter()
            self._move(held, Acknowledged({URIS_KEY: [], **agreed}))

    def _cancel(self, held: Part) -> None:
        task, held.task = held.task, None
        if task is not None:
            task.cancel()
        peer = held.state.peer
        if self._era(peer) is Era.LEGACY and held.state.granted.uris:
            farewell = asyncio.get_running_loop().create_task(self._unsubscribe(held))
            self._farewells.add(farewell)
            farewell.add_done_callback(self._farewells.discard)

    async def _unsubscribe(self, held: Part) -> None:
        member = self._pool.members[held.state.peer]
        for uri in held.state.granted.uris:
            others = self._held.get(held.state.peer, ())
            if any(one is not held and uri in one.state.granted.uris for one in others):
                continue  # somebody else still wants it
            await member.owner.request(UNSUBSCRIBE, {"uri": uri}, timeout_s=member.call_timeout_s)

    def _tell(self, held: Part, told: Tell, change: MenuChange | None = None) -> None:
        now, peer, listening = self._clock.now(), held.state.peer, held.listening
        clean = self._journal.redactor.clean
        news = News(
            number=listening.next_number(),
            at=now,
            peer=peer,
            what=told.what,
            detail=clean(told.detail),
            rule=told.rule,
            uri=told.uri,
            change=change,
        )
        self._journal.decided(now, peer, "subscribe", told.what, told.rule, detail=told.detail)
        problem = listening.add(news)
        if problem:
            self._journal.decided(now, peer, "subscribe", problem)

    def _era(self, peer: str) -> Era | None:
        settled = self._pool.members[peer].owner.verdict.settled
        return settled.era if settled is not None else None

    def _stray(self, peer: str, what: str) -> None:
        self._journal.stray(self._clock.now(), peer, what, None)


def _key(peer: str, request_id: RequestId) -> tuple[str, str, RequestId]:
    return peer, type(request_id).__name__, request_id


def _announced(said: Notification) -> Announced:
    uri = said.params.get("uri")
    return Announced(said.method, uri if isinstance(uri, str) else "")


def _ended(answer: Answer | Failure) -> Ended:
    match answer:
        case Result():
            return Ended(graceful=True, detail="with a result")
        case ErrorReply(code=code, message=message):
            detail = f"the peer answered with error {code} “{visible(message, 200)}”"
            return Ended(unsupported=code == METHOD_NOT_FOUND, detail=detail)
        case Failure(detail=detail):
            return Ended(detail=detail)
        case _:
            return Ended(detail=f"the answer has {answer.detail}")
