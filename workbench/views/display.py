"""Which view shows which value: what the front door plugs into `workbench.core.text.shown`.

Takes:  any value
Gives:  its frame, or its HTML
Never:  imports pandas before a frame is asked for

Source: design section 3.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from workbench.comparison.together import Together
from workbench.comparison.values import Comparison
from workbench.comparison.visits import Visits
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.menu.menu import Collisions, Menu
from workbench.core.menu.menu_change import MenuChange
from workbench.core.menu.shortlist import Shortlist
from workbench.core.outcome import Outcomes
from workbench.core.pins.drift_watch import Drifts
from workbench.core.report import PeerReport, StartupReport
from workbench.core.results.cache_content import CacheContent
from workbench.core.rulebook.rulebook import Rulebook
from workbench.lint.findings import Findings
from workbench.views import comparison, findings, frames, html, more_html, rulebook, shortlist

if TYPE_CHECKING:
    import pandas


_FRAMES: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any], "pandas.DataFrame"]], ...]] = (
    (StartupReport, frames.report_frame),
    (PeerReport, frames.peer_frame),
    (Journal, frames.journal_frame),
    (Outcomes, frames.outcomes_frame),
    (Rulebook, rulebook.rulebook_frame),
    (Drifts, frames.drifts_frame),
    (CacheContent, frames.cache_frame),
    (Menu, frames.menu_frame),
    (MenuChange, frames.change_frame),
    (Findings, findings.findings_frame),
    (Shortlist, shortlist.shortlist_frame),
    (Comparison, comparison.comparison_frame),
    (Together, comparison.together_frame),
    (Visits, comparison.visits_frame),
    # Collisions, and whatever else is a row of them; last, for it takes any tuple.
    ((tuple, list), frames.collisions_frame),
)
_HTML: Final[tuple[tuple[type, Callable[[Any], str]], ...]] = (
    (StartupReport, html.report_html),
    (PeerReport, html.peer_html),
    (Journal, html.journal_html),
    (Rulebook, rulebook.rulebook_html),
    (Findings, findings.findings_html),
    (Shortlist, shortlist.shortlist_html),
    (Comparison, comparison.comparison_html),
    (Together, comparison.together_html),
    (Visits, comparison.visits_html),
    (Collisions, html.collisions_html),
    (Outcomes, more_html.outcomes_html),
    (CacheContent, more_html.cache_html),
    (Drifts, more_html.drifts_html),
    (MenuChange, more_html.change_html),
)


def frame_of(value: Any) -> "pandas.DataFrame":
    """Return the frame of a report, a journal, a rulebook, a cache, changes or collisions.

    Raises:
        MisuseError: if there is no frame for such a value.
    """
    for kind, show in _FRAMES:
        if isinstance(value, kind):
            return show(value)
    raise MisuseError(
        Failure(
            kind=Kind.MISUSE,
            detail=f"there is no table for a {type(value).__name__}",
            stage="show",
            hint="Use its to_text().",
        )
    )


def html_of(value: Any) -> str | None:
    """Return the HTML of a value, or None when its text is all there is."""
    for kind, show in _HTML:
        if isinstance(value, kind):
            return show(value)
    return None
