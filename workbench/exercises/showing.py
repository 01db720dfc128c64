"""Verdicts and lists of exercises as HTML and frames.

Takes:  plain values
Gives:  escaped HTML in the notebook's own colours; frames with text and nullable columns
Never:  imports pandas or IPython before something is shown
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from workbench.core.text.visible import visible
from workbench.views.html import text_of

if TYPE_CHECKING:
    import pandas

    from workbench.exercises.verdict import Verdict

_NUMBERS: Final = ("exercise", "number", "passed", "trials")
_COLOURS: Final = {
    "PASS": "var(--jp-success-color1,#388e3c)",
    "NOT YET": "var(--jp-warn-color1,#f57c00)",
    "FAILED": "var(--jp-error-color1,#d32f2f)",
}
_BOX: Final = (
    "border-left:.4em solid {colour};padding:.2em 1em;margin:.3em 0;"
    "color:var(--jp-ui-font-color1,inherit)"
)
_NAME: Final = "text-align:left;vertical-align:top;padding:.2em 1em .2em 0;font-weight:bold"
_CELL: Final = "text-align:left;padding:.2em 0;white-space:pre-wrap;overflow-wrap:anywhere"


def verdict_html(verdict: "Verdict") -> str:
    """Return a verdict as a small table with a heading; the word says what the colour says."""
    (_, heading), *facts = verdict.facts()
    rows = "".join(
        f'<tr><th scope="row" style="{_NAME}">{text_of(name)}</th>'
        f'<td style="{_CELL}">{_shown(name, text)}</td></tr>'
        for name, text in facts
    )
    box = _BOX.format(colour=_COLOURS[verdict.status])
    # Formulas between dollar signs would be typeset by the notebook: these classes forbid it.
    return (
        f'<div class="mathjax_ignore tex2jax_ignore" role="status" style="{box}">'
        f"<strong>{text_of(verdict.status)}</strong> {text_of(heading)}"
        f'<table style="border-collapse:collapse;background:transparent"><tbody>{rows}</tbody>'
        "</table></div>"
    )


def show(verdict: "Verdict") -> None:
    """Show a verdict in IPython, and below a failed one what crossed the wire."""
    from IPython.display import display

    draw: Any = display
    draw(verdict._repr_mimebundle_(), raw=True)
    if verdict.status == "FAILED" and verdict.crossed:
        draw(verdict.diagram())


def rows_frame(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> "pandas.DataFrame":
    """Return rows as a frame; numbers are Int64, everything else text that is safe to show."""
    import pandas

    return pandas.DataFrame(
        {
            name: pandas.Series(
                [_safe(row.get(name)) for row in rows],
                dtype="Int64" if name in _NUMBERS else "string",
            )
            for name in columns
        },
        columns=list(columns),
    )


def _shown(name: str, text: str) -> str:
    return f"<code>{text_of(text)}</code>" if name in ("frame", "printed") else text_of(text)


def _safe(value: Any) -> Any:
    return visible(value) if isinstance(value, str) else value
