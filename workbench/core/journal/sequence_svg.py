"""Entries as a drawing that needs no program: a sequence diagram in SVG.

Takes:  entries, oldest first
Gives:  one SVG document, the same each time, for a web page or a file
Never:  puts untrusted text into it unescaped; holds no script, link, style sheet or font file

Notebooks draw the Mermaid form. This one is for where nothing draws Mermaid; it has its own
ground, so that it can be read on a light page and on a dark one.

Source: design sections 3 and 7.10; W3C, SVG 1.1, and SVG-AAM, `title`.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from workbench.core.journal.entry import Entry
from workbench.core.journal.sequence import LIMIT, message_text, note_text, peers_of, telling
from workbench.core.text.visible import visible

_STEP: Final = 340
"""Pixels from one lane to the next."""
_EDGE: Final = 70
_TOP: Final = 48
_ROW: Final = 30
_CHAR: Final = 7.3
"""Pixels of one character: the type is of one width, so that a text can be cut to fit."""
_INK: Final = "#1f2328"
_QUIET: Final = "#6e7781"
_GROUND: Final = "#ffffff"
_NOTE: Final = "#fff8c5"


def sequence_svg(entries: Sequence[Entry], limit: int = LIMIT) -> str:
    """Return the drawing.

    Args:
        entries: what to draw; answers are dashed, strays end in a cross.
        limit: only the newest so many are drawn, and the first line says so.
    """
    telling_ones = telling(entries)
    drawn = telling_ones[-limit:]
    left_out = len(telling_ones) - len(drawn)
    peers = peers_of(drawn)
    lanes = {peer: _EDGE + _STEP * place for place, peer in enumerate(peers, 1)}
    width = 2 * _EDGE + _STEP * max(len(peers), 1)
    height = _TOP + _ROW * (len(drawn) + (1 if left_out else 0) + 1)
    parts = [f'<rect width="{width}" height="{height}" fill="{_GROUND}"/>']
    for x, name in ((_EDGE, "client"), *((x, peer) for peer, x in lanes.items())):
        parts += _lane(x, visible(name, 18), height)
    y = _TOP + _ROW
    if left_out:
        parts += _note(width, y, f"{left_out} earlier entries left out")
        y += _ROW
    for entry in drawn:
        lane = lanes.get(entry.peer)
        if entry.frame is None or lane is None:
            # A note about one peer ends at its lane, so that it is seen whose it is.
            parts += _note(width if lane is None else lane + _EDGE, y, note_text(entry))
        else:
            parts += _arrow(lane, y, entry)
        y += _ROW
    title = escape(f"Messages between client and {', '.join(map(visible, peers)) or 'nobody'}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="monospace" font-size="12">'
        f"<title>{title}</title>{''.join(parts)}</svg>\n"
    )


def _lane(x: int, name: str, height: int) -> list[str]:
    return [
        f'<line x1="{x}" y1="{_TOP - 12}" x2="{x}" y2="{height}" stroke="{_QUIET}"/>',
        f'<rect x="{x - 66}" y="12" width="132" height="26" rx="3" fill="{_GROUND}" '
        f'stroke="{_INK}"/>',
        _text(x, 30, name),
    ]


def _note(width: int, y: int, said: str) -> list[str]:
    room = width - 2 * 12
    return [
        f'<rect x="12" y="{y - 17}" width="{room}" height="22" fill="{_NOTE}" stroke="{_QUIET}"/>',
        _text(width // 2, y - 2, _cut(said, room)),
    ]


def _arrow(x: int, y: int, entry: Entry) -> list[str]:
    start, end = (_EDGE, x) if entry.kind == "sent" else (x, _EDGE)
    dashed = ' stroke-dasharray="4 3"' if entry.shape in ("result", "error") else ""
    toward = 1 if end > start else -1
    if entry.kind == "stray":
        middle = end - toward * 24
        tip = f"M{middle - 5} {y - 5}l10 10m0 -10l-10 10"
        end = middle
    else:
        tip = f"M{end} {y}l{-9 * toward} -4m{9 * toward} 4l{-9 * toward} 4"
    room = abs(x - _EDGE) - 24
    said = message_text(entry, max(int(room / _CHAR) - 12, 8))
    ground = f' stroke="{_GROUND}" stroke-width="3" paint-order="stroke"'
    return [
        f'<line x1="{start}" y1="{y}" x2="{end}" y2="{y}" stroke="{_INK}"{dashed}/>',
        f'<path d="{tip}" fill="none" stroke="{_INK}"/>',
        _text((x + _EDGE) // 2, y - 6, _cut(said, room), ground),
    ]


def _text(x: int, y: int, said: str, more: str = "") -> str:
    place = f'x="{x}" y="{y}" text-anchor="middle" fill="{_INK}"'
    return f"<text {place}{more}>{escape(said)}</text>"


def _cut(said: str, room: int) -> str:
    return visible(said, max(int(room / _CHAR), 8))
