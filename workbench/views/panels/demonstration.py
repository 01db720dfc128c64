"""One demonstration for a class: what was planned, and what came of it.

Takes:  an instructor's choices, and what the client reported
Gives:  `Plan` and `Demonstration`, frozen: the verdict in a few words, the acts, the clue
Never:  connects to anything, and never tells more in a clue than a peer's own first answer

Source: design section 1, "instructors who demonstrate failure modes live".
"""

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from workbench.core.journal.entry import Entry
from workbench.core.journal.journal import Journal
from workbench.core.menu.menu import Policy
from workbench.core.pins.drift_watch import DriftPolicy
from workbench.core.report import StartupReport
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import sample, visible
from workbench.core.wire.keys import TOOLS_CALL
from workbench.core.wire.versions import Era

Transport: TypeAlias = Literal["memory", "stdio", "http"]
AskedBack: TypeAlias = Literal["nobody answers", "the user agrees", "the user declines"]

ACT_COLUMNS: Final = ("Stage", "Who", "What came of it", "Rule", "The rule says")
UNAVAILABLE: Final = "unavailable"
NOT_CALLED: Final = "there was nothing to call"
NOBODY: Final = "nobody"
_CLUE: Final = 600
"""Longest answer shown as a clue, in characters."""


class Plan(Struct, frozen=True, kw_only=True):
    """What an instructor has chosen; the same plan gives the same demonstration."""

    cast: str
    """Name of the situation in the catalogue."""
    beside: tuple[Era, ...] = ()
    """The good neighbours."""
    transport: Transport = "memory"
    allow_legacy: bool = False
    accept_missing_result_type: bool = False
    discovery_timeout_ms: int = 1_000
    legacy_probe_timeout_ms: int = 1_000
    call_timeout_s: float = 3.0
    merge_policy: Policy = "prefix-on-collision"
    drift_policy: DriftPolicy = "report"
    asked_back: AskedBack = "nobody answers"
    repeat: bool = False
    """Whether calls carry an idempotency key, so that a broken one is sent again."""

    @property
    def settings(self) -> dict[str, Any]:
        """What `add_server` is given for each peer of the cast."""
        names = ("allow_legacy", "accept_missing_result_type", "discovery_timeout_ms",
                 "legacy_probe_timeout_ms", "call_timeout_s")  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def terms(self) -> str:
        """Return everything but the situation as one line."""
        said = [
            f"over {self.transport}" if self.transport != "memory" else "in memory",
            f"allow_legacy {'on' if self.allow_legacy else 'off'}",
            f"discovery timeout {self.discovery_timeout_ms} ms",
            f"merge policy {self.merge_policy}",
        ]
        if self.accept_missing_result_type:
            said.append("accept_missing_result_type on")
        if self.drift_policy != "report":
            said.append(f"drift policy {self.drift_policy}")
        if self.asked_back != "nobody answers":
            said.append(f"asked back: {self.asked_back}")
        if self.repeat:
            said.append("calls may be repeated")
        if self.beside:
            said.append(f"beside it: {' and '.join(self.beside)}")
        return "; ".join(said)


class Act(Struct, frozen=True, kw_only=True):
    """One thing that came of one stage."""

    stage: str
    who: str
    what: str
    """Anything a peer said is in it as it was said; it is made safe when shown."""
    rule: str | None = None

    def cells(self) -> tuple[str, ...]:
        """Return one safe text for each of `ACT_COLUMNS`."""
        rule = RULES.get(self.rule or "")
        shown = (visible(self.who, 80), visible(self.what, 400))
        return (self.stage, *shown, self.rule or "-", rule.sentence if rule else "-")

    def line(self) -> str:
        """Return the act as one safe line."""
        who = f" {visible(self.who, 80)}" if self.who else ""
        rule = f" [{self.rule}]" if self.rule else ""
        return f"{self.stage}{who}: {visible(self.what, 400)}{rule}"


class Demonstration(Struct, frozen=True, kw_only=True):
    """What came of a plan; it stays true when the peers are gone."""

    plan: Plan
    about: str
    """What is wrong with the situation, in one line."""
    subject: str
    """The peer that it is about."""
    report: StartupReport
    acts: tuple[Act, ...]
    journal: Journal
    ended: str = NOT_CALLED
    """How the first call ended."""
    called: str = ""
    """What was called first: its canonical name."""
    answered_by: str = NOBODY

    @property
    def verdict(self) -> str:
        """What became of the subject: "ready, modern", "ready, legacy" or "unavailable"."""
        (row,) = [row for row in self.report.peers if row.peer == self.subject]
        return f"ready, {row.era}" if row.status == "ready" else UNAVAILABLE

    @property
    def rule(self) -> str | None:
        """The rule that gave the verdict."""
        return next(row.rule for row in self.report.peers if row.peer == self.subject)

    def lines(self) -> Iterator[str]:
        """Yield the demonstration as text: verdict, acts, report, diagram."""
        yield f"Situation: {visible(self.plan.cast)}: {visible(self.about)}"
        yield f"Verdict on {visible(self.subject)}: {self.verdict}" + _stated(self.rule)
        yield from (act.line() for act in self.acts)
        yield ""
        yield from self.report.to_text().split("\n")
        yield ""
        yield from self.journal.diagram().text.split("\n")

    def clue(self, *, of_call: bool = False) -> str:
        """Return the subject's own first answer and nothing else, safe to show.

        Args:
            of_call: the first answer to a call, instead of the first to the probe.
        """
        entries = self.journal.entries(self.subject)
        asked = _place(entries, TOOLS_CALL if of_call else "server/discover")
        if asked is None:
            return "Nothing was asked." if not of_call else "Nothing was called."
        for entry in entries[asked + 1 :]:
            if entry.kind in ("received", "stray") and entry.frame is not None:
                return f"It answered: {sample(entry.frame, _CLUE)}"
            if entry.kind == "closed":
                return "No message came back before the connection ended."
            if entry.kind == "sent":
                break
        return "No message came back."


def _stated(rule: str | None) -> str:
    known = RULES.get(rule or "")
    return f" [{known.id}: {known.sentence}]" if known else ""


def _place(entries: tuple[Entry, ...], method: str) -> int | None:
    """Return where the first request of this method stands."""
    wanted = f'"method":"{method}"'.encode()
    for place, entry in enumerate(entries):
        if entry.kind == "sent" and entry.frame is not None and wanted in entry.frame:
            return place
    return None
