import socket
from typing import Any

import pytest
from mcp_types import methods
from visitor import Answer, Visitor, modern, plain

import fakes
from fakes import dual_era, error, on, status
from workbench.core.wire.envelope import legacy_request, notification
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN


def test_every_honest_modern_answer_is_valid() -> None:
    """Spec: schema 2026-07-28, by the official wire models."""
    fake = fakes.modern("notes", ["search"])
    with fake.over_http() as url:
        for method, params in (
            ("server/discover", {}),
            ("tools/list", {}),
            ("tools/call", {"name": "search", "arguments": {"q": "x"}}),
        ):
            answer = Visitor(url).ask(method, params, id="a")
            assert (answer.status, answer.json["id"]) == (200, "a")
            assert answer.headers["content-type"] == "application/json"
            methods.validate_server_result(method, LATEST_MODERN, answer.json["result"])
    assert fake.methods() == ["server/discover", "tools/list", "tools/call"]
    assert [(one.method, one.path, one.status) for one in fake.exchanges] == [
        ("POST", "/mcp", 200)
    ] * 3


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:80", "[::1]:1", "LOCALHOST", "here.test"])
def test_names_of_this_machine_are_allowed_hosts(host: str) -> None:
    """Spec: transports, DNS rebinding; here.test was configured."""
    with fakes.modern().over_http(hosts=("here.test",)) as url:
        assert Visitor(url).ask("server/discover", headers={"Host": host}).status == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", ""])
def test_any_other_host_is_forbidden(host: str) -> None:
    """Spec: transports, DNS rebinding."""
    with fakes.modern().over_http() as url:
        answer = Visitor(url).ask("server/discover", headers={"Host": host})
        assert answer.status in (400, 403)


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://localhost:8888", 200),
        ("https://127.0.0.1", 200),
        ("http://[::1]:3000", 200),
        ("https://app.example", 200),
        ("https://app.example:444", 403),
        ("http://app.example", 403),
        ("https://app.example.evil.test", 403),
        ("http://localhost.evil.test", 403),
        ("http://evil.test@localhost", 403),
        ("http://localhost:8888/path", 403),
        ("http://localhost:nan", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_an_origin_is_compared_exactly(origin: str, expected: int) -> None:
    """Seed card: HTTP 403, use an exact origin match."""
    fake = fakes.modern()
    with fake.over_http(origins=("https://app.example",)) as url:
        answer = Visitor(url).ask("server/discover", headers={"Origin": origin})
        assert answer.status == expected
    assert len(fake.received) == (1 if expected == 200 else 0)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
def test_a_modern_endpoint_takes_post_alone(method: str) -> None:
    """Seed card: HTTP 405 for GET or DELETE on /mcp."""
    with fakes.modern().over_http() as url:
        answer = Visitor(url).send(method, plain())
        assert (answer.status, answer.headers["allow"], answer.body) == (405, "POST", b"")


def test_another_path_is_not_found() -> None:
    """Ours: one endpoint, given by its path; a query changes nothing."""
    headers, body = modern("server/discover")
    with fakes.modern().over_http(path="/rpc") as url:
        assert url.endswith("/rpc")
        statuses = [
            Visitor(url).send("POST", headers, body, path).status
            for path in ("/rpc", "/rpc?x=1", "/mcp", "/rpc/")
        ]
    assert statuses == [200, 200, 404, 404]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Content-Type": "application/json; charset=utf-8"}, 200),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": None}, 415),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "text/event-stream;q=0.5 , APPLICATION/JSON"}, 200),
        ({"Accept": "application/json"}, 406),
        ({"Accept": "text/event-stream"}, 406),
    ],
)
def test_media_types_are_checked(headers: dict[str, str | None], expected: int) -> None:
    """Spec: sending messages, the client lists both kinds of answer."""
    with fakes.modern().over_http() as url:
        assert Visitor(url).ask("server/discover", headers=headers).status == expected


CALL = {"name": "search", "arguments": {"q": "x"}}


@pytest.mark.parametrize(
    "headers",
    [
        {"MCP-Protocol-Version": None},
        {"MCP-Protocol-Version": LATEST_LEGACY},
        {"Mcp-Method": None},
        {"Mcp-Method": "TOOLS/CALL"},
        {"Mcp-Name": None},
        {"Mcp-Name": "create"},
        {"Mcp-Name": "=?base64?Y3JlYXRl?="},
        {"Mcp-Name": "=?base64?!!?="},
    ],
)
def test_a_header_that_contradicts_the_body_is_a_mismatch(headers: dict[str, Any]) -> None:
    """Spec: server validation, 400 and -32020; the id comes back."""
    fake = fakes.modern()
    with fake.over_http() as url:
        answer = Visitor(url).ask("tools/call", CALL, id=7, headers=headers)
        assert (answer.status, answer.code, answer.json["id"]) == (400, -32020, 7)
    assert fake.effects == [] and len(fake.received) == 1


def test_an_encoded_name_is_decoded_before_it_is_compared() -> None:
    """Spec: value encoding; names in headers are case-insensitive."""
    with fakes.modern(tools=["suche ü"]).over_http() as url:
        answer = Visitor(url).ask(
            "tools/call",
            {"name": "suche ü"},
            headers={"Mcp-Name": None, "mcp-NAME": "=?base64?c3VjaGUgw7w=?="},
        )
        assert answer.status == 200


def test_a_parameter_header_is_checked_against_the_body() -> None:
    """Spec: custom headers from tool parameters, numbers compare as numbers."""
    tool = {
        "name": "sql",
        "inputSchema": {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "deep": {
                    "type": "object",
                    "properties": {"limit": {"type": "integer", "x-mcp-header": "Limit"}},
                },
            },
        },
    }
    arguments = {"region": "us", "deep": {"limit": 42}}
    good = {"Mcp-Param-Region": "us", "Mcp-Param-Limit": "42.0"}
    with fakes.modern(tools=[tool]).over_http() as url:

        def call(arguments: Any, headers: dict[str, str]) -> Answer:
            params = {"name": "sql", "arguments": arguments}
            return Visitor(url).ask("tools/call", params, headers=headers)

        assert call(arguments, good).status == 200
        assert call({"region": None}, {}).status == 200
        for headers in ({}, {**good, "Mcp-Param-Region": "eu"}, {**good, "Mcp-Param-Limit": "x"}):
            assert call(arguments, headers).code == -32020
        assert call({}, {"Mcp-Param-Region": "us"}).code == -32020


@pytest.mark.parametrize(
    ("method", "more", "expected"),
    [
        ("no/such", {}, (404, -32601)),
        ("ping", {}, (404, -32601)),
        ("initialize", {}, (404, -32601)),
        ("tools/list", {"version": "2099-01-01"}, (400, -32022)),
        ("tools/call", {"params": {"name": "none"}}, (400, -32602)),
    ],
)
def test_errors_have_the_status_of_their_code(
    method: str, more: dict[str, Any], expected: tuple[int, int]
) -> None:
    """Spec: 404 for an unknown method, 400 for a version that is not supported."""
    with fakes.modern().over_http() as url:
        answer = Visitor(url).ask(method, **more)
        assert (answer.status, answer.code) == expected


def test_a_request_without_metadata_is_refused() -> None:
    """Seed card: -32602 for a missing `_meta`; `initialize` is told the versions instead."""
    with fakes.modern().over_http() as url:
        bare = Visitor(url).post(legacy_request(3, "tools/list"))
        assert (bare.status, bare.code, bare.json["id"]) == (400, -32602, 3)
        hello = Visitor(url).post(legacy_request(4, "initialize", {"protocolVersion": "x"}))
        assert (hello.status, hello.code) == (400, -32022)
        assert hello.json["error"]["data"]["supported"] == [LATEST_MODERN]


def test_a_missing_capability_has_status_400() -> None:
    """Spec: -32021 goes with 400."""
    fake = fakes.modern().script(on("tools/call").then(error(-32021, "Missing capability")))
    with fake.over_http() as url:
        answer = Visitor(url).ask("tools/call", CALL)
        assert (answer.status, answer.code) == (400, -32021)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"  \n", -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b'{"a":' + b"[" * 200_000, -32700),
        (b"NaN", -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'"text"', -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', -32600),
    ],
)
def test_a_body_that_is_no_request_is_refused_and_the_host_goes_on(body: bytes, code: int) -> None:
    """Spec: one message per POST; a modern client sends no answers."""
    headers = {**plain(), "MCP-Protocol-Version": LATEST_MODERN, "Mcp-Method": "ping"}
    with fakes.modern().over_http() as url:
        answer = Visitor(url).send("POST", headers, body)
        assert (answer.status, answer.code, answer.json["id"]) == (400, code, None)
        assert Visitor(url).ask("server/discover").status == 200


def test_a_body_over_the_cap_is_a_parse_error() -> None:
    """Seed card: 1_048_576 bytes; a larger body gives -32700."""
    headers, body = modern("tools/call", CALL)
    cap = 1_048_576
    fake = fakes.modern()
    with fake.over_http() as url:
        fits = Visitor(url).send("POST", headers, body + b" " * (cap - len(body)))
        over = Visitor(url).send("POST", headers, body + b" " * (cap - len(body) + 1))
    assert (fits.status, over.status, over.code) == (200, 413, -32700)
    assert len(fake.received) == 1


def test_a_body_that_does_not_arrive_is_a_parse_error() -> None:
    """Seed card: the read of a body has a timeout (5.0 s unless given)."""
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Accept: */*\r\nContent-Length: 9\r\n\r\n{"
    )
    with fakes.modern().over_http(body_timeout_s=0.05) as url:
        port = int(url.rsplit(":", 1)[1].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), 5) as link:
            link.sendall(head)
            seen = link.recv(65_536)
    assert seen.startswith(b"HTTP/1.1 408 ")


def test_a_notification_is_accepted_without_a_body() -> None:
    """Spec: 202 Accepted with no body."""
    fake = fakes.modern().script(on("notifications/refused").then(status(400)))
    with fake.over_http() as url:
        for method, expected in (("cancelled", 202), ("refused", 400)):
            answer = Visitor(url).post(notification(f"notifications/{method}", {"requestId": 1}))
            assert (answer.status, answer.body) == (expected, b"")
            assert "content-type" not in answer.headers


def test_no_session_and_no_resumption_on_a_modern_endpoint() -> None:
    """Spec: earlier revisions; ignore Mcp-Session-Id and Last-Event-ID, mint nothing."""
    headers = {"Mcp-Session-Id": "x", "Last-Event-ID": "3"}
    for fake in (fakes.modern(), dual_era()):
        with fake.over_http() as url:
            answer = Visitor(url).ask("server/discover", headers=headers)
            assert answer.status == 200 and "mcp-session-id" not in answer.headers
