"""The rulebook as a frame and as HTML."""

import workbench  # noqa: F401 - plugs the views in
from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rulebook import Rulebook
from workbench.core.rulebook.rules import RULES
from workbench.views.rulebook import RULEBOOK_COLUMNS, rulebook_frame, rulebook_html

HOSTILE = Rule(id="ERA-99", sentence="<script>.", source="ours", where="core.rulebook.rule")


def test_the_frame_has_a_row_a_rule_and_the_fields_as_columns() -> None:
    """Ours: a student filters the rules like any other table."""
    frame = Rulebook().to_frame()
    assert list(frame.columns) == ["id", "sentence", "source", "where", "fake", "hint"]
    assert tuple(frame.columns) == RULEBOOK_COLUMNS
    assert frame["id"].tolist() == list(RULES)
    assert {str(kind) for kind in frame.dtypes} == {"string"}


def test_an_absent_fake_is_no_text() -> None:
    """Ours: `frame.dropna()` finds the rules one fake can show."""
    frame = rulebook_frame(Rulebook((HOSTILE,)))
    assert frame[["fake", "hint"]].isna().all(axis=None)
    assert rulebook_frame(Rulebook(())).empty


def test_html_is_one_escaped_table() -> None:
    """Design 7.10: whatever a sentence holds, it stays text."""
    html = rulebook_html(Rulebook((HOSTILE,)))
    assert "<script" not in html and "1 rule<" in html
    assert html.count("<table") == 1
    assert Rulebook((HOSTILE,))._repr_mimebundle_()["text/html"] == html
