"""What was typed becomes quoted words, and words of the same meaning."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.discovery.query import MOST_ASKED, ask


def test_words_that_say_nothing_are_left_out_unless_there_are_no_others() -> None:
    """Ours: "how do I" is in many descriptions and means none of them."""
    asked = [word.exactly for word in ask("How do I list the pods?").words]
    assert asked == ['"list"', '"pods"', '"listpods"']
    assert [word.exactly for word in ask("what is the").words][:3] == ['"what"', '"is"', '"the"']
    assert ask("").words == ()


def test_a_synonym_counts_less_than_the_word_and_is_not_asked_twice() -> None:
    """Ours: the word itself is the better sign."""
    remove, delete, _ = ask("remove delete").words
    assert all(0 < counts < 1 for _, counts in remove.alike)
    terms = [term for term, _ in remove.alike]
    assert '"erase"' in terms and '"delete"' not in terms
    assert '"remove"*' in terms and '"delete"*' in [term for term, _ in delete.alike]


@given(st.text(max_size=400))
def test_every_term_is_one_quoted_word(text: str) -> None:
    """Ours: nothing typed is an operator; a query is bounded."""
    words = ask(text).words
    assert len(words) < 2 * MOST_ASKED
    for word in words:
        for term in (word.exactly, *(term for term, _ in word.alike)):
            inner = term.removesuffix("*")
            assert inner[0] == inner[-1] == '"' and inner[1:-1].isalnum()
