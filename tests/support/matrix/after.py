"""Rows C01 to C08, C11 and C13: answers, listings, deaths, changes."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest
from msgspec.structs import replace
from places import Place

from fakes import FAULTS, fault, modern
from matrix.scene import LATE_S, Cast, Scene, scene, with_a_good_one
from matrix.untouched import good_is_untouched
from workbench.core.errors import OutcomeUnknown, ProtocolViolation, TookTooLong, ToolChanged

Check = Callable[[Place, str], Any]
ROWS: Final[dict[str, Check]] = {}
SEVEN: Final = tuple(f"tool-{number}" for number in range(1, 8))
NO_FOOL: Final = ("C03", "C08", "C11")
"""Rows an honest peer passes too: it is the harness that must not go wrong."""


def row(check: Check) -> Check:
    """Register the check of a row; its name is the row's id."""
    ROWS[check.__name__] = check
    return check


@row
async def C01(place: Place, name: str) -> None:
    await place.listed()
    ours = place.row()
    assert ours.status == "ready"
    if name == "C01-legacy":
        assert (len(ours.tools), ours.era) == (2, "legacy")
    else:
        assert (ours.tools, ours.rule) == ((), "LIST-01")
        assert "resultType" in ours.reason


@row
async def C02(place: Place, name: str) -> None:
    await place.listed()
    with pytest.raises(ProtocolViolation) as caught:
        await place.client.call("search")
    assert caught.value.failure.rule == "CALL-01"
    assert place.client.outcomes[-1].ended == "protocol error"


@row
async def C03(place: Place, name: str) -> None:
    await place.listed()
    if name == "C03-twice":
        assert (await place.client.call("search", timeout_s=10)).is_error is False
    else:
        # An HTTP exchange that ends without its answer needs no deadline to be over.
        ends = (TookTooLong, OutcomeUnknown) if place.way == "http" else TookTooLong
        with pytest.raises(ends) as caught:
            await place.client.call("search", timeout_s=LATE_S)
        told = caught.value.failure.detail
        assert "meanwhile the peer answered" in told or place.way == "http", told
        assert place.client.journal.entries("peer", "stray")
    assert (await place.client.call("search", timeout_s=10)).is_error is False
    assert place.methods().count("tools/call") == 2


@row
async def C04(place: Place, name: str) -> None:
    await place.listed()
    with pytest.raises(OutcomeUnknown):
        await place.client.call("create", timeout_s=10)
    assert place.client.outcomes[-1].ended == "outcome unknown"
    assert place.effects() == (["create"] if name == "C04-dies-after" else [])
    assert place.methods().count("tools/call") == 1, "nobody said that repeating is safe"
    await place.client.connect_all()
    await place.client.discover_tools()
    assert (await place.client.call("create", timeout_s=10)).is_error is False
    called = [body["id"] for body in place.received() if body.get("method") == "tools/call"]
    assert len(called) == 2 == len(set(called))


@row
async def C05(place: Place, name: str) -> None:
    await place.listed()
    ours = place.row()
    assert [tool.local for tool in ours.tools] == ["create"]
    assert [(one.name, one.rule) for one in ours.dropped] == [("search", "LIST-04")]
    assert (await place.client.call("create")).is_error is False


@row
async def C06(place: Place, name: str) -> None:
    await place.listed()
    ours = place.row()
    # Annotations for headers mean nothing where there are no headers.
    good = name == "C06-schema-header" and place.way != "http"
    rule = "LIST-07" if name == "C06-schema-header" else "LIST-03"
    assert [tool.local for tool in ours.tools] == (["broken", "search"] if good else ["search"])
    assert [one.rule for one in ours.dropped] == ([] if good else [rule])
    assert all(one.reason for one in ours.dropped)
    assert (await place.client.call("search")).is_error is False


@row
async def C07(place: Place, name: str) -> None:
    await place.listed()
    ours = place.row()
    whole = name in ("C07-pages", "C07-empty-cursor")
    kept = {"C07-repeating-cursor": 3, "C07-alternating-cursors": 6}.get(name, 7)
    names = sorted({tool.local for tool in ours.tools})
    assert names == list(SEVEN[:kept])
    cuts = [one.rule for one in ours.dropped if one.rule == "LIST-05"]
    assert cuts == ([] if whole else ["LIST-05"])
    asked = place.methods().count("tools/list")
    cursors = [body["params"].get("cursor") for body in place.received() if "id" in body]
    assert ("" in cursors) == (name == "C07-empty-cursor")
    await place.client.discover_tools()
    again = place.methods().count("tools/list") - asked
    assert (again == 0) == whole, "a partial list is not kept"
    assert asked <= 4


@row
async def C08(place: Place, name: str) -> None:
    await place.client.connect_all()
    listening = await place.client.listen("peer", tools=True)
    assert await listening.wait_for(lambda one: one.state == "listening")
    await place.client.discover_tools()
    place.client.merge()
    asked = place.methods().count("tools/list")
    assert 1 <= asked <= 6, "a storm is one change, and refetches do not pile up"
    assert len(place.row().tools) == 2
    assert (await place.client.call("search", timeout_s=10)).is_error is False
    await listening.close()


@row
async def C11(place: Place, name: str) -> None:
    await place.listed()
    assert (await place.client.call("search", timeout_s=10)).is_error is False
    answers = [body for body in place.received() if body.get("id") == 99]
    if name == "C11-modern-ping":
        assert answers == []
        rules = {entry.rule for entry in place.client.journal.entries("peer")}
        strays = place.client.journal.entries("peer", "stray")
        assert "WIRE-02" in rules or strays
    elif name == "C11-legacy-ping":
        assert answers == [{"jsonrpc": "2.0", "id": 99, "result": {}}]
    else:
        assert [body["error"]["code"] for body in answers] == [-32601]


@row
async def C13(place: Place, name: str) -> None:
    part = name.partition("-")[2]
    await place.listed()
    await place.client.discover_tools()
    (line,) = place.row().deviations
    assert line.startswith(f"the tool search changed since it was accepted: {part} (")
    with pytest.raises(ToolChanged):
        await place.client.call("search")
    assert "tools/call" not in place.methods()
    place.client.accept("search")
    assert (await place.client.call("search", timeout_s=10)).is_error is False


async def _told(name: str, place: Place) -> None:
    await ROWS[name[:3]](place, name)
    await good_is_untouched(place)


async def _alone(name: str, place: Place) -> None:
    await ROWS[name[:3]](place, f"{name[:3]}-anything")


def _cast(name: str) -> Cast:
    options: dict[str, Any] = {"drift_policy": "pin"} if name.startswith("C13") else {}
    if name.startswith("C04"):
        options["recover"] = False
    cast = with_a_good_one(fault(name), allow_legacy="legacy" in name)
    return replace(cast, options=options)


def _honest() -> Cast:
    return Cast(fakes={"peer": modern(tools=["search", "create"])})


def scenes() -> list[Scene]:
    """Return a scene for each variant of the fakes."""
    made = [
        scene(name, partial(_told, name), partial(_cast, name))
        for name in FAULTS
        if name[:3] in ROWS
    ]
    by_row = {one.row: index for index, one in reversed(list(enumerate(made)))}
    for id, index in by_row.items():
        if id not in NO_FOOL:
            name = made[index].id
            made[index] = replace(
                made[index], fool=scene(name, partial(_alone, name), _honest, _honest).fool
            )
    return made
