"""What a client keeps, as HTML tables: outcomes, the cache, changes of tools and of the menu.

Takes:  pure values
Gives:  one table each, made by `workbench.views.html.table`
Never:  shows untrusted text unescaped, or an address

Source: design section 7.10.
"""

from typing import Final

from workbench.core.menu.menu_change import CHANGE_COLUMNS, MenuChange
from workbench.core.outcome import Ended, Outcomes
from workbench.core.pins.drift_watch import Drifts
from workbench.core.results.cache_content import CacheContent
from workbench.views.html import table

OUTCOME_COLUMNS: Final = ("No.", "Peer", "What", "Ended", "Rounds", "Sent", "Rule", "Why")
"""Without the time it took: that is in the frame, and would make each saved lesson differ."""
CACHE_COLUMNS: Final = ("Peer", "Method", "Parameters", "Scope", "State", "Age (ms)", "Life (ms)")
DRIFT_COLUMNS: Final = ("At (s)", "Peer", "Tool", "Changed", "Since", "Difference", "State")
LIMIT: Final = 200
"""Most rows in one table; the newest are shown."""


def outcomes_html(outcomes: Outcomes) -> str:
    """Return the newest outcomes; those without a result stand out."""
    kept = outcomes.to_rows()[-LIMIT:]
    marked = {place for place, row in enumerate(kept) if row["ended"] != Ended.RESULT}
    rows = [
        (
            str(row["number"]),
            row["peer"],
            f"{row['method']} {row['name']}",
            row["ended"],
            str(row["rounds"]),
            str(row["sent"]),
            row["rule"] or "-",
            row["detail"],
        )
        for row in kept
    ]
    return table(f"Outcomes: {_count(len(outcomes), 'call')}", OUTCOME_COLUMNS, rows, marked)


def cache_html(content: CacheContent) -> str:
    """Return what is stored; what is stale stands out."""
    found = content.to_rows()
    marked = {place for place, row in enumerate(found) if not row["fresh"]}
    rows = [
        (
            row["peer"],
            row["method"],
            row["params"],
            "shared" if row["shared"] else _whose(row["scope"], row["auth_context"]),
            "fresh" if row["fresh"] else "stale",
            str(row["age_ms"]),
            str(row["ttl_ms"]),
        )
        for row in found
    ]
    return table(f"Cache: {_count(len(found), 'answer')}", CACHE_COLUMNS, rows, marked)


def drifts_html(drifts: Drifts) -> str:
    """Return the changes of tools; those nobody has decided about stand out."""
    found = drifts.to_rows()
    marked = {place for place, row in enumerate(found) if row["state"] == "pending"}
    rows = [
        (
            f"{row['at']:.3f}",
            row["peer"],
            row["tool"],
            row["changed"],
            row["since"],
            row["difference"],
            row["state"],
        )
        for row in found
    ]
    return table(f"Changed tools: {len(found)}", DRIFT_COLUMNS, rows, marked)


def change_html(change: MenuChange) -> str:
    """Return how the menu differs; changes of owner stand out."""
    marked = {place for place, one in enumerate(change.names) if one.what == "owner"}
    caption = f"Menu: {_count(len(change.names), 'name')} not as accepted"
    return table(caption, CHANGE_COLUMNS, change.cells(), marked)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _whose(scope: str, context: str) -> str:
    return f"{scope} of {context}" if context else scope
