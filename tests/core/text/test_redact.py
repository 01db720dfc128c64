"""Known secrets are replaced wherever and however they are written."""

import base64
import json
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from workbench.core.text.redact import MARK, Redactor
from workbench.core.text.visible import visible

SECRET = 'pä/ss+"word\n7?'


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps(SECRET, ensure_ascii=False).replace("/", "\\/"),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        visible(SECRET),
    ],
)
def test_a_secret_is_replaced_in_every_form_it_may_take(written: str) -> None:
    """Ours: text and bytes, plain, escaped, quoted and encoded."""
    redactor = Redactor([SECRET])
    for cleaned in (redactor.clean(f"a{written}z"), redactor.clean(f"a{written}z".encode())):
        text = cleaned if isinstance(cleaned, str) else cleaned.decode()
        assert MARK in text
        assert written not in text
        assert "word" not in text


@pytest.mark.parametrize("user", ["u", "us", "use", "user"])
def test_a_secret_inside_longer_base64_is_replaced(user: str) -> None:
    """Ours: `Authorization: Basic` holds the secret at any of three offsets."""
    header = base64.b64encode(f"{user}:correct-horse-battery".encode()).decode()
    cleaned = Redactor(["correct-horse-battery"]).clean(f"Basic {header}")
    assert MARK in cleaned
    # What may stay is the name in front and at most one character at each border.
    assert len(cleaned.replace(MARK, "").removeprefix("Basic ")) <= 9


def test_a_token_is_replaced_without_its_scheme() -> None:
    """Case X01: a server echoes the token of a header, not the header."""
    assert Redactor(["Bearer tok-123456"]).clean("got tok-123456!") == f"got {MARK}!"


def test_each_line_of_a_long_secret_is_replaced() -> None:
    """Ours: a key file shows up line by line on stderr."""
    redactor = Redactor(["first-line-of-key\nsecond-line-of-key\n"])
    assert redactor.clean("x second-line-of-key y") == f"x {MARK} y"


def test_overlapping_secrets_leave_no_tail() -> None:
    """Ours: the longest match alone would leave the end of the other."""
    redactor = Redactor(["abcdef", "defghi", "abcd"])
    assert redactor.clean("-abcdefghi-") == f"-{MARK}-"


def test_short_values_are_ignored() -> None:
    """Ours: hiding "1" or "dev" would hide the report."""
    redactor = Redactor(["", "1", "dev"])
    assert redactor.clean("dev 1") == "dev 1"


def test_text_without_a_secret_comes_back_as_the_same_object() -> None:
    """Ours: nothing is copied when nothing matches."""
    redactor = Redactor(["hunter22"])
    frame = b'{"jsonrpc":"2.0"}'
    assert redactor.clean(frame) is frame


def test_a_secret_learnt_later_is_replaced_from_then_on() -> None:
    """Ours: a peer may be added to a running client."""
    redactor = Redactor()
    assert redactor.clean("hunter22") == "hunter22"
    redactor.add("hunter22")
    assert redactor.clean("hunter22") == MARK
    assert "hunter22" not in repr(redactor)


def test_a_cut_sample_holds_no_half_secret() -> None:
    """Ours: hide first, cut afterwards."""
    assert "hunt" not in Redactor(["hunter22"]).sample(b"xxxxxxhunter22", 10)


class Row(Struct, frozen=True):
    text: str
    more: Any = None


def test_a_tree_is_cleaned_to_its_leaves() -> None:
    """Ours: structs, tuples, lists, dicts, keys and bytes."""
    redactor = Redactor(["hunter22"])
    row = Row("a hunter22", (b"hunter22", [{"hunter22": Row("hunter22", 4)}]))
    assert "hunter22" not in repr(redactor.tree(row))
    assert redactor.tree(Row("fine")) == Row("fine")


class Rows(tuple[Row, ...]):
    pass


class Named(NamedTuple):
    name: str


def test_a_tuple_of_a_kind_of_its_own_stays_one() -> None:
    """Ours: what is a table before it is cleaned is a table afterwards."""
    redactor = Redactor(["hunter22"])
    assert type(redactor.tree(Rows([Row("hunter22")]))) is Rows
    assert redactor.tree(Named("hunter22")) == (MARK,)
    untouched = Rows([Row("fine")])
    assert redactor.tree(untouched) is untouched


def test_a_tree_too_deep_is_hidden_rather_than_followed() -> None:
    """Ours: bounded work; what is not checked is not shown."""
    value: Any = ["hunter22"]
    for _ in range(500):
        value = [value]
    assert "hunter22" not in repr(Redactor(["hunter22"]).tree(value))


@given(st.text(min_size=4), st.text(), st.text())
def test_no_secret_of_four_characters_survives(secret: str, before: str, after: str) -> None:
    """Ours: property, over all of Unicode; the mark itself may spell a very odd secret."""
    cleaned = Redactor([secret]).clean(before + secret + after)
    assert secret not in cleaned.replace(MARK, "\0")
