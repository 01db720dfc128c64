"""Field cases about the era of a peer: how a probe is answered, and what that proves."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest
from cased import PATIENT, rows_of, spawned, told
from desk import Desk, Visit
from driven import driven
from places import WAYS, Place, Way, tell
from tiny import tiny

from fakes import (
    Fake,
    challenge,
    error,
    legacy,
    modern,
    on,
    reply,
    silence,
    status,
)
from workbench import AsyncMultiServerClient, ManualClock, PeerConfig, RecoveryPolicy

CODES: Final = (-32601, -32602, -32600, -32000, -32603, -32002, 0, 1)


def _refuses_with(code: int) -> Fake:
    return legacy("old").script(on("server/discover").then(error(code, "what is that?")))


@pytest.mark.parametrize("allowed", [False, True])
def test_E01_every_error_code_gives_the_same_verdict(allowed: bool, tmp_path: Path) -> None:
    """Seed lesson: an ordinary error proves nothing, whichever; one handshake where allowed."""
    fakes = {f"code {code}": _refuses_with(code) for code in CODES}
    with spawned(fakes, tmp_path) as peers:
        configs = {name: one.config for name, one in peers.items()}
        rows = rows_of(configs, allow_legacy=allowed, **PATIENT)
        asked = {name: one.methods() for name, one in peers.items()}
    for code in CODES:
        row, methods = rows[f"code {code}"], asked[f"code {code}"]
        if allowed:
            assert (row.status, row.era, methods.count("initialize")) == ("ready", "legacy", 1)
        else:
            assert (row.status, row.era, row.rule) == ("unavailable", None, "ERA-10")
            assert str(code) in f"{row.reason} {row.evidence}" and "allow_legacy" in row.hint
            assert methods == ["server/discover"]


SHY: Final = """
for message in messages():
    if message["method"] == "initialize":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}})
        shaken = True
    elif not globals().get("shaken"):
        print("expected initialize first", file=sys.stderr, flush=True)
        sys.exit(1)
    elif "id" in message:
        answer(message)
"""


def test_E02_a_server_that_exits_on_the_probe_is_explained_and_started_afresh_once() -> None:
    """Rules ERA-12 and LEG-02; an exit on the probe is no crash that recovery counts."""
    row = rows_of({"peer": tiny(SHY)}, **PATIENT)["peer"]
    assert (row.status, row.rule) == ("unavailable", "ERA-12")
    assert "exited with status 1" in row.reason and "expected initialize first" in row.reason
    assert "allow_legacy" in row.hint

    async def story() -> tuple[Any, list[str]]:
        # One start within the budget: were the fresh process counted, it would be refused.
        once = RecoveryPolicy(starts=1)
        async with AsyncMultiServerClient(recover=once) as client:
            client.add_server("peer", tiny(SHY), allow_legacy=True, **PATIENT)
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            assert (await client.call("echo", {"q": "tea"})).text == "tea"
            opened = [e.kind for e in client.journal.entries() if e.kind in ("opened", "closed")]
            said = client.journal.to_text()
            assert "failure" not in said and "RECOV" not in said
            return client.report().peers[0], opened

    row, opened = asyncio.run(story())
    assert (row.status, row.era) == ("ready", "legacy")
    assert opened == ["opened", "closed", "opened"], "a fresh process, once"


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("deaf_to", ["everything", "metadata"])
def test_E03_a_server_that_ignores_the_probe_costs_its_deadline_only(
    deaf_to: str, allowed: bool
) -> None:
    """Rules ERA-11 and LEG-01: both kinds of deafness end by the same deadline."""
    probe = on("server/discover")
    if deaf_to == "metadata":
        probe = probe.where_meta({"io.modelcontextprotocol/protocolVersion": "2026-07-28"})
    old = legacy("old", tools=["echo"]).script(probe.then(silence()))

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        report = await driven(client.connect_all(), clock)
        return report.peers[0], clock.now()

    row, took_s = told(story, {"old": old}, allow_legacy=allowed, discovery_timeout_ms=1_000)
    assert took_s == 1.0
    assert old.methods().count("initialize") == allowed
    assert (row.era, row.rule) == (("legacy", "LEG-00") if allowed else (None, "ERA-11"))


def test_E03_an_answer_to_the_probe_that_comes_after_the_handshake_is_nobodys() -> None:
    """Rule ERA-22: the late answer is known by its id, and ignored."""
    late = """
held = None
for message in messages():
    if message["method"] == "server/discover":
        held = message
    elif message["method"] == "initialize":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}})
    elif "id" in message:
        if held: answer(held)
        held = None
        answer(message)
"""

    async def story() -> Any:
        async with AsyncMultiServerClient() as client:
            short = {**PATIENT, "discovery_timeout_ms": 300, "startup_grace_ms": 0}
            client.add_server("peer", tiny(late), allow_legacy=True, **short)
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            assert (await client.call("echo", {"q": "tea"})).text == "tea"
            return client.report().peers[0].era, len(client.journal.entries(kind="stray"))

    assert asyncio.run(story()) == ("legacy", 1)


SLOW: Final = "time.sleep(1.5)\nfor message in messages(): answer(message)\n"


@pytest.mark.parametrize(
    ("settings", "era"),
    [({}, "modern"), ({"startup_grace_ms": 0}, None), ({"allow_legacy": True}, "modern")],
    ids=["default", "without-grace", "allowed"],
)
def test_E04_a_slow_modern_server_is_never_taken_for_a_legacy_one(
    settings: dict[str, Any], era: str | None
) -> None:
    """Rules ERA-11 and ERA-21: a process has a grace to start in, and silence is no verdict."""

    async def story() -> tuple[Any, int]:
        async with AsyncMultiServerClient() as client:
            config = {"discovery_timeout_ms": 500, "startup_grace_ms": 20_000, **settings}
            client.add_server("peer", tiny(SLOW), **config)
            row = (await client.connect_all()).peers[0]
            sent = [entry.method for entry in client.journal.entries(kind="sent")]
            return row, sent.count("initialize")

    row, handshakes = asyncio.run(story())
    assert (row.era, handshakes) == (era, 0)
    if era is None:
        assert row.rule == "ERA-11" and "raise discovery_timeout_ms" in row.hint
        assert "500 ms" in row.reason or "0.5 s" in row.reason


@pytest.mark.parametrize("answer_to_initialize", ["-32022", "none"])
def test_E04_a_late_discover_result_wins_over_a_handshake_that_was_begun(
    answer_to_initialize: str,
) -> None:
    """Fault matrix P20: the good answer is not thrown away, and -32022 means modern too."""
    late = """
held = None
for message in messages():
    if message["method"] == "server/discover" and held is None:
        held = message
    elif message["method"] == "initialize":
        if ANSWERS:
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32022,
                "message": "no", "data": {"supported": ["2026-07-28"], "requested": "x"}}})
        else:
            answer(held)
    elif "id" in message:
        answer(message)
""".replace("ANSWERS", str(answer_to_initialize == "-32022"))

    async def story() -> tuple[Any, int]:
        async with AsyncMultiServerClient() as client:
            short = {**PATIENT, "discovery_timeout_ms": 300, "startup_grace_ms": 0}
            client.add_server("peer", tiny(late), allow_legacy=True, **short)
            row = (await client.connect_all()).peers[0]
            sent = [entry.method for entry in client.journal.entries(kind="sent")]
            return row, sent.count("initialize")

    row, handshakes = asyncio.run(story())
    assert (row.status, row.era, handshakes) == ("ready", "modern", 1)


def test_E05_a_black_hole_is_given_up_after_its_two_deadlines_and_no_later() -> None:
    """Design, section 5: a share for the probe, a share for the handshake, both named."""
    hole = modern("hole").script(on("*").then(silence()))

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        row = (await driven(client.connect_all(), clock)).peers[0]
        return row, clock.now()

    shares = {"discovery_timeout_ms": 1_200, "legacy_probe_timeout_ms": 800}
    row, took_s = told(story, {"hole": hole}, allow_legacy=True, **shares)
    assert took_s == 2.0
    assert (row.status, row.era, row.rule) == ("unavailable", None, "LEG-03")
    assert (
        "within 800 ms" in row.reason
        and "initialize" in row.reason
        and "legacy_probe_timeout_ms" in row.hint
    )
    strict, took_s = told(story, {"hole": hole}, **shares)
    assert (took_s, strict.rule) == (1.2, "ERA-11")
    assert "within 1200 ms" in strict.reason and "discovery_timeout_ms" in strict.hint


NOT_JSON_RPC: Final = {
    "empty": status(400),
    "text": status(400, "this server wants a session", None, "text/plain"),
    "other JSON": status(400, '{"error":"nope"}', None, "application/json"),
    "code in words": status(
        400,
        '{"jsonrpc":"2.0","id":<<id>>,"error":{"code":"BAD","message":"no"}}',
        None,
        "application/json",
    ),
    "page": status(400, "<html><body>Bad Request</body></html>", None, "text/html"),
}


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("body", NOT_JSON_RPC)
def test_E09_a_refusal_that_is_no_json_rpc_is_ambiguous_like_any_other(
    body: str, allowed: bool
) -> None:
    """Fault matrix H06, H11: whatever the body of the 400 is, nobody stumbles over it."""
    old = legacy("old", tools=["echo"])
    old = old.script(on("server/discover").then(NOT_JSON_RPC[body]))
    with old.over_http() as url:
        config = PeerConfig(name="old", url=url)
        row = rows_of({"old": config}, allow_legacy=allowed, **PATIENT)["old"]
    assert old.methods().count("initialize") == allowed
    if allowed:
        assert (row.status, row.era) == ("ready", "legacy")
    else:
        assert (row.status, row.era, row.rule) == ("unavailable", None, "ERA-23")
        assert "400" in row.reason


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("code", [401, 403])
@pytest.mark.parametrize("only", ["*", "server/discover"])
def test_E12_a_demand_for_authorization_is_no_verdict(only: str, code: int, allowed: bool) -> None:
    """Fault matrix H12: it stops there; a gateway in front of a legacy server too."""
    asks = challenge(code, 'Bearer realm="tools", resource_metadata="https://auth.example/m"')
    old = legacy("old").script(on(only).then(asks))
    with old.over_http() as url:
        config = PeerConfig(name="old", url=url)
        row = rows_of({"old": config}, allow_legacy=allowed, **PATIENT)["old"]
    assert (row.status, row.era, row.rule) == ("unavailable", None, "HTTP-01")
    assert str(code) in row.reason and "https://auth.example/m" in row.reason
    assert old.methods() == ["server/discover"]


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_E15_a_version_that_was_refused_is_not_asked_for_again(
    way: Way, allowed: bool, tmp_path: Path
) -> None:
    """Fault matrix P10: two requests at most, no handshake, and both lists in the reason."""
    data = {"supported": ["2026-07-28", "2025-11-25"], "requested": "2026-07-28"}
    peer = modern("peer").script(on("server/discover").then(error(-32022, "no", data)))

    async def story(place: Place) -> None:
        await place.client.connect_all()
        row = place.row()
        assert (row.status, row.era) == ("unavailable", None)
        assert set(place.methods()) == {"server/discover"} and len(place.methods()) <= 2
        assert "2026-07-28, 2025-11-25" in f"{row.reason} {row.evidence}", row
        assert row.hint

    settings = {"peer": {**PATIENT, "allow_legacy": allowed}}
    tell(story, way, {"peer": peer}, tmp_path, settings)


LEAN: Final = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
RESULTS: Final[dict[str, tuple[Any, str | None]]] = {
    "lean": ({**LEAN, "resultType": "complete"}, None),
    "two fields": (LEAN, "ERA-17"),
    "nothing": ({}, "ERA-16"),
    "null": (None, "ERA-16"),
    "list": ([LEAN], "ERA-16"),
    "a string": ({**LEAN, "resultType": "complete", "supportedVersions": "2026-07-28"}, "ERA-16"),
    "no versions": ({"capabilities": {}, "resultType": "complete"}, "ERA-16"),
}


@pytest.mark.parametrize("what", RESULTS)
def test_E17_a_lean_discover_result_is_modern_and_garbage_is_neither(what: str) -> None:
    """Fault matrix P16, P17: only what the verdict needs is needed, and that strictly."""
    result, rule = RESULTS[what]
    peer = modern("peer").script(on("server/discover").then(reply(result)))
    row = rows_of({"peer": peer})["peer"]
    assert (row.era, row.rule) == (("modern", "ERA-01") if rule is None else (None, rule))
    assert rule is None or row.reason


def test_E17_two_fields_are_enough_where_the_operator_says_so() -> None:
    """Hints that are missing never flip an era; a missing resultType may be accepted."""
    peer = modern("peer").script(on("server/discover").then(reply(LEAN)))
    row = rows_of({"peer": peer}, accept_missing_result_type=True)["peer"]
    assert (row.status, row.era) == ("ready", "modern") and row.deviations


def test_E17_an_echo_of_the_question_is_no_answer() -> None:
    """A server that sends back what it got has said nothing about itself."""

    async def echo(visit: Visit) -> Any:
        return visit.json(visit.reply(visit.message["params"]))

    async def story() -> Any:
        async with Desk(echo) as desk, AsyncMultiServerClient() as client:
            client.add_server("peer", PeerConfig(name="peer", url=desk.url), **PATIENT)
            row = (await client.connect_all()).peers[0]
            return row.era, row.rule, [json.loads(v.body)["method"] for v in desk.visits]

    assert asyncio.run(story()) == (None, "ERA-16", ["server/discover"])
