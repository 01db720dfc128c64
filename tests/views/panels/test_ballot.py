"""Votes: counted, held against the truth, and never beyond what is possible."""

import pytest

from workbench.core.errors import MisuseError
from workbench.core.outcome import Ended
from workbench.views.panels.ballot import CALL, MOST_VOTES, OWNER, VERDICT, ballot


def test_each_question_has_its_answers() -> None:
    """Design 7.7: a call ends in one of seven ways, or was never made."""
    assert ballot(VERDICT).answers == ("ready, modern", "ready, legacy", "unavailable")
    assert ballot(CALL).answers[:7] == tuple(map(str, Ended))
    assert ballot(OWNER, ("files", "notes")).answers == ("files", "notes", "nobody")


def test_votes_are_counted_and_held_against_the_truth() -> None:
    """Ours: how the class did, in words."""
    votes = ballot(VERDICT).counted("unavailable", 12).counted("ready, legacy", 4)
    assert votes.total == 16
    assert votes.counted("unavailable", 3).total == 7
    assert votes.result("unavailable", "ERA-10") == (
        "What becomes of the peer? unavailable. 12 of 16 said so (75 %)."
    )
    assert "  unavailable: 12" in votes.lines()
    assert "0 of 16 said so (0 %)" in votes.result("ready, modern", "ERA-01")


def test_a_vote_for_a_rule_is_counted_apart() -> None:
    """Ours: which rule is a second question."""
    votes = ballot(VERDICT).for_rule("ERA-10").for_rule("ERA-10").for_rule("ERA-11")
    assert "Nobody has voted. 2 of 3 named the rule, ERA-10." in votes.result("x", "ERA-10")
    assert votes.lines()[-2:] == ["  rule ERA-10: 2", "  rule ERA-11: 1"]


@pytest.mark.parametrize(("answer", "count"), [("maybe", 1), ("unavailable", -1),
                                               ("unavailable", MOST_VOTES + 1)])  # fmt: skip
def test_an_impossible_vote_is_refused(answer: str, count: int) -> None:
    """Ours: bounded, as everything is."""
    with pytest.raises(MisuseError, match="cannot be counted"):
        ballot(VERDICT).counted(answer, count)
