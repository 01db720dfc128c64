"""Mermaid labels hold text only."""

import re

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.text.mermaid import Diagram, label


def test_every_mark_becomes_its_entity() -> None:
    """Spec: mermaid.js.org, entity codes to escape characters."""
    assert label('a#b;c:"<>') == "a#35;b#59;c#58;#34;#60;#62;"


@given(st.text())
def test_a_label_has_no_character_of_the_grammar_and_reads_back(text: str) -> None:
    """Ours: property over all of Unicode; nothing but entities, letters and plain marks."""
    shown = label(text, 10_000)
    rest = re.sub(r"#\d+;", "", shown)
    assert not set(rest) & set("#;:<>\"'`%{}[]$&\\|@!*~^?\n\r\t")
    assert "\u202e" not in shown


def test_a_diagram_is_shown_with_its_text_twin() -> None:
    """Ours: JupyterLab draws the one, everything else shows the other."""
    diagram = Diagram(source="sequenceDiagram\n", text="client")
    assert diagram._repr_mimebundle_() == {
        "text/vnd.mermaid": "sequenceDiagram\n",
        "text/plain": "client",
    }
    assert str(diagram) == "client"
