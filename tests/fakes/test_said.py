"""A recorded frame becomes a step that means the same to another request."""

import json
from typing import Any

import pytest

from fakes.line import answer_line
from fakes.said import announced, answered
from fakes.steps import PROGRESS_TOKEN, REQUEST_ID, Reply
from workbench.core.wire.message import Notification, Request

ASKED = Request(1, "tools/call", {"_meta": {"progressToken": "t"}})
ANEW = Request(9, "tools/call", {})
KEY = "io.modelcontextprotocol/subscriptionId"


def again(body: dict[str, Any]) -> Any:
    """Return the frame a replay would write to a request with id 9."""
    said = answered(json.dumps(body).encode(), [ASKED])
    assert said is not None and said[1] == 1
    return json.loads(answer_line(said[0], ANEW).data)


OK = {"jsonrpc": "2.0", "id": 1, "result": {"a": [1, None]}}
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "m", "data": {"x": 1}}}


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        (OK, {}),
        (ERROR, {}),
        ({**OK, "jsonrpc": "1.0"}, {}),
        ({**OK, "extra": True}, {}),
        ({**OK, "error": {"code": 1, "message": "both"}}, {}),
        ({"jsonrpc": "2.0", "id": 1}, {}),
        ({"id": 1, "result": {}}, {}),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": "-1", "message": "m"}}, {}),
        ({**OK, "id": "1"}, {"id": "9"}),
        ({**OK, "id": 1.0}, {"id": 9.0}),
        ({**OK, "id": None}, {"id": None}),
        ({**OK, "id": 77}, {"id": 1009}),
        ({**OK, "id": "else"}, {"id": "else"}),
        ({**OK, "result": None}, {}),
    ],
)
def test_an_answer_keeps_everything_but_the_id_it_was_asked_with(
    body: dict[str, Any], changes: dict[str, Any]
) -> None:
    """Ours: what was wrong with a frame is what a replay is for."""
    assert again(body) == {**body, "id": 9, **changes}


def test_an_answer_without_an_id_stays_without_one() -> None:
    """Fault matrix C03."""
    assert again({"jsonrpc": "2.0", "result": {}}) == {"jsonrpc": "2.0", "result": {}}


@pytest.mark.parametrize("frame", [b"", b"text", b"[1]", b"\xff", b'{"method":"x","id":1}'])
def test_what_is_no_answer_is_none(frame: bytes) -> None:
    """Ours: such frames are played as bytes."""
    assert answered(frame, [ASKED]) is None


def test_tokens_and_stream_ids_become_marks_where_they_were_the_request_s_own() -> None:
    """Ours: a replayed request has a token and an id of its own."""
    progress = announced(Notification("p", {"progressToken": "t"}), ASKED, listeners=False)
    assert progress.params == {"progressToken": PROGRESS_TOKEN}
    foreign = announced(Notification("p", {"progressToken": "u"}), ASKED, listeners=False)
    assert foreign.params == {"progressToken": "u"}
    stamped = Notification("n", {"_meta": {KEY: 1}})
    assert announced(stamped, ASKED, listeners=False).params == {"_meta": {KEY: REQUEST_ID}}
    assert announced(stamped, ASKED, listeners=True).params == {}
    said = answered(json.dumps({**OK, "result": {"_meta": {KEY: 1}}}).encode(), [ASKED])
    assert said is not None and isinstance(said[0], Reply)
    assert said[0].result == {"_meta": {KEY: REQUEST_ID}}
