"""JSON that is safe to print and reads back unchanged."""

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.text.json_text import canonical_text, json_text


@given(st.text(st.characters()))
def test_any_text_reads_back_and_holds_nothing_a_terminal_acts_on(text: str) -> None:
    """Ours: property over all of Unicode, lone surrogates included."""
    for indent in (None, 2):
        shown = json_text({"a": text}, indent)
        assert json.loads(shown) == {"a": text}
        assert all(char.isprintable() or char in "\n " or char > "\x9f" for char in shown)
        shown.encode("utf-8")


def test_hidden_characters_are_written_as_escapes() -> None:
    """Ours: design 7.10; readable letters stay readable."""
    assert json_text(["é\u202e\x9b\x7f\U000e0001"]) == '["é\\u202e\\u009b\\u007f\\udb40\\udc01"]'
    assert json_text({"a": 1, "b": None}) == '{"a":1,"b":null}'


def test_the_canonical_text_is_the_same_however_it_was_made() -> None:
    """Ours: a value too deep for a recursion has a text, of the same form."""
    plain = {"b": [1, 1.5, "é", None, True, [], {}], "a": {"z": 1, "y": [[2], {"k": []}]}}
    flat = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    deep: object = plain
    for _ in range(20_000):
        deep = [deep]
    assert canonical_text(plain) == flat
    assert canonical_text(deep) == "[" * 20_000 + flat + "]" * 20_000
