"""Comparisons of clients as frames and as HTML with legends.

Takes:  a `Comparison`, a `Together` or a `Visits`
Gives:  one row for each fault and client in a frame, one a fault in a table
Never:  puts what a client or a peer wrote into either unescaped
"""

from typing import TYPE_CHECKING, Final

from workbench.comparison.categories import CATEGORIES
from workbench.comparison.known import LABELS
from workbench.comparison.together import Together
from workbench.comparison.values import Comparison
from workbench.comparison.visits import Visits
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
TOGETHER_TYPES: Final = {
    "situation": "string",
    "about": "string",
    "client": "category",
    "kind": "category",
    "reached": "Int64",
    "tools": "Int64",
    "names": "string",
    "missing": "string",
    "same_in_reverse": "boolean",
    "why": "string",
}
VISIT_TYPES: Final = {
    "peer": "string",
    "client": "category",
    "verdict": "category",
    "version": "string",
    "tools": "string",
    "took_ms": "Int64",
    "why": "string",
}
LEGEND: Final = ("Word", "Means", "That is")


def comparison_frame(value: Comparison) -> "pandas.DataFrame":
    """Return one row for each fault and client."""
    return frame_of_rows(value.to_rows(), COMPARISON_TYPES)


def comparison_html(value: Comparison) -> str:
    """Return the table side by side, how often each category occurs, and several peers."""
    rows = value.cells()
    shown = table(f"Clients compared: {value.caption()}", value.headings() if rows else (), rows)
    counted = counts_html(value) if rows else ""
    return shown + counted + (together_html(value.together) if value.together.seen else "")


def counts_html(value: Comparison) -> str:
    """Return one row a category that occurs: how often each client does so, and what it means."""
    counts = value.counted()
    found = [CATEGORIES[one] for one in value.categories()]
    rows = [(c.words, *(str(counts[x][c.id]) for x in value.clients), c.meaning) for c in found]
    headings = ("Category", *(LABELS[c] for c in value.clients), "What it means")
    return table("How often, and what it means", headings, rows)


def together_frame(value: Together) -> "pandas.DataFrame":
    """Return one row for each situation of several peers and client."""
    return frame_of_rows(value.to_rows(), TOGETHER_TYPES)


def together_html(value: Together) -> str:
    """Return the situations side by side, and what the words in the cells mean."""
    shown = table("Several peers at once", value.headings(), value.cells())
    legend = value.legend()
    return shown + (table("What the words mean", LEGEND, legend) if legend else "")


def visits_frame(value: Visits) -> "pandas.DataFrame":
    """Return one row for each peer and client; `tools` are names between commas."""
    rows = [
        {**row, "tools": None if row["tools"] is None else ", ".join(row["tools"])}
        for row in value.to_rows()
    ]
    return frame_of_rows(rows, VISIT_TYPES)


def visits_html(value: Visits) -> str:
    """Return what each client made of each peer, side by side."""
    return table(f"Clients compared: {value.caption()}", value.headings(), value.cells())
