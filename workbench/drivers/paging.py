"""Lists whose pages are kept one by one: what is fresh is used, what is not is fetched.

Takes:  a peer, the list that is wanted, and how its items are judged
Gives:  the judged list; and in the cache, each page under its own key, lifetime and scope
Never:  decides how pages come together: `workbench.core.results.pages` does; fetches one list twice
        at once; judges the same pages twice

Spec: server/utilities/caching "Interaction with Pagination". Fault matrix C07, C08 and M09.
"""

from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.errors import Failure
from workbench.core.journal.journal import Journal
from workbench.core.results import pages
from workbench.core.results.cache import Found, cache_key
from workbench.core.results.pages import Ask, Collected, Page, Pages
from workbench.drivers.bulk import Bulk
from workbench.drivers.owner import Owner
from workbench.drivers.shared_work import SharedWork
from workbench.drivers.shelf import Shelf
from workbench.transports.base import Clock

REMEMBERED: Final = 256
"""Lists whose pages are remembered, to notice a change; the oldest one is forgotten first."""

T = TypeVar("T")
Place = tuple[str, str, str]
"""Peer, list method, authorization context."""


class Asker(Protocol):
    """Who has a peer, its credentials and its deadline."""

    owner: Owner
    auth_context: str
    call_timeout_s: float


class _Seen(Struct, Generic[T], frozen=True):
    """A list as it was seen last."""

    generation: int
    pages: tuple[Page, ...]
    judged: T


class Begun(Struct, frozen=True):
    """A list after what is fresh was taken from the cache."""

    place: Place
    generation: int
    """Of the cache, when the list was asked for."""
    walk: Pages
    outcome: Ask | Collected

    @property
    def whole(self) -> bool:
        """Whether every page was fresh, so that nobody has to be asked."""
        return isinstance(self.outcome, Collected)


class Paging(Generic[T]):
    """The lists of every peer of one client.

    Args:
        cache: keeps the pages.
        clock: source of time.
        journal: where it is noted what stood in, and why.
    """

    def __init__(self, cache: Shelf, clock: Clock, journal: Journal) -> None:
        self._cache = cache
        self._clock = clock
        self._journal = journal
        self._walks: SharedWork[T] = SharedWork()
        self._seen: dict[Place, _Seen[T]] = {}

    def look(self, asker: Asker, wanted: Pages) -> Begun:
        """Take what is fresh from the cache, up to the first page that is not."""
        place = (wanted.peer, wanted.method, asker.auth_context)
        generation = self._cache.generation(wanted.peer, wanted.method)
        seen = self._seen.get(place)
        if seen is not None and seen.generation == generation:
            wanted = replace(wanted, before=seen.pages)
        walk, outcome = self._kept(*pages.begin(wanted), asker.auth_context)
        return Begun(place, generation, walk, outcome)

    async def finish(self, begun: Begun, asker: Asker, judge: Callable[[Collected], T]) -> T:
        """Fetch what is missing and judge the whole list.

        Who asks while the same list is on its way waits for it; one that was asked for
        before a change is another list.

        Args:
            begun: as `look` returned it, with nothing awaited since.
            asker: whose list it is.
            judge: makes the list of its pages; not called again for the same pages.
        """
        if isinstance(begun.outcome, Collected):
            return self._judged(begun, begun.outcome, judge)
        return await self._walks.do(
            (*begun.place, begun.generation), lambda: self._fetched(begun, asker, judge)
        )

    async def _fetched(self, begun: Begun, asker: Asker, judge: Callable[[Collected], T]) -> T:
        walk, outcome = begun.walk, begun.outcome
        context = begun.place[2]
        while isinstance(outcome, Ask):
            was_anew = walk.anew
            walk, outcome = await self._page(walk, outcome, asker, context)
            if walk.anew and not was_anew:
                self._cache.read_anew(walk.peer, walk.method, context, walk.anew)
            walk, outcome = self._kept(walk, outcome, context)
        self._keep(outcome, begun.place)
        return self._judged(begun, outcome, judge)

    def _kept(
        self, walk: Pages, outcome: pages.Next, context: str
    ) -> tuple[Pages, Ask | Collected]:
        """Take pages from the cache as long as they are fresh."""
        while isinstance(outcome, Ask) and outcome.kept_will_do:
            key = cache_key(walk.peer, walk.method, outcome.params)
            found = self._cache.get(key, context, self._clock.now())
            if found.found is not Found.HIT:
                break
            was_anew = walk.anew
            walk, outcome = pages.reuse(walk, found.value, found.received_at)
            if walk.anew and not was_anew:
                self._cache.read_anew(walk.peer, walk.method, context, walk.anew)
        return walk, outcome

    async def _page(
        self, walk: Pages, ask: Ask, asker: Asker, context: str
    ) -> tuple[Pages, pages.Next]:
        failure = walk.lost
        if failure is None:
            generation = self._cache.generation(walk.peer, walk.method)
            answer = await asker.owner.request(
                walk.method, ask.params, timeout_s=asker.call_timeout_s
            )
            if not isinstance(answer, Failure):
                with Bulk():
                    return pages.step(walk, answer, self._clock.now(), generation)
            failure = answer
        if ask.kept_will_do:
            key = cache_key(walk.peer, walk.method, ask.params)
            found = self._cache.instead(key, context, failure)
            if found.found is Found.STALE:
                alone = not walk.pages and found.value.get("nextCursor") is None
                what = "the list" if alone else f"page {len(walk.pages) + 1} of the list"
                clean: Failure = self._journal.redactor.tree(failure)
                walk = pages.stood_in(walk, f"{what} is {found.age_ms} ms old: {clean.detail}")
                return pages.reuse(walk, found.value, found.received_at, failure)
        return pages.step(walk, failure, self._clock.now())

    def _keep(self, collected: Collected, place: Place) -> None:
        """Keep each page that was fetched, if the whole list came together."""
        fetched = [page for page in collected.pages if not page.kept]
        # One word about a list that was cut; its pages lead nowhere.
        for page in fetched if collected.complete else fetched[:1]:
            self._cache.put(
                cache_key(place[0], place[1], page.params),
                page.value,
                scope=page.value.get("cacheScope"),
                auth_context=place[2],
                received_at=page.received_at,
                ttl_ms=page.value.get("ttlMs"),
                generation=page.generation,
                complete=collected.complete,
            )

    def _judged(self, begun: Begun, collected: Collected, judge: Callable[[Collected], T]) -> T:
        if not collected.complete or collected.stale:
            return judge(collected)
        seen = self._seen.get(begun.place)
        if seen is not None and _same(seen.pages, collected.pages):
            return seen.judged
        with Bulk():
            judged = judge(collected)
        self._remember(begun, collected.pages, judged)
        return judged

    def _remember(self, begun: Begun, made_of: tuple[Page, ...], judged: T) -> None:
        self._seen.pop(begun.place, None)
        self._seen[begun.place] = _Seen(begun.generation, made_of, judged)
        while len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]


def _same(some: tuple[Page, ...], others: tuple[Page, ...]) -> bool:
    if len(some) != len(others):
        return False
    return all(one.value is other.value for one, other in zip(some, others, strict=True))
