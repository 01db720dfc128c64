"""Several peers, row by row of the fault matrix, on every way to a peer.

The row ids stand in the test ids: `pytest -k M03`.
"""

import itertools
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from places import WAYS, Place, Way, tell

from fakes import Fake, answer_default, close, exit_, legacy, modern, on, silence
from workbench.core.errors import AmbiguousOwner, NameCollision

ALIAS: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
PATIENT: Final = {"discovery_timeout_ms": 10_000}


def routed(place: Place, name: str) -> list[str]:
    """Return the local names a peer was called by."""
    calls = (body for body in place.received(name) if body.get("method") == "tools/call")
    return [body["params"]["name"] for body in calls]


@pytest.mark.parametrize("way", WAYS)
def test_M01_the_first_in_sorted_order_keeps_the_name(way: Way, tmp_path: Path) -> None:
    """Fault matrix M01: each call reaches the peer it names; "reject" names both."""

    async def story(place: Place) -> None:
        await place.listed()
        assert place.client.menu is not None
        assert place.client.menu.names == ("notes/search", "search")
        for name in ("search", "notes/search"):
            await place.client.call(name)
        assert (routed(place, "files"), routed(place, "notes")) == (["search"], ["search"])
        with pytest.raises(NameCollision, match="files, notes") as caught:
            place.client.merge("reject")
        assert caught.value.failure.rule == "MERGE-03"

    fakes = {name: modern(name, tools=["search"]) for name in ("notes", "files")}
    tell(story, way, fakes, tmp_path, dict.fromkeys(fakes, PATIENT))


@pytest.mark.parametrize("way", WAYS)
def test_M02_a_prefixed_name_never_takes_a_real_one(way: Way, tmp_path: Path) -> None:
    """Fault matrix M02: refused, told, and the real tool is the one that is called."""

    async def story(place: Place) -> None:
        await place.listed()
        await place.client.call("b/search")
        assert (routed(place, "b"), routed(place, "c")) == ([], ["b/search"])
        clashes = place.client.report().collisions
        assert {clash.outcome for clash in clashes} == {"refused"}
        assert "b/search" in {clash.name for clash in clashes}

    fakes = {
        "a": modern("a", tools=["search"]),
        "b": modern("b", tools=["search"]),
        "c": modern("c", tools=["b/search"]),
    }
    tell(story, way, fakes, tmp_path, dict.fromkeys(fakes, PATIENT))


@pytest.mark.parametrize("policy", ["prefix-on-collision", "reject", "prefix-always"])
@pytest.mark.parametrize("way", WAYS)
def test_M03_names_that_differ_by_a_joiner_stay_distinct(
    way: Way, policy: Any, tmp_path: Path
) -> None:
    """Fault matrix M03; cases N02, N03: canonical names and aliases, and where they lead."""
    offers = {"a": ["b_c", "b/c"], "a_b": ["c", "_c"], "a-b": ["c_", "b.c"]}

    async def story(place: Place) -> None:
        await place.listed()
        menu = place.client.menu
        assert menu is not None
        assert len({item.alias for item in menu.items}) == 6
        for item in menu.items:
            result = await place.client.call(item.alias)
            assert (result.peer, result.tool) == (item.peer, item.local)
        assert {name: sorted(routed(place, name)) for name in offers} == {
            name: sorted(tools) for name, tools in offers.items()
        }

    fakes = {name: modern(name, tools=tools) for name, tools in offers.items()}
    tell(story, way, fakes, tmp_path, dict.fromkeys(fakes, PATIENT), merge_policy=policy)


@pytest.mark.parametrize("way", WAYS)
def test_M04_a_dead_and_a_slow_peer_are_rows_and_the_others_are_ready(
    way: Way, tmp_path: Path
) -> None:
    """Fault matrix M04: the report says why each of the two is not ready."""

    async def story(place: Place) -> None:
        await place.listed()
        rows = {row.peer: row for row in place.client.report().peers}
        assert {name for name, row in rows.items() if row.status == "ready"} == {"good", "well"}
        for name in ("dead", "slow"):
            assert rows[name].reason and rows[name].hint.endswith(".")
        assert (await place.client.call("at-good")).is_error is False

    mute = modern("slow").script(on("server/discover").then(silence()))
    fakes = {
        "dead": modern("dead").script(on("server/discover").then(close())),
        "good": modern("good", tools=["at-good"]),
        "slow": mute,
        "well": modern("well", tools=["at-well"]),
    }
    settings: dict[str, Any] = dict.fromkeys(fakes, PATIENT)
    settings["slow"] = {"discovery_timeout_ms": 300, "startup_grace_ms": 0}
    tell(story, way, fakes, tmp_path, settings)


@pytest.mark.parametrize("way", WAYS)
def test_M05_the_order_of_registration_shows_nowhere(way: Way, tmp_path: Path) -> None:
    """Fault matrix M05: the same bytes but for the time a peer took to be ready."""
    offers = {"a": ["search", "x"], "b": ["search", "y"], "c": ["y", "a/search"]}
    seen = set()

    async def story(place: Place) -> None:
        await place.listed()
        assert place.client.menu is not None
        body = json.loads(place.client.report().to_json())
        for row in body["peers"]:
            assert row.pop("ready_ms") is not None
        menu = [(item.canonical, item.peer, item.alias) for item in place.client.menu.items]
        seen.add(json.dumps([menu, body]))

    orders = list(itertools.permutations(offers))
    for number, order in enumerate(orders if way == "memory" else orders[::3]):
        folder = tmp_path / str(number)
        folder.mkdir()
        fakes = {name: modern(name, tools=offers[name]) for name in order}
        tell(story, way, fakes, folder, dict.fromkeys(fakes, PATIENT))
    assert len(seen) == 1


@pytest.mark.parametrize("policy", ["prefix-on-collision", "reject", "prefix-always"])
@pytest.mark.parametrize("way", WAYS)
def test_M06_any_name_is_kept_and_has_a_safe_alias(way: Way, policy: Any, tmp_path: Path) -> None:
    """Fault matrix M06; cases N04, N16: long, non-ASCII and spaced names reach their tool."""
    odd = ["n" * 70, "größe", "検索 する", "with space", "db.query", "a:b", "ü" * 64, "9lives"]

    async def story(place: Place) -> None:
        await place.listed()
        menu = place.client.menu
        assert menu is not None and len(menu.items) == len(odd)
        assert {item.local for item in menu.items} == set(odd)
        if policy != "prefix-always":
            assert set(menu.names) == set(odd)
        for item in menu.items:
            assert ALIAS.fullmatch(item.alias)
            await place.client.call(item.alias)
        assert sorted(routed(place, "odd")) == sorted(odd)

    fakes = {"odd": modern("odd", tools=odd)}
    tell(story, way, fakes, tmp_path, {"odd": PATIENT}, merge_policy=policy)


@pytest.mark.parametrize("way", WAYS)
def test_M07_each_peer_keeps_its_own_era(way: Way, tmp_path: Path) -> None:
    """Fault matrix M07: the shape of a request follows its peer."""

    async def story(place: Place) -> None:
        await place.listed()
        eras = {row.peer: row.era for row in place.client.report().peers}
        assert eras == {"new": "modern", "old": "legacy"}
        for name in ("at-new", "at-old"):
            assert (await place.client.call(name)).is_error is False
        assert "initialize" not in place.methods("new")
        (call,) = (b for b in place.received("old") if b.get("method") == "tools/call")
        assert "_meta" not in call["params"]

    fakes = {"new": modern("new", tools=["at-new"]), "old": legacy("old", tools=["at-old"])}
    settings = {"new": PATIENT, "old": {**PATIENT, "allow_legacy": True}}
    tell(story, way, fakes, tmp_path, settings)


@pytest.mark.parametrize("way", WAYS)
def test_M08_a_changed_owner_is_refused_until_the_menu_is_accepted(
    way: Way, tmp_path: Path
) -> None:
    """Fault matrix M08: after a restart the first peer no longer has the tool."""
    other = {"name": "other", "inputSchema": {"type": "object"}}
    first = modern("first", tools=["search", "die"]).script(
        on("tools/call").where(name="die").then(exit_(1)),
        on("tools/list").in_lifetime(2).then(answer_default(patch={"tools": [other]})),
    )

    async def story(place: Place) -> None:
        await place.listed()
        with pytest.raises(Exception, match="outcome|ended|status"):
            await place.client.call("die", timeout_s=10)
        if way == "http":
            # A server that ends is not noticed between two exchanges; somebody has to say so.
            await place.client.restart("first")
        await place.client.connect_all()
        await place.client.discover_tools()
        assert place.client.menu is not None
        (change,) = (one for one in place.client.menu_change.names if one.what == "owner")
        assert (change.name, change.before, change.peer) == ("search", "first", "second")
        with pytest.raises(AmbiguousOwner) as caught:
            await place.client.call("search")
        assert caught.value.failure.rule == "ROUTE-03"
        assert routed(place, "second") == []
        place.client.merge()
        assert (await place.client.call("search")).peer == "second"

    fakes: dict[str, Fake] = {"first": first, "second": modern("second", tools=["search"])}
    tell(story, way, fakes, tmp_path, dict.fromkeys(fakes, PATIENT), recover=False)


@pytest.mark.parametrize("share_public", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_M09_two_contexts_at_one_endpoint_never_share_a_private_list(
    way: Way, share_public: bool, tmp_path: Path
) -> None:
    """Fault matrix M09, case C07: each is asked by itself, and each has its own list."""
    one = modern("notes", tools=["search"], list_scope="private")

    async def story(place: Place) -> None:
        for _ in range(2):
            await place.client.connect_all()
            await place.client.discover_tools()
        rows = [(row.peer, row.auth_context, row.shared) for row in place.client.cache.answers]
        assert rows == [("ann-notes", "ann", False), ("bob-notes", "bob", False)]
        asked = place.methods("ann-notes").count("tools/list")
        if way == "stdio":  # a process each
            asked += place.methods("bob-notes").count("tools/list")
        assert asked == 2

    settings = {f"{who}-notes": {**PATIENT, "auth_context": who} for who in ("ann", "bob")}
    tell(story, way, dict.fromkeys(settings, one), tmp_path, settings, share_public=share_public)
