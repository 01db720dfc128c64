"""Comparisons of clients as the command line prints them.

Takes:  a `Comparison` or a `Visits`, and a stream
Gives:  tables that fold into the width there is, with their legends
Never:  lets text of a client or a peer act; see `terminal`
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from workbench.comparison.values import Comparison
from workbench.comparison.visits import Visits
from workbench.views.terminal import console

if TYPE_CHECKING:
    from rich.console import Console

_STYLES: Final = {"hang": "red", "crash": "red", "downgrade": "yellow", "malformed": "yellow",
                  "no error": "yellow", "all or nothing": "yellow"}  # fmt: skip
_FIRST: Final = 26
"""Columns that the names of faults and peers get, if they need them."""


def print_comparison(value: Comparison | Visits, stream: TextIO, width: int | None = None) -> None:
    """Print a comparison.

    Args:
        value: what to print.
        stream: where to.
        width: columns, see `terminal.console`.
    """
    out = console(stream, width)
    if isinstance(value, Visits):
        _print(out, value.caption(), value.headings(), value.cells())
        return
    if value.rows or not value.together.seen:
        _print(out, value.caption(), value.headings(), value.cells())
        _legend(out, value.legend())
    if value.together.seen:
        several = value.together
        _print(out, "Several peers at once", several.headings(), several.cells())
        _legend(out, several.legend())


def _print(
    out: "Console", caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    out.print(Text(caption))
    if not rows:
        return
    grid = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    longest = max(len(first) for first, *_ in rows)
    for place, heading in enumerate(headings):
        fixed = None if place else min(longest, _FIRST)
        grid.add_column(Text(heading), overflow="fold", width=fixed)
    for first, *cells in rows:
        grid.add_row(Text(first, style="bold"), *(Text(cell, style=_style(cell)) for cell in cells))
    out.print(grid)


def _legend(out: "Console", legend: Iterable[tuple[str, str, str]]) -> None:
    from rich.text import Text

    for word, words, meaning in legend:
        out.print(Text.assemble((word, _style(word) or "bold"), f": {words}. {meaning}"))
    out.print()


def _style(cell: str) -> str:
    return next((style for word, style in _STYLES.items() if word in cell), "")
