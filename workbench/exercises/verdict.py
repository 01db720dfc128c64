"""What `check` says: passed, not yet, or failed, with the rule, the frame and three hints.

Takes:  what a judge found, and the transcript of the trial it was found in
Gives:  `Verdict`: one line, a text, HTML, a diagram, a row for a gradebook
Never:  shows a byte of a peer or an answer unescaped

The text is the whole verdict; HTML and diagram only make it pleasant.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from workbench.core.journal.journal import Journal
from workbench.core.rulebook.rules import RULES
from workbench.core.text.mermaid import Diagram
from workbench.core.text.visible import sample, visible
from workbench.exercises.exercise import Exercise, Finding, Hints

if TYPE_CHECKING:
    import pandas

Status: TypeAlias = Literal["PASS", "NOT YET", "FAILED"]
COLUMNS: Final = ("exercise", "name", "status", "rule", "mistake", "seen", "passed", "trials")
_FRAME: Final = 600
_SEEN: Final = 500
_PRINTED_LINES: Final = 5


class Verdict:
    """The result of one check. Show it, print it, or ask it for a `hint()`.

    Args:
        exercise: what was checked.
        status: "PASS", "NOT YET" (nothing written yet) or "FAILED".
        finding: what is wrong; None when nothing is.
        situation: the trial it was found in, in a few words.
        hints: the three hints for this mistake, weakest first.
        passed: how many trials went well before.
        trials: how many there are.
        journal: both directions of the trial, for the diagram.
        printed: the start of what the answer printed in that trial.
    """

    def __init__(
        self,
        exercise: Exercise,
        status: Status,
        *,
        finding: Finding | None = None,
        situation: str = "",
        hints: Hints | None = None,
        passed: int = 0,
        trials: int = 0,
        journal: Journal | None = None,
        printed: str = "",
    ) -> None:
        self.exercise, self.status = exercise, status
        self.situation = visible(situation)
        self.passed, self.trials = passed, trials
        self.hints: tuple[str, ...] = hints or ()
        """All three, weakest first."""
        self.mistake = finding.key if finding else ""
        """A short name of the mistake."""
        self.rule = finding.rule if finding else None
        """Id of the rule that was broken, where the rulebook has one."""
        self.seen = visible(finding.seen, _SEEN) if finding else ""
        """One sentence: what was seen."""
        self.frame = finding.frame if finding else None
        """The bytes that show it; `print(verdict)` shows them safely."""
        self.printed = printed
        self._journal = Journal() if journal is None else journal
        self._given = 0

    def __repr__(self) -> str:
        return self.to_text()

    def __bool__(self) -> bool:
        """Whether it is passed: `assert check(1, answer)`."""
        return self.status == "PASS"

    def hint(self, level: int | None = None) -> str:
        """Return the next hint: a nudge first, then a pointer, then almost the solution.

        Args:
            level: 1, 2 or 3 asks for that one; None goes on from the last.
        """
        if not self.hints:
            return "There is nothing left to hint at."
        wanted = self._given + 1 if level is None else level
        self._given = min(max(wanted, 1), len(self.hints))
        return f"Hint {self._given} of {len(self.hints)}: {self.hints[self._given - 1]}"

    def line(self) -> str:
        """Return the verdict as one line."""
        head = f"{self.exercise.number} {self.exercise.name}: {self.status}"
        if self.status == "PASS":
            return f"{head} ({self.trials} of {self.trials} trials)"
        rule = f" [{self.rule}]" if self.rule else ""
        return f"{head}{rule} {self.seen}"

    def to_text(self) -> str:
        """Return everything but the diagram, a line each, safe for a terminal."""
        return "\n".join(f"{name:<10} {text}".rstrip() for name, text in self.facts())

    def facts(self) -> list[tuple[str, str]]:
        """Return name and text of each line that there is to show, safe on one line each."""
        number, title = self.exercise.number, self.exercise.title
        facts: list[tuple[str, str]] = [
            (self.status, f"exercise {number}, {title}: {self._count()}")
        ]
        if self.situation and self.status == "FAILED":
            facts.append(("situation", self.situation))
        if self.seen:
            facts.append(("seen", self.seen))
        if self.rule:
            facts.append(("rule", f"{self.rule}: {RULES[self.rule].sentence}"))
        if self.frame is not None:
            facts.append(("frame", sample(self.frame, _FRAME)))
        lines = [one for one in self.printed.split("\n") if one.strip()][:_PRINTED_LINES]
        facts += [("printed", visible(one, _SEEN)) for one in lines]
        if self.hints:
            facts.append(("hint", "verdict.hint() gives the first of three"))
        return facts

    def diagram(self) -> Diagram:
        """Return what crossed the wire in the trial, as a picture and as text."""
        return self._journal.diagram()

    @property
    def crossed(self) -> bool:
        """Whether any frame crossed in the trial, so that there is something to draw."""
        return any(entry.frame is not None for entry in self._journal.entries())

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row, JSON values only, the same in every run."""
        return {
            "exercise": self.exercise.number,
            "name": self.exercise.name,
            "status": self.status,
            "rule": self.rule,
            "mistake": self.mistake or None,
            "seen": self.seen or None,
            "passed": self.passed,
            "trials": self.trials,
        }

    def to_json(self) -> str:
        """Return the row as JSON, for a gradebook."""
        return json.dumps(self.to_dict())

    def to_frame(self) -> "pandas.DataFrame":
        """Return the row as a frame of one."""
        return verdicts_frame([self])

    def _repr_html_(self) -> str:
        from workbench.exercises.showing import verdict_html

        return verdict_html(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": self._repr_html_()}

    def _ipython_display_(self) -> None:
        from workbench.exercises.showing import show

        show(self)

    def _count(self) -> str:
        return f"{self.passed} of {self.trials} trials"


def verdicts_frame(verdicts: Sequence[Verdict]) -> "pandas.DataFrame":
    """Return one row a verdict."""
    from workbench.exercises.showing import rows_frame

    return rows_frame([one.to_dict() for one in verdicts], COLUMNS)
