"""Rows M01 to M09: several peers."""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from places import Place, Way

from fakes import Fake, answer_default, close, exit_, legacy, modern, on, silence
from matrix.scene import PATIENT, Cast, Scene, perform, scene
from workbench.core.errors import AmbiguousOwner, NameCollision
from workbench.core.menu.menu import Policy

ALIAS: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
Offers = Mapping[str, Sequence[str]]


def routed(place: Place, name: str) -> list[str]:
    """Return the local names a peer was called by."""
    calls = (body for body in place.received(name) if body.get("method") == "tools/call")
    return [body["params"]["name"] for body in calls]


def offering(offers: Offers, **options: Any) -> Cast:
    """Return honest peers with these tools."""
    fakes = {name: modern(name, tools=tools) for name, tools in offers.items()}
    return Cast(fakes=fakes, settings=dict.fromkeys(fakes, PATIENT), options=options)


async def M01(place: Place) -> None:
    """Each call reaches the peer it names; "reject" names both."""
    await place.listed()
    assert place.client.menu is not None
    assert place.client.menu.names == ("notes/search", "search")
    for name in ("search", "notes/search"):
        await place.client.call(name)
    assert (routed(place, "files"), routed(place, "notes")) == (["search"], ["search"])
    with pytest.raises(NameCollision, match="files, notes") as caught:
        place.client.merge("reject")
    assert caught.value.failure.rule == "MERGE-03"


async def M02(place: Place) -> None:
    """Refused, told, and the real tool is the one that is called."""
    await place.listed()
    await place.client.call("b/search")
    assert (routed(place, "b"), routed(place, "c")) == ([], ["b/search"])
    clashes = place.client.report().collisions
    assert {clash.outcome for clash in clashes} == {"refused"}
    assert "b/search" in {clash.name for clash in clashes}


JOINED: Final[Offers] = {"a": ["b_c", "b/c"], "a_b": ["c", "_c"], "a-b": ["c_", "b.c"]}


async def M03(place: Place) -> None:
    """Cases N02, N03: canonical names and aliases, and where they lead."""
    await place.listed()
    menu = place.client.menu
    assert menu is not None
    assert len({item.alias for item in menu.items}) == 6
    for item in menu.items:
        result = await place.client.call(item.alias)
        assert (result.peer, result.tool) == (item.peer, item.local)
    assert {name: sorted(routed(place, name)) for name in JOINED} == {
        name: sorted(tools) for name, tools in JOINED.items()
    }


async def M04(place: Place) -> None:
    """The report says why each of the two is not ready."""
    await place.listed()
    rows = {row.peer: row for row in place.client.report().peers}
    assert {name for name, row in rows.items() if row.status == "ready"} == {"good", "well"}
    for name in ("dead", "slow"):
        assert rows[name].reason and rows[name].hint.endswith(".")
    assert (await place.client.call("at-good")).is_error is False


def _one_dead_one_slow() -> Cast:
    fakes = {
        "dead": modern("dead").script(on("server/discover").then(close())),
        "good": modern("good", tools=["at-good"]),
        "slow": modern("slow").script(on("server/discover").then(silence())),
        "well": modern("well", tools=["at-well"]),
    }
    settings: dict[str, Any] = dict.fromkeys(fakes, PATIENT)
    settings["slow"] = {"discovery_timeout_ms": 300, "startup_grace_ms": 0}
    return Cast(fakes=fakes, settings=settings)


ANY_ORDER: Final[Offers] = {"a": ["search", "x"], "b": ["search", "y"], "c": ["y", "a/search"]}


def M05(way: Way, folder: Path, offers: Sequence[Offers] = (ANY_ORDER,)) -> None:
    """The same bytes but for the time a peer took to be ready.

    Args:
        way: how every peer is reached.
        folder: an empty one.
        offers: what the peers offer, in turn; the same each time for an honest telling.
    """
    seen = set()

    async def story(place: Place) -> None:
        await place.listed()
        assert place.client.menu is not None
        body = json.loads(place.client.report().to_json())
        for row in body["peers"]:
            assert row.pop("ready_ms") is not None
        menu = [(item.canonical, item.peer, item.alias) for item in place.client.menu.items]
        seen.add(json.dumps([menu, body]))

    orders = list(itertools.permutations(ANY_ORDER))
    for number, order in enumerate(orders if way == "memory" else orders[::3]):
        (under := folder / str(number)).mkdir()
        given = offers[number % len(offers)]
        perform(story, offering({name: given[name] for name in order}), way, under)
    assert len(seen) == 1


ODD: Final = ["n" * 70, "größe", "検索 する", "with space", "db.query", "a:b", "ü" * 64, "9lives"]


async def M06(place: Place) -> None:
    """Cases N04, N16: long, non-ASCII and spaced names reach their tool."""
    await place.listed()
    menu = place.client.menu
    assert menu is not None and len(menu.items) == len(ODD)
    assert {item.local for item in menu.items} == set(ODD)
    if place.client.merge_policy != "prefix-always":
        assert set(menu.names) == set(ODD)
    for item in menu.items:
        assert ALIAS.fullmatch(item.alias)
        await place.client.call(item.alias)
    assert sorted(routed(place, "odd")) == sorted(ODD)


async def M07(place: Place) -> None:
    """The shape of a request follows its peer."""
    await place.listed()
    eras = {row.peer: row.era for row in place.client.report().peers}
    assert eras == {"new": "modern", "old": "legacy"}
    for name in ("at-new", "at-old"):
        assert (await place.client.call(name)).is_error is False
    assert "initialize" not in place.methods("new")
    (call,) = (b for b in place.received("old") if b.get("method") == "tools/call")
    assert "_meta" not in call["params"]


def _new_and(old: Fake) -> Cast:
    fakes = {"new": modern("new", tools=["at-new"]), "old": old}
    return Cast(fakes=fakes, settings={"new": PATIENT, "old": {**PATIENT, "allow_legacy": True}})


async def M08(place: Place) -> None:
    """After a restart the first peer no longer has the tool."""
    await place.listed()
    with pytest.raises(Exception, match="outcome|ended|status"):
        await place.client.call("die", timeout_s=10)
    if place.way == "http":
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


def _two_who_search(forgets: bool) -> Cast:
    other = {"name": "other", "inputSchema": {"type": "object"}}
    rules = [on("tools/call").where(name="die").then(exit_(1))]
    if forgets:
        anew = on("tools/list").in_lifetime(2)
        rules.append(anew.then(answer_default(patch={"tools": [other]})))
    fakes = {
        "first": modern("first", tools=["search", "die"]).script(*rules),
        "second": modern("second", tools=["search"]),
    }
    return Cast(fakes=fakes, settings=dict.fromkeys(fakes, PATIENT), options={"recover": False})


async def M09(place: Place) -> None:
    """Case C07: each is asked by itself, and each has its own list."""
    for _ in range(2):
        await place.client.connect_all()
        await place.client.discover_tools()
    rows = [(row.peer, row.auth_context, row.shared) for row in place.client.cache.answers]
    assert rows == [("ann-notes", "ann", False), ("bob-notes", "bob", False)]
    asked = place.methods("ann-notes").count("tools/list")
    if place.way == "stdio":  # a process each
        asked += place.methods("bob-notes").count("tools/list")
    assert asked == 2


def _two_contexts(share_public: bool, scope: Any = "private") -> Cast:
    one = modern("notes", tools=["search"], list_scope=scope)
    settings = {f"{who}-notes": {**PATIENT, "auth_context": who} for who in ("ann", "bob")}
    return Cast(
        fakes=dict.fromkeys(settings, one),
        settings=settings,
        options={"share_public": share_public},
    )


def scenes() -> list[Scene]:
    """Return a scene for each row, and for each policy or choice it must hold under."""
    apart = {"files": ["find"], "notes": ["search"]}
    asks = {"a": ["search"], "b": ["search"], "c": ["b/search"]}
    odd = {"odd": ["plain"]}
    return [
        scene(
            "M01",
            M01,
            partial(offering, {"notes": ["search"], "files": ["search"]}),
            partial(offering, apart),
        ),
        scene("M02", M02, partial(offering, asks), partial(offering, {**asks, "c": ["other"]})),
        *(
            scene(
                f"M03-{policy}",
                M03,
                partial(offering, JOINED, merge_policy=policy),
                partial(offering, {**JOINED, "a": ["b_c"]}, merge_policy=policy),
            )
            for policy in get_args(Policy)
        ),
        scene("M04", M04, _one_dead_one_slow, partial(offering, {"good": ["at-good"]})),
        Scene(
            id="M05",
            play=M05,
            fool=lambda folder: M05("memory", folder, (ANY_ORDER, {**ANY_ORDER, "a": ["x"]})),
        ),
        *(
            scene(
                f"M06-{policy}",
                M06,
                partial(offering, {"odd": ODD}, merge_policy=policy),
                partial(offering, odd, merge_policy=policy),
            )
            for policy in get_args(Policy)
        ),
        scene(
            "M07",
            M07,
            lambda: _new_and(legacy("old", tools=["at-old"])),
            lambda: _new_and(modern("old", tools=["at-old"])),
        ),
        scene("M08", M08, partial(_two_who_search, True), partial(_two_who_search, False)),
        scene("M09", M09, partial(_two_contexts, False), lambda: _two_contexts(True, "public")),
        scene("M09-sharing", M09, partial(_two_contexts, True)),
    ]
