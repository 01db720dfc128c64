r"""GitHub tables whose cells cannot become anything but text.

Takes:  headings and rows of untrusted text
Gives:  a table; HTML, links, emphasis, code spans, formulas and row breaks are escaped
Never:  emits a line break inside a cell

Source: design section 7.10, "server text is data".
"""

from collections.abc import Iterable, Sequence
from typing import Final

from workbench.core.text.visible import visible

_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_BACKSLASHED: Final = frozenset("\\`*_{}[]#|!~$^@")


def cell(text: str) -> str:
    """Return untrusted text as the content of one cell."""
    # A colon before a slash would make GitHub turn a bare address into a link.
    return "".join(map(_escaped, visible(text))).replace(":/", "\\:/")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a line end after each row.

    Args:
        headings: our own words, one a column.
        rows: untrusted text, one cell a column.
    """
    lines = [headings, ["---"] * len(headings)]
    lines += [[cell(text) for text in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _escaped(char: str) -> str:
    if char in _BACKSLASHED:
        return "\\" + char
    return _ENTITIES.get(char, char)
