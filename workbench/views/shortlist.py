"""A shortlist of tools as a frame and as HTML.

Takes:  a `Shortlist`
Gives:  one row a match, best first
Never:  shows the whole of a declaration; `Shortlist.text` has it
"""

from typing import TYPE_CHECKING, Final

from workbench.core.menu.shortlist import Shortlist
from workbench.core.text.visible import visible
from workbench.views.html import table

if TYPE_CHECKING:
    import pandas

SHORTLIST_TYPES: Final = {
    "tool": "string",
    "peer": "category",
    "score": "Float64",
    "chars": "Int64",
    "outcome": "category",
    "description": "string",
}
_HEADINGS: Final = ("Tool", "Peer", "Score", "Characters", "Outcome", "Description")
_LONGEST: Final = 120


def shortlist_frame(found: Shortlist) -> "pandas.DataFrame":
    """Return one row a match; `outcome` is "in", "over" (did not fit) or "beyond" (the limit)."""
    import pandas

    frame = pandas.DataFrame(_rows(found), columns=list(SHORTLIST_TYPES))
    return frame.astype(SHORTLIST_TYPES)


def shortlist_html(found: Shortlist) -> str:
    """Return the matches as one escaped table; those that are in stand out."""
    rows = [(*row[:2], f"{row[2]:.2f}", *map(str, row[3:])) for row in _rows(found)]
    chosen = [place for place, match in enumerate(found.matches) if match.outcome == "in"]
    budget = "" if found.max_chars is None else f" of {found.max_chars}"
    caption = f"{len(chosen)} of {len(rows)} tools, {len(found.text)}{budget} characters"
    asked = visible(found.cleaned(found.query), 80)
    return table(f"{caption}: {asked}", _HEADINGS, rows, chosen)


def _rows(found: Shortlist) -> list[tuple[str, str, float, int, str, str]]:
    return [
        (
            visible(found.cleaned(match.name)),
            visible(found.cleaned(match.item.peer)),
            match.score,
            match.chars,
            match.outcome,
            visible(found.cleaned(match.item.tool.description), _LONGEST),
        )
        for match in found.matches
    ]
