import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import methods

from fakes import Fake, dual_era, legacy, modern
from fakes.engine import begin, react
from fakes.eras.legacy import REFUSALS
from fakes.events import Heard
from fakes.outputs import End, Write
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN, LEGACY_REVISIONS

Body = dict[str, Any]
Build = Callable[..., Body]


def talk(fake: Fake, *bodies: Body) -> list[Body]:
    state, lines = begin(fake.program), []
    for body in bodies:
        state, outputs = react(state, Heard(json.dumps(body).encode()), 0.0)
        lines += [json.loads(out.line.data) for out in outputs if isinstance(out, Write)]
    return lines


def request(number: int, method: str, params: Any = None) -> Body:
    body = {"jsonrpc": "2.0", "id": number, "method": method}
    return body if params is None else {**body, "params": params}


@pytest.mark.parametrize("fake", [modern(list_changed=True), dual_era()], ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "search", "arguments": {"q": "x"}}),
    ],
)
def test_honest_modern_results_are_valid(
    fake: Fake, method: str, params: Body, modern_body: Build
) -> None:
    """Spec: schema 2026-07-28, checked with the official wire models."""
    body = modern_body(1, method, params)
    methods.validate_client_request(method, LATEST_MODERN, body["params"])
    (answer,) = talk(fake, body)
    methods.validate_server_result(method, LATEST_MODERN, answer["result"])
    assert answer["result"]["resultType"] == "complete"


@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
def test_honest_legacy_results_are_valid(revision: str, handshake: list[Body]) -> None:
    """Spec: each handshake-era schema, checked with the official wire models."""
    handshake[0]["params"]["protocolVersion"] = revision
    call = {"name": "search", "arguments": {"q": "x"}}
    rest = [request(2, "ping"), request(3, "tools/list"), request(4, "tools/call", call)]
    answers = talk(legacy(), *handshake, *rest)
    for asked, answer in zip([handshake[0], *rest], answers, strict=True):
        methods.validate_server_result(asked["method"], revision, answer["result"])
    assert answers[0]["result"]["protocolVersion"] == revision
    assert not any("resultType" in answer["result"] for answer in answers)


def test_the_acknowledgement_of_a_listen_stream_is_valid(modern_body: Build) -> None:
    """Spec: schema 2026-07-28 SubscriptionsAcknowledgedNotification."""
    listen = modern_body(5, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    for fake, agreed in ((modern(list_changed=True), {"toolsListChanged": True}), (modern(), {})):
        (note,) = talk(fake, listen)
        methods.parse_server_notification(note["method"], LATEST_MODERN, note["params"])
        assert note["params"]["notifications"] == agreed


def test_a_call_echoes_its_arguments_as_compact_json(modern_body: Build) -> None:
    """Ours: the default answer of every tool, the same in both eras."""
    call = {"name": "create", "arguments": {"q": "é", "n": 1}}
    (answer,) = talk(modern(), modern_body(1, "tools/call", call))
    assert answer["result"]["content"] == [{"type": "text", "text": 'create: {"q":"é","n":1}'}]
    assert answer["result"]["isError"] is False


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (request(1, "server/discover"), -32602),
        (request(1, "server/discover", {"_meta": {}}), -32602),
        (request(1, "ping"), -32602),
        (request(1, "initialize", {"protocolVersion": LATEST_LEGACY}), -32022),
    ],
)
def test_a_modern_server_refuses_what_lacks_metadata(body: Body, code: int) -> None:
    """Spec: basic/index `_meta`; `initialize` names no version this server has."""
    (answer,) = talk(modern(), body)
    assert answer["error"]["code"] == code


def test_an_unknown_version_is_refused_with_what_is_supported(modern_body: Build) -> None:
    """Spec: basic/versioning, UnsupportedProtocolVersionError."""
    (answer,) = talk(modern(), modern_body(1, "tools/list", version="1900-01-01"))
    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"] == {"supported": [LATEST_MODERN], "requested": "1900-01-01"}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such", None, -32601),
        ("ping", None, -32601),
        ("tools/call", {"name": "nothing"}, -32602),
        ("tools/call", {"name": "search", "arguments": []}, -32602),
        ("tools/list", {"cursor": "made-up"}, -32602),
    ],
)
def test_a_modern_server_refuses_what_it_does_not_have(
    method: str, params: Any, code: int, modern_body: Build
) -> None:
    """Spec: JSON-RPC codes as the specification assigns them."""
    (answer,) = talk(modern(), modern_body(1, method, params))
    assert answer["error"]["code"] == code


@pytest.mark.parametrize("count", [0, 1, 3, 6, 7])
def test_pages_give_every_tool_once_and_in_order(count: int, modern_body: Build) -> None:
    """Spec: server/utilities/pagination; an exact fit has no empty last page."""
    names = [f"t{number}" for number in range(count)]
    fake, cursor, seen, asked = modern(tools=names, page_size=3), None, [], 0
    while asked == 0 or cursor is not None:
        params = {} if cursor is None else {"cursor": cursor}
        (answer,) = talk(fake, modern_body(1, "tools/list", params))
        seen += [tool["name"] for tool in answer["result"]["tools"]]
        cursor, asked = answer["result"].get("nextCursor"), asked + 1
    assert seen == names and asked == max(1, -(-count // 3))


@pytest.mark.parametrize("refusal", sorted(REFUSALS))
def test_a_legacy_server_refuses_the_probe_and_then_shakes_hands(
    refusal: Any, modern_body: Build, handshake: list[Body]
) -> None:
    """Case E01, E02, E03: real legacy servers take a probe in ten different ways."""
    fake = legacy(refusal=refusal)
    frame = Heard(json.dumps(modern_body(9, "server/discover")).encode())
    _, outputs = react(begin(fake.program), frame, 0.0)
    answered = [out for out in outputs if isinstance(out, Write)]
    assert bool(answered) is (refusal not in ("silent", "exit"))
    assert any(isinstance(out, End) for out in outputs) is (refusal == "exit")
    (greeting,) = talk(fake, *handshake)
    methods.validate_server_result("initialize", LATEST_LEGACY, greeting["result"])


def test_a_legacy_server_keeps_to_the_order_of_the_handshake(handshake: list[Body]) -> None:
    """Spec: 2025-11-25 basic/lifecycle; nothing but ping before `initialized`, one handshake."""
    listing = request(2, "tools/list")
    early = talk(legacy(), handshake[0], listing, handshake[0], request(3, "ping"))
    assert [one.get("error", {}).get("code") for one in early] == [None, -32600, -32600, None]
    late = talk(legacy(), *handshake, listing, request(3, "no/such"))
    assert [one.get("error", {}).get("code") for one in late] == [None, None, -32601]


def test_a_legacy_server_offers_its_newest_revision_for_an_unknown_one(
    handshake: list[Body],
) -> None:
    """Spec: 2025-11-25 basic/lifecycle "Version Negotiation"."""
    handshake[0]["params"]["protocolVersion"] = "2099-01-01"
    (greeting,) = talk(legacy(versions=LEGACY_REVISIONS[:2]), *handshake)
    assert greeting["result"]["protocolVersion"] == LEGACY_REVISIONS[1]


def test_a_dual_era_server_stays_in_the_era_of_the_first_telling_request(
    modern_body: Build, handshake: list[Body]
) -> None:
    """Ours, as the official servers do: one link, one era."""
    probe = modern_body(9, "server/discover")
    first_modern = talk(dual_era(), probe, handshake[0])
    assert "result" in first_modern[0] and first_modern[1]["error"]["code"] == -32022
    first_legacy = talk(dual_era(), *handshake, probe)
    assert "result" in first_legacy[0] and first_legacy[1]["error"]["code"] == -32601
    assert set(first_modern[0]["result"]["supportedVersions"]) == {LATEST_MODERN, *LEGACY_REVISIONS}


def test_instructions_are_given_in_both_eras(modern_body: Build, handshake: list[Body]) -> None:
    """Spec: DiscoverResult and InitializeResult both may carry them."""
    said = [
        talk(modern(instructions="Be kind."), modern_body(1, "server/discover"))[0],
        talk(legacy(instructions="Be kind."), *handshake)[0],
    ]
    assert [one["result"]["instructions"] for one in said] == ["Be kind."] * 2


@pytest.mark.parametrize(
    ("fake", "body", "code"),
    [
        (legacy(), request(1, "initialize", {}), -32602),
        (dual_era(), request(1, "tools/list"), -32601),
    ],
)
def test_what_no_era_can_take_is_refused(fake: Fake, body: Body, code: int) -> None:
    """Ours: a dual-era server that has heard nothing telling refuses as a legacy one."""
    assert [one["error"]["code"] for one in talk(fake, body)] == [code]


def test_a_legacy_server_refuses_an_unknown_tool_and_a_made_up_cursor(
    handshake: list[Body],
) -> None:
    """Spec: 2025-11-25 server/tools and pagination, -32602."""
    bad = [
        request(2, "tools/call", {"name": "nothing"}),
        request(3, "tools/list", {"cursor": "made-up"}),
    ]
    answers = talk(legacy(page_size=1), *handshake, *bad)[1:]
    assert [one["error"]["code"] for one in answers] == [-32602, -32602]


def test_listening_without_a_filter_is_refused_and_other_notes_are_ignored(
    modern_body: Build,
) -> None:
    """Spec: SubscriptionsListenRequestParams requires `notifications`."""
    note = {"jsonrpc": "2.0", "method": "notifications/whatever"}
    answers = talk(modern(), note, modern_body(1, "subscriptions/listen"))
    assert [one["error"]["code"] for one in answers] == [-32602]
