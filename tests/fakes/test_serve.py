import io
import json
import subprocess
import sys
from typing import Any

import pytest

from fakes import RpcError, StdioTransport, serve


def handler(method: str, params: dict[str, Any]) -> Any:
    if method == "fail":
        raise KeyError("the secret of the house")
    if method == "refuse":
        raise RpcError(-32042, "not today", {"try": "tomorrow"})
    if method == "unwritable":
        return {"object": object()}
    return {"method": method, "params": params}


def run(*lines: bytes, max_bytes: int = 1_048_576) -> tuple[int, list[dict[str, Any]]]:
    output = io.BytesIO()
    handled = serve(handler, StdioTransport(io.BytesIO(b"".join(lines)), output, max_bytes))
    return handled, [json.loads(line) for line in output.getvalue().splitlines()]


def line(**body: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}).encode() + b"\n"


def test_each_request_gets_one_answer_in_order() -> None:
    """Seed card: serve JSON-RPC lines until EOF."""
    handled, answers = run(line(id=1, method="a", params={"x": 1}), line(id="two", method="b"))
    assert handled == 2
    assert answers == [
        {"jsonrpc": "2.0", "id": 1, "result": {"method": "a", "params": {"x": 1}}},
        {"jsonrpc": "2.0", "id": "two", "result": {"method": "b", "params": {}}},
    ]


def test_a_broken_line_gets_minus_32700_and_the_loop_goes_on() -> None:
    """Seed card: -32700, id null, loop continues with the next line."""
    handled, answers = run(b"{broken\n", b"\xff\n", line(id=1, method="a"))
    assert handled == 1
    assert [(one["id"], one.get("error", {}).get("code")) for one in answers] == [
        (None, -32700),
        (None, -32700),
        (1, None),
    ]


@pytest.mark.parametrize(
    "text", [b"[", b"[1,", b'"x', b"[] []", b"[info] started", b"2026-07-28 x"]
)
def test_what_only_begins_like_json_is_a_parse_error(text: bytes) -> None:
    """JSON-RPC 2.0, section 5.1: -32600 is for JSON that is no request."""
    _, answers = run(text + b"\n")
    assert [(one["id"], one["error"]["code"]) for one in answers] == [(None, -32700)]


def test_a_line_over_the_cap_gets_minus_32700_and_the_loop_goes_on() -> None:
    """Seed card: MAX_REQUEST_BYTES."""
    handled, answers = run(b"x" * 300 + b"\n", line(id=1, method="a"), max_bytes=200)
    assert handled == 1 and answers[0]["error"]["code"] == -32700 and "result" in answers[1]


@pytest.mark.parametrize(
    ("text", "answer_id"),
    [
        (b"[]\n", None),
        (b'"x"\n', None),
        (b'{"id":4,"method":"a"}\n', 4),
        (line(id=5, method=7), 5),
        (line(id=6, method="a", params=[]), 6),
        (line(id=None, method="a"), None),
        (line(id=True, method="a"), None),
    ],
)
def test_an_invalid_envelope_gets_minus_32600(text: bytes, answer_id: Any) -> None:
    """Spec: JSON-RPC 2.0 Invalid Request."""
    handled, answers = run(text)
    assert handled == 0
    assert [(one["id"], one["error"]["code"]) for one in answers] == [(answer_id, -32600)]


def test_a_failing_handler_gets_minus_32603_and_keeps_its_secrets() -> None:
    """Ours: an exception's text may hold anything; its type is enough to look in the log."""
    _, answers = run(line(id=1, method="fail"), line(id=2, method="a"))
    assert answers[0]["error"] == {"code": -32603, "message": "Internal error: KeyError"}
    assert "result" in answers[1]


def test_a_result_without_a_json_form_gets_minus_32603() -> None:
    """Ours: the loop goes on, and nothing half-written is on the wire."""
    _, answers = run(line(id=1, method="unwritable"), line(id=2, method="a"))
    assert [one.get("error", {}).get("code") for one in answers] == [-32603, None]


def test_a_handler_chooses_its_error() -> None:
    """Ours: `RpcError` is how a handler answers with a code of its own."""
    _, answers = run(line(id=1, method="refuse"))
    assert answers[0]["error"] == {
        "code": -32042,
        "message": "not today",
        "data": {"try": "tomorrow"},
    }


def test_notifications_answers_and_blank_lines_get_no_answer() -> None:
    """Spec: JSON-RPC 2.0, a notification is never answered, not even when it fails."""
    handled, answers = run(
        line(method="a"), line(method="fail"), b"\n", line(id=1, result={}), line(id=2, method="a")
    )
    assert handled == 3 and [one["id"] for one in answers] == [2]


def test_a_last_line_without_its_end_is_still_a_message() -> None:
    """Case S08: no final newline."""
    assert run(line(id=1, method="a").rstrip())[0] == 1


def test_it_serves_real_standard_streams() -> None:
    """Seed lesson: the loop is the whole server."""
    program = (
        "import sys; from fakes import StdioTransport, serve;"
        "serve(lambda method, params: method, StdioTransport(sys.stdin, sys.stdout))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=line(id=1, method="a"),
        capture_output=True,
        timeout=5,
    )
    assert (done.returncode, json.loads(done.stdout)["result"], done.stderr) == (0, "a", b"")
