"""The verbs about names, changes and what is remembered, on both clients."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from driven import driven

from fakes import (
    FAULTS,
    Fake,
    answer_default,
    delay,
    everything,
    fault,
    legacy,
    modern,
    on,
    silence,
)
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient
from workbench.core.errors import ConfigError, MisuseError, NameCollision, ToolChanged, UnknownName

DRIFTS = sorted(name for name in FAULTS if name.startswith("C13"))


def play(
    story: Callable[[AsyncMultiServerClient, ManualClock], Awaitable[Any]],
    peers: dict[str, Fake],
    **options: Any,
) -> Any:
    """Connect and list, tell the story with a moving clock, close."""

    async def whole() -> Any:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, **options)
        for name, fake in peers.items():
            client.add_server(name, fake, allow_legacy=fake.name == "legacy")
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        try:
            async with asyncio.timeout(10):
                return await story(client, clock)
        finally:
            await driven(client.aclose(), clock)

    return asyncio.run(whole())


# -- drift -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRIFTS)
def test_C13_a_change_is_reported_before_the_next_call(name: str) -> None:
    """Fault matrix C13; rule DRIFT-01: in the report, the journal and `client.drift`."""
    part = name.partition("-")[2]
    peer = fault(name)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.merge()
        assert client.report().peers[0].deviations == ()
        await driven(client.discover_tools(), clock)
        (line,) = client.report().peers[0].deviations
        assert line.startswith(f"the tool search changed since it was accepted: {part}")
        assert "tools/call" not in peer.methods()
        noted = [e for e in client.journal.entries() if e.rule == "DRIFT-01"]
        assert [(e.what, e.detail) for e in noted] == [("a tool has changed", line)]
        assert [(n.drift.changed, n.state) for n in client.drift] == [((part,), "pending")]
        assert (await driven(client.call("search"), clock)).is_error is False
        client.merge()
        assert client.report().peers[0].deviations == ()
        assert [note.state for note in client.drift] == ["accepted"]

    play(story, {"peer": peer})


@pytest.mark.parametrize("name", DRIFTS)
@pytest.mark.parametrize("accepted_by", ["accept", "alias", "merge"])
def test_C13_pin_refuses_a_changed_tool_until_it_is_accepted(name: str, accepted_by: str) -> None:
    """Fault matrix C13; rule DRIFT-02: nothing is sent before."""
    peer = fault(name)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        alias = client.merge().items[0].alias
        await driven(client.discover_tools(), clock)
        with pytest.raises(ToolChanged) as caught:
            await client.call("search")
        assert caught.value.failure.rule == "DRIFT-02"
        assert client.outcomes[-1].ended == "refused"
        assert "tools/call" not in peer.methods()
        if accepted_by == "merge":
            client.merge()
        else:
            client.accept(alias if accepted_by == "alias" else "search")
        assert (await driven(client.call("search"), clock)).is_error is False

    play(story, {"peer": peer}, drift_policy="pin")


def test_an_accepted_tool_is_called_by_its_new_declaration() -> None:
    """Fault matrix C13: accepting takes the schema that is checked before a call."""
    strict = {"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}}}
    new = {"name": "t", "inputSchema": strict}
    peer = modern(tools=["t"], list_ttl_ms=0).script(
        on("tools/list").from_nth(2).then(answer_default(patch={"tools": [new]}))
    )

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.merge()
        await driven(client.discover_tools(), clock)
        client.accept("t")
        with pytest.raises(Exception, match="to"):
            await client.call("t", {})
        assert (await driven(client.call("t", {"to": "x"}), clock)).is_error is False

    play(story, {"peer": peer}, drift_policy="pin")


def test_other_tools_stay_callable_under_pin() -> None:
    """Fault matrix C13: the smallest unit is refused."""
    before = [{"name": n, "inputSchema": {"type": "object"}} for n in "ab"]
    after = [before[0], {**before[1], "description": "Now different."}]
    peer = modern(tools=before, list_ttl_ms=0).script(
        on("tools/list").from_nth(2).then(answer_default(patch={"tools": after}))
    )

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.merge()
        await driven(client.discover_tools(), clock)
        assert (await driven(client.call("a"), clock)).is_error is False
        with pytest.raises(ToolChanged):
            await client.call("b")

    play(story, {"peer": peer}, drift_policy="pin")


def test_accepting_a_name_nobody_has_says_so() -> None:
    """Ours: bad input gets one clear line."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.merge()
        with pytest.raises(UnknownName, match="nearest names are: search"):
            client.accept("serch")
        client.accept("search")

    play(story, {"peer": modern(tools=["search"])})


@pytest.mark.parametrize("option", [{"drift_policy": "ignore"}, {"merge_policy": "overwrite"}])
def test_an_unknown_policy_is_refused_at_once(option: dict[str, str]) -> None:
    """Ours: a misspelt policy must not turn into none."""
    with pytest.raises(ConfigError, match="must be"):
        MultiServerClient(**option)


# -- names -------------------------------------------------------------------------------


def test_reserved_names_stay_with_the_application() -> None:
    """Ours: rule MERGE-06, in the menu, the report and a call."""
    with MultiServerClient(reserved_names=["ask_user"]) as client:
        client.add_server("helper", modern("helper", tools=["ask_user", "go"]))
        client.connect_all()
        client.discover_tools()
        assert client.merge().names == ("go", "helper/ask_user")
        assert client.report().collisions[0].name == "ask_user"
        assert client.call("helper/ask_user").tool == "ask_user"
        with pytest.raises(NameCollision, match=r"reserved: ask_user \(helper\)"):
            client.merge("reject")
        assert client.merge_policy == "reject"


def test_a_name_of_a_model_leads_back_to_the_tool() -> None:
    """Case N16: the model's word is the alias; the server is called by its own name."""
    fake = modern("db", tools=["db.query", "9lives"])
    with MultiServerClient() as client:
        client.add_server("db", fake)
        client.connect_all()
        client.discover_tools()
        (tools,) = client.merge().for_model("gemini")
        for declared in tools["functionDeclarations"]:
            client.call(declared["name"])
    called = [b["params"]["name"] for b in fake.received if b["method"] == "tools/call"]
    assert called == ["9lives", "db.query"]


def test_collisions_drift_and_cache_are_frames() -> None:
    """Design section 4: everything that is a table is a frame."""
    with MultiServerClient() as client:
        for name in ("one", "two"):
            client.add_server(name, modern(name, tools=["search"]))
        client.connect_all()
        client.discover_tools()
        frame = client.merge().collisions.to_frame()
        assert frame.loc[0, "name"] == "search" and frame.loc[0, "rule"] == "MERGE-01"
        assert "<table" in (client.menu.collisions._repr_html_() or "")  # type: ignore[union-attr]
        assert list(client.cache.to_frame()["peer"]) == ["one", "two"]
        assert client.drift.to_frame().empty
        assert list(client.drift.to_frame().columns)[:3] == ["at", "peer", "tool"]


# -- the cache ---------------------------------------------------------------------------


def listed(fake: Fake) -> int:
    return fake.methods().count("tools/list")


@pytest.mark.parametrize(("share_public", "lists"), [(False, 2), (True, 1)])
@pytest.mark.parametrize("scope", ["public", "private"])
def test_public_lists_cross_contexts_only_where_configured(
    scope: str, share_public: bool, lists: int
) -> None:
    """Case C07; hard reject 6: private never, public when the operator says so."""
    notes = modern("notes", tools=["search"], list_scope=scope)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        client.switch_context("notes", "bob")
        assert client.merge().names == ()
        await driven(client.discover_tools(), clock)
        assert client.merge().names == ("search",)

    play(story, {"notes": notes}, share_public=share_public)
    assert listed(notes) == (lists if scope == "public" else 2)


def test_one_peers_configuration_says_whether_its_public_lists_are_shared() -> None:
    """Case C07: as a setting of one peer, in code or in its entry of the file."""
    fakes = {name: modern(name, tools=[f"at-{name}"]) for name in ("open", "closed")}
    with MultiServerClient() as client:
        for name, fake in fakes.items():
            client.add_server(name, fake, share_public=name == "open")
        client.connect_all()
        client.discover_tools()
        for name in fakes:
            client.switch_context(name, "bob")
        client.discover_tools()
        assert client.merge().names == ("at-closed", "at-open")
        rows = [(row.peer, row.auth_context, row.shared) for row in client.cache.answers]
        assert rows == [("closed", "", False), ("closed", "bob", False), ("open", "", True)]
    assert (listed(fakes["open"]), listed(fakes["closed"])) == (1, 2)


def test_each_context_finds_its_own_list_again() -> None:
    """Seed lesson, exercise 3: one client, one peer, two contexts."""
    notes = modern("notes", tools=["search"], list_scope="private")

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        for who in ("bob", "ann", "bob", "ann", "bob"):
            client.switch_context("notes", who)
            await driven(client.discover_tools(), clock)
        assert [row.auth_context for row in client.cache.answers] == ["", "ann", "bob"]

    play(story, {"notes": notes})
    assert listed(notes) == 3


def test_switching_the_context_of_nobody_says_so() -> None:
    """Ours: bad input gets one clear line."""
    with MultiServerClient() as client, pytest.raises(MisuseError, match="no peer is called x"):
        client.switch_context("x", "bob")


@pytest.mark.parametrize("ttl_ms", [0, None])
def test_C05_without_a_lifetime_each_look_is_a_request(ttl_ms: int | None) -> None:
    """Case C05: 0 and absent are the same, and neither is a default."""
    if ttl_ms is None:
        notes = modern(tools=["t"]).script(
            on("tools/list").then(answer_default(without=("ttlMs",)))
        )
    else:
        notes = modern(tools=["t"], list_ttl_ms=ttl_ms)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await driven(client.discover_tools(), clock)

    play(story, {"notes": notes})
    assert listed(notes) == 2


@pytest.mark.parametrize("without", [("ttlMs",), ("cacheScope",), ("ttlMs", "cacheScope")])
def test_C03_missing_hints_drop_no_tool(without: tuple[str, ...]) -> None:
    """Case C03: the list is used, as private and stale at once where a hint is missing."""
    notes = modern(tools=["t"]).script(on("tools/list").then(answer_default(without=without)))

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        assert client.merge().names == ("t",)
        return client.report().peers[0].cache_scope

    scope = play(story, {"notes": notes})
    assert scope == ("private" if "cacheScope" in without else "public")


@pytest.mark.parametrize(("wait_s", "lists"), [(0.999, 1), (1.0, 2), (1.001, 2)])
def test_C06_a_lifetime_is_enforced_to_the_millisecond(wait_s: float, lists: int) -> None:
    """Case C06: fresh at 999 ms, stale at 1000 and 1001."""
    notes = modern(tools=["t"], list_ttl_ms=1_000)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> list[str]:
        clock.advance(wait_s)
        await driven(client.discover_tools(), clock)
        return [e.what for e in client.journal.entries() if e.stage == "cache"]

    noted = play(story, {"notes": notes})
    assert listed(notes) == lists
    assert noted[2] == ("tools/list: hit" if lists == 1 else "tools/list: expired")


def late_second_list(**more: Any) -> Fake:
    return modern("notes", tools=["t"], list_ttl_ms=1_000, **more).script(
        on("tools/list").from_nth(2).then(silence())
    )


async def lost_list(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
    clock.advance(1.5)
    await driven(client.discover_tools(), clock)
    return client.merge().names, client.report().peers[0]


def test_an_old_list_stands_in_only_when_asked() -> None:
    """Rule CACHE-07: by default a list that did not arrive is no list."""
    names, row = play(lost_list, {"notes": late_second_list()})
    assert (names, row.rule, row.deviations) == ((), "CALL-03", ())
    names, row = play(lost_list, {"notes": late_second_list()}, stale_if_error_s=60)
    assert names == ("t",)
    assert row.deviations[0].startswith("the list is 31500 ms old: tools/list got no answer")


def test_an_old_list_never_hides_what_the_peer_said() -> None:
    """Rule CACHE-07: a violation is not the way's trouble; it stays a violation."""
    peer = modern("notes", tools=["t"], list_ttl_ms=1_000).script(
        on("tools/list").from_nth(2).then(delay(0.0), answer_default(without=("resultType",)))
    )
    names, row = play(lost_list, {"notes": peer}, stale_if_error_s=60)
    assert (names, row.rule) == ((), "LIST-01")


def test_a_legacy_list_is_never_kept() -> None:
    """Seed lesson: cache hints are modern; a legacy answer has none."""
    old = legacy(tools=["t"])

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> None:
        await driven(client.discover_tools(), clock)
        assert len(client.cache) == 0

    play(story, {"old": old})
    assert listed(old) == 2


def test_an_old_list_of_prompts_stands_in_too_when_asked() -> None:
    """Rule CACHE-07: every list goes by the same rule."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        await driven(client.list_prompts(), clock)
        clock.advance(4_000)
        return (await driven(client.list_prompts(), clock))["peer"]

    silent_then = everything().script(on("prompts/list").from_nth(2).then(silence()))
    strict = play(story, {"peer": silent_then})
    assert strict.failure is not None and not strict.stale
    lenient = play(story, {"peer": silent_then}, stale_if_error_s=3_600)
    assert lenient.failure is None and lenient.items
    assert lenient.stale.startswith("the list is 4030000 ms old: prompts/list got no answer")
