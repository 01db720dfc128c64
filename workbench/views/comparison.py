"""A comparison of clients as a frame and as HTML with its legend.

Takes:  a `Comparison`
Gives:  one row for each fault and client in the frame, one a fault in the table
Never:  puts what a client or a peer wrote into either unescaped
"""

from typing import TYPE_CHECKING, Final

from workbench.comparison.categories import CATEGORIES
from workbench.comparison.values import LABELS, Comparison
from workbench.views.frames import frame_of_rows
from workbench.views.html import table

if TYPE_CHECKING:
    import pandas

COMPARISON_TYPES: Final = {
    "fault": "string",
    "about": "string",
    "way": "category",
    "client": "category",
    "verdict": "category",
    "category": "category",
    "version": "string",
    "initialize": "Int64",
    "sent": "string",
    "why": "string",
    "specification": "string",
    "says": "string",
    "source": "string",
}


def comparison_frame(value: Comparison) -> "pandas.DataFrame":
    """Return one row for each fault and client."""
    return frame_of_rows(value.to_rows(), COMPARISON_TYPES)


def comparison_html(value: Comparison) -> str:
    """Return the table side by side, and how often each category occurs, with its meaning."""
    rows = value.cells()
    shown = table(f"Clients compared: {value.caption()}", value.headings() if rows else (), rows)
    return shown + counts_html(value) if rows else shown


def counts_html(value: Comparison) -> str:
    """Return one row a category that occurs: how often each client does so, and what it means."""
    counts = value.counted()
    found = [CATEGORIES[one] for one in value.categories()]
    rows = [(c.words, *(str(counts[x][c.id]) for x in value.clients), c.meaning) for c in found]
    headings = ("Category", *(LABELS[c] for c in value.clients), "What it means")
    return table("How often, and what it means", headings, rows)
