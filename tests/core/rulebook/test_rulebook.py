"""The rulebook as text and as Markdown, without anything that draws."""

from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rulebook import FAMILIES, RULE_COLUMNS, Rulebook
from workbench.core.rulebook.rules import RULES

TRICKY = Rule(
    id="ERA-99", sentence="A | B <b>.", source="ours: x", where="core.rulebook.rule", hint="Go."
)


def test_the_whole_book_holds_every_rule_once_in_the_order_of_the_pipeline() -> None:
    """Ours: nothing is left out of the page a refusal is looked up in."""
    book = Rulebook()
    assert [rule.id for rule in book] == list(RULES)
    assert set(book.families()) <= set(FAMILIES), "every family says what it is about"
    assert all(FAMILIES.values())


def test_a_family_is_a_rulebook_again() -> None:
    """Ours: a lesson shows the rules of its own stage."""
    book = Rulebook()
    assert sum(len(book.of(family)) for family in book.families()) == len(book)
    assert {rule.family for rule in book.of("MERGE")} == {"MERGE"}
    assert len(book.of("NOPE")) == 0


def test_text_holds_sentence_source_and_hint() -> None:
    """Ours: readable in a terminal."""
    lines = Rulebook((TRICKY,)).to_text().splitlines()
    assert lines == ["ERA-99  A | B <b>. (ours: x)", "        What to do: Go."]
    assert str(Rulebook((TRICKY,))) == "\n".join(lines)


def test_markdown_is_a_headed_table_a_family_and_escapes_cells() -> None:
    """Design 7.10: a cell cannot become anything but text."""
    text = Rulebook((TRICKY,)).to_markdown()
    assert text.startswith(f"## ERA: {FAMILIES['ERA']}\n\n| {' | '.join(RULE_COLUMNS)} |\n")
    assert "<b>" not in text
    assert len(text.strip().splitlines()) == 5


def test_a_notebook_without_a_renderer_shows_the_text() -> None:
    """Design 3: text always works."""
    bundle = Rulebook((TRICKY,))._repr_mimebundle_()
    assert bundle["text/plain"].startswith("ERA-99")
