"""Field cases about what is listened to: streams that end, and filters that are not granted."""

import asyncio
import json
import os
import signal
from typing import Any, Final

import psutil
import pytest
from aiohttp import web
from cased import LIMIT_S, PATIENT, told
from desk import Desk, Visit, event, for_ever
from driven import driven, turns

from fakes import REQUEST_ID, Fake, answer_default, error, modern, notify, on, reply
from workbench import AsyncMultiServerClient, ManualClock, PeerConfig, RecoveryPolicy

LISTEN: Final = "subscriptions/listen"
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
ID_KEY: Final = "io.modelcontextprotocol/subscriptionId"
CHANGED: Final = "notifications/tools/list_changed"
SOON: Final = RecoveryPolicy(first_delay_s=0.01, jitter=0.0)
HINTS: Final = {"resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "private"}


def heard(handle: Any) -> list[str]:
    return [news.what for news in handle.events]


class Dropping:
    """A server whose first stream ends in one way, and which then answers in another."""

    def __init__(self, end: str) -> None:
        self.end = end
        self.filters: list[Any] = []
        self.lists = 0

    async def __call__(self, visit: Visit) -> web.StreamResponse:
        message = visit.message
        if message["method"] == "server/discover":
            known = {"tools": {"listChanged": True}}
            result = {**HINTS, "supportedVersions": ["2026-07-28"], "capabilities": known}
            return visit.json(visit.reply(result))
        if message["method"] == "tools/list":
            self.lists += 1
            tools = [{"name": "t", "inputSchema": {"type": "object"}}]
            return visit.json(visit.reply({**HINTS, "tools": tools}))
        if message["method"] != LISTEN:
            return web.Response(status=202)
        self.filters.append((message["id"], message["params"]["notifications"]))
        if len(self.filters) == 2 and self.end == "405 on reopen":
            return web.Response(status=405)
        response = await visit.stream(event(acknowledgement(message)))
        if len(self.filters) > 1:
            await for_ever()
        if self.end == "reset":
            visit.cut()
        else:
            await response.write_eof()
        return response


def acknowledgement(message: dict[str, Any]) -> bytes:
    params = {
        "_meta": {ID_KEY: message["id"]},
        "notifications": message["params"]["notifications"],
    }
    return json.dumps({"jsonrpc": "2.0", "method": ACKNOWLEDGED, "params": params}).encode()


@pytest.mark.parametrize("end", ["clean", "reset", "405 on reopen"])
def test_L01_a_stream_that_is_gone_is_seen_to_be_gone(end: str) -> None:
    """Rules SUB: every end is told, asked for again with the same filter, and read anew."""
    server = Dropping(end)

    async def story() -> list[str]:
        async with Desk(server) as desk, AsyncMultiServerClient(recover=SOON) as client:
            async with asyncio.timeout(LIMIT_S):
                client.add_server("peer", PeerConfig(name="peer", url=desk.url), **PATIENT)
                await client.connect_all()
                await client.discover_tools()
                client.merge()
                handle = await client.listen("peer", tools=True)
                done = ("listening again",)
                assert await handle.wait_for(lambda one: set(done) & set(heard(one)), 20.0)
                return heard(handle)

    said = asyncio.run(story())
    assert said[0] == "listening" and said[1] in ("dropped", "ended by the peer")
    assert said.count("listening again") == 1
    ids, filters = zip(*server.filters, strict=True)
    assert len(ids) == len(set(ids)) == (3 if end == "405 on reopen" else 2)
    assert all(one == {"toolsListChanged": True} for one in filters)


def test_L01_a_killed_process_is_seen_to_be_gone() -> None:
    """Over a pipe: the subscription is lost with its process, and asked for again with the next."""

    async def story(argv: list[str]) -> list[str]:
        async with AsyncMultiServerClient(recover=SOON) as client, asyncio.timeout(LIMIT_S):
            client.add_server("peer", argv, **PATIENT)
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            handle = await client.listen("peer")
            (process,) = [
                one for one in psutil.Process().children(recursive=True)
                if argv[-1] in one.cmdline()
            ]  # fmt: skip
            os.kill(process.pid, signal.SIGKILL)
            assert await handle.wait_for(lambda one: "listening again" in heard(one), 20.0)
            return heard(handle)

    with modern("peer", tools=["t"], list_changed=True).over_stdio() as argv:
        assert asyncio.run(story(argv))[:3] == ["listening", "lost", "listening again"]


def listening(peer: Fake, seconds: float, **wanted: Any) -> tuple[Any, list[str], Any]:
    """Listen for a while; return the handle, what was heard, and the row of the report."""

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        client.merge()
        handle = await driven(client.listen("peer", **wanted), clock)
        await driven(handle.wait_for(lambda _: False, seconds), clock)
        state, said = handle.state, heard(handle)
        assert not (await driven(client.call("search"), clock)).is_error
        return (state, handle.subscriptions["peer"]), said, client.report().peers[0]

    return told(story, {"peer": peer}, options={"recover": RecoveryPolicy(jitter=0.0)})


def filters(peer: Fake) -> list[Any]:
    return [b["params"]["notifications"] for b in peer.received if b["method"] == LISTEN]


def test_L02_a_stream_that_drops_after_each_acknowledgement_is_asked_for_ever_less_often() -> None:
    """Rules SUB: pauses that grow up to half a minute, the same filter, and an end."""
    drops = on(LISTEN).then(answer_default(), reply({"resultType": "complete"}))
    peer = modern("peer", list_changed=True).script(drops)
    (state, _), said, row = listening(peer, 60.0, tools=True)
    assert 6 <= len(filters(peer)) <= 8, "a minute: 0.5, 1, 2, 4, 8, 16, 30 seconds between"
    assert all(one == {"toolsListChanged": True} for one in filters(peer))
    assert said[0] == "listening" and row.status == "ready" and state != "listening"
    assert peer.methods().count("tools/list") >= 2, "read anew, since nothing is replayed"


def test_L02_two_refusals_are_no_reason_to_stop() -> None:
    """Rules SUB: not never again after one attempt that failed."""
    busy = on(LISTEN).up_to(2).then(error(-32603, "busy"))
    peer = modern("peer", list_changed=True).script(busy)
    (state, _), said, _ = listening(peer, 60.0, tools=True)
    assert (state, said) == ("listening", ["dropped", "dropped", "listening"])
    assert filters(peer) == [{"toolsListChanged": True}] * 3


def grants(agreed: dict[str, Any]) -> Any:
    return notify(ACKNOWLEDGED, {"_meta": {ID_KEY: REQUEST_ID}, "notifications": agreed})


WANTED: Final = {"tools": True, "prompts": True}


def test_L04_what_is_not_granted_is_shown_and_costs_nothing_else() -> None:
    """Rules SUB-01 and SUB-04: nothing, a part, or no such feature; the peer stays ready."""
    answers = {
        "nothing was granted": grants({}),
        "listening": grants({"toolsListChanged": True}),
        "not supported": error(-32601, "no such method"),
    }
    for expected, step in answers.items():
        peer = modern("peer", list_changed=True).script(on(LISTEN).then(step))
        (state, part), said, row = listening(peer, 600.0, **WANTED)
        assert (state, row.status, len(filters(peer))) == (expected, "ready", 1), said
        if expected == "listening":
            assert part.missing.lists == ("prompts",) and "not granted" in said


def test_L04_a_kind_nobody_asked_for_is_recorded_and_counts_for_nobody() -> None:
    """Rule SUB-02 and the like: the server's word, not ours."""
    other = notify("notifications/prompts/list_changed", {"_meta": {ID_KEY: REQUEST_ID}})
    stream = on(LISTEN).then(grants({"toolsListChanged": True}), other)
    peer = modern("peer", list_changed=True).script(stream)

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        handle = await driven(client.listen("peer", tools=True), clock)
        await turns()
        rules = {entry.rule for entry in client.journal.entries()}
        return handle.state, heard(handle), client.journal.to_text(), rules

    state, said, text, _ = told(story, {"peer": peer})
    assert (state, said) == ("listening", ["listening", "not asked for"])
    assert "notifications/prompts/list_changed" in text and "SUB-0" in text
