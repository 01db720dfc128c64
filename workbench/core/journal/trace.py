"""Entries as lines to read and as rows to tabulate.

Takes:  entries
Gives:  one line an entry (time, arrow, peer, what, id, rule), or one flat dict an entry
Never:  emits a character a terminal would act on

Source: design section 6, `mcp-workbench trace`.
"""

from collections.abc import Sequence
from typing import Any, Final

from workbench.core.journal.entry import Entry, id_text
from workbench.core.text.visible import sample, visible

FRAME_LIMIT: Final = 4_000
"""Longest frame shown, in characters."""
_MARKS: Final = {
    "sent": "->",
    "received": "<-",
    "decision": " *",
    "stray": "<?",
    "opened": " [",
    "closed": " ]",
}


def trace(entries: Sequence[Entry], *, frames: bool = False, dropped: int = 0) -> str:
    """Return the entries as text without a final line end.

    Args:
        entries: oldest first; times count from the first of them.
        frames: show the serialized bytes below each line.
        dropped: how many older entries have fallen out of the record.
    """
    lines = [f"({dropped} older entries dropped)"] if dropped else []
    width = max((len(visible(entry.peer)) for entry in entries), default=0)
    start = entries[0].at if entries else 0.0
    for entry in entries:
        mark = _MARKS[entry.kind]
        peer = visible(entry.peer).ljust(width)
        lines.append(f"{entry.at - start:+9.3f}s {mark} {peer}  {line_of(entry)}".rstrip())
        if frames and entry.frame is not None:
            lines.append(f"{'':14}{sample(entry.frame, FRAME_LIMIT)}")
    return "\n".join(lines) or "(nothing happened yet)"


def line_of(entry: Entry) -> str:
    """Return what one entry says, with its id, rule, evidence and detail."""
    stage = f"{visible(entry.stage)}: " if entry.kind == "decision" and entry.stage else ""
    line = stage + entry.summary
    about = []
    if entry.shape in ("result", "error") and entry.method:
        about.append(visible(entry.method, 80))
    if entry.request_id is not None:
        about.append(f"id {id_text(entry.request_id)}")
    if about:
        line += f" ({', '.join(about)})"
    if entry.rule:
        line += f" [{visible(entry.rule)}]"
    if entry.evidence:
        line += f" because {visible(entry.evidence, 300)}"
    if entry.detail:
        line += f": {visible(entry.detail, 300)}"
    return line


def rows(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return one dict an entry; absent values are None and texts are safe to show."""
    return [
        {
            "number": entry.number,
            "at": entry.at,
            "peer": visible(entry.peer),
            "kind": entry.kind,
            "shape": entry.shape or None,
            "method": _safe(entry.method),
            "id": id_text(entry.request_id) or None,
            "code": entry.code,
            "stage": _safe(entry.stage),
            "rule": _safe(entry.rule),
            "evidence": _safe(entry.evidence),
            "summary": entry.summary,
            "detail": _safe(entry.detail),
            "size": None if entry.frame is None else len(entry.frame),
            "frame": None if entry.frame is None else sample(entry.frame, FRAME_LIMIT),
        }
        for entry in entries
    ]


def _safe(text: str | None) -> str | None:
    return visible(text) if text else None
