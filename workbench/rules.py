"""The front door to the rulebook: every rule, and a table of them.

Takes:  nothing
Gives:  `RULES`, `Rule`, and `rulebook()` for a cell of a notebook
Never:  decides anything

::

    from workbench.rules import rulebook

    rulebook()                    # all of them, as a table
    rulebook("ERA").to_frame()    # those of the probe, as a pandas frame
"""

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rulebook import FAMILIES, Rulebook
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import visible

__all__ = ["FAMILIES", "RULES", "Rule", "Rulebook", "rulebook"]


def rulebook(family: str | None = None) -> Rulebook:
    """Return the whole rulebook, or one family of it.

    Args:
        family: letters such as "ERA", see `FAMILIES`; None means all.

    Raises:
        MisuseError: if there is no such family.
    """
    book = Rulebook()
    if family is None:
        return book
    if family not in book.families():
        raise MisuseError(
            Failure(
                kind=Kind.MISUSE,
                stage="show",
                detail=f"there is no family of rules called {visible(repr(family), 40)}",
                hint=f"Families: {', '.join(book.families())}.",
            )
        )
    return book.of(family)
