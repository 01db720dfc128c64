import http.client
import json

import pytest
from visitor import Stream, Visitor, plain

from fakes import (
    PROGRESS_TOKEN,
    Fake,
    answer_default,
    as_json,
    as_sse,
    challenge,
    cut,
    delay,
    deliver,
    empty,
    hang_up,
    html,
    legacy,
    lines,
    modern,
    notify,
    on,
    on_get,
    raw,
    redirect,
    silence,
    stall,
    status,
)
from fakes.hosts.http_answer import Events
from fakes.steps import Step
from workbench.core.wire.envelope import legacy_request, notification
from workbench.core.wire.versions import LATEST_LEGACY

CALL = {"name": "search", "arguments": {"q": "x"}}
PROGRESS = notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": 1})


def calling(*steps: Step) -> Fake:
    return modern().script(on("tools/call").then(*steps))


def session(visitor: Visitor) -> dict[str, str]:
    hello = {
        "protocolVersion": LATEST_LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "check", "version": "1"},
    }
    answer = visitor.post(legacy_request(1, "initialize", hello))
    headers = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
    visitor.post(notification("notifications/initialized"), headers)
    return headers


def test_one_answer_alone_is_json_and_anything_before_it_makes_a_stream() -> None:
    """Spec: receiving messages; notifications come before the final answer."""
    with calling(answer_default()).over_http() as url:
        answer = Visitor(url).ask("tools/call", CALL)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["content-length"] == str(len(answer.body))
    with calling(PROGRESS, PROGRESS, answer_default()).over_http() as url:
        params = {**CALL, "_meta": {"progressToken": "p"}}
        answer = Visitor(url).ask("tools/call", params, id=3)
        assert answer.headers["content-type"] == "text/event-stream"
        assert answer.headers["x-accel-buffering"] == "no"
        first, second, last = answer.events
        assert first["params"]["progressToken"] == second["params"]["progressToken"] == "p"
        assert last["id"] == 3


def test_the_form_can_be_chosen() -> None:
    """Spec: the client must support both."""
    with calling(as_sse(), answer_default()).over_http() as url:
        (event,) = Visitor(url).ask("tools/call", CALL).events
        assert event["id"] == 1
    with calling(as_json(), PROGRESS, answer_default()).over_http() as url:
        answer = Visitor(url).ask("tools/call", CALL)
        assert answer.headers["content-type"] == "application/json"
        assert len(answer.body.splitlines()) == 2


def test_a_late_answer_is_still_json_and_does_not_hold_up_others() -> None:
    """Ours: delays wait on the loop."""
    fake = modern().script(on("tools/call").then(delay(0.3), answer_default()))
    with fake.over_http() as url:
        headers, body = _call(1)
        connection = _connection(url)
        connection.request("POST", "/mcp", body, headers)
        assert Visitor(url).ask("tools/list", id=2).json["id"] == 2
        assert not any(one.status for one in fake.exchanges if one.body["id"] == 1)
        with Stream(connection) as stream:
            assert json.loads(stream.response.read())["id"] == 1


def _call(request_id: int) -> tuple[dict[str, str], bytes]:
    from visitor import modern as build

    return build("tools/call", CALL, id=request_id)


def _connection(url: str) -> http.client.HTTPConnection:
    place = url.removeprefix("http://").removesuffix("/mcp")
    return http.client.HTTPConnection(place, timeout=5)


def test_an_answer_that_is_sent_twice_is_two_events() -> None:
    """Ours: an edit of the line means the same on every transport."""
    with calling(answer_default(times=2)).over_http() as url:
        events = Visitor(url).ask("tools/call", CALL).events
        assert [event["id"] for event in events] == [1, 1]


def test_text_that_is_not_json_is_the_body() -> None:
    """Ours: `raw` alone takes the place of the answer, byte for byte."""
    with calling(lines("Usage: x", "bye")).over_http() as url:
        answer = Visitor(url).ask("tools/call", CALL)
        assert (answer.status, answer.body) == (200, b"Usage: x\nbye")
        assert answer.headers["content-type"] == "application/json"


def test_an_answer_in_pieces_of_a_byte_is_the_same_answer() -> None:
    """Ours: chunked writes change nothing but their number."""
    for form in (as_json(), as_sse()):
        with calling(form, answer_default(chunk=1)).over_http() as url:
            assert b'"isError":false' in Visitor(url).ask("tools/call", CALL).body


def test_a_huge_event_is_streamed() -> None:
    """Case S04: 64 MiB without an end, then a good answer."""
    fake = calling(raw("x" * 1024, newline=False, times=65_536), raw(""), answer_default())
    with fake.over_http() as url, Visitor(url).ask_open("tools/call", CALL) as stream:
        assert stream.response.readline() == b"event: message\n"
        size = 0
        while not (chunk := stream.response.readline(1 << 20)).endswith(b"\n"):
            size += len(chunk)
        assert size + len(chunk) == 64 * 1024 * 1024 + len(b"data: \n")
        assert stream.response.readline() == b"\n"
        assert stream.message()["id"] == 1


@pytest.mark.parametrize(
    ("step", "expected", "header"),
    [
        (empty(202), (202, b""), {}),
        (status(418, "tea <<id>>", {"X-Pot": "1"}, "text/plain"), (418, b"tea 1"), {"x-pot": "1"}),
        (status(200, b"\xff\xfe"), (200, b"\xff\xfe"), {"content-type": ""}),
        (html(502), None, {"content-type": "text/html; charset=utf-8"}),
        (redirect("/mcp?x"), (307, b""), {"location": "/mcp?x"}),
        (challenge(header="Bearer"), (401, b""), {"www-authenticate": "Bearer"}),
        (status(200, "abc", chunk=1), (200, b"abc"), {"content-length": "3"}),
    ],
)
def test_a_scripted_response_is_sent_as_it_is(
    step: Step, expected: tuple[int, bytes] | None, header: dict[str, str]
) -> None:
    """Ours: the script may be any HTTP server."""
    with calling(step).over_http() as url:
        answer = Visitor(url).ask("tools/call", CALL)
        assert expected in (None, (answer.status, answer.body))
        assert {name: answer.headers.get(name) for name in header} == header


def test_the_delivery_of_an_honest_answer_can_be_edited() -> None:
    """Ours: like the envelope; another status, other headers, another type."""
    steps = (deliver(status=500, headers={"X-A": "1"}), deliver(content_type="text/html"))
    with calling(*steps, answer_default()).over_http() as url:
        answer = Visitor(url).ask("tools/call", CALL)
        assert (answer.status, answer.headers["x-a"]) == (500, "1")
        assert answer.headers["content-type"] == "text/html"
        assert answer.json["id"] == 1


def test_a_body_can_stall() -> None:
    """Row H16: the head and some bytes, then nothing; the host still stops at once."""
    fake = calling(stall(10), answer_default())
    with fake.over_http() as url, Visitor(url).ask_open("tools/call", CALL) as stream:
        assert stream.response.status == 200
        assert stream.response.read(10) == b'{"jsonrpc"'
    assert fake.exchanges[0].ended in ("hung up", "client left")


@pytest.mark.parametrize("how", ["close", "reset"])
def test_a_body_can_be_cut(how: str) -> None:
    """Row H17: cut in the middle of an event, or of a JSON body."""
    for form in (as_sse(), as_json()):
        fake = calling(form, cut(20, how=how), answer_default())  # type: ignore[arg-type]
        with fake.over_http() as url, Visitor(url).ask_open("tools/call", CALL) as stream:
            with pytest.raises((http.client.IncompleteRead, ConnectionError)) as caught:
                stream.response.read()
            if isinstance(caught.value, http.client.IncompleteRead) and how == "close":
                assert len(caught.value.partial) == 20
            fake.wait_until(lambda seen: seen.exchanges[0].ended == "hung up")


def test_a_body_can_end_early_and_well() -> None:
    """Case H06: a stream that ends without an answer."""
    for form, media in ((as_sse(), "text/event-stream"), (as_json(), "application/json")):
        with calling(form, cut(20, how="end"), answer_default()).over_http() as url:
            answer = Visitor(url).ask("tools/call", CALL)
            assert (len(answer.body), answer.headers["content-type"]) == (20, media)
    with calling(PROGRESS, hang_up()).over_http() as url:
        (event,) = Visitor(url).ask("tools/call", CALL).events
        assert event["method"] == "notifications/progress"


def test_a_connection_can_be_closed_without_a_response() -> None:
    """Ours: the nearest thing to a process that dies."""
    for how in ("close", "reset"):
        with calling(hang_up(how)).over_http() as url:  # type: ignore[arg-type]
            with pytest.raises((ConnectionError, http.client.BadStatusLine)):
                Visitor(url).ask("tools/call", CALL)
            assert Visitor(url).ask("tools/list").status == 200


def test_a_stream_can_stay_quiet() -> None:
    """Row H16: the head of a stream, then nothing."""
    with calling(as_sse(), silence()).over_http() as url:
        with Visitor(url).ask_open("tools/call", CALL) as stream:
            assert stream.response.getheader("content-type") == "text/event-stream"


def test_a_lost_legacy_stream_is_resumed_where_it_ended() -> None:
    """Spec: 2025-11-25 resumability; `retry` before the end, GET with Last-Event-ID."""
    fake = legacy().script(
        on("tools/call").then(PROGRESS, hang_up(retry_ms=20), PROGRESS, answer_default())
    )
    with fake.over_http() as url:
        visitor = Visitor(url)
        headers = session(visitor)
        body = json.dumps(legacy_request(2, "tools/call", CALL)).encode()
        with visitor.open("POST", {**plain(), **headers}, body) as stream:
            assert stream.message()["method"] == "notifications/progress"
            goodbye = stream.event()
            assert (goodbye["retry"], goodbye["data"]) == ("20", "")
            assert stream.event() == {}
        resume = {**headers, **plain(), "Last-Event-ID": goodbye["id"]}
        for _ in range(2):
            with visitor.open("GET", resume) as stream:
                first, last = stream.event(), stream.event()
                assert json.loads(first["data"])["method"] == "notifications/progress"
                assert json.loads(last["data"])["id"] == 2
                assert stream.event() == {}
        last_one = {**resume, "Last-Event-ID": first["id"]}
        with visitor.open("GET", last_one) as stream:
            assert stream.message()["id"] == 2


def test_a_get_can_be_scripted() -> None:
    """Spec: the old HTTP+SSE transport answers GET with an `endpoint` event."""
    old = status(200, "event: endpoint\ndata: /messages\n\n", None, "text/event-stream")
    fake = legacy().script(on("*").then(empty(405)), on_get().then(old))
    with fake.over_http() as url:
        assert Visitor(url).ask("server/discover").status == 405
        answer = Visitor(url).send("GET", {"Accept": "text/event-stream"})
        assert answer.body == b"event: endpoint\ndata: /messages\n\n"


def test_what_was_sent_is_in_the_recording() -> None:
    """Ours: bodies, headers and statuses, for assertions."""
    fake = modern("notes")
    with fake.over_http() as url:
        Visitor(url).ask("tools/list", headers={"Authorization": "Bearer x", "Mcp-Method": "no"})
        fake.wait_until(lambda seen: seen.exchanges[0].ended == "answered")
    (one,) = fake.exchanges
    assert (one.method, one.path, one.status) == ("POST", "/mcp", 400)
    assert one.headers["authorization"] == "Bearer x"
    assert one.response_headers["content-type"] == "application/json"
    assert one.body == fake.received[0]


def test_events_are_independent_of_the_pieces_they_come_in() -> None:
    """Ours: pure; every cut of the same lines gives the same stream."""
    text = b'{"a":1}\n\n{"b":"\xe2\x80\xa8"}\r\n'
    whole = Events().feed(text, 1)
    for at in range(len(text) + 1):
        events = Events()
        assert events.feed(text[:at], 1) + events.feed(text[at:], 1) == whole
    assert whole.count(b"event: message\n") == 3
    assert Events("4").feed(b"x\n", 2) == b"event: message\nid: 4.2\ndata: x\n\n"
    assert Events("").goodbye(1, 5) == Events("4").goodbye(1, None) == b""
