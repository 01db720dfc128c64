"""Whatever an answer returns becomes plain values, in bounded size."""

import dataclasses
import enum
import json
from collections import OrderedDict, namedtuple
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import MultiServerClient
from workbench.exercises.plain import DEEPEST, LONGEST_TEXT, MOST_ITEMS, plain


class Colour(enum.Enum):
    """Any enumeration."""

    RED = "red"


class Row(msgspec.Struct):
    """Any struct."""

    name: str
    inner: tuple[int, ...] = (1, 2)


@dataclasses.dataclass
class Data:
    """Any data class."""

    name: str


Pair = namedtuple("Pair", "a b")


class Odd:
    """An object with a text of its own."""

    def __str__(self) -> str:
        return "odd \x1b[31m"


class Liar(str):
    """A text that claims to be equal to everything."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ((1, [2]), [1, [2]]),
        ({"a": (1,), 2: "b"}, {"a": [1], "2": "b"}),
        (OrderedDict(x=1), {"x": 1}),
        ({"b", "a"}, ["a", "b"]),
        (Colour.RED, "red"),
        (Row("n"), {"name": "n", "inner": [1, 2]}),
        (Data("n"), {"name": "n"}),
        (Pair(1, 2), [1, 2]),
        (bytearray(b"x"), b"x"),
        (Odd(), {"object": "Odd", "text": "odd \\x1b[31m"}),
        ("\ud800", "?"),
    ],
)
def test_a_value_by_its_content(value: Any, wanted: Any) -> None:
    """Ours: the judge compares content; styles differ."""
    assert plain(value) == wanted


def test_no_object_of_an_answer_gets_out() -> None:
    """Ours: a subclass could be equal to whatever it is compared with."""
    told = plain({"x": Liar("no"), "y": [Liar("no")]})
    assert (type(told["x"]), type(told["y"][0])) == (str, str)
    assert told != {"x": "yes", "y": ["yes"]}


def test_sizes_are_bounded() -> None:
    """Ours: a judge holds what an answer returns."""
    assert len(plain("x" * (LONGEST_TEXT + 1))) == LONGEST_TEXT
    assert len(plain(list(range(MOST_ITEMS + 1)))) == MOST_ITEMS
    assert len(plain(dict.fromkeys(range(MOST_ITEMS + 1)))) == MOST_ITEMS
    assert plain(10**30)["object"] == "int"
    deep: Any = []
    for _ in range(DEEPEST + 5):
        deep = [deep]
    assert "object" in json.dumps(plain(deep))
    loop: list[Any] = []
    loop.append(loop)
    json.dumps(plain(loop))


def test_a_client_and_its_menu_have_a_form() -> None:
    """Ours: answers return objects of the client."""
    with MultiServerClient() as client:
        assert plain(client)["object"] == "MultiServerClient"
        assert plain(client.report())["peers"] == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_everything_plain_can_leave_the_process(value: Any) -> None:
    """Ours: what is judged here can be sent there."""
    told = plain(value)
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(told))
    assert repr(again) == repr(told)
