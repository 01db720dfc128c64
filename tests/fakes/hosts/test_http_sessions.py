import json

import pytest
from mcp_types import methods
from visitor import BOTH, Visitor, plain

from fakes import Fake, answer_default, ask, dual_era, error, exit_, legacy, notify, on
from workbench.core.wire.envelope import legacy_request, notification
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN

HELLO = {
    "protocolVersion": LATEST_LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "check", "version": "1"},
}


def greet(visitor: Visitor) -> dict[str, str]:
    """Open a legacy session and return the headers that belong to it."""
    answer = visitor.post(legacy_request(1, "initialize", HELLO))
    assert answer.status == 200, answer
    session = {
        "Mcp-Session-Id": answer.headers["mcp-session-id"],
        "MCP-Protocol-Version": LATEST_LEGACY,
    }
    assert visitor.post(notification("notifications/initialized"), session).status == 202
    return session


def test_a_legacy_session_is_issued_required_and_ended() -> None:
    """Spec: 2025-11-25 session management."""
    fake = legacy("old", ["search"])
    with fake.over_http() as url:
        visitor = Visitor(url)
        session = greet(visitor)
        name = session["Mcp-Session-Id"]
        assert len(name) >= 16 and all("!" <= char <= "~" for char in name)
        listed = visitor.post(legacy_request(2, "tools/list"), session)
        methods.validate_server_result("tools/list", LATEST_LEGACY, listed.json["result"])
        assert visitor.post(legacy_request(3, "tools/list")).status == 400
        lost = visitor.post(legacy_request(4, "tools/list"), {"Mcp-Session-Id": "none"})
        assert lost.status == 404
        assert visitor.send("DELETE").status == 405
        assert visitor.send("DELETE", session).status == 204
        assert visitor.send("DELETE", session).status == 404
        assert visitor.post(legacy_request(5, "tools/list"), session).status == 404
        assert greet(visitor) != session


def test_legacy_errors_inside_a_session_have_status_200() -> None:
    """Spec: 2025-11-25, the answer to a request is JSON or a stream; the error is inside."""
    with legacy().over_http() as url:
        session = greet(Visitor(url))
        unknown = Visitor(url).post(legacy_request(2, "no/such"), session)
        assert (unknown.status, unknown.code) == (200, -32601)
        broken = Visitor(url).post(b"{", session)
        assert (broken.status, broken.code) == (400, -32700)


def test_a_legacy_version_header_is_checked() -> None:
    """Spec: 2025-11-25 protocol version header; a missing one is not an error."""
    with legacy().over_http() as url:
        session = greet(Visitor(url))
        for version, expected in (("1999-12-31", 400), (LATEST_MODERN, 400), ("2025-03-26", 200)):
            headers = {**session, "MCP-Protocol-Version": version}
            assert Visitor(url).post(legacy_request(2, "ping"), headers).status == expected
        bare = {"Mcp-Session-Id": session["Mcp-Session-Id"]}
        assert Visitor(url).post(legacy_request(3, "ping"), bare).json["result"] == {}


def test_a_refused_handshake_gives_no_session() -> None:
    """Ours: no session without an InitializeResult."""
    fake = legacy().script(on("initialize").then(error(-32603, "Internal error")))
    with fake.over_http() as url:
        answer = Visitor(url).post(legacy_request(1, "initialize", HELLO))
        assert (answer.status, answer.code) == (400, -32603)
        assert "mcp-session-id" not in answer.headers


def test_two_sessions_shake_hands_apart() -> None:
    """Ours: where one client stands is nobody else's business."""
    with legacy().over_http() as url:
        visitor = Visitor(url)
        first = greet(visitor)
        second = visitor.post(legacy_request(1, "initialize", HELLO)).headers["mcp-session-id"]
        early = visitor.post(legacy_request(2, "tools/list"), {"Mcp-Session-Id": second})
        assert early.code == -32600
        assert "result" in visitor.post(legacy_request(2, "tools/list"), first).json


def test_a_legacy_probe_refusal_has_status_400() -> None:
    """Ours: what is refused without a session, and how, is the script's to say."""
    for refusal, code in (("method-not-found", -32601), ("server-error", -32000)):
        with legacy(refusal=refusal).over_http() as url:  # type: ignore[arg-type]
            answer = Visitor(url).ask("server/discover")
            assert (answer.status, answer.code) == (400, code)


def test_both_eras_share_one_endpoint() -> None:
    """Ours: a request tells its era by header or metadata, not by who came before."""
    fake = dual_era()
    with fake.over_http() as url:
        visitor = Visitor(url)
        session = greet(visitor)
        assert "resultType" in visitor.ask("tools/list").json["result"]
        assert (
            "resultType"
            not in visitor.post(legacy_request(2, "tools/list"), session).json["result"]
        )
        assert visitor.ask("tools/list", version="2099-01-01").code == -32022
        assert visitor.post(legacy_request(3, "tools/list")).status == 400
        bare = visitor.post(legacy_request(3, "x"), {"MCP-Protocol-Version": LATEST_MODERN})
        assert bare.code == -32602


def test_server_requests_and_news_come_on_the_clients_own_stream() -> None:
    """Spec: 2025-11-25 listening for messages from the server."""
    fake = legacy(list_changed=True).script(
        on("notifications/initialized").then(ask("roots/list", id=5)),
        on("tools/list").then(
            answer_default(), notify("notifications/tools/list_changed", listeners=True)
        ),
    )
    with fake.over_http() as url:
        visitor = Visitor(url)
        session = greet(visitor)
        listed = visitor.post(legacy_request(2, "tools/list"), session)
        assert listed.headers["content-type"] == "application/json"
        headers = {**session, "Accept": "text/event-stream"}
        with visitor.open("GET", headers) as stream:
            assert stream.response.status == 200
            assert stream.message()["method"] == "roots/list"
            assert stream.message()["method"] == "notifications/tools/list_changed"
            assert visitor.send("GET", headers).status == 409
            assert visitor.post({"jsonrpc": "2.0", "id": 5, "result": {}}, session).status == 202
        assert visitor.send("GET", {**session, "Accept": "application/json"}).status == 406
        assert visitor.send("GET", {"Accept": BOTH}).status == 400


def test_a_request_in_a_call_is_answered_by_a_post_of_its_own() -> None:
    """Spec: 2025-11-25, requests may travel on the stream of a POST."""
    fake = legacy().script(on("tools/call").then(ask("ping", id=9, wait=True), answer_default()))
    with fake.over_http() as url:
        visitor = Visitor(url)
        session = greet(visitor)
        body = json.dumps(legacy_request(2, "tools/call", {"name": "search"})).encode()
        with visitor.open("POST", {**plain(), **session}, body) as stream:
            assert stream.message() == {"jsonrpc": "2.0", "id": 9, "method": "ping"}
            assert visitor.post({"jsonrpc": "2.0", "id": 9, "result": {}}, session).status == 202
            assert stream.message()["id"] == 2
            assert stream.event() == {}


def test_a_server_that_exits_forgets_its_sessions() -> None:
    """Ours: the next message finds the next lifetime at the same address."""
    fake: Fake = legacy().script(on("tools/call").in_lifetime(1).then(exit_(1)))
    with fake.over_http() as url:
        visitor = Visitor(url)
        session = greet(visitor)
        with pytest.raises((ConnectionError, OSError)):
            visitor.post(legacy_request(2, "tools/call", {"name": "search"}), session)
        assert visitor.post(legacy_request(3, "tools/list"), session).status == 404
        session = greet(visitor)
        assert (
            visitor.post(legacy_request(2, "tools/call", {"name": "search"}), session).status == 200
        )
    assert fake.lifetimes == 2
