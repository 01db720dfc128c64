"""Other words of the same meaning, in both directions."""

import pytest

from workbench.discovery.synonyms import synonyms


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("remove", "delete"),
        ("delete", "remove"),
        ("pictures", "image"),
        ("removing", "delete"),
        ("deleted", "remove"),
        ("repositories", "repo"),
        ("k8s", "kubernetes"),
        ("kubernetes", "k8s"),
        ("pr", "pull"),
    ],
)
def test_a_word_leads_to_what_others_say(word: str, other: str) -> None:
    """Ours: whoever asks does not know which verb an author chose."""
    assert other in synonyms(word)


@pytest.mark.parametrize("word", ["", "s", "ing", "xyzzy", "気予"])
def test_an_unknown_word_leads_nowhere(word: str) -> None:
    """Ours: nothing is made up."""
    assert synonyms(word) == ()


def test_no_word_is_its_own_synonym_and_the_order_is_fixed() -> None:
    """Ours: the ranking is the same in every process."""
    for word in ("list", "create", "files", "sending"):
        found = synonyms(word)
        assert word not in found and list(found) == sorted(set(found))
