"""Markdown cells stay cells."""

import pytest

from workbench.core.text.markdown import cell, table


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain 1.0, a/b-c (d)", "plain 1.0, a/b-c (d)"),
        ("a|b`c\n", "a\\|b\\`c\\\\n"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("&lt;", "&amp;lt;"),
        ("[x](javascript:1) ![y] *b* _i_ ~s~ $m$", None),
        ("https://evil.example", "https\\://evil.example"),
        ("\u202e\x1b[31m", "\\\\u202e\\\\x1b\\[31m"),
    ],
)
def test_untrusted_text_is_escaped(text: str, escaped: str | None) -> None:
    """Spec: GitHub Flavored Markdown, backslash escapes and entities; design 7.10."""
    shown = cell(text)
    if escaped is not None:
        assert shown == escaped
    for mark in "|`*_[]<>~$":
        assert all(shown[at - 1] == "\\" for at, char in enumerate(shown) if char == mark)


def test_a_table_has_one_line_a_row() -> None:
    """Ours: a line break in a cell would end the table."""
    text = table(("A", "B"), [("1", "x\r\ny"), ("2", "|")])
    assert text == "| A | B |\n| --- | --- |\n| 1 | x\\\\r\\\\ny |\n| 2 | \\| |\n"
