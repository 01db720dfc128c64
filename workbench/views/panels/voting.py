"""The class votes: a question, a field for each answer, and which rule.

Takes:  a panel to build in
Gives:  labelled controls, the `Ballot` they make, and in the end how the class did
Never:  knows what is right before `close` is told
"""

from typing import Any, Final

from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import visible
from workbench.views.html import text_of
from workbench.views.panels.ballot import CALL, MOST_VOTES, OWNER, VERDICT, Ballot, ballot, truth_of
from workbench.views.panels.demonstration import Demonstration
from workbench.views.panels.demonstration_html import votes_html
from workbench.views.panels.panel import Panel
from workbench.views.panels.tally import tally_html

_QUESTIONS: Final = (VERDICT, CALL, OWNER)
_FAMILIES: Final = ("ERA", "LEG", "HTTP", "WIRE", "LIST", "MERGE", "ROUTE", "CALL", "INPUT",
                    "RETRY", "SUB", "PEER")  # fmt: skip
"""Whose rules can be behind an answer."""
_LONGEST: Final = 100


class VotingBooth:
    """Counts the votes of a class.

    Args:
        panel: makes the controls, and shows what goes wrong in them.
    """

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._peers: tuple[str, ...] = ()
        self._about = ""
        self.ballot: Ballot = ballot(VERDICT)
        self.told = ""
        """How the class did; "" before the reveal."""
        self.clue = ""
        """The clue that was given; "" when none was."""
        self._build()
        self.begin_again()

    @property
    def about_calls(self) -> bool:
        """Whether the question is about a call."""
        return self.ballot.question != VERDICT

    def open(self, subject: str, peers: tuple[str, ...]) -> None:
        """Begin a vote.

        Args:
            subject: the peer that it is about.
            peers: all of them, by name.
        """
        self._peers = peers
        self.begin_again()
        if len(peers) > 1:
            self._about = visible(f"It is about {subject}; the peers are {', '.join(peers)}.")
        self._about_place.value = f"<p>{text_of(self._about)}</p>"

    def close(self, shown: Demonstration) -> str:
        """Tell the truth; return how the class did, as HTML."""
        truth, rule = truth_of(self.ballot.question, shown)
        self.told = self.ballot.result(truth, rule)
        return votes_html(self.ballot, truth, rule)

    def begin_again(self) -> None:
        """Forget the votes, the clue and the result."""
        self.told = self.clue = self._about = self._about_place.value = ""
        self._ask(self.question.value)

    def lines(self) -> list[str]:
        """Return the votes, and the clue if one was given, as text."""
        about = [self._about] if self._about else []
        return [*about, *self.ballot.lines(), *([f"Clue: {self.clue}"] if self.clue else [])]

    def _build(self) -> None:
        import ipywidgets

        panel = self._panel
        self.question = panel.choice("The class is asked", _QUESTIONS, self._ask)
        self.fields: dict[str, Any] = {}
        self._fields_place, self._about_place = panel.row(), panel.markup()
        self._tally_place = panel.markup()
        rules = [
            (visible(f"{rule.id}: {rule.sentence}", _LONGEST), rule.id)
            for rule in RULES.values()
            if rule.family in _FAMILIES
        ]
        self.rule = panel.choice("And which rule", rules, tooltip="Optional")
        self.for_rule = panel.button(
            "Vote for this rule", "Count one more vote for it", self._for_rule
        )
        self._counted = ipywidgets.HTML()
        self.parts = (
            panel.markup("<h4>The class votes</h4>"),
            self._about_place,
            panel.row(self.question),
            self._fields_place,
            self._tally_place,
            panel.row(self.rule, self.for_rule, self._counted),
        )

    def _ask(self, question: str) -> None:
        import ipywidgets

        self.ballot = ballot(question, self._peers)
        self.fields = {}
        for answer in self.ballot.answers:
            field = ipywidgets.BoundedIntText(
                description=visible(answer, 40), value=0, min=0, max=MOST_VOTES,
                style={"description_width": "initial"}, layout=ipywidgets.Layout(width="auto"),
            )  # fmt: skip
            field.tooltip = f"How many say: {visible(answer, 40)}"
            field.observe(self._panel.guarded(self._counting(answer)), "value")
            self.fields[answer] = field
        self._fields_place.children = tuple(self.fields.values())
        self._counted.value = self._tally_place.value = ""

    def _counting(self, answer: str) -> Any:
        def count(change: dict[str, Any]) -> None:
            self.ballot = self.ballot.counted(answer, change["new"])
            self._tally_place.value = tally_html(self.ballot)
            self._panel.say(f"Votes so far: {self.ballot.total}.")

        return count

    def _for_rule(self) -> None:
        self.ballot = self.ballot.for_rule(self.rule.value)
        said = [f"{rule}: {votes}" for rule, votes in sorted(self.ballot.rules.items())]
        self._counted.value = f"<p>{text_of(', '.join(said))}</p>"
