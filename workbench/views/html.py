"""Values as HTML tables that can be read in a light and in a dark notebook.

Takes:  pure values
Gives:  one `<table>` or several, with caption and header scopes, styled by the notebook's own
        colour variables
Never:  emits untrusted text unescaped, a colour of its own, a script or an address

Source: design section 7.10; WCAG 2.2 technique H63, "scope".
"""

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Final

from workbench.core.journal.journal import Journal
from workbench.core.journal.trace import line_of
from workbench.core.menu.menu import Collisions
from workbench.core.report import (
    COLLISION_COLUMNS,
    PEER_COLUMNS,
    Collision,
    PeerReport,
    StartupReport,
)
from workbench.core.text.visible import visible

JOURNAL_COLUMNS: Final = ("No.", "Time (s)", "Peer", "Kind", "What")
JOURNAL_LIMIT: Final = 200
"""Most entries in one HTML table; the newest are shown."""

_INK: Final = "color:var(--jp-ui-font-color1,inherit)"
_LINE: Final = "border-bottom:1px solid var(--jp-border-color2,currentColor)"
_CELL: Final = f"text-align:left;vertical-align:top;padding:.3em .7em;{_LINE}"
_TABLE: Final = f"border-collapse:collapse;background:transparent;{_INK}"
_RULE_ID: Final = re.compile("[A-Z]{2,8}-[0-9]{2}")
_MARKED: Final = (
    "font-weight:bold;background:var(--jp-layout-color2,transparent);"
    "box-shadow:inset 4px 0 0 var(--jp-brand-color1,currentColor)"
)
_CAPTION: Final = "caption-side:top;text-align:left;font-weight:bold;padding:.3em .7em"


def table(
    caption: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    marked: Collection[int] = (),
) -> str:
    """Return one escaped table; the first cell of each row is its header.

    Args:
        caption: what the table shows.
        headings: one a column.
        rows: one text a column; anything a peer wrote is fine.
        marked: places of the rows that stand out, counted from 0; the words of such a row
            say why, for those who cannot see it.
    """
    head = "".join(f'<th scope="col" style="{_CELL}">{text_of(name)}</th>' for name in headings)
    body = "".join(
        f'<tr style="{_MARKED}">{_row(row)}</tr>' if place in marked else f"<tr>{_row(row)}</tr>"
        for place, row in enumerate(rows)
    )
    # Formulas between dollar signs would be typeset by the notebook: these two classes forbid it.
    return (
        f'<table class="mathjax_ignore tex2jax_ignore" style="{_TABLE}">'
        f'<caption style="{_CAPTION}">{text_of(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def text_of(text: str) -> str:
    """Return untrusted text as HTML text, also fit for a quoted attribute."""
    return escape(visible(text), quote=True)


def report_html(report: StartupReport) -> str:
    """Return the peers, and the collisions when there are some."""
    peers = [row.cells() for row in report.peers]
    html = table(f"Startup report: {report.summary()}", PEER_COLUMNS, peers)
    return html + (collisions_html(report.collisions) if report.collisions else "")


def peer_html(row: PeerReport) -> str:
    """Return one peer's row as a table of its own."""
    return table(f"Peer {row.peer}", PEER_COLUMNS, [row.cells()])


def collisions_html(collisions: Sequence[Collision]) -> str:
    """Return one row a collision."""
    shown = collisions.veiled() if isinstance(collisions, Collisions) else collisions
    rows = StartupReport(collisions=tuple(shown)).collision_cells()
    return table("Collisions", COLLISION_COLUMNS, rows)


def journal_html(journal: Journal, peer: str | None = None, limit: int = JOURNAL_LIMIT) -> str:
    """Return the newest entries, times counted from the first entry held."""
    entries = journal.entries(peer)
    start = entries[0].at if entries else 0.0
    older = len(entries) - len(entries[-limit:])
    rows = [
        (str(entry.number), f"{entry.at - start:.3f}", entry.peer, entry.kind, line_of(entry))
        for entry in entries[-limit:]
    ]
    left_out = f", {older} older ones not shown" if older else ""
    dropped = f", {journal.dropped} dropped" if journal.dropped else ""
    return table(f"Journal: {len(entries)} entries{left_out}{dropped}", JOURNAL_COLUMNS, rows)


def _row(cells: Sequence[str]) -> str:
    first, *rest = cells
    header = f'<th scope="row" style="{_style(first)}">{text_of(first)}</th>'
    return header + "".join(f'<td style="{_style(cell)}">{text_of(cell)}</td>' for cell in rest)


def _style(cell: str) -> str:
    # The id of a rule is one word, although it has a hyphen.
    return f"{_CELL};white-space:nowrap" if _RULE_ID.fullmatch(cell) else _CELL
