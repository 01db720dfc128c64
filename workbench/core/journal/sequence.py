"""Entries as a sequence diagram: Mermaid for notebooks, lanes of text for everything else.

Takes:  entries, oldest first
Gives:  Mermaid text, or lines of ASCII lanes; decisions are notes with their rule ids
Never:  puts untrusted text into a diagram unescaped

Source: design sections 3 and 7.10.
"""

from collections.abc import Sequence
from typing import Final

from workbench.core.journal.entry import Entry, id_text
from workbench.core.text.mermaid import label
from workbench.core.text.visible import visible

LIMIT: Final = 200
"""Most entries drawn; Mermaid refuses very long texts and nobody reads them."""
MOVE: Final = " → "
"""Between two states in the words of a decision."""
_LABEL: Final = 60
_ID_ROOM: Final = 70
_NOTE: Final = 90
_NARROWEST: Final = 16
_WIDTH: Final = 88


def sequence_diagram(entries: Sequence[Entry], limit: int = LIMIT) -> str:
    """Return Mermaid text.

    Args:
        entries: what to draw; answers are dashed, strays end in a cross.
        limit: only the newest so many are drawn, and a note says so.
    """
    entries = telling(entries)
    drawn = entries[-limit:]
    actors = {peer: f"p{place}" for place, peer in enumerate(peers_of(drawn), 1)}
    lines = ["sequenceDiagram", "    participant c as client"]
    lines += [f"    participant {actor} as {label(peer)}" for peer, actor in actors.items()]
    if len(entries) > len(drawn):
        lines.append(f"    Note over c: {len(entries) - len(drawn)} earlier entries left out")
    lines += [f"    {_statement(entry, actors.get(entry.peer))}" for entry in drawn]
    return "\n".join(lines) + "\n"


def lanes(entries: Sequence[Entry], limit: int = LIMIT) -> str:
    """Return the text twin: a lane a participant, an arrow a frame, a starred line a note."""
    entries = telling(entries)
    drawn = entries[-limit:]
    peers = peers_of(drawn)
    step = max(_NARROWEST, min(56, _WIDTH // max(len(peers), 1)))
    places = {peer: step * place for place, peer in enumerate(peers, 1)}
    # An arrow says nothing below four characters, so names are cut to leave the lanes apart.
    head = "client".ljust(step) + "".join(visible(peer, step - 2).ljust(step) for peer in peers)
    lines = [head.rstrip()]
    if len(entries) > len(drawn):
        lines.append(f"({len(entries) - len(drawn)} earlier entries left out)")
    lines += [_lane(entry, places) for entry in drawn]
    return "\n".join(lines)


def telling(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Leave out decisions to stay where one is: the trace has them, a picture needs none."""
    return [entry for entry in entries if not (_stays(entry) or _as_usual(entry))]


def _stays(entry: Entry) -> bool:
    before, moved, after = entry.summary.partition(MOVE)
    return entry.kind == "decision" and bool(moved) and before == after


def _as_usual(entry: Entry) -> bool:
    """Say whether a cache did what it does around every request; only what it spares shows."""
    usual = entry.kind == "decision" and entry.stage == "cache"
    return usual and not entry.what.endswith((": hit", "invalidated", "that failed"))


def peers_of(entries: Sequence[Entry]) -> list[str]:
    """Return the peers that are drawn, sorted."""
    return sorted({entry.peer for entry in entries if entry.peer})


def _statement(entry: Entry, actor: str | None) -> str:
    if entry.frame is None or actor is None:
        over = f"c,{actor}" if actor else "c"
        return f"Note over {over}: wrap:{label(note_text(entry), _NOTE)}"
    said = label(message_text(entry, _LABEL), _LABEL + _ID_ROOM)
    if entry.kind == "stray":
        return f"{actor}--xc: {said}"
    arrow = "-->>" if entry.shape in ("result", "error") else "->>"
    left, right = ("c", actor) if entry.kind == "sent" else (actor, "c")
    return f"{left}{arrow}{right}: {said}"


def _lane(entry: Entry, places: dict[str, int]) -> str:
    if entry.frame is None or entry.peer not in places:
        return f"| * {note_text(entry)}"
    here = places[entry.peer]
    room = here - 1
    said = visible(message_text(entry, max(room - 16, 4)), max(room - 6, 4))
    filled = f"- {said} ".ljust(room - 1, "-")
    if entry.kind == "sent":
        drawn = f"{filled}>"
    elif entry.kind == "stray":
        drawn = f"x{filled}"
    else:
        drawn = f"<{filled}"
    beyond = sorted(place for place in places.values() if place > here)
    line = f"|{drawn}|"
    for place in beyond:
        line = line.ljust(place) + "|"
    return line


def message_text(entry: Entry, limit: int) -> str:
    """Return what an arrow says, safe for a terminal, and its id in full.

    Args:
        entry: of a frame.
        limit: longest text before the id, in characters.
    """
    # The id stays whole when the text before it is cut: it is what ties an answer to its request.
    number = f" (id {id_text(entry.request_id)})" if entry.request_id is not None else ""
    return f"{visible(entry.summary, limit)}{number}"


def note_text(entry: Entry) -> str:
    """Return what a note says: the rule, what was decided, and on which evidence."""
    rule = f"{visible(entry.rule)}: " if entry.rule else ""
    evidence = f" ({visible(entry.evidence)})" if entry.evidence else ""
    detail = f": {visible(entry.detail)}" if entry.detail and entry.kind != "decision" else ""
    return f"{rule}{entry.summary}{evidence}{detail}"
