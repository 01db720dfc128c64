"""Hostile text made visible: what a peer wrote, safe to show on one line.

Takes:  any string or bytes a peer produced
Gives:  text without control characters, escape sequences or bidirectional overrides
Never:  loses information silently; a cut is marked with an ellipsis

HTML, Markdown and Mermaid need their own escapes on top; those live in `workbench.views`.
Source: design section 7.10, "server text is data".
"""

import unicodedata
from typing import Final

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_BLANK: Final = frozenset(
    map(
        chr,
        (
            0x034F,
            *(0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F),
            *(0x2800, 0x3164, 0xFFA0),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
"""Letters, marks and symbols without a picture: those of Unicode's Default_Ignorable_Code_Point
that are not in `_HIDDEN`, and the blank Braille pattern."""


def visible(text: str, limit: int | None = None) -> str:
    r"""Return `text` with every invisible character written as an escape.

    Args:
        text: anything, including terminal escape sequences and lone surrogates.
        limit: longest result in characters; longer text ends in an ellipsis.
    """
    if limit is not None and len(text) > limit:
        text = text[: max(limit - 1, 0)]
        return _escaped(text)[: limit - 1] + "…"
    return _escaped(text)


def sample(frame: bytes, limit: int = 200) -> str:
    """Return the start of a frame as visible text; bytes that are not UTF-8 show as `\\xNN`."""
    head = frame[: limit + 1].decode("utf-8", "backslashreplace")
    return visible(head, limit)


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if char != " " and (unicodedata.category(char) in _HIDDEN or char in _BLANK)
        else char
        for char in text
    )
