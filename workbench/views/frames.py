"""Reports, journals and collisions as pandas frames.

Takes:  pure values
Gives:  frames with nullable types, so that an absent value is `<NA>` and never a string
Never:  puts a control character or an escape sequence into a cell

Source: design section 4, `.to_frame()`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from workbench.core.journal.journal import Journal
from workbench.core.menu.menu import Collisions, Menu
from workbench.core.menu.menu_change import MenuChange
from workbench.core.outcome import Outcomes
from workbench.core.pins.drift_watch import Drifts
from workbench.core.report import Collision, PeerReport, StartupReport
from workbench.core.results.cache_content import CacheContent
from workbench.core.text.visible import visible

if TYPE_CHECKING:
    import pandas

REPORT_TYPES: Final = {
    "peer": "string",
    "transport": "category",
    "status": "category",
    "era": "category",
    "version": "string",
    "cache_scope": "category",
    "tools": "string",
    "tool_count": "Int64",
    "allow_legacy": "boolean",
    "ready_ms": "Float64",
    "reason": "string",
    "evidence": "string",
    "rule": "string",
    "hint": "string",
    "deviations": "string",
    "dropped": "string",
    "server": "string",
}
JOURNAL_TYPES: Final = {
    "number": "Int64",
    "at": "Float64",
    "peer": "category",
    "kind": "category",
    "shape": "category",
    "method": "string",
    "id": "string",
    "code": "Int64",
    "stage": "category",
    "rule": "string",
    "evidence": "string",
    "summary": "string",
    "detail": "string",
    "size": "Int64",
    "frame": "string",
}
OUTCOME_TYPES: Final = {
    "number": "Int64",
    "peer": "category",
    "method": "category",
    "name": "string",
    "ended": "category",
    "rounds": "Int64",
    "sent": "Int64",
    "started_at": "Float64",
    "took_ms": "Float64",
    "rule": "string",
    "detail": "string",
}
COLLISION_TYPES: Final = {
    "name": "string",
    "peers": "string",
    "outcome": "category",
    "canonical": "string",
    "reason": "string",
    "rule": "string",
}

MENU_TYPES: Final = {
    "canonical": "string",
    "peer": "category",
    "local": "string",
    "alias": "string",
    "description": "string",
}
CHANGE_TYPES: Final = {
    "what": "category",
    "name": "string",
    "peer": "category",
    "before": "string",
    "parts": "string",
}
DRIFT_TYPES: Final = {
    "at": "Float64",
    "peer": "category",
    "tool": "string",
    "changed": "string",
    "since": "category",
    "difference": "string",
    "state": "category",
}
CACHE_TYPES: Final = {
    "peer": "category",
    "method": "category",
    "params": "string",
    "scope": "category",
    "auth_context": "string",
    "shared": "boolean",
    "age_ms": "Int64",
    "ttl_ms": "Int64",
    "fresh": "boolean",
}


def report_frame(report: StartupReport) -> "pandas.DataFrame":
    """Return one row a peer; `tools` holds canonical names, joined by commas."""
    return frame_of_rows([_report_row(row) for row in report.peers], REPORT_TYPES)


def peer_frame(row: PeerReport) -> "pandas.DataFrame":
    """Return a report of one peer."""
    return frame_of_rows([_report_row(row)], REPORT_TYPES)


def journal_frame(journal: Journal, peer: str | None = None) -> "pandas.DataFrame":
    """Return one row an entry; `at` is clock seconds and `size` is bytes, redacted."""
    return frame_of_rows(journal.to_rows(peer), JOURNAL_TYPES)


def outcomes_frame(outcomes: Outcomes) -> "pandas.DataFrame":
    """Return one row a call, in the order in which they ended."""
    return frame_of_rows(outcomes.to_rows(), OUTCOME_TYPES)


def menu_frame(menu: Menu) -> "pandas.DataFrame":
    """Return one row a tool, in the order of the menu."""
    rows = [{**row, "description": row["description"] or None} for row in menu.to_rows()]
    return frame_of_rows(rows, MENU_TYPES)


def change_frame(change: MenuChange) -> "pandas.DataFrame":
    """Return one row a name that is not as it was."""
    rows = [
        {
            "what": one.what,
            "name": one.name,
            "peer": one.peer,
            "before": one.before or None,
            "parts": ", ".join(one.parts) or None,
        }
        for one in change.cleaned(change.names)
    ]
    return frame_of_rows(rows, CHANGE_TYPES)


def drifts_frame(drifts: Drifts) -> "pandas.DataFrame":
    """Return one row a changed tool, oldest first; `at` is clock seconds."""
    return frame_of_rows(drifts.to_rows(), DRIFT_TYPES)


def cache_frame(content: CacheContent) -> "pandas.DataFrame":
    """Return one row a stored answer, without the answers themselves."""
    return frame_of_rows(content.to_rows(), CACHE_TYPES)


def collisions_frame(collisions: Sequence[Collision]) -> "pandas.DataFrame":
    """Return one row a collision."""
    shown = collisions.veiled() if isinstance(collisions, Collisions) else collisions
    return frame_of_rows([_collision_row(clash) for clash in shown], COLLISION_TYPES)


def _report_row(row: PeerReport) -> dict[str, Any]:
    return {
        "peer": row.peer,
        "transport": row.transport,
        "status": row.status,
        "era": row.era,
        "version": row.version,
        "cache_scope": row.cache_scope,
        "tools": ", ".join(tool.canonical for tool in row.tools),
        "tool_count": len(row.tools),
        "allow_legacy": row.allow_legacy,
        "ready_ms": row.ready_ms,
        "reason": row.reason,
        "evidence": row.evidence,
        "rule": row.rule,
        "hint": row.hint or None,
        "deviations": ", ".join(row.deviations) or None,
        "dropped": ", ".join(f"{tool.name} ({tool.reason})" for tool in row.dropped) or None,
        "server": row.server or None,
    }


def _collision_row(clash: Collision) -> dict[str, Any]:
    return {
        "name": clash.name,
        "peers": ", ".join(clash.peers),
        "outcome": str(clash.outcome),
        "canonical": ", ".join(clash.canonical),
        "reason": clash.reason,
        "rule": getattr(clash, "rule", None),
    }


def frame_of_rows(
    rows: Sequence[Mapping[str, Any]], types: Mapping[str, str]
) -> "pandas.DataFrame":
    """Return a frame of rows, with these columns in this order; texts are made safe."""
    import pandas

    columns = {
        name: pandas.Series([_safe(row[name]) for row in rows], dtype=_first(kind))
        for name, kind in types.items()
    }
    frame = pandas.DataFrame(columns, columns=list(types))
    return frame.astype({name: "category" for name, kind in types.items() if kind == "category"})


def _first(kind: str) -> Any:
    # Categories are made from strings, so that an empty or absent column keeps its type.
    return "string" if kind == "category" else kind


def _safe(value: Any) -> Any:
    return visible(value) if isinstance(value, str) else value
