"""The starts of one peer on a line of time, as a drawing without words of a peer.

Takes:  when it was started and with what success, the time now, and the next start
Gives:  one inline SVG element in the notebook's own colours
Never:  holds text from a peer, a script or an address

A filled dot is a start that led to a ready peer, a cross one that failed, a ring the start
that is planned: shape carries the meaning, colour only repeats it.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from workbench.drivers.recovery_moment import Start

WIDTH: Final = 760
_HEIGHT: Final = 64
_LEFT: Final = 24
_LINE_Y: Final = 30
_INK: Final = "var(--jp-ui-font-color1,currentColor)"
_QUIET: Final = "var(--jp-ui-font-color2,currentColor)"
_ROOM: Final = 46
"""Pixels one label of a time needs."""


def timeline(starts: Sequence[Start], now: float, next_at: float | None) -> str:
    """Return the drawing; the same facts are in the table of starts, for who cannot see it.

    Args:
        starts: oldest first.
        now: clock seconds.
        next_at: of the planned start, or None.
    """
    last = max(now, next_at or 0.0, 1.0)

    def x(at: float) -> float:
        return round(_LEFT + (WIDTH - 2 * _LEFT) * at / last, 1)

    parts = [
        f'<line x1="{_LEFT}" y1="{_LINE_Y}" x2="{x(last)}" y2="{_LINE_Y}" '
        f'stroke="{_QUIET}" stroke-width="1"/>',
        f'<line x1="{x(now)}" y1="{_LINE_Y - 16}" x2="{x(now)}" y2="{_LINE_Y + 12}" '
        f'stroke="{_INK}" stroke-width="2"/>',
        _text(x(now), _LINE_Y - 20, "now"),
    ]
    marked = [(x(start.at), start.at) for start in starts]
    parts += [_mark(x(start.at), start.ready) for start in starts]
    if next_at is not None:
        parts.append(
            f'<circle cx="{x(next_at)}" cy="{_LINE_Y}" r="6" fill="none" stroke="{_INK}" '
            f'stroke-width="2" stroke-dasharray="3 2"/>'
        )
        marked.append((x(next_at), next_at))
    parts += [_text(place, _LINE_Y + 26, f"{at:.2f} s") for place, at in _apart(marked)]
    said = escape(_words(starts, now, next_at), quote=True)
    return (
        f'<svg role="img" aria-label="{said}" viewBox="0 0 {WIDTH} {_HEIGHT}" '
        f'style="width:100%;max-width:{WIDTH}px;height:auto;display:block">{"".join(parts)}</svg>'
    )


def _mark(x: float, ready: bool) -> str:
    if ready:
        colour = "var(--jp-success-color1,currentColor)"
        return (
            f'<circle cx="{x}" cy="{_LINE_Y}" r="6" fill="{colour}" stroke="{_INK}" '
            'stroke-width="1"/>'
        )
    path = (
        f"M{x - 5} {_LINE_Y - 5}L{x + 5} {_LINE_Y + 5}M{x - 5} {_LINE_Y + 5}L{x + 5} {_LINE_Y - 5}"
    )
    return f'<path d="{path}" stroke="var(--jp-error-color1,currentColor)" stroke-width="3"/>'


def _text(x: float, y: float, text: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="12" text-anchor="middle" fill="{_INK}">'
        f"{escape(text)}</text>"
    )


def _apart(marked: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the marks whose label has room, from the newest backwards."""
    kept: list[tuple[float, float]] = []
    for place, at in reversed(marked):
        if all(abs(place - other) >= _ROOM for other, _ in kept):
            kept.append((place, at))
    return kept[::-1]


def _words(starts: Sequence[Start], now: float, next_at: float | None) -> str:
    done = ", ".join(f"{one.at:.2f} s {'ready' if one.ready else 'failed'}" for one in starts)
    then = "none planned" if next_at is None else f"next at {next_at:.2f} s"
    return f"Starts: {done or 'none yet'}; now {now:.2f} s; {then}"
