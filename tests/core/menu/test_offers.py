"""Prompts, resources and templates, judged."""

from typing import Any

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.menu.offers import PROMPTS, RESOURCES, TEMPLATES, Offer, offers_of
from workbench.core.results.pages import Collected


def test_an_offer_shows_what_was_declared() -> None:
    """Spec: server/prompts, server/resources, data types."""
    definition = {
        "name": "n", "title": "T", "description": "D", "mimeType": "text/plain",
        "arguments": [{"name": "a"}, 7],
    }  # fmt: skip
    offer = Offer(peer="p", key="n", definition=definition)
    shown = (offer.name, offer.title, offer.description, offer.mime_type, offer.arguments)
    assert shown == ("n", "T", "D", "text/plain", [{"name": "a"}])
    bare = Offer(peer="p", key="n", definition={"name": "n", "title": 7})
    assert (bare.title, bare.description, bare.arguments) == ("n", "", [])


@pytest.mark.parametrize(
    ("sort", "key"), [(PROMPTS, "name"), (RESOURCES, "uri"), (TEMPLATES, "uriTemplate")]
)
def test_each_sort_has_its_own_key(sort: Any, key: str) -> None:
    """Spec: a prompt is known by its name, a resource by its URI."""
    items = ({"name": "a", "uri": "u", "uriTemplate": "t"},)
    offers = offers_of(sort, "p", Collected(items=items, cache_scope="public", ttl_ms=5))
    assert offers.keys == (items[0][key],)
    assert (offers.cache_scope, offers.ttl_ms, offers.complete) == ("public", 5, True)


@pytest.mark.parametrize("bad", [None, "x", {}, {"name": ""}, {"name": 7}, {"uri": "u"}])
def test_one_bad_item_is_left_out_alone(bad: Any) -> None:
    """Ours: quarantine the smallest unit."""
    offers = offers_of(PROMPTS, "p", Collected(items=(bad, {"name": "good"})))
    assert (offers.keys, [one.rule for one in offers.dropped]) == (("good",), ["LIST-03"])


def test_a_resource_without_a_name_is_left_out() -> None:
    """Spec: schema BaseMetadata: the name is required."""
    offers = offers_of(RESOURCES, "p", Collected(items=({"uri": "u"},)))
    assert [one.name for one in offers.dropped] == ["u"]


def test_a_key_listed_twice_is_refused() -> None:
    """Seed skill: never a silent overwrite."""
    items = ({"name": "a"}, {"name": "a"}, {"name": "b"})
    offers = offers_of(PROMPTS, "p", Collected(items=items))
    assert (offers.keys, offers.dropped[0].rule) == (("b",), "LIST-04")


def test_a_list_that_failed_has_no_items() -> None:
    """Ours: pages before a fault are no list."""
    failure = Failure(kind=Kind.REFUSED, detail="no")
    offers = offers_of(PROMPTS, "p", Collected(items=({"name": "a"},), failure=failure))
    assert (offers.items, offers.failure, offers.complete) == ((), failure, False)
