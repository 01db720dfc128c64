"""Round trips of a call, through the whole client, on every transport.

Spec: basic/patterns/mrtr. Field cases M01, M03, M04, M05; fault matrix C10, C11.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from driven import turns
from shelf import shelf

from fakes import Fake, answer_default, fault, legacy, modern, on, reply
from fakes.library.call_faults import STATE
from workbench import (
    AsyncMultiServerClient,
    Handlers,
    InputPolicy,
    MultiServerClient,
    PeerConfig,
    decline,
    fake_model,
)
from workbench.core.errors import InputRefused, ProtocolViolation, WorkbenchError
from workbench.core.wire.keys import CAPABILITIES_KEY

Way = Literal["memory", "stdio", "http"]
WAYS: tuple[Way, ...] = ("memory", "stdio", "http")
Received = Callable[[], list[dict[str, Any]]]

SURE = Handlers(elicitation=lambda asked: {"sure": True}, sampling=fake_model("yes"))


@contextmanager
def met(
    fake: Fake, way: Way, tmp_path: Path, handlers: Handlers | None = SURE, **settings: Any
) -> Iterator[tuple[MultiServerClient, Received]]:
    """Give a client that knows the fake as "peer", and what the fake received."""
    record = tmp_path / "received.jsonl"

    def recorded() -> list[dict[str, Any]]:
        lines = record.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines if line]

    with MultiServerClient(handlers=handlers) as client:
        if way == "memory":
            client.add_server("peer", fake, **settings)
            yield client, lambda: fake.received
        elif way == "stdio":
            with fake.over_stdio(record=record) as command:
                client.add_server("peer", command, **settings)
                yield client, recorded
                client.close()
        else:
            with fake.over_http() as url:
                client.add_server("peer", PeerConfig(name="peer", url=url), **settings)
                yield client, lambda: fake.received
                client.close()


def calls(received: Received) -> list[dict[str, Any]]:
    return [body for body in received() if body.get("method") == "tools/call"]


@pytest.mark.parametrize("way", WAYS)
def test_a_round_repeats_the_call_with_a_new_id_the_answer_and_the_exact_state(
    way: Way, tmp_path: Path
) -> None:
    """Seed card "MRTR round for Sampling", steps 1 to 6; field case M03."""
    with met(fault("C10-confirm"), way, tmp_path) as (client, received):
        assert client.call("search", {"q": "x"}).text == 'search: {"q":"x"}'
        first, second = calls(received)
        assert first["id"] != second["id"]
        assert "inputResponses" not in first["params"] and "requestState" not in first["params"]
        shared = {"name": "search", "arguments": {"q": "x"}}
        assert {key: first["params"][key] for key in shared} == shared
        assert {key: second["params"][key] for key in shared} == shared
        assert second["params"]["requestState"] == STATE
        accepted = {"action": "accept", "content": {"sure": True}}
        assert second["params"]["inputResponses"] == {"sure": accepted}
        for body in (first, second):
            declared = body["params"]["_meta"][CAPABILITIES_KEY]
            assert declared == {"elicitation": {}, "sampling": {}}
        (outcome,) = client.outcomes
        assert (str(outcome.ended), outcome.rounds, outcome.sent) == ("result", 1, 2)


@pytest.mark.parametrize("way", WAYS)
def test_state_alone_is_echoed_and_nothing_of_it_leaks_into_the_next_call(
    way: Way, tmp_path: Path
) -> None:
    """Spec: state affects only the retry of its own request."""
    with met(fault("C10-state-only"), way, tmp_path) as (client, received):
        client.call("search")
        client.call("create")
        states = [body["params"].get("requestState") for body in calls(received)]
        assert states == [None, STATE, None, STATE]
        assert all("inputResponses" not in body["params"] for body in calls(received))


@pytest.mark.parametrize("way", WAYS)
def test_asking_for_ever_ends_at_the_tenth_round(way: Way, tmp_path: Path) -> None:
    """Field case M01."""
    with met(fault("C10-for-ever"), way, tmp_path) as (client, received):
        with pytest.raises(InputRefused) as caught:
            client.call("search")
        assert caught.value.failure.rule == "INPUT-03"
        ids = [body["id"] for body in calls(received)]
        assert (len(ids), len(set(ids))) == (11, 11)
        assert (client.outcomes[0].rounds, client.outcomes[0].sent) == (11, 11)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "rule"), [("C10-unknown-kind", "INPUT-04"), ("C10-nothing", "INPUT-01")]
)
def test_a_broken_question_ends_the_call_and_the_peer_stays(
    name: str, rule: str, way: Way, tmp_path: Path
) -> None:
    """Rules INPUT-01 and INPUT-04."""
    with met(fault(name), way, tmp_path) as (client, received):
        with pytest.raises(ProtocolViolation) as caught:
            client.call("search")
        assert caught.value.failure.rule == rule
        assert len(calls(received)) == 1
        assert client.report().peers[0].status == "ready"


SUBSETS = [
    (Handlers(), {}),
    (Handlers(elicitation=lambda asked: {"sure": True}), {"elicitation": {}}),
    (Handlers(url_elicitation=lambda asked: True), {"elicitation": {"url": {}}}),
    (Handlers(sampling=fake_model()), {"sampling": {}}),
    (Handlers(roots=["/home/me"]), {"roots": {}}),
]
QUESTIONS = {
    "form": {
        "method": "elicitation/create",
        "params": {
            "message": "?",
            "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
        },
    },
    "url": {
        "method": "elicitation/create",
        "params": {"mode": "url", "message": "?", "url": "https://a.example/"},
    },
    "sampling": {
        "method": "sampling/createMessage",
        "params": {"messages": [], "maxTokens": 5},
    },
    "roots": {"method": "roots/list"},
}
MAY = {"form": 1, "url": 2, "sampling": 3, "roots": 4}


@pytest.mark.parametrize("question", sorted(QUESTIONS))
@pytest.mark.parametrize("subset", range(len(SUBSETS)))
def test_what_is_declared_is_answered_and_nothing_else(
    subset: int, question: str, tmp_path: Path
) -> None:
    """Field case M04: every kind against every subset of handlers."""
    handlers, declared = SUBSETS[subset]
    asking = reply({"resultType": "input_required", "inputRequests": {"k": QUESTIONS[question]}})
    peer = modern("peer").script(on("tools/call").where_absent("inputResponses").then(asking))
    with met(peer, "memory", tmp_path, handlers) as (client, received):
        if MAY[question] == subset:
            client.call("search")
            (response,) = calls(received)[1]["params"]["inputResponses"].values()
            assert response[
                "roots"
                if question == "roots"
                else "action"
                if question in ("form", "url")
                else "role"
            ]
        else:
            with pytest.raises(ProtocolViolation) as caught:
                client.call("search")
            assert caught.value.failure.rule == "CALL-05"
            assert len(calls(received)) == 1
        for body in received():
            assert body["params"]["_meta"][CAPABILITIES_KEY] == declared


@pytest.mark.parametrize("way", WAYS)
def test_a_no_is_sent_and_the_peer_decides_what_becomes_of_it(way: Way, tmp_path: Path) -> None:
    """Rule INPUT-07."""
    handlers = Handlers(elicitation=lambda asked: decline())
    with met(fault("C10-confirm"), way, tmp_path, handlers) as (client, received):
        client.call("search")
        assert calls(received)[1]["params"]["inputResponses"] == {"sure": {"action": "decline"}}


def test_input_required_with_content_is_no_result(tmp_path: Path) -> None:
    """Field case M05: branch on resultType before anything else."""
    both = {"resultType": "input_required", "requestState": "s", "content": [], "isError": False}
    peer = modern("peer").script(on("tools/call").nth(1).then(reply(both)))
    with met(peer, "memory", tmp_path) as (client, received):
        assert client.call("search").text == "search: {}"
        assert len(calls(received)) == 2


@pytest.mark.parametrize(
    "state", ["", "  x ", "x" * 100_000, "\\ud83d\\ude00", '{ "a" :1 }', "\u2028\u0000\u007f"]
)
@pytest.mark.parametrize("way", WAYS)
def test_any_state_survives_the_whole_way(state: str, way: Way, tmp_path: Path) -> None:
    """Field case M03."""
    ask = reply({"resultType": "input_required", "requestState": state})
    peer = modern("peer").script(on("tools/call").nth(1).then(ask))
    with met(peer, way, tmp_path) as (client, received):
        client.call("search")
        assert calls(received)[1]["params"]["requestState"] == state


@pytest.mark.parametrize("state", [7, None, {"a": 1}, True])
def test_a_state_that_is_no_string_is_refused(state: Any, tmp_path: Path) -> None:
    """Field case M03; rule INPUT-02."""
    ask = reply({"resultType": "input_required", "requestState": state})
    with met(modern("peer").script(on("tools/call").then(ask)), "memory", tmp_path) as (client, _):
        with pytest.raises(ProtocolViolation) as caught:
            client.call("search")
        assert caught.value.failure.rule == "INPUT-02"


def test_prompts_and_resources_may_ask_too(tmp_path: Path) -> None:
    """Spec: basic/patterns/mrtr, supported requests."""
    ask = reply(
        {
            "resultType": "input_required",
            "inputRequests": {"k": QUESTIONS["form"]},
            "requestState": "s",
        }
    )
    asking = [
        on(method).where_absent("requestState").then(ask)
        for method in ("prompts/get", "resources/read")
    ]
    peer = modern("peer").script(*asking, *shelf().program.rules)
    with met(peer, "memory", tmp_path) as (client, received):
        assert client.get_prompt("greet", {"who": "me"}).text
        assert client.read_resource("doc://a").text
        asked = [b for b in received() if b["method"] in ("prompts/get", "resources/read")]
        assert [body["params"].get("requestState") for body in asked] == [None, "s", None, "s"]
        assert asked[1]["params"]["arguments"] == {"who": "me"}
        assert asked[3]["params"]["uri"] == "doc://a"


def test_a_list_may_not_ask(tmp_path: Path) -> None:
    """Spec: servers must not send input_required on any other request."""
    ask = reply({"resultType": "input_required", "requestState": "s"})
    peer = modern("peer").script(on("tools/list").then(ask))
    with met(peer, "memory", tmp_path) as (client, received):
        client.connect_all()
        client.discover_tools()
        assert client.report().peers[0].reason
        assert [body["method"] for body in received()] == ["server/discover", "tools/list"]


def test_other_calls_go_on_while_a_person_decides() -> None:
    """Design section 7.8: never blocks the reader."""

    async def story() -> None:
        decided = threading.Event()
        handlers = Handlers(elicitation=lambda asked: {"sure": decided.wait(5)})
        asking = fault("C10-confirm").program.rules[0]
        rules = [on("tools/call").where(name="create").then(answer_default()), asking]
        client = AsyncMultiServerClient(handlers=handlers)
        client.add_server("peer", modern("peer").script(*rules))
        async with client, asyncio.timeout(10):
            await client.call("create")
            waiting = asyncio.ensure_future(client.call("search"))
            await turns(50)
            for _ in range(3):
                assert (await client.call("create")).is_error is False
            assert not waiting.done()
            decided.set()
            assert (await waiting).text == "search: {}"

    asyncio.run(story())


def test_a_call_cancelled_while_a_person_decides_sends_nothing_more() -> None:
    """Ours: no request is out between two rounds, so there is nothing to cancel."""

    async def story() -> None:
        async def never(asked: Any) -> None:
            await asyncio.Event().wait()

        handlers = Handlers(elicitation=never)
        peer = fault("C10-confirm")
        client = AsyncMultiServerClient(handlers=handlers)
        client.add_server("peer", peer)
        async with client, asyncio.timeout(10):
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            task = asyncio.ensure_future(client.call("search"))
            await turns(50)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await turns()
            assert peer.methods()[-1] == "tools/call"
            assert [str(one.ended) for one in client.outcomes] == ["cancelled"]

    asyncio.run(story())


def test_the_handler_learns_who_asks(tmp_path: Path) -> None:
    """Spec: client/elicitation: make it clear which server is requesting information."""
    seen: list[Any] = []
    handlers = Handlers(elicitation=lambda asked: seen.append(asked) or {"sure": True})
    with met(fault("C10-confirm"), "memory", tmp_path, handlers) as (client, _):
        client.call("search")
    assert (seen[0].peer, seen[0].key, seen[0].message) == ("peer", "sure", "Really?")


def test_no_failure_and_no_decision_shows_the_state(tmp_path: Path) -> None:
    """Field case M03: never logged in full; only the recorded frames hold it."""
    with met(fault("C10-for-ever"), "memory", tmp_path) as (client, _):
        with pytest.raises(WorkbenchError) as caught:
            client.call("search")
        noted = [entry for entry in client.journal.entries() if entry.kind == "decision"]
        assert STATE not in str(caught.value) + repr(noted) + client.outcomes.to_text()
        assert f"{len(STATE)} characters" in client.journal.to_text() + repr(noted)


# -- legacy servers ask by requests ------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_legacy_servers_sampling_request_is_answered_by_the_same_handler(
    way: Way, tmp_path: Path
) -> None:
    """Fault matrix C11; field case E20."""
    peer = fault("C11-legacy-sampling")
    with met(peer, way, tmp_path, allow_legacy=True) as (client, received):
        assert client.call("search").is_error is False
        (answer,) = [body for body in received() if body.get("id") == 99]
        assert answer["result"]["content"]["text"] == "yes"
        assert "error" not in answer


@pytest.mark.parametrize("way", WAYS)
def test_without_a_handler_a_legacy_server_hears_that_there_is_none(
    way: Way, tmp_path: Path
) -> None:
    """Field case E20: answered -32601, never left waiting."""
    peer = fault("C11-legacy-sampling")
    with met(peer, way, tmp_path, None, allow_legacy=True) as (client, received):
        assert client.call("search").is_error is False
        (answer,) = [body for body in received() if body.get("id") == 99]
        assert answer["error"]["code"] == -32601
        (hello,) = [body for body in received() if body.get("method") == "initialize"]
        assert hello["params"]["capabilities"] == {}


@pytest.mark.parametrize("way", WAYS)
def test_a_ping_is_answered_whatever_handlers_there_are(way: Way, tmp_path: Path) -> None:
    """Field case E20."""
    with met(fault("C11-legacy-ping"), way, tmp_path, allow_legacy=True) as (client, received):
        assert client.call("search").is_error is False
        (pong,) = [body for body in received() if body.get("id") == 99]
        assert pong["result"] == {}


def test_a_modern_server_that_sends_a_request_gets_no_answer_even_with_a_handler(
    tmp_path: Path,
) -> None:
    """Rule WIRE-02; fault matrix C11."""
    from fakes import ask

    message = {"messages": [], "maxTokens": 5}
    peer = modern("peer").script(
        on("tools/call").then(ask("sampling/createMessage", message, id=99), answer_default())
    )
    with met(peer, "memory", tmp_path) as (client, received):
        assert client.call("search").is_error is False
        assert [body for body in received() if body.get("id") == 99] == []


def test_a_legacy_handshake_declares_what_has_a_handler(tmp_path: Path) -> None:
    """Field case M04, for the older era: the handshake speaks for the whole lifetime."""
    handlers = Handlers(sampling=fake_model(), policy=InputPolicy(max_tokens=5))
    with met(legacy("peer"), "memory", tmp_path, handlers, allow_legacy=True) as (client, received):
        client.connect_all()
        (hello,) = [body for body in received() if body.get("method") == "initialize"]
        assert hello["params"]["capabilities"] == {"sampling": {}}
