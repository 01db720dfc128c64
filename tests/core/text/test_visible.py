"""What cannot be seen is written out; what can be seen stays as it is."""

import unicodedata

import pytest

from workbench.core.text.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tea", "tea"),
        ("søk 茶 👍", "søk 茶 👍"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200b", "a\\u200b"),
        ("a\x1b[2J", "a\\x1b[2J"),
        ("\u3164", "\\u3164"),
        ("a\u2800b", "a\\u2800b"),
        ("a\ufe0f", "a\\ufe0f"),
        ("a\U000e0100", "a\\U000e0100"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_has_no_picture_is_written_as_an_escape(text: str, shown: str) -> None:
    """Ours: design 7.10; a tool's name may consist of a letter that nobody can see."""
    assert visible(text) == shown


def test_the_letters_without_a_picture_are_letters_to_unicode() -> None:
    """Ours: the category alone would let them pass."""
    assert {unicodedata.category(char) for char in "\u3164\u115f\u2800\u034f"} == {"Lo", "So", "Mn"}
