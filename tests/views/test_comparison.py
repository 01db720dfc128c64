"""Comparisons as frames and tables; hostile text is in `tests/comparison/test_values.py`."""

from workbench.comparison import kept
from workbench.views.comparison import (
    COMPARISON_TYPES,
    TOGETHER_TYPES,
    comparison_frame,
    comparison_html,
    together_frame,
)


def test_a_frame_has_one_row_for_each_fault_and_client() -> None:
    """Ours: design 4, `.to_frame()`; ready to be grouped and pivoted."""
    value = kept().only(["P11", "P12"])
    frame = comparison_frame(value)
    assert list(frame.columns) == list(COMPARISON_TYPES)
    assert len(frame) == len(value.rows) * 4
    wide = frame.pivot(index="fault", columns="client", values="verdict")
    assert wide.loc["P11-silence", "workbench"] == "refused"
    assert len(comparison_frame(value.only([]))) == 0


def test_a_table_has_the_specification_beside_and_the_meanings_below() -> None:
    """Ours: a verdict without its rule would be an accusation."""
    html = comparison_html(kept().only(["P11", "M04"]))
    for words in ("Specification", "What it means", "Several peers at once", "mcp 2."):
        assert words in html
    assert html.count("<table") == 4


def test_several_peers_are_a_frame_too() -> None:
    """Ours: where each name leads can be looked up."""
    frame = together_frame(kept().together)
    assert list(frame.columns) == list(TOGETHER_TYPES)
    assert frame["reached"].max() > 0
