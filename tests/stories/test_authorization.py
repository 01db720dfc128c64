"""Peers that ask who we are: signing in, staying in, and never telling anybody how."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from desk import Visit, for_ever
from driven import turns
from gate import Gate

from workbench import AsyncMultiServerClient, ManualClock, OAuth, WorkbenchError
from workbench.core.errors import ConfigError

Story = Callable[[Gate, AsyncMultiServerClient], Awaitable[None]]


def play(story: Story, **options: Any) -> None:
    """Run a story; nothing it shows may hold a secret."""

    async def run() -> None:
        gate = Gate()
        async with gate.desk, AsyncMultiServerClient(**options) as client:
            await story(gate, client)
            shown = [client.journal.to_jsonl(), client.report().to_json(), repr(client.outcomes)]
            assert [one for one in gate.secrets if any(one in text for text in shown)] == []

    asyncio.run(run())


def test_a_person_signs_in_once_and_the_peer_is_ready() -> None:
    """Spec: basic/authorization; a 401 to the probe starts the flow, it is no era verdict."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        report = await client.connect_all()
        assert (report.peers[0].status, report.peers[0].era) == ("ready", "modern")
        await client.call("look")
        assert gate.methods() == ["server/discover"] * 2 + ["tools/list", "tools/call"]
        assert [v.headers.get("authorization") for v in gate.asked("/mcp")] == [
            None,
            *["Bearer token-1-secret"] * 3,
        ]
        assert len(gate.pages) == 1
        # What is sent to an authorization server holds nothing that is meant for the peer.
        assert "authorization" not in gate.asked("/one/token")[0].headers

    play(story)


def test_signing_in_may_take_longer_than_the_probe() -> None:
    """Ours: the time a person takes is no silence of the peer."""
    clock = ManualClock()

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        gate.on_page = lambda page: clock.advance(200)
        client.add_server(
            "peer", gate.config(discovery_timeout_ms=500), authorization=OAuth(visit=gate.sign_in)
        )
        assert (await client.connect_all()).peers[0].status == "ready"

    play(story, clock=clock)


def test_a_call_waits_while_somebody_signs_in_and_not_a_moment_longer() -> None:
    """Ours: a deadline gets back what authorization took, and then it holds."""
    clock = ManualClock()

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        gate.wanted = "write"
        gate.on_page = lambda page: clock.advance(200)
        call, over = asyncio.ensure_future(client.call("look", timeout_s=5)), []

        async def hang(visit: Visit) -> None:
            for seconds in (4.75, 0.25):
                clock.advance(seconds)
                await turns()
                over.append(call.done())
            await for_ever()

        gate.on_call = hang
        with pytest.raises(WorkbenchError, match="no answer within 5 s"):
            await asyncio.wait_for(call, 5)
        assert (len(gate.pages), over[0], clock.now()) == (2, False, 205)

    play(story, clock=clock)


def test_a_call_that_needs_more_is_sent_again_with_both_scopes() -> None:
    """Spec: basic/authorization, scope challenge handling; step-up keeps what was granted."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        await client.connect_all()
        gate.wanted = "write"
        await client.call("look")
        assert len(gate.pages) == 2
        assert sorted(gate.valid.values()) == ["read", "read write"]

    play(story)


def test_a_scope_that_is_never_granted_ends_the_call_after_one_more_try() -> None:
    """Spec: basic/authorization, step-up: retries are bounded."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        gate.on_page = lambda page: setattr(gate, "wanted", f"more-{len(gate.pages)}")
        gate.wanted = "more"
        before = len(gate.methods())
        with pytest.raises(WorkbenchError, match="HTTP 403.*insufficient_scope"):
            await client.call("look")
        assert gate.methods()[before:] == ["tools/call"] * 2

    play(story)


def test_calls_run_side_by_side_once_there_is_a_token() -> None:
    """Ours: the SDK's flow holds a lock up to the response; a call may take as long as it likes."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        together = asyncio.Barrier(5)

        async def wait(visit: Visit) -> None:
            async with asyncio.timeout(5):
                await together.wait()

        gate.on_call = wait
        await asyncio.gather(*(client.call("look") for _ in range(5)))
        assert len(gate.pages) == 1

    play(story)


def test_a_token_that_dies_under_many_calls_is_renewed_once() -> None:
    """Ours: who comes second takes what the first has brought."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        gate.valid.clear()
        await asyncio.gather(*(client.call("look") for _ in range(5)))
        assert len(gate.pages) == 2

    play(story)


@pytest.mark.parametrize("allow", [False, True])
def test_nobody_signs_in_and_the_peer_is_refused_without_an_initialize(allow: bool) -> None:
    """Fault matrix H12: authorization is no era verdict, with a provider as without."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        def refuse(page: str) -> str:
            raise RuntimeError("token-1-secret was in my hands")

        client.add_server(
            "peer", gate.config(), allow_legacy=allow, authorization=OAuth(visit=refuse)
        )
        peer = (await client.connect_all()).peers[0]
        assert (peer.status, peer.rule) == ("unavailable", "HTTP-01")
        assert "visit= failed with RuntimeError" in str(peer.reason)
        assert gate.methods() == ["server/discover"]

    play(story)


def test_a_page_that_leads_to_another_issuer_is_not_believed() -> None:
    """Spec: authorization response validation, RFC 9207: no code goes to any token endpoint."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        async def astray(page: str) -> str:
            return (await gate.sign_in(page)).replace("/one", "/evil")

        client.add_server("peer", gate.config(), authorization=OAuth(visit=astray))
        assert (await client.connect_all()).peers[0].status == "unavailable"
        assert gate.asked("/one/token") == []

    play(story)


def test_an_authorization_is_kept_for_the_next_client_of_the_same_person() -> None:
    """Ours: the store outlives the client; another `auth_context` has its own tokens."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        oauth = OAuth(visit=gate.sign_in)
        for name, context in (("a", "ann"), ("b", "ann"), ("c", "bob")):
            async with AsyncMultiServerClient() as one:
                one.add_server(name, gate.config(name, auth_context=context), authorization=oauth)
                assert (await one.connect_all()).peers[0].status == "ready"
        used = [v.headers.get("authorization") for v in gate.asked("/mcp")]
        assert used == [
            None, "Bearer token-1-secret", "Bearer token-1-secret", None, "Bearer token-2-secret"
        ]  # fmt: skip
        assert len(gate.pages) == 2
        assert "secret" not in repr(oauth)

    play(story)


def test_a_client_registered_beforehand_is_never_shown_to_another_issuer() -> None:
    """Spec: client-registration, authorization server binding."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        oauth = OAuth(
            visit=gate.sign_in, client_id="client-7", client_secret="client-secret-of-one"
        )
        client.add_server("peer", gate.config(), authorization=oauth)
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        assert gate.asked("/one/register") == []
        gate.issuer = "two"
        gate.valid.clear()
        with pytest.raises(WorkbenchError, match="another authorization server"):
            await client.call("look")
        told = [visit.body + repr(visit.headers).encode() for visit in gate.desk.visits]
        assert [visit.path for visit in gate.desk.visits if visit.path == "/two/token"] == []
        assert not [one for one in told if b"/two" in one and b"client-7" in one]

    play(story)


def test_a_moved_authorization_server_gets_a_registration_of_its_own() -> None:
    """Spec: client-registration, authorization server binding; conformance: migration."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        await client.connect_all()
        gate.issuer = "two"
        gate.valid.clear()
        await client.call("look")
        assert "client_id=client-of-two" in gate.pages[-1]
        assert "again-1-secret" not in gate.asked("/two/token")[0].body.decode()

    play(story)


def test_the_applications_own_tokens_are_asked_for_each_time_and_hidden() -> None:
    """Spec: basic/authorization, access token usage; design section 5, secrets."""

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        gate.valid.update({"token-1-secret": "read", "token-2-secret": "read"})
        tokens = iter(["token-1-secret", "token-8-secret", "token-2-secret", "token-2-secret"])
        client.add_server("peer", gate.config(), authorization=lambda: next(tokens))
        await client.connect_all()  # the first
        await client.discover_tools()  # the second is refused, and the third is better
        client.merge()
        await client.call("look")
        assert [v.headers["authorization"][7:14] for v in gate.asked("/mcp")] == [
            "token-1", "token-8", "token-2", "token-2"
        ]  # fmt: skip
        assert client.journal.redactor.clean("token-8-secret") != "token-8-secret"

    play(story)


def test_oauth_without_the_sdk_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design section 8: extra `[oauth]`."""
    monkeypatch.setitem(sys.modules, "mcp.client.auth", None)

    async def story(gate: Gate, client: AsyncMultiServerClient) -> None:
        with pytest.raises(ConfigError, match=r"mcp-client-workbench\[oauth\]"):
            client.add_server("peer", gate.config(), authorization=OAuth(visit=gate.sign_in))
        assert client.report().peers == ()

    play(story)
