"""The cache with a pen: what is found, kept and forgotten stands in the journal.

Takes:  a clock, the journal, and what the operator allows
Gives:  a `ListingCache` whose decisions can be read afterwards
Never:  decides: the rules are those of `workbench.core.results.cache`

Source: seed skill, "Tool cache"; design section 7.4.
"""

from typing import Any, Final

from workbench.core.errors import Failure, Kind
from workbench.core.journal.journal import Journal
from workbench.core.results.cache import CacheKey, Found, ListingCache, Lookup, Stored
from workbench.core.results.cache_content import CacheContent
from workbench.core.text.visible import visible
from workbench.transports.base import Clock

ON_THE_WAY: Final = frozenset(
    {Kind.TOOK_TOO_LONG, Kind.PIPE_CLOSED, Kind.OUTCOME_UNKNOWN, Kind.HTTP_STATUS, Kind.PEER_AWAY}
)
"""Failures of the way to a peer."""
_FOUND: Final = {
    Found.HIT: "CACHE-03",
    Found.MISS: None,
    Found.EXPIRED: "CACHE-03",
    Found.OTHER_CONTEXT: "CACHE-02",
    Found.STALE: "CACHE-07",
}
_STORED: Final = {
    Stored.KEPT: "CACHE-03",
    Stored.NO_LIFETIME: "CACHE-03",
    Stored.INCOMPLETE: "CACHE-05",
    Stored.OUTDATED: "CACHE-04",
    Stored.NOT_SHAREABLE: None,
}


class Shelf(ListingCache):
    """A cache that writes down what it does.

    Args:
        clock: source of time.
        journal: where decisions go.
        share_public: whether public values may cross authorization contexts.
        stale_ms: how long after its end a value may stand in for an answer that failed.
    """

    def __init__(
        self, clock: Clock, journal: Journal, *, share_public: bool = False, stale_ms: int = 0
    ) -> None:
        super().__init__(share_public=share_public, stale_ms=stale_ms)
        self._clock = clock
        self._journal = journal

    def get(self, key: CacheKey, auth_context: str, now: float) -> Lookup:
        """Return the stored answer as `ListingCache.get` does, and note what was found."""
        return self._found(key, super().get(key, auth_context, now))

    def stale(self, key: CacheKey, auth_context: str, now: float) -> Lookup:
        """Return an answer past its end as `ListingCache.stale` does, and note a use of it."""
        found = super().stale(key, auth_context, now)
        return self._found(key, found) if found.found is Found.STALE else found

    def instead(self, key: CacheKey, auth_context: str, failure: Failure) -> Lookup:
        """Return what may stand in for an answer that failed on its way.

        What the peer itself said, a refusal or a violation, is never papered over.
        """
        if failure.kind not in ON_THE_WAY:
            return Lookup(Found.MISS)
        return self.stale(key, auth_context, self._clock.now())

    def put(self, key: CacheKey, value: Any, **hints: Any) -> Stored:
        """Store an answer as `ListingCache.put` does, and note what became of it."""
        stored = super().put(key, value, **hints)
        told = f"scope {hints.get('scope')!r}, ttlMs {hints.get('ttl_ms')!r}"
        self._note(key.peer, f"{_named(key)}: {stored}", _STORED[stored], told)
        return stored

    def invalidate(self, peer: str, method: str | None = None) -> int:
        """Forget as `ListingCache.invalidate` does, and note it when there was something."""
        count = super().invalidate(peer, method)
        if count:
            self._note(peer, f"{method or 'everything'}: invalidated", "CACHE-04", f"{count} gone")
        return count

    def read_anew(self, peer: str, method: str, auth_context: str, why: str) -> None:
        """Forget the pages of a list that has changed under them, and note why."""
        count = self.discard(peer, method, auth_context)
        detail = f"{why}; {count} page{'' if count == 1 else 's'} dropped"
        self._note(peer, f"{method}: all pages are read anew", "CACHE-08", detail)

    def content(self) -> CacheContent:
        """Return what is stored now, as a table."""
        return CacheContent.of(self.entries(), self._clock.now())

    def _found(self, key: CacheKey, found: Lookup) -> Lookup:
        age = "" if found.age_ms is None else f"{found.age_ms} ms old"
        self._note(key.peer, f"{_named(key)}: {found.found}", _FOUND[found.found], age)
        return found

    def _note(self, peer: str, what: str, rule: str | None, detail: str) -> None:
        now = self._clock.now()
        self._journal.decided(now, peer, "cache", what, rule=rule, detail=detail)


def _named(key: CacheKey) -> str:
    # A page is told from another by its cursor; the first one has none.
    if not key.method.endswith("/list") or key.params == "{}":
        return key.method
    return f"{key.method} {visible(key.params, 60)}"
