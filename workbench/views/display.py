"""Which view shows which value: what the front door plugs into `workbench.core.shown`.

Takes:  any value
Gives:  its frame, or its HTML
Never:  imports pandas before a frame is asked for

Source: design section 3.
"""

from typing import TYPE_CHECKING, Any

from workbench.core.cache_content import CacheContent
from workbench.core.drift_watch import Drifts
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.journal import Journal
from workbench.core.menu import Collisions
from workbench.core.outcome import Outcomes
from workbench.core.report import PeerReport, StartupReport
from workbench.core.rulebook import Rulebook
from workbench.views import frames, html, rulebook

if TYPE_CHECKING:
    import pandas


def frame_of(value: Any) -> "pandas.DataFrame":
    """Return the frame of a report, a journal, a rulebook, a cache, changes or collisions.

    Raises:
        MisuseError: if there is no frame for such a value.
    """
    if isinstance(value, StartupReport):
        return frames.report_frame(value)
    if isinstance(value, PeerReport):
        return frames.peer_frame(value)
    if isinstance(value, Journal):
        return frames.journal_frame(value)
    if isinstance(value, Outcomes):
        return frames.outcomes_frame(value)
    if isinstance(value, Rulebook):
        return rulebook.rulebook_frame(value)
    if isinstance(value, Drifts):
        return frames.drifts_frame(value)
    if isinstance(value, CacheContent):
        return frames.cache_frame(value)
    if isinstance(value, (tuple, list)):
        return frames.collisions_frame(value)
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
    if isinstance(value, StartupReport):
        return html.report_html(value)
    if isinstance(value, PeerReport):
        return html.peer_html(value)
    if isinstance(value, Journal):
        return html.journal_html(value)
    if isinstance(value, Rulebook):
        return rulebook.rulebook_html(value)
    if isinstance(value, Collisions):
        return html.collisions_html(value)
    return None
