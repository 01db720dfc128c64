"""What is left of a frame that is nested too deeply."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.wire.codec import decode
from workbench.core.wire.depth import LONGEST_BYTES, MOST_LEVELS, shallow
from workbench.core.wire.message import Fault, Malformed, Result

DEEP = "[" * 5_000 + "]" * 5_000


def answer(*items: str, more: str = "") -> bytes:
    return (f'{{"jsonrpc":"2.0","id":7,"result":{{"tools":[{",".join(items)}]{more}}}}}').encode()


def test_each_part_that_is_too_deep_becomes_null_as_a_whole() -> None:
    """Field case N15: what stands beside it is not touched, brackets in texts count for nothing."""
    good = json.dumps({"a": 'x[[{"\\', "b": [1, {"c": 2}]})
    read = shallow(answer(good, f'{{"x":{DEEP}}}', good, DEEP, more=f',"_meta":{{"y":{DEEP}}}'))
    assert read == answer(good, "null", good, "null", more=',"_meta":{"y":null}')


@pytest.mark.parametrize("levels", [1, MOST_LEVELS - 3, MOST_LEVELS - 2])
def test_the_limit_is_exact(levels: int) -> None:
    """Ours: levels are counted from the envelope."""
    frame = answer("[" * levels + "]" * levels)
    expected = frame if levels + 3 <= MOST_LEVELS else answer("null")
    assert shallow(frame) == expected


@pytest.mark.parametrize("frame", [b"[" * 5_000, b"]" * 3, b'{"a":', b'{"a":"' + b'\\"' * 500_000])
def test_what_is_no_frame_is_not_mended(frame: bytes) -> None:
    """Ours: a frame that is cut, or one quoting mark after the other, costs its length only."""
    assert shallow(frame) is None


def test_a_long_frame_is_not_looked_into() -> None:
    """Design 7.9: bounded."""
    assert shallow(b"[" + b" " * LONGEST_BYTES + b"]") is None


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
    st.text(), inner)))  # fmt: skip
def test_whatever_is_not_too_deep_stays_as_it_is(value: Any) -> None:
    """Ours: over every value, in both spellings of texts."""
    for ascii_only in (True, False):
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": value}, ensure_ascii=ascii_only)
        frame = text.encode("utf-8", "surrogatepass")
        assert shallow(frame) == frame


def test_the_id_and_the_rest_of_a_deep_answer_are_known() -> None:
    """Field case S26: whoever waits is told at once; N15: the rest of a list can be used."""
    message = decode(answer('{"name":"a"}', DEEP))
    assert isinstance(message, Malformed)
    assert (message.fault, message.id) == (Fault.TOO_DEEP, 7)
    assert message.rest == {"tools": [{"name": "a"}, None]}
    assert isinstance(decode(answer('{"name":"a"}')), Result)


@pytest.mark.parametrize(
    ("frame", "known"),
    [
        (f'{{"a":{DEEP}}}'.encode(), None),
        (f'{{"jsonrpc":"2.0","id":7,"method":"x","params":{{"a":{DEEP}}}}}'.encode(), None),
        (f'{{"jsonrpc":"2.0","id":7,"error":{{"code":1,"message":"x","data":{{"a":{DEEP}}}}}}}'
         .encode(), 7),
    ],
)  # fmt: skip
def test_only_an_answer_has_an_id_that_somebody_waits_for(frame: bytes, known: Any) -> None:
    """Ours: the id of a question of theirs is not an id of ours."""
    message = decode(frame)
    assert isinstance(message, Malformed)
    assert (message.fault, message.id, message.rest) == (Fault.TOO_DEEP, known, None)
