"""What a class expects, counted before it is shown: answers, and which rule.

Takes:  a question, votes, and in the end the truth
Gives:  `Ballot`, frozen, and how the class did in words
Never:  knows the truth before it is told

Source: design section 10, "a prediction question" comes before each demonstration.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.outcome import Ended
from workbench.views.panels.demonstration import NOBODY, NOT_CALLED, UNAVAILABLE, Demonstration

VERDICT: Final = "What becomes of the peer?"
CALL: Final = "How does the first call end?"
OWNER: Final = "Who answers the first call?"

MOST_VOTES: Final = 10_000
"""Votes for one answer; a class is smaller."""


class Ballot(Struct, frozen=True, kw_only=True):
    """The votes on one question."""

    question: str = VERDICT
    answers: tuple[str, ...] = ()
    """What can be voted for; none means the question's own."""
    votes: tuple[int, ...] = ()
    rules: Mapping[str, int] = {}
    """Votes for a rule, by its id."""

    def counted(self, answer: str, votes: int) -> "Ballot":
        """Return the ballot with so many votes for an answer.

        Raises:
            MisuseError: if there is no such answer, or the number is not possible.
        """
        if answer not in self.answers or not 0 <= votes <= MOST_VOTES:
            raise _wrong(f"{votes} votes for {answer!r} cannot be counted.")
        place = self.answers.index(answer)
        return replace(self, votes=(*self.votes[:place], votes, *self.votes[place + 1 :]))

    def for_rule(self, rule: str) -> "Ballot":
        """Return the ballot with one more vote for a rule."""
        return replace(self, rules={**self.rules, rule: self.rules.get(rule, 0) + 1})

    @property
    def total(self) -> int:
        """How many have voted on the question."""
        return sum(self.votes)

    def lines(self) -> list[str]:
        """Return the votes as text."""
        said = [self.question]
        said += [
            f"  {answer}: {votes}" for answer, votes in zip(self.answers, self.votes, strict=True)
        ]
        return said + [f"  rule {rule}: {votes}" for rule, votes in sorted(self.rules.items())]

    def result(self, truth: str, rule: str | None) -> str:
        """Return how the class did, in two sentences at most.

        Args:
            truth: the right answer.
            rule: the rule behind it.
        """
        said = [f"{self.question} {truth}."]
        if self.total:
            right = dict(zip(self.answers, self.votes, strict=True)).get(truth, 0)
            share = round(100 * right / self.total)
            said.append(f"{right} of {self.total} said so ({share} %).")
        else:
            said.append("Nobody has voted.")
        if self.rules:
            named = self.rules.get(rule or "", 0)
            said.append(f"{named} of {sum(self.rules.values())} named the rule, {rule or 'none'}.")
        return " ".join(said)


def ballot(question: str, peers: tuple[str, ...] = ()) -> Ballot:
    """Return an empty ballot.

    Args:
        question: one of the three.
        peers: who may answer the first call.
    """
    answers: tuple[str, ...] = {
        VERDICT: ("ready, modern", "ready, legacy", UNAVAILABLE),
        CALL: (*map(str, Ended), NOT_CALLED),
        OWNER: (*peers, NOBODY),
    }[question]
    return Ballot(question=question, answers=answers, votes=(0,) * len(answers))


def truth_of(question: str, shown: Demonstration) -> tuple[str, str | None]:
    """Return the right answer to a question, and the rule behind it."""
    if question == VERDICT:
        return shown.verdict, shown.rule
    if question == CALL:
        return shown.ended, next((one.rule for one in shown.acts if one.stage == "call"), None)
    clashes = [one.rule for one in shown.acts if one.stage == "merge" and one.rule]
    return shown.answered_by, clashes[0] if clashes else None


def _wrong(detail: str) -> MisuseError:
    hint = f"Give one of the answers from 0 to {MOST_VOTES} votes."
    return MisuseError(Failure(kind=Kind.MISUSE, stage="show", detail=detail, hint=hint))
