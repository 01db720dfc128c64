"""Lists of what is no tool, and what was read."""

import asyncio
from typing import Any

from driven import driven
from shelf import complete, shelf

from fakes import Fake, answer_default, error, modern, notify, on, reply
from workbench import AsyncMultiServerClient, ManualClock
from workbench.core.errors import WorkbenchError


def told(work: Any) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(10):
            return await work()

    return asyncio.run(bounded())


async def ready(clock: ManualClock, **peers: Fake) -> AsyncMultiServerClient:
    client = AsyncMultiServerClient(clock=clock)
    for name, fake in peers.items():
        client.add_server(name, fake)
    await driven(client.connect_all(), clock)
    return client


def test_only_peers_that_declare_a_sort_are_asked() -> None:
    """Spec: basic/versioning, capabilities."""

    async def work() -> None:
        clock = ManualClock()
        plain, rich = modern("plain"), shelf("rich")
        client = await ready(clock, plain=plain, rich=rich)
        for listing in (client.list_prompts, client.list_resources, client.list_resource_templates):
            listed = await driven(listing(), clock)
            assert list(listed) == ["rich"]
        assert plain.methods() == ["server/discover"]
        await driven(client.aclose(), clock)

    told(work)


def test_a_list_is_reused_while_it_is_fresh_and_forgotten_when_it_changes() -> None:
    """Spec: server/utilities/caching."""

    async def work() -> None:
        clock = ManualClock()
        rich = shelf("rich")
        client = await ready(clock, rich=rich)
        counts = []
        for move_s, change in ((0.0, False), (59.0, False), (2.0, False), (1.0, True)):
            clock.advance(move_s)
            if change:
                rich.say(notify("notifications/prompts/list_changed", {}))
            for _ in range(2):
                await driven(client.list_prompts(), clock)
            counts.append(rich.methods().count("prompts/list"))
        assert counts == [1, 1, 2, 3]
        await driven(client.aclose(), clock)

    told(work)


def test_a_peer_in_trouble_is_a_list_with_a_failure() -> None:
    """Design section 9: an operation over many peers never raises for one of them."""

    async def work() -> None:
        clock = ManualClock()
        patch = {"capabilities": {"prompts": {}}}
        bad = modern("bad").script(
            on("server/discover").then(answer_default(patch=patch)),
            on("prompts/list").then(error(-32603, "no")),
        )
        rude = modern("rude").script(
            on("server/discover").then(answer_default(patch=patch)),
            on("prompts/list").then(reply({"prompts": []})),
        )
        client = await ready(clock, bad=bad, good=shelf("good"), rude=rude)
        listed = await driven(client.list_prompts(), clock)
        rules = {name: one.failure and one.failure.rule for name, one in listed.items()}
        assert rules == {"bad": "CALL-04", "good": None, "rude": "LIST-01"}
        await driven(client.aclose(), clock)

    told(work)


def test_pages_are_walked_with_the_same_guards_and_bad_items_left_out() -> None:
    """Field case C02; fault matrix C07."""

    async def work() -> None:
        clock = ManualClock()
        greet = {"name": "greet"}
        loop = complete(prompts=[greet, 7], nextCursor="x", ttlMs=1_000, cacheScope="public")
        peer = modern("peer").script(
            on("server/discover").then(answer_default(patch={"capabilities": {"prompts": {}}})),
            on("prompts/list")
            .nth(1)
            .then(
                complete(prompts=[{"name": "first"}], nextCursor="", ttlMs=1, cacheScope="public")
            ),
            on("prompts/list").then(loop),
        )
        client = await ready(clock, peer=peer)
        offers = (await driven(client.list_prompts(), clock))["peer"]
        # The page that came twice is no second declaration of what is on it.
        assert (offers.complete, offers.keys) == (False, ("first", "greet"))
        assert {one.rule for one in offers.dropped} == {"LIST-03", "LIST-05"}
        cursors = [
            b["params"].get("cursor") for b in peer.received if b["method"] == "prompts/list"
        ]
        assert cursors == [None, "", "x"]
        await driven(client.aclose(), clock)

    told(work)


def test_a_resource_is_read_once_while_it_is_fresh() -> None:
    """Spec: server/utilities/caching: resources/read carries hints of its own."""

    async def work() -> None:
        clock = ManualClock()
        rich = shelf("rich", ttl_ms=1_000)
        client = await ready(clock, rich=rich)
        texts = []
        for move_s in (0.0, 0.5, 1.0):
            clock.advance(move_s)
            texts.append((await driven(client.read_resource("doc://a"), clock)).text)
        assert texts == ["text of rich"] * 3
        assert rich.methods().count("resources/read") == 2
        assert [one.sent for one in client.outcomes] == [1, 0, 1]
        rich.say(notify("notifications/resources/updated", {"uri": "doc://a"}))
        await driven(client.read_resource("doc://a"), clock)
        await driven(client.read_resource("doc://a", "rich"), clock)
        assert rich.methods().count("resources/read") == 3
        await driven(client.aclose(), clock)

    told(work)


def test_a_kept_resource_stays_in_its_authorization_context() -> None:
    """Rule CACHE-02."""

    async def work() -> None:
        clock = ManualClock()
        rich = shelf("rich")
        client = await ready(clock, rich=rich)
        await driven(client.read_resource("doc://a"), clock)
        client._pool.members["rich"].auth_context = "somebody else"
        await driven(client.read_resource("doc://a", "rich"), clock)
        assert rich.methods().count("resources/read") == 2
        await driven(client.aclose(), clock)

    told(work)


def test_an_answer_that_took_rounds_is_not_kept() -> None:
    """Spec: server/utilities/caching: what was answered with inputs belongs to that call."""

    async def work() -> None:
        clock = ManualClock()
        ask = reply({"resultType": "input_required", "requestState": "s"})
        rounds = on("resources/read").where_absent("requestState").then(ask)
        program = shelf("rich").program
        rich = modern("rich").script(rounds, *program.rules)
        client = await ready(clock, rich=rich)
        for _ in range(2):
            await driven(client.read_resource("doc://a"), clock)
        assert rich.methods().count("resources/read") == 4
        assert [(one.rounds, one.sent) for one in client.outcomes] == [(1, 2), (1, 2)]
        await driven(client.aclose(), clock)

    told(work)


def test_a_result_of_the_wrong_shape_is_not_kept() -> None:
    """Ours: a violation is reported each time."""

    async def work() -> None:
        clock = ManualClock()
        wrong = on("resources/read").then(complete(contents=[7], ttlMs=60_000, cacheScope="public"))
        rich = modern("rich").script(wrong, *shelf("rich").program.rules[:4])
        client = await ready(clock, rich=rich)
        for _ in range(2):
            try:
                await driven(client.read_resource("doc://a"), clock)
            except WorkbenchError as refused:
                assert refused.failure.rule == "CALL-02"
        assert rich.methods().count("resources/read") == 2
        await driven(client.aclose(), clock)

    told(work)
