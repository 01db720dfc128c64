import json

from fakes.line import PIECE, Line, answer_line, filled, notification_line, raw_line, request_line
from fakes.steps import PROGRESS_TOKEN, REQUEST_ID, ask, error, notify, raw, reply
from workbench.core.wire.message import Request

ASKED = Request(7, "m", {"_meta": {"progressToken": "p"}})


def test_pieces_make_up_the_whole_and_none_is_larger_than_a_pipe_takes() -> None:
    """Ours: a repetition is never held as a whole."""
    for line in (
        Line(b"ab", 3),
        Line(b"ab", 3, chunk=1),
        Line(b"x" * 100_000),
        Line(b"x", 200_000),
    ):
        pieces = list(line.pieces())
        assert b"".join(pieces) == line.data * line.times
        assert max(map(len, pieces)) <= (line.chunk or PIECE)
    assert list(Line(b"").pieces()) == []


def test_marks_become_what_the_request_says() -> None:
    """Ours: the two marks, anywhere in a value."""
    value = {"a": [REQUEST_ID, {"b": PROGRESS_TOKEN}], "c": f"{REQUEST_ID}!"}
    assert filled(value, ASKED) == {"a": [7, {"b": "p"}], "c": f"{REQUEST_ID}!"}
    assert filled(REQUEST_ID, None) == REQUEST_ID
    assert filled(PROGRESS_TOKEN, Request(1, "m", {})) is None


def test_every_kind_of_line_is_json_with_a_line_end() -> None:
    """Spec: basic/index, messages."""
    lines = [
        answer_line(reply({"id": REQUEST_ID}), ASKED),
        answer_line(error(-1, "no", {"a": 1}), ASKED),
        notification_line(notify("n"), ASKED, "s"),
        request_line(ask("r", {"a": 1}, id="x"), ASKED),
        raw_line(raw('{"id": <<id>>}'), ASKED),
    ]
    assert all(line.data.endswith(b"\n") for line in lines)
    first, second, third, fourth, last = [json.loads(line.data) for line in lines]
    assert first["result"] == {"id": 7} and second["error"]["data"] == {"a": 1}
    assert list(third["params"]["_meta"].values()) == ["s"]
    assert (fourth["id"], last["id"]) == ("x", 7)


def test_every_wrong_id_is_wrong_in_its_own_way() -> None:
    """Case: ids of another number, another type, none at all."""
    wrong = {"other": 1_007, "string": "7", "float": 7.0, 3: 3}
    for word, expected in wrong.items():
        body = json.loads(answer_line(reply(1, id=word), ASKED).data)
        assert body["id"] == expected and type(body["id"]) is type(expected)
    assert "id" not in json.loads(answer_line(reply(1, id="missing"), ASKED).data)
    assert json.loads(answer_line(reply(1, id=None), ASKED).data)["id"] is None
    named = Request("a", "m", {})
    assert json.loads(answer_line(reply(1, id="other"), named).data)["id"] == "a-other"
