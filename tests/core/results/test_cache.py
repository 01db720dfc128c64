"""The cache: fresh, yours, and never poisoned."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.results.cache import (
    TTL_CAP_MS,
    CacheKey,
    Found,
    ListingCache,
    Lookup,
    Stored,
    cache_key,
    effective_scope,
    effective_ttl_ms,
)
from workbench.core.tool import Listing, Tool

KEY = CacheKey("notes", "tools/list")


def put(cache: ListingCache, value: Any = "tools", key: CacheKey = KEY, **changed: Any) -> Stored:
    how: dict[str, Any] = {
        "scope": "private",
        "auth_context": "alice",
        "received_at": 100.0,
        "ttl_ms": 1_000,
        "generation": cache.generation(key.peer, key.method),
    }
    return cache.put(key, value, **{**how, **changed})


def found(cache: ListingCache, context: str = "alice", now: float = 100.5) -> Found:
    return cache.get(KEY, context, now).found


@pytest.mark.parametrize(
    ("age_ms", "outcome"), [(0, "hit"), (999, "hit"), (1_000, "expired"), (1_001, "expired")]
)
@pytest.mark.parametrize("start", [0.0, 0.1, 1_234_567.89])
def test_a_lifetime_of_1000_ms_ends_at_1000_ms(start: float, age_ms: int, outcome: str) -> None:
    """Case C06: a fake clock at 999, 1000, 1001; no float may move the boundary."""
    cache = ListingCache()
    assert put(cache, received_at=start) is Stored.KEPT
    look = cache.get(KEY, "alice", start + age_ms / 1_000)
    assert look.found == outcome
    assert look.value == ("tools" if outcome == "hit" else None)
    assert look.age_ms == (age_ms if outcome == "hit" else None)


def test_an_expired_value_is_gone() -> None:
    """Case C06: TTL stored and enforced."""
    cache = ListingCache()
    put(cache)
    assert found(cache, now=200.0) is Found.EXPIRED
    assert found(cache, now=200.0) is Found.MISS
    assert len(cache) == 0


def test_a_clock_that_goes_back_makes_nothing_fresher() -> None:
    """Case C06: wall clock set back."""
    cache = ListingCache()
    put(cache)
    assert found(cache, now=100.9) is Found.HIT
    assert found(cache, now=100.2) is Found.EXPIRED


def test_a_clock_that_goes_back_past_the_arrival_makes_nothing_fresher() -> None:
    """Case C06: a negative age is no age; an answer stored afterwards lives as usual."""
    cache = ListingCache()
    put(cache)
    assert found(cache, now=5.0) is Found.EXPIRED
    assert put(cache, "new", received_at=5.0) is Stored.KEPT
    assert cache.get(KEY, "alice", 5.5) == Lookup(Found.HIT, "new", 500, "private", 5.0)


def test_a_clock_that_goes_back_makes_every_other_entry_stale_too() -> None:
    """Case C06: the look-up that notices is not the only one concerned."""
    cache = ListingCache()
    other = CacheKey("files", "tools/list")
    put(cache)
    put(cache, key=other)
    assert cache.get(other, "alice", 100.9).found is Found.HIT
    assert cache.get(CacheKey("x", "y"), "alice", 100.1).found is Found.MISS
    assert cache.get(KEY, "alice", 100.9).found is Found.EXPIRED
    # After the step, an answer with a smaller time than the stale one is not an older answer.
    assert put(cache, "new", other, received_at=50.0) is Stored.KEPT


@pytest.mark.parametrize(
    ("hint", "lifetime"),
    [
        (None, 0),
        (0, 0),
        (-1, 0),
        (1, 1),
        (1_000.0, 1_000),
        (0.5, 0),
        (float("inf"), 0),
        (True, 0),
        ("1000", 0),
        ([], 0),
        (TTL_CAP_MS + 1, TTL_CAP_MS),
        (10**40, TTL_CAP_MS),
    ],
)
def test_a_ttl_hint_means_a_bounded_lifetime(hint: object, lifetime: int) -> None:
    """Cases C03 and C05: absent is 0, never a default of ours; huge is capped at 30 days."""
    assert effective_ttl_ms(hint) == lifetime


@pytest.mark.parametrize("hint", [0, None, -5])
def test_a_list_without_a_lifetime_is_asked_for_again(hint: object) -> None:
    """Case C05: ttlMs 0 or absent, two list calls give two requests."""
    cache = ListingCache()
    assert put(cache, ttl_ms=hint) is Stored.NO_LIFETIME
    assert found(cache, now=100.0) is Found.MISS


def test_a_list_that_became_uncacheable_ends_the_stored_one() -> None:
    """Ours: a newer answer replaces the older one even when it may not be kept."""
    cache = ListingCache()
    put(cache, "old")
    assert put(cache, "new", received_at=100.1, ttl_ms=0) is Stored.NO_LIFETIME
    assert found(cache) is Found.MISS


@pytest.mark.parametrize("hint", [None, "", "PUBLIC", "shared", True, 1, {"public": True}])
def test_only_the_word_public_is_public(hint: object) -> None:
    """Case C03; design section 7.4: unknown scope is private."""
    assert effective_scope(hint) == "private"
    assert effective_scope("public") == "public"
    cache = ListingCache(share_public=True)
    put(cache, scope=hint)
    assert found(cache, "bob") is Found.OTHER_CONTEXT


def test_a_private_list_serves_one_context_only() -> None:
    """Seed lesson, exercise 3: two authorization contexts, one client."""
    cache = ListingCache(share_public=True)
    put(cache, "of alice")
    assert found(cache, "alice") is Found.HIT
    other = cache.get(KEY, "bob", 100.5)
    assert other == Lookup(Found.OTHER_CONTEXT)
    put(cache, "of bob", auth_context="bob")
    assert cache.get(KEY, "alice", 100.5).value == "of alice"
    assert cache.get(KEY, "bob", 100.5).value == "of bob"


def test_a_rotated_credential_starts_empty() -> None:
    """Case C07: rotate the token, that is, the context."""
    cache = ListingCache()
    put(cache, auth_context="token 1")
    assert found(cache, "token 2") is Found.OTHER_CONTEXT


def test_a_public_list_crosses_contexts_only_when_that_was_chosen() -> None:
    """Case C07: scope public; the choice is the operator's, not the peer's."""
    careful, sharing = ListingCache(), ListingCache(share_public=True)
    for cache in (careful, sharing):
        put(cache, scope="public")
        assert found(cache, "alice") is Found.HIT
    assert found(careful, "bob") is Found.OTHER_CONTEXT
    assert sharing.get(KEY, "bob", 100.5) == Lookup(Found.HIT, "tools", 500, "public", 100.0)


def test_a_list_that_became_private_is_withdrawn_from_the_others() -> None:
    """Ours: the peer corrected itself; the public copy must not live on."""
    cache = ListingCache(share_public=True)
    put(cache, "open", scope="public")
    put(cache, "closed", received_at=100.1)
    assert found(cache, "bob") is Found.OTHER_CONTEXT
    assert cache.get(KEY, "alice", 100.5).value == "closed"


def test_two_peers_at_one_endpoint_share_nothing() -> None:
    """Fault matrix M09: the key is the configured peer, never the endpoint."""
    cache = ListingCache(share_public=True)
    put(cache, scope="public")
    assert cache.get(CacheKey("notes-of-bob", "tools/list"), "bob", 100.5).found is Found.MISS


def test_the_key_holds_what_changes_the_result_and_nothing_else() -> None:
    """Design section 7.4: key = method + result-affecting parameters + peer."""
    first = cache_key("a", "tools/list", {"cursor": "x", "n": {"b": 1, "a": 2}})
    same = cache_key("a", "tools/list", {"n": {"a": 2, "b": 1}, "cursor": "x", "_meta": {"t": 1}})
    assert first == same
    assert first.params == '{"cursor":"x","n":{"a":2,"b":1}}'
    assert first != cache_key("a", "tools/list", {"cursor": ""})
    assert cache_key("a", "tools/list") == cache_key("a", "tools/list", {}) != first
    assert cache_key("a", "tools/list") == CacheKey("a", "tools/list")


def test_a_partial_list_is_not_stored_and_leaves_the_stored_one() -> None:
    """Fault matrix C07: the partial list is flagged and not cached."""
    cache = ListingCache()
    put(cache, "whole")
    assert put(cache, "part", received_at=100.1, complete=False) is Stored.INCOMPLETE
    assert cache.get(KEY, "alice", 100.5).value == "whole"


def test_a_fetch_from_before_an_invalidation_is_not_stored() -> None:
    """Fault matrix C08: `list_changed` during a fetch; no stale list afterwards."""
    cache = ListingCache()
    generation = cache.generation("notes", "tools/list")
    cache.invalidate("notes", "tools/list")
    assert put(cache, "stale", generation=generation) is Stored.OUTDATED
    assert found(cache) is Found.MISS
    assert put(cache, "fresh") is Stored.KEPT


def test_invalidating_a_whole_peer_guards_every_method() -> None:
    """Ours: after a restart nothing of the old process is stored."""
    cache = ListingCache()
    generation = cache.generation("notes", "tools/list")
    assert cache.invalidate("notes") == 0
    assert put(cache, generation=generation) is Stored.OUTDATED


def test_an_invalidation_removes_what_it_names_and_no_more() -> None:
    """Fault matrix C08: only the list that changed."""
    cache = ListingCache()
    prompts, files = CacheKey("notes", "prompts/list"), CacheKey("files", "tools/list")
    paged = cache_key("notes", "tools/list", {"cursor": "2"})
    before = cache.generation("files", "tools/list")
    for key in (KEY, paged, prompts, files):
        put(cache, key=key)
    assert cache.invalidate("notes", "tools/list") == 2
    assert [cache.get(key, "alice", 100.5).found for key in (KEY, paged, prompts, files)] == [
        "miss",
        "miss",
        "hit",
        "hit",
    ]
    assert cache.invalidate("notes") == 1
    assert cache.get(files, "alice", 100.5).found is Found.HIT
    assert cache.generation("files", "tools/list") == before


def test_an_older_answer_does_not_replace_a_newer_one() -> None:
    """Fault matrix C08: two fetches at once, the first answer comes last."""
    cache = ListingCache()
    put(cache, "newer", received_at=100.2)
    assert put(cache, "older", received_at=100.1) is Stored.OUTDATED
    assert cache.get(KEY, "alice", 100.5).value == "newer"


def test_no_edit_of_a_reader_or_of_the_writer_reaches_the_next_reader() -> None:
    """Ours: one poisoned definition would change what every later call checks."""
    cache = ListingCache()
    definition: dict[str, Any] = {"name": "x", "inputSchema": {"type": "object", "required": []}}
    put(cache, Listing(peer="notes", tools=(Tool(name="x", definition=definition),)))
    definition["name"] = "edited by the writer"
    first = cache.get(KEY, "alice", 100.5).value
    with pytest.raises(TypeError):
        first.tools[0].definition["name"] = "edited by a reader"
    with pytest.raises(TypeError):
        first.tools[0].input_schema["required"].append("q")
    copied = copy.deepcopy(first)
    copied.tools[0].definition["inputSchema"]["required"].append("q")
    second = cache.get(KEY, "alice", 100.5).value
    assert second is first
    assert second.tools[0].definition == {
        "name": "x",
        "inputSchema": {"type": "object", "required": []},
    }


def test_a_value_that_cannot_be_made_read_only_is_not_stored() -> None:
    """Ours: too deep or no JSON; the caller still has it, the next one asks again."""
    deep: Any = "bottom"
    for _ in range(50_000):
        deep = [deep]
    cache = ListingCache()
    assert put(cache, deep) is Stored.NOT_SHAREABLE
    assert put(cache, {"a set"}) is Stored.NOT_SHAREABLE
    assert len(cache) == 0
    while isinstance(deep, list):  # unwind by hand: freeing this depth at once is unkind
        deep = deep[0]


def test_the_least_recently_used_entry_goes_first() -> None:
    """Design section 7.9: everything is bounded."""
    cache = ListingCache(capacity=2)
    one, two, three = (CacheKey("notes", "resources/read", name) for name in "123")
    put(cache, key=one)
    put(cache, key=two)
    assert cache.get(one, "alice", 100.5).found is Found.HIT
    put(cache, key=three)
    assert len(cache) == 2
    assert [cache.get(key, "alice", 100.5).found for key in (one, two, three)] == [
        "hit",
        "miss",
        "hit",
    ]


@pytest.mark.parametrize("capacity", [0, -1])
def test_a_capacity_that_is_not_positive_is_refused(capacity: int) -> None:
    """Ours: a cache that can hold nothing is a mistake, not a way to switch it off."""
    with pytest.raises(ValueError, match="positive"):
        ListingCache(capacity)


STEP = st.tuples(
    st.sampled_from(["put", "get", "invalidate"]),
    st.sampled_from(["alice", "bob"]),
    st.sampled_from(["public", "private", None]),
    st.integers(-50, 2_000),  # how far the clock moves, ms; sometimes back
    st.sampled_from([0, 500, 1_000]),
)


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(STEP, max_size=30), share=st.booleans(), capacity=st.integers(1, 3))
def test_whatever_happens_a_hit_is_fresh_mine_and_after_the_last_invalidation(
    steps: list[tuple[str, str, str | None, int, int]], share: bool, capacity: int
) -> None:
    """Design section 7.4, over random histories: value = (context, scope, fetched, ttl, cut)."""
    cache, now_ms, cuts = ListingCache(capacity, share_public=share), 10_000, 0
    for action, context, scope, moved, ttl in steps:
        now_ms += moved
        now = now_ms / 1_000
        if action == "invalidate":
            cache.invalidate("notes")
            cuts += 1
        elif action == "put":
            value = (context, scope, now_ms, ttl, cuts)
            put(cache, value, scope=scope, auth_context=context, received_at=now, ttl_ms=ttl)
        else:
            look = cache.get(KEY, context, now)
            if look.found is not Found.HIT:
                assert look.value is None
                continue
            whose, marked, fetched, lifetime, cut = look.value
            assert whose == context or (share and marked == "public")
            assert 0 <= now_ms - fetched < lifetime
            assert cut == cuts
        assert len(cache) <= capacity


def test_the_pages_of_one_list_are_dropped_for_one_context_and_no_other() -> None:
    """Rule CACHE-08: what others were given privately is theirs; their generation stays."""
    cache = ListingCache(share_public=True)
    second = cache_key("notes", "tools/list", {"cursor": "b"})
    prompts = cache_key("notes", "prompts/list")
    for key, scope, context in (
        (KEY, "public", "alice"),
        (second, "private", "alice"),
        (second, "private", "bob"),
        (prompts, "private", "alice"),
    ):
        put(cache, key=key, scope=scope, auth_context=context)
    generation = cache.generation("notes", "tools/list")
    assert cache.discard("notes", "tools/list", "alice") == 2
    left = {(entry.key, entry.auth_context) for entry, _ in cache.entries()}
    assert left == {(second, "bob"), (prompts, "alice")}
    assert cache.generation("notes", "tools/list") == generation
    assert cache.discard("nobody", "tools/list", "alice") == 0


def test_one_peer_may_share_and_its_neighbour_may_not() -> None:
    """Case C07: the operator's word about one peer says nothing about another."""
    cache = ListingCache()
    cache.share("notes")
    other = cache_key("files", "tools/list")
    for key in (KEY, other):
        put(cache, key=key, scope="public")
    assert found(cache, "bob") is Found.HIT
    assert cache.get(other, "bob", 100.5).found is Found.OTHER_CONTEXT
