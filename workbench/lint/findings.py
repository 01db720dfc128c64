"""What lint found, as a value that can be shown.

Takes:  nothing
Gives:  `Finding`, and `Findings`: text, JSON, Markdown, and through `Shown` a frame or HTML
Never:  holds a secret the journal knows, or server text that is not made safe
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, Literal

from msgspec import Struct

from workbench.core.rulebook.lint_rules import ADVICE
from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rules import RULES
from workbench.core.text.json_text import json_text
from workbench.core.text.markdown import table
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible

FINDING_COLUMNS: Final = ("Frame", "Peer", "By", "Rule", "What", "Source")
Side = Literal["client", "server"]


class Finding(Struct, frozen=True, kw_only=True):
    """One frame, or the lack of one, that breaks a rule."""

    number: int
    """The frame's number in the journal."""
    peer: str
    by: Side
    """Whose frame it is."""
    rule: str
    what: str
    """What was seen, one clause, safe to show."""

    @property
    def stated(self) -> Rule:
        """The rule in the rulebook."""
        return RULES[self.rule]

    @property
    def level(self) -> Literal["must", "should"]:
        """Whether the specification demands it or recommends it."""
        return "should" if self.rule in ADVICE else "must"

    def line(self) -> str:
        """Return the finding as one line: where, who, what, and the rule with its source."""
        rule = self.stated
        where = f"frame {self.number}, {visible(self.peer)}, by the {self.by}"
        return f"{where}: {visible(self.what)}. {rule.sentence} [{rule.id}; {rule.source}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        rule = self.stated
        return {
            "frame": self.number,
            "peer": self.peer,
            "by": self.by,
            "rule": self.rule,
            "level": self.level,
            "what": self.what,
            "sentence": rule.sentence,
            "source": rule.source,
            "hint": rule.hint,
        }

    def cells(self) -> tuple[str, ...]:
        """Return one safe text for each of `FINDING_COLUMNS`."""
        said = f"{visible(self.what)}. {self.stated.sentence}"
        return (str(self.number), visible(self.peer), self.by, self.rule, said, self.stated.source)


class Findings(Shown, Struct, frozen=True, kw_only=True):
    """Everything that was found in one record, in the order of its frames."""

    findings: tuple[Finding, ...] = ()
    frames: int = 0
    """How many frames were looked at."""
    dropped: int = 0
    """Older entries that were missing from the record, so that some rules were not applied."""

    def __str__(self) -> str:
        return self.to_text()

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __bool__(self) -> bool:
        """Return whether anything was found."""
        return bool(self.findings)

    def counted(self) -> dict[str, int]:
        """Return how often each rule was broken, by rule id."""
        return dict(sorted(Counter(one.rule for one in self.findings).items()))

    def by(self, side: Side) -> "Findings":
        """Return the findings of one side only."""
        kept = tuple(one for one in self.findings if one.by == side)
        return Findings(findings=kept, frames=self.frames, dropped=self.dropped)

    def summary(self) -> str:
        """Return the counts as one line."""
        frames = f"{self.frames} frame{'' if self.frames == 1 else 's'}"
        found = f"{len(self.findings)} finding{'' if len(self.findings) == 1 else 's'}"
        missing = f"; {self.dropped} older entries are missing" if self.dropped else ""
        return f"{frames}, {found if self.findings else 'nothing found'}{missing}"

    def to_text(self) -> str:
        """Return the summary and one line a finding."""
        return "\n".join([self.summary(), *(one.line() for one in self.findings)])

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict a finding."""
        return [one.to_dict() for one in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON values."""
        return {
            "frames": self.frames,
            "dropped": self.dropped,
            "findings": self.to_rows(),
            "counted": self.counted(),
        }

    def to_json(self) -> str:
        """Return indented JSON without a final line end."""
        return json_text(self.to_dict(), indent=2)

    def to_markdown(self) -> str:
        """Return a GitHub table, or one sentence when nothing was found."""
        if not self.findings:
            return f"{self.summary()}\n"
        return table(FINDING_COLUMNS, [one.cells() for one in self.findings])
