"""Frames in, messages or a reason out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.wire.codec import decode, encode, too_long
from workbench.core.wire.message import (
    ErrorReply,
    Fault,
    Malformed,
    Notification,
    Request,
    Result,
    same_id,
)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"a"}', Request(1, "a", {})),
        (b'{"jsonrpc":"2.0","id":"x","method":"a","params":{"b":2}}', Request("x", "a", {"b": 2})),
        (b'{"jsonrpc":"2.0","method":"a"}', Notification("a", {})),
        (b'{"jsonrpc":"2.0","id":1,"result":null}', Result(1, None)),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}', Result(1, {})),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}\r', Result(1, {})),
        (
            b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1]}}',
            ErrorReply(1, -1, "m", [1]),
        ),
        (b'{"jsonrpc":"2.0","error":{"code":0,"message":""}}', ErrorReply(None, 0, "")),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":0,"message":""}}', ErrorReply(None, 0, "")),
        (
            '{"jsonrpc":"2.0","id":1,"result":"a\u2028b\u2029c\u0085"}'.encode(),
            Result(1, "a\u2028b\u2029c\u0085"),
        ),
        (
            b'{"jsonrpc":"2.0","id":100000000000000000000,"result":1}',
            Result(10**20, 1),
        ),
    ],
)
def test_a_valid_envelope_becomes_its_message(frame: bytes, message: object) -> None:
    """Spec: basic/index, messages. Field case S06."""
    assert decode(frame) == message


@pytest.mark.parametrize(
    ("frame", "fault", "known_id"),
    [
        (b"", Fault.BLANK, None),
        (b" \r", Fault.BLANK, None),
        (b"hello", Fault.NOT_JSON, None),
        (b'{"jsonrpc":"2.0","id":1,"result":NaN}', Fault.NOT_JSON, None),
        (b'{"a":1} x', Fault.NOT_JSON, None),
        (b'{"jsonrpc":"2.0","id":1,"result":"\xff"}', Fault.NOT_UTF8, None),
        (
            b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 2000 + b"]" * 2000 + b"}",
            Fault.TOO_DEEP,
            1,
        ),
        (b'[{"jsonrpc":"2.0","id":1,"result":{}}]', Fault.BATCH, None),
        (b'"text"', Fault.NOT_AN_OBJECT, None),
        (b"[", Fault.NOT_JSON, None),
        (b"[info] ready", Fault.NOT_JSON, None),
        (b'"text', Fault.NOT_JSON, None),
        (b"2026-07-28 ready", Fault.NOT_JSON, None),
        (b"[" * 5000, Fault.TOO_DEEP, None),
        (b'{"id":1,"result":{}}', Fault.WRONG_JSONRPC, 1),
        (b'{"jsonrpc":"1.0","id":1,"result":{}}', Fault.WRONG_JSONRPC, 1),
        (b'{"jsonrpc":2.0,"id":1,"result":{}}', Fault.WRONG_JSONRPC, 1),
        (b'{"jsonrpc":"2.0","id":1}', Fault.NEITHER_RESULT_NOR_ERROR, 1),
        (
            b'{"jsonrpc":"2.0","id":"a","result":{},"error":{"code":1,"message":""}}',
            Fault.RESULT_AND_ERROR,
            "a",
        ),
        (b'{"jsonrpc":"2.0","result":{}}', Fault.WRONG_ID, None),
        (b'{"jsonrpc":"2.0","id":null,"result":{}}', Fault.WRONG_ID, None),
        (b'{"jsonrpc":"2.0","id":1.0,"result":{}}', Fault.WRONG_ID, None),
        (b'{"jsonrpc":"2.0","id":true,"result":{}}', Fault.WRONG_ID, None),
        (b'{"jsonrpc":"2.0","id":[],"method":"a"}', Fault.WRONG_ID, None),
        (b'{"jsonrpc":"2.0","id":1,"error":"nope"}', Fault.WRONG_ERROR, 1),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}', Fault.WRONG_ERROR, 1),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":true,"message":""}}', Fault.WRONG_ERROR, 1),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":1}}', Fault.WRONG_ERROR, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":3}', Fault.WRONG_METHOD, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","result":{}}', Fault.WRONG_METHOD, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":[]}', Fault.WRONG_PARAMS, 1),
    ],
)
def test_a_broken_frame_says_what_is_wrong_and_whose_it_was(
    frame: bytes, fault: Fault, known_id: object
) -> None:
    """Spec: basic/index, responses. Field cases S07, S18, S26; fault matrix C09, L05, L06, L12."""
    message = decode(frame)
    assert isinstance(message, Malformed)
    assert (message.fault, message.id) == (fault, known_id)
    assert message.sample.isprintable()


def test_one_byte_order_mark_is_ignored_and_a_row_of_them_is_not() -> None:
    """Ours: a peer that repeats itself neither ends the reader nor slows it down."""
    mark = b"\xef\xbb\xbf"
    message = decode(mark * 100_000 + b'{"jsonrpc":"2.0","id":1,"result":{}}')
    assert isinstance(message, Malformed) and message.fault is Fault.NOT_JSON
    blank = decode(mark)
    assert isinstance(blank, Malformed) and blank.fault is Fault.BLANK


@given(st.binary(max_size=200))
def test_no_bytes_make_the_codec_raise(frame: bytes) -> None:
    """Ours: one bad message never ends the reader."""
    decode(frame)


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.text()),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
        max_leaves=10,
    )
)
def test_what_is_encoded_is_one_line_of_json_and_comes_back(value: object) -> None:
    """Spec: stdio messages contain no embedded newlines."""
    try:
        frame = encode({"jsonrpc": "2.0", "id": 1, "result": value})
    except UnicodeEncodeError:
        return  # a lone surrogate has no UTF-8 form; the caller is told
    assert b"\n" not in frame
    assert decode(frame) == Result(1, json.loads(frame)["result"])


def test_an_oversized_frame_is_described_with_both_sizes() -> None:
    """Field case S03."""
    message = too_long(20, b"xxx", 10)
    assert (message.fault, "20 bytes" in message.detail, "10" in message.detail) == (
        Fault.TOO_LONG,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("mine", "theirs", "same"),
    [(1, 1, True), (1, "1", False), ("1", "1", True), (1, None, False), (1, 2, False)],
)
def test_ids_are_compared_by_type_and_value(mine: int, theirs: object, same: bool) -> None:
    """Field case S18."""
    assert same_id(mine, theirs) is same
    assert not same_id(1, True)


@pytest.mark.parametrize(
    ("frame", "detail"),
    [
        (b'{"jsonrpc":"2.0","id":true,"result":{}}', "the id is true"),
        (b'{"jsonrpc":"2.0","id":null,"result":{}}', "the id is null"),
        (b'{"jsonrpc":"2.0","id":1.0,"result":{}}', "the id is 1.0"),
        (b'{"jsonrpc":"2.0","result":{}}', "the id is missing"),
        (b'{"id":1,"result":{}}', 'no "jsonrpc"'),
        (b'{"jsonrpc":"1.0","id":1,"result":{}}', 'a "jsonrpc" of "1.0"'),
    ],
)
def test_a_wrong_value_is_shown_as_it_stands_in_json(frame: bytes, detail: str) -> None:
    """Ours: whoever reads a frame beside the complaint finds the same word in both."""
    found = decode(frame)
    assert isinstance(found, Malformed)
    assert found.detail == detail
