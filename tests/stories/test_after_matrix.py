"""What happens after connecting, row by row of the fault matrix, on every way to a peer.

The row ids stand in the test ids: `pytest -k C05`. Each bad peer has an honest one beside
it, which must be untouched. Rows about bytes (C09), rounds (C10), streams (C12) and
processes (C14) have files of their own.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from places import WAYS, Place, Way, tell

from fakes import FAULTS, Fake, fault, modern
from workbench.core.errors import OutcomeUnknown, ProtocolViolation, TookTooLong, ToolChanged

Check = Callable[[Place, str], Any]
ROWS: Final[dict[str, Check]] = {}
SEVEN: Final = tuple(f"tool-{number}" for number in range(1, 8))
LATE_S: Final = 0.4
"""Deadline of calls that end by it; nothing asserts how long it took."""


def row(check: Check) -> Check:
    """Register the check of a row; its name is the row's id."""
    ROWS[check.__name__] = check
    return check


def variants() -> list[str]:
    return [name for name in FAULTS if name[:3] in ROWS]


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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", variants())
def test_after_connecting(name: str, way: Way, tmp_path: Path) -> None:
    """Fault matrix, "After connecting"; the honest peer beside it works all the same."""
    check = ROWS[name[:3]]

    async def story(place: Place) -> None:
        await check(place, name)
        assert place.row("good").status == "ready"
        assert (await place.client.call("fine", timeout_s=10)).text.startswith("fine")

    fakes: dict[str, Fake] = {"peer": fault(name), "good": modern("good", tools=["fine"])}
    settings = {"peer": {"allow_legacy": "legacy" in name, "discovery_timeout_ms": 10_000}}
    options: dict[str, Any] = {"drift_policy": "pin"} if name.startswith("C13") else {}
    if name.startswith("C04"):
        options["recover"] = False
    tell(story, way, fakes, tmp_path, settings, **options)


def test_no_row_of_this_matrix_is_missing() -> None:
    """Fault matrix: C01 to C08, C11 and C13; the fakes have a variant of each."""
    wanted = {*(f"C{n:02}" for n in range(1, 9)), "C11", "C13"}
    assert set(ROWS) == wanted == {name[:3] for name in variants()}


@pytest.mark.parametrize("name", sorted(set(ROWS) - {"C03", "C08", "C11"}))
def test_the_check_itself_can_fail(name: str, tmp_path: Path) -> None:
    """Ours: an honest peer passes for none of the faults."""

    async def story(place: Place) -> None:
        await ROWS[name](place, f"{name}-anything")

    with pytest.raises((AssertionError, pytest.fail.Exception, ValueError)):
        tell(story, "memory", {"peer": modern(tools=["search", "create"])}, tmp_path)
