"""Findings as a frame and as a table; hostile text is in `tests/lint/test_findings.py`."""

from told import Told

from workbench.lint.findings import Finding, Findings
from workbench.views.findings import FINDING_TYPES, LIMIT, findings_frame, findings_html


def test_a_frame_has_the_columns_in_order_and_one_row_a_finding() -> None:
    """Ours: design 4, `.to_frame()`."""
    told = Told()
    told.hear(b"")
    frame = findings_frame(told.journal.lint())
    assert (list(frame.columns), len(frame)) == (list(FINDING_TYPES), 1)
    assert frame["frame"][0] == 1
    assert len(findings_frame(Findings()).columns) == len(FINDING_TYPES)


def test_a_long_table_is_cut_and_says_so() -> None:
    """Ours: a notebook must stay usable."""
    one = Finding(number=1, peer="p", by="server", rule="LINT-01", what="blank line")
    html = findings_html(Findings(findings=(one,) * (LIMIT + 3), frames=LIMIT + 3))
    assert (html.count("<tr>"), "3 not shown" in html) == (LIMIT + 1, True)


def test_a_record_without_a_finding_is_one_sentence() -> None:
    """Ours: an empty table looks like a fault of ours."""
    html = findings_html(Findings(frames=9))
    assert html == "<p><b>Lint: 9 frames, nothing found</b></p>"
