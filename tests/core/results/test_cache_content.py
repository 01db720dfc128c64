"""What a cache holds, as rows and as text."""

from workbench.core.results.cache import ListingCache, cache_key
from workbench.core.results.cache_content import CacheContent


def stored(share_public: bool = False) -> ListingCache:
    cache = ListingCache(share_public=share_public)
    for peer, scope in (("b", "private"), ("a", "public")):
        key = cache_key(peer, "tools/list")
        cache.put(
            key, ["x"], scope=scope, auth_context="ann", received_at=1.0, ttl_ms=500, generation=0
        )
    return cache


def test_rows_are_sorted_and_say_who_may_be_served() -> None:
    """Seed skill, tool cache: scope, context and age can be seen."""
    content = CacheContent.of(stored(share_public=True).entries(), 1.25)
    assert [(row.peer, row.scope, row.shared) for row in content.answers] == [
        ("a", "public", True),
        ("b", "private", False),
    ]
    assert {(row.age_ms, row.ttl_ms, row.fresh) for row in content.answers} == {(250, 500, True)}
    assert len(content) == 2


def test_the_text_has_one_line_an_answer() -> None:
    """Ours: readable without a notebook."""
    lines = str(CacheContent.of(stored().entries(), 2.0)).splitlines()
    assert lines[0] == "a: tools/list, public of ann, stale, 1000 of 500 ms"
    assert lines[1] == "b: tools/list, private of ann, stale, 1000 of 500 ms"
    assert str(CacheContent()) == "nothing is cached"


def test_parameters_are_shown_safely() -> None:
    """Design section 7.10: a URI is a peer's text."""
    cache = ListingCache()
    key = cache_key("a", "resources/read", {"uri": "x:\x1b"})
    cache.put(key, {}, scope=None, auth_context="", received_at=0.0, ttl_ms=1, generation=0)
    text = CacheContent.of(cache.entries(), 0.0).to_text()
    assert '{"uri"' in text and "\x1b" not in text
    assert CacheContent.of(cache.entries(), 0.0).to_rows()[0]["auth_context"] == ""
