"""Which stored answer may still be used, and by whom.

Takes:  answers with the peer's hints, and the time as an argument
Gives:  a `Lookup`: the value while it is fresh and yours, otherwise why not
Never:  reads a clock; hands a private value to another authorization context; hands out a
        value after its lifetime, or one fetched before an invalidation

=========  ==========================================================================
CACHE-01   only the word "public" is public; absent and unknown scopes are private
CACHE-02   a private value never leaves its authorization context
CACHE-03   a value lives for `ttlMs` after it was received; absent, negative or
           meaningless is 0, and 0 is stale at once
CACHE-04   an answer to a request from before an invalidation, or older than the stored
           one, is not stored
CACHE-05   a partial list is not stored
CACHE-06   when the clock steps back every age is unknown, so everything is stale
CACHE-07   only when the operator says so, and for so long, a value past its end stands in
           for an answer that failed
CACHE-08   each page of a list is an answer of its own; when the list has changed under its
           pages, all of them are read anew (`workbench.core.results.pages` tells)
=========  ==========================================================================

Values are stored in a read-only form (`workbench.core.text.frozen`) and shared by all readers.
Spec: 2026-07-28 schema `CacheableResult`; seed skill "Tool cache"; seed lesson, exercise 3;
cases C03, C05, C06, C07; fault matrix M09 and C08.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec import Struct, structs

from workbench.core.text.frozen import frozen
from workbench.core.tool import CacheScope

DEFAULT_CAPACITY: Final = 4_096
"""Entries kept, four lists of the longest kind; the least recently used one goes first."""
TTL_CAP_MS: Final = 30 * 24 * 3_600 * 1_000
"""Longest lifetime, 30 days in ms. No course and hardly a process lasts longer; a hint of
a thousand years (or a number with forty digits) is a mistake, not a promise."""


class CacheKey(Struct, frozen=True):
    """What was asked, of whom; build it with `cache_key`."""

    peer: str
    """The configured name: two peers at one endpoint share nothing (fault matrix M09)."""
    method: str
    params: str = "{}"
    """The parameters that matter, as JSON text with sorted keys."""


class Entry(Struct, frozen=True, kw_only=True):
    """One stored answer."""

    key: CacheKey
    value: Any
    """Read-only, see `workbench.core.text.frozen`."""
    scope: CacheScope
    auth_context: str
    """Name of the authorization context that fetched it; a name, never a credential."""
    received_at: float
    """Clock seconds."""
    ttl_ms: int
    """Lifetime from `received_at`, in ms, already limited."""
    generation: int


class Found(StrEnum):
    """What a look-up found."""

    HIT = "hit"
    MISS = "miss"
    EXPIRED = "expired"
    OTHER_CONTEXT = "other context"
    STALE = "stale, in place of an answer that failed"


class Lookup(Struct, frozen=True):
    """The answer to `get`; `value` and `age_ms` are set for a hit only."""

    found: Found
    value: Any = None
    """Shared and read-only; `copy.deepcopy` gives an editable one."""
    age_ms: int | None = None
    scope: CacheScope | None = None
    received_at: float = 0.0
    """Clock seconds; only where there is a value."""


class Stored(StrEnum):
    """What became of a `put`."""

    KEPT = "kept"
    NO_LIFETIME = "no lifetime"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    """The list was invalidated meanwhile, or a newer answer is stored already."""
    NOT_SHAREABLE = "not shareable"
    """No read-only form: nested too deeply, or not JSON."""


def cache_key(peer: str, method: str, params: Mapping[str, Any] | None = None) -> CacheKey:
    """Build the key of a request; `_meta` is left out, it does not choose the result.

    Raises:
        TypeError: if a parameter has no JSON form.
    """
    kept = {name: value for name, value in (params or {}).items() if name != "_meta"}
    return CacheKey(peer, method, msgspec.json.encode(kept, order="deterministic").decode())


def effective_scope(hint: object) -> CacheScope:
    """Return the scope a `cacheScope` hint stands for (CACHE-01)."""
    return "public" if hint == "public" else "private"


def effective_ttl_ms(hint: object) -> int:
    """Return the lifetime in ms a `ttlMs` hint stands for, 0 to `TTL_CAP_MS` (CACHE-03)."""
    if isinstance(hint, bool) or not isinstance(hint, int | float):
        return 0
    # JSON does not tell 1000 from 1000.0, so a whole float is an integer.
    if isinstance(hint, float) and not hint.is_integer():
        return 0
    return int(min(max(hint, 0), TTL_CAP_MS))


class ListingCache:
    """A bounded store of answers. Pure in the sense that time is an argument; one owner.

    Args:
        capacity: most entries kept; must be positive.
        share_public: whether "public" values of every peer may cross authorization contexts,
            and not only of those named with `share`. The
            protocol allows it; it is off by default because a peer that marks a
            user-specific list as public by mistake would show it to another user.
        stale_ms: how long after its end a value is kept for `stale`; 0 means not at all.
    """

    def __init__(
        self, capacity: int = DEFAULT_CAPACITY, *, share_public: bool = False, stale_ms: int = 0
    ) -> None:
        if capacity <= 0:
            raise ValueError(f"the cache capacity must be positive, not {capacity}")
        if stale_ms < 0:
            raise ValueError(f"a stale value is kept for 0 ms or longer, not {stale_ms}")
        self._capacity = capacity
        self._stale_ms = stale_ms
        self._share_public = share_public
        self._sharing: set[str] = set()
        # In order of use, the least recent first. A slot without a context is shared.
        self._entries: dict[_Slot, Entry] = {}
        self._slots: dict[str, dict[CacheKey, set[_Slot]]] = {}
        self._cuts: dict[tuple[str, str | None], int] = {}
        self._latest = float("-inf")

    def __len__(self) -> int:
        """Return how many entries are stored, fresh or not."""
        return len(self._entries)

    def share(self, peer: str) -> None:
        """Let "public" values of one peer cross authorization contexts from now on."""
        self._sharing.add(peer)

    def generation(self, peer: str, method: str) -> int:
        """Return the present generation; read it before sending the request, give it to `put`."""
        return self._cuts.get((peer, None), 0) + self._cuts.get((peer, method), 0)

    def invalidate(self, peer: str, method: str | None = None) -> int:
        """Forget what a peer answered, to one method or to all; return how many entries.

        Answers to requests from before this moment will not be stored (CACHE-04).
        """
        self._cuts[peer, method] = self._cuts.get((peer, method), 0) + 1
        doomed = [
            slot
            for key, slots in self._slots.get(peer, {}).items()
            if method is None or key.method == method
            for slot in slots
        ]
        for slot in doomed:
            self._drop(slot)
        return len(doomed)

    def discard(self, peer: str, method: str, auth_context: str) -> int:
        """Drop what one context is served of the pages of a list; return how many (CACHE-08).

        Answers that are on their way may be stored all the same: they are newer.
        """
        doomed = [
            slot
            for key, slots in self._slots.get(peer, {}).items()
            if key.method == method
            for slot in slots
            if slot.context in (None, auth_context)
        ]
        for slot in doomed:
            self._drop(slot)
        return len(doomed)

    def put(
        self,
        key: CacheKey,
        value: Any,
        *,
        scope: object,
        auth_context: str,
        received_at: float,
        ttl_ms: object,
        generation: int,
        complete: bool = True,
    ) -> Stored:
        """Store an answer if it may be stored, and say what became of it.

        Args:
            key: what was asked.
            value: the answer; copied into a read-only form.
            scope: the `cacheScope` hint as received, or None.
            auth_context: name of the authorization context of the request.
            received_at: clock seconds when the answer (its first page) arrived.
            ttl_ms: the `ttlMs` hint as received, or None.
            generation: what `generation` returned before the request was sent.
            complete: False for a partial list.
        """
        if not complete:
            return Stored.INCOMPLETE
        may_share = self._share_public or key.peer in self._sharing
        shared = may_share and effective_scope(scope) == "public"
        slot = _Slot(key, None if shared else auth_context)
        if generation != self.generation(key.peer, key.method) or self._has_newer(
            key, auth_context, received_at
        ):
            return Stored.OUTDATED
        # Whatever this answer is, it replaces what this context saw before: a list that
        # became private, or uncacheable, must not live on in its public form.
        self._drop(_Slot(key, auth_context))
        self._drop(_Slot(key, None))
        lifetime = effective_ttl_ms(ttl_ms)
        if lifetime == 0:
            return Stored.NO_LIFETIME
        try:
            kept = frozen(value)
        except (TypeError, RecursionError):
            return Stored.NOT_SHAREABLE
        self._keep(
            slot,
            Entry(
                key=key,
                value=kept,
                scope=effective_scope(scope),
                auth_context=auth_context,
                received_at=received_at,
                ttl_ms=lifetime,
                generation=generation,
            ),
        )
        return Stored.KEPT

    def get(self, key: CacheKey, auth_context: str, now: float) -> Lookup:
        """Return the stored answer if it is fresh at `now` and usable in this context.

        Args:
            key: what is asked.
            auth_context: name of the authorization context that asks.
            now: clock seconds. A value is fresh while its age is below its lifetime: with
                `ttlMs` 1000 at 999 ms, no longer at 1000 ms, as 0 means never fresh.
        """
        self._notice(now)
        for slot in (_Slot(key, auth_context), _Slot(key, None)):
            entry = self._entries.get(slot)
            if entry is None:
                continue
            age_us = _age_us(entry, now)
            if not 0 <= age_us < entry.ttl_ms * 1_000:
                if not 0 <= age_us < self._reach_us(entry):
                    self._drop(slot)
                return Lookup(Found.EXPIRED)
            self._entries[slot] = self._entries.pop(slot)  # now the most recently used
            return _with_value(Found.HIT, entry, age_us)
        elsewhere = self._slots.get(key.peer, {}).get(key)
        return Lookup(Found.OTHER_CONTEXT if elsewhere else Found.MISS)

    def stale(self, key: CacheKey, auth_context: str, now: float) -> Lookup:
        """Return an answer past its end that may stand in for one that failed (CACHE-07).

        Args:
            key: what was asked, in vain.
            auth_context: name of the authorization context that asks.
            now: clock seconds.
        """
        for slot in (_Slot(key, auth_context), _Slot(key, None)):
            entry = self._entries.get(slot)
            if entry is not None and 0 <= (age_us := _age_us(entry, now)) < self._reach_us(entry):
                return _with_value(Found.STALE, entry, age_us)
        return Lookup(Found.MISS)

    def entries(self) -> tuple[tuple[Entry, bool], ...]:
        """Return every entry, each with whether other contexts are served from it."""
        return tuple((entry, slot.context is None) for slot, entry in self._entries.items())

    def _reach_us(self, entry: Entry) -> int:
        # A lifetime of 0 marks an entry whose age is unknown: it stands in for nothing.
        return (entry.ttl_ms + self._stale_ms) * 1_000 if entry.ttl_ms else 0

    def _notice(self, now: float) -> None:
        if now < self._latest:
            for slot, entry in self._entries.items():
                self._entries[slot] = structs.replace(entry, ttl_ms=0)
        self._latest = now

    def _has_newer(self, key: CacheKey, auth_context: str, received_at: float) -> bool:
        seen = (self._entries.get(_Slot(key, context)) for context in (auth_context, None))
        # A lifetime of 0 marks times of before the clock stepped back: they compare to nothing.
        return any(one and one.ttl_ms and one.received_at > received_at for one in seen)

    def _keep(self, slot: "_Slot", entry: Entry) -> None:
        self._latest = max(self._latest, entry.received_at)
        self._entries[slot] = entry
        self._slots.setdefault(slot.key.peer, {}).setdefault(slot.key, set()).add(slot)
        while len(self._entries) > self._capacity:
            self._drop(next(iter(self._entries)))

    def _drop(self, slot: "_Slot") -> None:
        if self._entries.pop(slot, None) is None:
            return
        keys = self._slots[slot.key.peer]
        keys[slot.key].discard(slot)
        if not keys[slot.key]:
            del keys[slot.key]
        if not keys:
            del self._slots[slot.key.peer]


class _Slot(Struct, frozen=True):
    key: CacheKey
    context: str | None


def _with_value(found: Found, entry: Entry, age_us: int) -> Lookup:
    return Lookup(found, entry.value, age_us // 1_000, entry.scope, entry.received_at)


def _age_us(entry: Entry, now: float) -> int:
    # Rounded to microseconds: float seconds must not move the boundary by a hair.
    return round((now - entry.received_at) * 1_000_000)
