"""The rulebook as a frame and as HTML.

Takes:  a `Rulebook`
Gives:  one row a rule, in the order of the pipeline
Never:  shortens a rule; the table is what a reader looks a refusal up in
"""

from typing import TYPE_CHECKING, Final

from workbench.core.rulebook.rulebook import RULE_COLUMNS, Rulebook
from workbench.views.html import table

if TYPE_CHECKING:
    import pandas

RULEBOOK_COLUMNS: Final = ("id", "sentence", "source", "where", "fake", "hint")
"""The columns of the frame: the fields of a rule."""


def rulebook_frame(book: Rulebook) -> "pandas.DataFrame":
    """Return one row a rule; an absent fake or hint is `<NA>`."""
    import pandas

    return pandas.DataFrame(
        {
            name: pandas.Series([getattr(rule, name) or None for rule in book], dtype="string")
            for name in RULEBOOK_COLUMNS
        }
    )


def rulebook_html(book: Rulebook) -> str:
    """Return the rules as one escaped table."""
    count = f"{len(book)} rule{'' if len(book) == 1 else 's'}"
    return table(f"Rulebook: {count}", RULE_COLUMNS, book.cells())
