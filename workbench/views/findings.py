"""What lint found as a frame and as an HTML table.

Takes:  `Findings`
Gives:  one row a finding
Never:  puts a peer's text into either unescaped

Source: design section 4, `journal.lint()`.
"""

from typing import TYPE_CHECKING, Final

from workbench.lint.findings import FINDING_COLUMNS, Findings
from workbench.views.frames import frame_of_rows
from workbench.views.html import table, text_of

if TYPE_CHECKING:
    import pandas

FINDING_TYPES: Final = {
    "frame": "Int64",
    "peer": "category",
    "by": "category",
    "rule": "category",
    "level": "category",
    "what": "string",
    "sentence": "string",
    "source": "string",
    "hint": "string",
}
LIMIT: Final = 200
"""Most findings in one HTML table; the first are shown."""


def findings_frame(findings: Findings) -> "pandas.DataFrame":
    """Return one row a finding, in the order of the frames."""
    return frame_of_rows(findings.to_rows(), FINDING_TYPES)


def findings_html(findings: Findings) -> str:
    """Return a table of the findings; without any, one line of text.

    A table without cells is as narrow as the longest word of its caption.
    """
    if not findings:
        return f"<p><b>Lint: {text_of(findings.summary())}</b></p>"
    shown = findings.findings[:LIMIT]
    left_out = len(findings) - len(shown)
    caption = f"Lint: {findings.summary()}" + (f", {left_out} not shown" if left_out else "")
    return table(caption, FINDING_COLUMNS, [one.cells() for one in shown])
