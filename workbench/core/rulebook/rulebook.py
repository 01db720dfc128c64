"""The rulebook as a value that can be shown: a table in a cell, a page in the documentation.

Takes:  rules, by default all
Gives:  `Rulebook`: text, Markdown, and through `Shown` a frame or HTML
Never:  states a rule itself; the sentences stand in the `*_rules` modules

Source: design section 9, "messages say which rule applied".
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rules import RULES
from workbench.core.text.markdown import table
from workbench.core.text.shown import Shown

RULE_COLUMNS: Final = ("Id", "Rule", "Source", "Enforced in", "Fake", "What to do")

FAMILIES: Final[dict[str, str]] = {
    "CONF": "The configuration",
    "PIN": "What may be started",
    "PROC": "Starting a process",
    "ERA": "The probe: which era a peer belongs to",
    "LEG": "The legacy handshake",
    "HTTP": "What a status and a header mean",
    "WIRE": "The envelope",
    "LIST": "A listing",
    "CACHE": "Reuse of a listing",
    "MERGE": "Many listings, one menu",
    "DRIFT": "A tool that changed",
    "ROUTE": "One name, one peer",
    "CALL": "One answer",
    "INPUT": "What a call asks back",
    "RETRY": "Sending again",
    "PEER": "A peer that was lost",
    "SUB": "What is listened to",
    "RECOV": "Bringing a lost peer back",
    "LINT": "What a recorded frame is held against",
}
"""What each family is about, in the order of the pipeline."""


class Rulebook(Shown, Struct, frozen=True):
    """Some rules, in the order of the pipeline."""

    rules: tuple[Rule, ...] = tuple(RULES.values())

    def __str__(self) -> str:
        return self.to_text()

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def families(self) -> tuple[str, ...]:
        """Return the families that occur, in the order of their first rule."""
        return tuple(dict.fromkeys(rule.family for rule in self.rules))

    def of(self, family: str) -> "Rulebook":
        """Return the rules of one family, such as "ERA"; none for an unknown family."""
        return Rulebook(tuple(rule for rule in self.rules if rule.family == family))

    def cells(self) -> list[tuple[str, ...]]:
        """Return one text for each of `RULE_COLUMNS`, a tuple a rule."""
        return [
            (
                rule.id,
                rule.sentence,
                rule.source,
                f"workbench.{rule.where}",
                rule.fake or "-",
                rule.hint or "-",
            )
            for rule in self.rules
        ]

    def to_text(self) -> str:
        """Return one line a rule, and what to do below it."""
        lines = []
        for rule in self.rules:
            lines.append(f"{rule.id}  {rule.sentence} ({rule.source})")
            if rule.hint:
                lines.append(f"{' ' * len(rule.id)}  What to do: {rule.hint}")
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """Return one headed GitHub table a family."""
        parts = []
        for family in self.families():
            about = FAMILIES.get(family, family)
            parts.append(f"## {family}: {about}\n\n{table(RULE_COLUMNS, self.of(family).cells())}")
        return "\n".join(parts)
