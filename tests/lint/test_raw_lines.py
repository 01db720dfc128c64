"""Frames one a line: who sent which."""

import json

import pytest

from workbench.lint.raw_lines import from_lines


def sides(*lines: object) -> list[str]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return [entry.kind for entry in from_lines(text, "p").entries()]


def ask(method: str, id: object = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "method": method}


def answer(id: object = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "result": {}}


def test_a_method_says_who_uses_it_and_an_answer_goes_back() -> None:
    """Ours: most records do not say who sent what."""
    assert sides(ask("initialize"), answer(), ask("roots/list", 1), answer()) == [
        "sent",
        "received",
        "received",
        "sent",
    ]
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    news = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    assert sides(told, news) == ["sent", "received"]


def test_what_is_no_message_is_the_servers() -> None:
    """Ours: banners are what such records are full of."""
    assert sides("Server starting", "[1]", "7") == ["received"] * 3


@pytest.mark.parametrize("word", ["sent", "OUT", "client_to_server", ">"])
def test_a_given_direction_is_believed(word: str) -> None:
    """Ours: recorders have many words for two directions."""
    assert sides({"direction": word, "message": ask("roots/list")}) == ["sent"]


def test_a_wrapper_may_name_peer_and_time_and_hold_text() -> None:
    """Ours: one file of several peers."""
    line = json.dumps({"direction": "in", "message": "not json", "peer": "a", "at": 2.5})
    (entry,) = from_lines(line, "p").entries()
    assert (entry.peer, entry.at, entry.frame) == ("a", 2.5, b"not json")


def test_bytes_that_are_not_utf_8_stay_what_they_were() -> None:
    """Fault matrix C09: the fault must survive the reading."""
    (entry,) = from_lines(b'{"a":"\xff"}'.decode("utf-8", "surrogateescape"), "p").entries()
    assert entry.frame == b'{"a":"\xff"}'


def test_a_direction_that_is_none_names_its_line() -> None:
    """Ours: the reader finds it."""
    with pytest.raises(ValueError, match="line 2"):
        sides(ask("a"), {"direction": "up", "message": {}})
