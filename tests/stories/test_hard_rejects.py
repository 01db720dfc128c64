"""The eight hard rejects and the three refusals, each under its own name.

Seed skill, "Hard rejects" and "Refusal rules". Every test here fails when the line that
enforces its rule is removed.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from driven import driven, turns

from fakes import Fake, close, error, fault, legacy, modern, on, silence
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient, PeerConfig
from workbench.core.errors import (
    AmbiguousOwner,
    NameCollision,
    OutcomeUnknown,
    ProtocolViolation,
)
from workbench.core.wire.keys import CAPABILITIES_KEY, CLIENT_INFO_KEY, VERSION_KEY

MODERN_ERRORS = [-32020, -32021, -32022]
AMBIGUOUS = [
    "P02-error-32601",
    "P11-silence",
    "P12-close",
    "P13-empty-lines",
    "P16-empty",
    "P17-no-result-type",
    "P19-legacy-versions",
]


def connected(fake: Fake, **settings: Any) -> tuple[Any, Fake]:
    """Connect one peer in memory with a moving clock; return its report row and the fake."""

    async def story() -> Any:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        client.add_server("peer", fake, **settings)
        report = await driven(client.connect_all(), clock)
        await driven(client.aclose(), clock)
        return report.peers[0]

    return asyncio.run(story()), fake


def test_hard_reject_1_every_modern_request_carries_current_meta() -> None:
    """Never a modern request without current `_meta`."""
    notes = modern("notes", tools=["search"])
    with MultiServerClient(capabilities={"roots": {}}) as client:
        client.add_server("notes", notes)
        client.call("search", {"q": "x"})
        client.call("search", {"q": "y"})
    requests = [body for body in notes.received if "id" in body]
    assert [body["method"] for body in requests] == [
        "server/discover",
        "tools/list",
        "tools/call",
        "tools/call",
    ]
    for body in requests:
        meta = body["params"]["_meta"]
        assert meta[VERSION_KEY] == "2026-07-28"
        assert meta[CAPABILITIES_KEY] == {"roots": {}}
        assert meta[CLIENT_INFO_KEY]["name"] == "mcp-client-workbench"


@pytest.mark.parametrize("code", MODERN_ERRORS)
def test_hard_reject_2_a_recognized_modern_error_never_leads_to_initialize(code: int) -> None:
    """Never fall back after a recognized modern error, even with permission."""
    peer = legacy("peer").script(on("server/discover").then(error(code, "modern")))
    row, fake = connected(peer, allow_legacy=True)
    assert (row.status, "initialize" in fake.methods()) == ("unavailable", False)


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_hard_reject_3_no_initialize_without_the_operators_permission(name: str) -> None:
    """Never `initialize` to a peer that is not explicitly allowlisted."""
    row, fake = connected(fault(name))
    assert (row.status, "initialize" in fake.methods()) == ("unavailable", False)


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_hard_reject_4_an_ambiguous_signal_is_no_proof_of_legacy(name: str) -> None:
    """Permission lets a peer be asked; only its valid handshake selects the era."""
    mute = fault(name).script(on("initialize").then(silence()))
    mute = Fake(mute.program.__class__(**_fields(mute, rules=mute.program.rules[::-1])))
    row, fake = connected(mute, allow_legacy=True)
    assert fake.methods().count("initialize") == 1
    assert (row.status, row.era) == ("unavailable", None)
    unsupported = fault("L10-unknown-revision")
    row, fake = connected(unsupported, allow_legacy=True)
    assert (row.status, row.era) == ("unavailable", None)
    assert "notifications/initialized" not in fake.methods()


def test_hard_reject_5_a_connection_is_no_protocol_state() -> None:
    """A verdict ends with its transport: the next one is negotiated from the start."""

    class Replaced:
        """An endpoint behind which the server is replaced by another one."""

        kind = "memory"
        identity = "replaced"

        def __init__(self, *servers: Fake) -> None:
            self.servers = list(servers)

        def new_transport(self, clock: Any) -> Any:
            return self.servers.pop(0).new_transport(clock)

    first = modern("first", tools=["search"])
    second = legacy("second", tools=["search"])

    async def story() -> tuple[Any, Any]:
        client = AsyncMultiServerClient()
        client.add_server("peer", Replaced(first, second, second))
        before = (await client.connect_all()).peers[0]
        first.say(close())
        await turns()
        assert client.report().peers[0].status == "unavailable"
        after = (await client.connect_all()).peers[0]
        await client.aclose()
        return before, after

    before, after = asyncio.run(story())
    assert (before.era, after.status, after.rule) == ("modern", "unavailable", "ERA-10")
    assert second.methods() == ["server/discover"]
    sent = [body for body in first.received if "id" in body]
    assert all("sessionId" not in body["params"] for body in sent)


def test_hard_reject_6_a_private_list_never_crosses_authorization_contexts() -> None:
    """Never share a private cached list; seed exercise 3."""
    notes = modern("notes", tools=["search"], list_scope="private")

    async def story() -> list[int]:
        client = AsyncMultiServerClient()
        client.add_server("notes", notes, auth_context="alice")
        await client.connect_all()
        counts = []
        for who in ("alice", "alice", "bob", "bob", "alice"):
            client._pool.members["notes"].auth_context = who
            await client.discover_tools()
            counts.append(notes.methods().count("tools/list"))
        await client.aclose()
        return counts

    assert asyncio.run(story()) == [1, 1, 2, 2, 2]


def test_hard_reject_7_a_duplicate_name_is_never_overwritten() -> None:
    """Both tools stay reachable under names of their own, or the merge is refused."""
    one, two = modern("one", tools=["search"]), modern("two", tools=["search"])
    with MultiServerClient() as client:
        client.add_server("two", two)
        client.add_server("one", one)
        client.connect_all()
        client.discover_tools()
        assert client.merge().names == ("search", "two/search")
        client.call("search")
        client.call("two/search")
        assert [f.methods().count("tools/call") for f in (one, two)] == [1, 1]
        with pytest.raises(NameCollision, match=r"one.*two"):
            client.merge(policy="reject")


def test_hard_reject_7_a_made_up_name_never_takes_a_real_one_away() -> None:
    """Fault matrix M02: the prefixed name equals a real name of a third peer."""
    one, two = modern("one", tools=["search"]), modern("two", tools=["search"])
    three = modern("three", tools=["two/search"])
    with MultiServerClient() as client:
        for fake in (one, two, three):
            client.add_server(fake.name, fake)
        client.call("two/search")
        menu = client.menu
    assert menu is not None and menu.names == ("search", "two/search")
    assert [f.methods().count("tools/call") for f in (one, two, three)] == [0, 0, 1]
    assert "refused" in {collision.outcome for collision in menu.collisions}


def test_hard_reject_8_a_modern_success_without_result_type_is_not_accepted() -> None:
    """Discovery, listing and call alike."""
    row, _ = connected(fault("P17-no-result-type"))
    assert (row.status, row.rule) == ("unavailable", "ERA-17")
    with MultiServerClient() as client:
        client.add_server("lists", fault("C01-no-result-type"))
        client.add_server("calls", fault("C02-no-result-type"))
        client.connect_all()
        client.discover_tools()
        client.merge()
        rows = {peer.peer: peer for peer in client.report().peers}
        assert (rows["lists"].tools, rows["lists"].rule) == ((), "LIST-01")
        with pytest.raises(ProtocolViolation) as caught:
            client.call(rows["calls"].tools[0].canonical)
        assert caught.value.failure.rule == "CALL-01"


def test_refusal_1_a_command_outside_the_allowlist_is_never_started(tmp_path: Path) -> None:
    """Refuse to spawn a command outside a pinned allowlist."""
    witness = tmp_path / "started"
    code = f"open({str(witness)!r}, 'w').close()"
    command = PeerConfig(name="peer", command=sys.executable, args=("-c", code))
    with MultiServerClient(allowed_commands=[(sys.executable, "-m", "fakes")]) as client:
        client.add_server("peer", command)
        row = client.connect_all().peers[0]
    assert (row.status, row.rule, witness.exists()) == ("unavailable", "PIN-01", False)
    with MultiServerClient(allowed_commands=[sys.executable]) as client:
        client.add_server("peer", command)
        client.connect_all()
    assert witness.exists(), "the witness works when the command is allowed"


def test_refusal_2_a_name_without_a_single_owner_is_not_routed() -> None:
    """Refuse to route a tool when the owner is ambiguous."""
    one, two = modern("one", tools=["search"]), modern("two", tools=["search"])
    with MultiServerClient() as client:
        client.add_server("one", one)
        client.add_server("two", two)
        client.connect_all()
        client.discover_tools()
        with pytest.raises(NameCollision):
            client.merge(policy="reject")
        with pytest.raises(AmbiguousOwner):
            client.call("search")
    assert [f.methods().count("tools/call") for f in (one, two)] == [0, 0]


def test_refusal_3_a_call_that_may_have_run_is_not_repeated_unasked() -> None:
    """Refuse to retry a non-idempotent call without an idempotency key."""
    unasked, asked = fault("C04-dies-after"), fault("C04-dies-after")
    with MultiServerClient() as client:
        client.add_server("peer", unasked)
        client.connect_all()
        client.discover_tools()
        name = client.merge().names[0]
        with pytest.raises(OutcomeUnknown):
            client.call(name)
    assert len(unasked.effects) == 1
    with MultiServerClient() as client:
        client.add_server("peer", asked)
        client.connect_all()
        client.discover_tools()
        client.merge()
        assert client.call(name, idempotency_key="order-7").is_error is False
    assert len(asked.effects) == 2
    ids = [body["id"] for body in asked.received if body.get("method") == "tools/call"]
    assert len(set(ids)) == 2, "the repeat has a new id"


def _fields(fake: Fake, **changes: Any) -> dict[str, Any]:
    program = fake.program
    return {f: getattr(program, f) for f in program.__struct_fields__} | changes
