"""The five exercises of the seed lesson, done with the public interface alone.

Seed lesson, "Exercícios". Nothing here touches what a reader could not import.
"""

import asyncio
from typing import Any

import pytest
from driven import driven

from fakes import answer_default, close, error, legacy, modern, on, silence
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient, WorkbenchError

LISTEN = "subscriptions/listen"


def test_exercise_1_no_common_version_is_a_failure_and_no_initialize() -> None:
    """Seed lesson, exercise 1: -32022 with versions we do not speak, permission or not."""
    data = {"supported": ["2031-01-01"], "requested": "2026-07-28"}
    refuses = modern("future").script(on("server/discover").then(error(-32022, "no", data=data)))
    with MultiServerClient() as client:
        client.add_server("future", refuses, allow_legacy=True)
        (row,) = client.connect_all().peers
    assert (row.status, row.era) == ("unavailable", None)
    assert "2031-01-01" in row.reason
    assert refuses.methods() == ["server/discover"]


@pytest.mark.parametrize("probe", ["silence", "method-not-found"])
def test_exercise_2_an_initialize_that_times_out_leaves_the_era_unknown(probe: str) -> None:
    """Seed lesson, exercise 2: permission lets us ask; only a valid answer makes it legacy."""
    old = legacy("archive").script(on("initialize").then(silence()))
    if probe == "silence":
        old = old.script(on("server/discover").then(silence()))

    async def story() -> tuple[Any, float]:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        client.add_server(
            "archive",
            old,
            allow_legacy=True,
            discovery_timeout_ms=1_000,
            legacy_probe_timeout_ms=1_000,
        )
        report = await driven(client.connect_all(), clock)
        took_s = clock.now()
        await driven(client.aclose(), clock)
        return report.peers[0], took_s

    row, took_s = asyncio.run(story())
    assert (row.status, row.era) == ("unavailable", None)
    assert took_s <= 2.0, "both probes are bounded"
    assert old.methods().count("initialize") == 1
    assert "notifications/initialized" not in old.methods()


def test_exercise_3_a_private_list_stays_with_its_authorization_context() -> None:
    """Seed lesson, exercise 3: one client, one endpoint, two contexts, two requests."""
    notes = modern("notes", tools=["search"], list_scope="private")
    with MultiServerClient() as client:
        client.add_server("for-ann", notes, auth_context="ann")
        client.add_server("for-bob", notes, auth_context="bob")
        client.connect_all()
        for _ in range(2):
            client.discover_tools()
        assert notes.methods().count("tools/list") == 2, "one for each, then from the cache"
        assert [(a.auth_context, a.shared) for a in client.cache.answers] == [
            ("ann", False),
            ("bob", False),
        ]


def test_exercise_3_again_one_peer_whose_context_changes() -> None:
    """Seed lesson, exercise 3: the same endpoint under one name, asked as somebody else."""
    notes = modern("notes", tools=["search"], list_scope="private")
    with MultiServerClient(share_public=True) as client:
        client.add_server("notes", notes, auth_context="ann")
        client.connect_all()
        for who in ("ann", "bob", "ann", "bob"):
            client.switch_context("notes", who)
            client.discover_tools()
    assert notes.methods().count("tools/list") == 2


def test_exercise_4_a_collision_fails_the_start_with_both_names() -> None:
    """Seed lesson, exercise 4: under "reject", and nothing is called."""
    peers = [modern("files", tools=["search"]), modern("notes", tools=["search"])]
    with MultiServerClient(merge_policy="reject") as client:
        for fake in peers:
            client.add_server(fake.name, fake)
        with pytest.raises(WorkbenchError, match=r"search \(files, notes\)") as caught:
            client.call("search")
        assert caught.value.failure.kind == "name collision"
        (clash,) = client.report().collisions
        assert clash.peers == ("files", "notes")
    assert all("tools/call" not in fake.methods() for fake in peers)


def test_exercise_5_a_lost_stream_is_asked_for_again_and_the_tools_are_read_anew() -> None:
    """Seed lesson, exercise 5: a new request id, and `tools/list` again after the loss."""
    notes = modern("notes", tools=["search"], list_changed=True).script(
        on(LISTEN).in_lifetime(1).then(answer_default(), close())
    )

    async def story() -> None:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        client.add_server("notes", notes)
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        listening = await driven(client.listen("notes", tools=True), clock)

        def again(one: Any) -> bool:
            asked = (notes.methods().count(LISTEN), notes.methods().count("tools/list"))
            return asked == (2, 2) and one.state == "listening"

        assert await driven(listening.wait_for(again, 60), clock)
        assert (await driven(client.call("search"), clock)).is_error is False
        await driven(client.aclose(), clock)

    asyncio.run(story())
    ids = [body["id"] for body in notes.received if body.get("method") == LISTEN]
    assert len(ids) == 2 == len(set(ids))
    methods = [one for one in notes.methods() if one in (LISTEN, "tools/list")]
    assert methods.count("tools/list") == 2, "before the loss, and after it"
    assert "tools/list" in methods[methods.index(LISTEN) + 1 :]
