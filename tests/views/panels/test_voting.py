"""The voting booth: its fields make the ballot, and the truth comes last."""

from fakes import library
from workbench.classroom.stage import Stage
from workbench.core.outcome import Ended
from workbench.views.panels.ballot import CALL, OWNER
from workbench.views.panels.demonstration import Plan
from workbench.views.panels.panel import Panel
from workbench.views.panels.voting import VotingBooth


def shown(booth: VotingBooth) -> str:
    """Return everything that the booth shows as markup."""
    return " ".join(getattr(part, "value", "") for part in booth.parts)


def test_fields_are_votes_and_another_question_begins_anew() -> None:
    """Ours: each answer has its field, labelled by the answer."""
    panel = Panel("Booth")
    booth = VotingBooth(panel)
    booth.open("files", ("files", "notes"))
    assert booth.lines()[0] == "It is about files; the peers are files, notes."
    booth.fields["unavailable"].value = 3
    booth.fields["ready, legacy"].value = 2
    assert booth.ballot.total == 5 and "Votes so far: 5." in str(panel)
    assert "unavailable: 3 of 5 (60 %), in front" in shown(booth)
    booth.question.value = CALL
    assert booth.ballot.total == 0 and booth.about_calls and "in front" not in shown(booth)
    assert [*booth.fields][:7] == [str(end) for end in Ended]
    booth.question.value = OWNER
    assert [*booth.fields] == ["files", "notes", "nobody"]


def test_the_truth_is_told_at_the_end_and_forgotten_at_the_beginning() -> None:
    """Ours: how the class did."""
    booth = VotingBooth(Panel("Booth"))
    booth.open("peer", ("peer",))
    booth.fields["unavailable"].value = 9
    booth.rule.value = "ERA-11"
    booth.for_rule.click()
    booth.clue = "nothing came"
    assert booth.lines()[-2:] == ["  rule ERA-11: 1", "Clue: nothing came"]
    html = booth.close(Stage(library).perform(Plan(cast="P11-silence"), lambda _: None))
    assert "9 of 9 said so (100 %). 1 of 1 named the rule, ERA-11." in html
    assert booth.told in html
    booth.begin_again()
    assert (booth.told, booth.clue, booth.ballot.total) == ("", "", 0)
