"""Rows of text as lines with columns of equal width.

Takes:  rows of safe text
Gives:  lines for a terminal or a text display
Never:  escapes anything; what comes in is safe already
"""

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one line a row; columns are two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
