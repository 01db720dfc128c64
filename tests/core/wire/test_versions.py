"""Revisions are ordered by their tables."""

from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS, highest_mutual


def test_the_newest_of_ours_that_they_name_is_chosen() -> None:
    """Spec: basic/versioning."""
    assert highest_mutual(("a", "b", "c"), ["a", "b", "z"]) == "b"


def test_the_order_is_ours_not_that_of_the_text() -> None:
    """Ours: version strings are never compared as text."""
    assert highest_mutual(("9", "1"), ["1", "9"]) == "1"


def test_a_refused_revision_is_never_chosen_again() -> None:
    """Field case E15."""
    assert highest_mutual(("a", "b"), ["a", "b"], excluding=["b"]) == "a"
    assert highest_mutual(("a",), ["a"], excluding=["a"]) is None


def test_no_revision_is_both_modern_and_legacy() -> None:
    """Ours: an era is one or the other."""
    assert not set(MODERN_REVISIONS) & set(LEGACY_REVISIONS)
