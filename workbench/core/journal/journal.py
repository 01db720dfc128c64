"""The one record of every frame and every decision.

Takes:  frames as bytes and decisions as words, each with its time
Gives:  entries, and everything made from them: text, rows, JSONL, diagrams, tables
Never:  grows without bound, decodes on the hot path, or gives out a known secret

Writing appends one tuple; decoding, matching and redaction happen when somebody reads.
One thread writes; any thread may read at the same time. Source: design sections 3 and 7.9.
"""

from typing import Any, Final

from workbench.core.journal.entry import Entry, EntryKind, entries_of
from workbench.core.journal.facts import Facts
from workbench.core.journal.jsonl import read_jsonl, write_jsonl
from workbench.core.journal.kept import Kept, Unnumbered, weight
from workbench.core.journal.sequence import lanes, sequence_diagram
from workbench.core.journal.sequence_svg import sequence_svg
from workbench.core.journal.trace import rows, trace
from workbench.core.text.mermaid import Diagram
from workbench.core.text.redact import Redactor
from workbench.core.text.shown import Shown, shown_by

DEFAULT_CAPACITY: Final = 10_000
"""Entries kept."""
DEFAULT_BYTE_CAPACITY: Final = 64 * 1024 * 1024
"""Frame bytes kept, so that ten thousand large frames cannot fill the memory."""


class Journal(Shown):
    """A ring buffer of what happened.

    Args:
        capacity: most entries kept; must be positive.
        redactor: knows the secrets; None means there are none. May learn more later.
        byte_capacity: most bytes of frames kept; the newest entry stays whatever its size.
    """

    def __init__(
        self,
        capacity: int = DEFAULT_CAPACITY,
        redactor: Redactor | None = None,
        byte_capacity: int = DEFAULT_BYTE_CAPACITY,
    ) -> None:
        self.redactor = Redactor() if redactor is None else redactor
        self._kept = Kept(capacity, byte_capacity)

    def __repr__(self) -> str:
        return f"<Journal of {len(self)} entries, {self.dropped} dropped>"

    def __len__(self) -> int:
        return len(self._kept.newest())

    @property
    def dropped(self) -> int:
        """How many entries have fallen out."""
        return self._kept.dropped

    def __bool__(self) -> bool:
        # An empty journal is still a journal: `journal or Journal()` must keep it.
        return True

    def sent(
        self,
        at: float,
        peer: str,
        frame: bytes,
        method: str | None = None,
        facts: Facts | None = None,
    ) -> int:
        """Record a frame on its way to a peer and return the entry's number.

        Args:
            at: clock seconds.
            peer: the peer's configured name.
            frame: the serialized bytes, without line end; kept as they are.
            method: shown when the frame itself does not tell.
            facts: what else is known, such as the headers it goes with.
        """
        return self._kept.add((at, peer, "sent", frame, method, None, facts), len(frame))

    def received(self, at: float, peer: str, frame: bytes, facts: Facts | None = None) -> int:
        """Record a frame that arrived from a peer and return the entry's number."""
        return self._kept.add((at, peer, "received", frame, None, None, facts), len(frame))

    def decided(
        self,
        at: float,
        peer: str,
        stage: str,
        what: str,
        rule: str | None = None,
        evidence: str | None = None,
        detail: str = "",
    ) -> int:
        """Record a decision and return the entry's number.

        Args:
            at: clock seconds.
            peer: the peer it is about; "" for the whole client.
            stage: the pipeline stage that decided.
            what: what was decided, in a few words.
            rule: id of the rule that applied.
            evidence: what was seen.
            detail: anything more, one line.
        """
        return self._note(at, peer, "decision", None, (stage, what, rule, evidence, detail))

    def stray(
        self,
        at: float,
        peer: str,
        what: str,
        frame: bytes | None = None,
        facts: Facts | None = None,
    ) -> int:
        """Record something a peer sent that belongs to nothing; instead of `received`."""
        return self._note(at, peer, "stray", frame, ("", what, None, None, ""), facts)

    def opened(self, at: float, peer: str, detail: str = "") -> int:
        """Record that a transport to a peer was opened."""
        return self._note(at, peer, "opened", None, ("transport", "", None, None, detail))

    def closed(self, at: float, peer: str, detail: str = "", facts: Facts | None = None) -> int:
        """Record that a transport to a peer ended, and how."""
        noted = ("transport", "", None, None, detail)
        return self._note(at, peer, "closed", None, noted, facts)

    def entries(self, peer: str | None = None, kind: EntryKind | None = None) -> tuple[Entry, ...]:
        """Return what is still held, oldest first, decoded and redacted.

        Args:
            peer: only this peer's entries.
            kind: only entries of this kind.
        """
        found = entries_of(self._kept.newest(), self.redactor)
        return tuple(
            entry
            for entry in found
            if (peer is None or entry.peer == peer) and (kind is None or entry.kind == kind)
        )

    def to_text(self, peer: str | None = None, frames: bool = False) -> str:
        """Return one line an entry; with `frames`, the serialized bytes below it too."""
        return trace(self.entries(peer), frames=frames, dropped=self.dropped)

    def to_rows(self, peer: str | None = None) -> list[dict[str, Any]]:
        """Return one flat dict an entry, with texts that are safe to show."""
        return rows(self.entries(peer))

    def to_jsonl(self, peer: str | None = None) -> str:
        """Return the versioned file form: a header line, then one line an entry."""
        return write_jsonl(self.entries(peer), self.dropped)

    @classmethod
    def from_jsonl(cls, text: str) -> "Journal":
        """Build a journal from its file form; numbers are kept.

        Raises:
            ConfigError: if the text is no journal of a known format; names the line.
        """
        raws, dropped = read_jsonl(text)
        journal = cls(capacity=max(len(raws), DEFAULT_CAPACITY))
        journal._kept.load(raws, dropped)
        return journal

    def lint(self) -> Any:
        """Hold every frame against the protocol; return `workbench.lint.Findings`.

        Raises:
            MisuseError: if no front door has registered the checks.
        """
        return shown_by("lint", self)

    def to_mermaid(self, peer: str | None = None) -> str:
        """Return a Mermaid sequence diagram of the newest entries."""
        return sequence_diagram(self.entries(peer))

    def to_svg(self, peer: str | None = None) -> str:
        """Return the sequence diagram as an SVG document, for where nothing draws Mermaid."""
        return sequence_svg(self.entries(peer))

    def diagram(self, peer: str | None = None) -> Diagram:
        """Return the sequence diagram as a value that notebooks draw, with its text twin."""
        entries = self.entries(peer)
        return Diagram(source=sequence_diagram(entries), text=lanes(entries))

    def _note(
        self,
        at: float,
        peer: str,
        kind: EntryKind,
        frame: bytes | None,
        noted: tuple[str, str, str | None, str | None, str],
        facts: Facts | None = None,
    ) -> int:
        entry: Unnumbered = (at, peer, kind, frame, None, noted, facts)
        return self._kept.add(entry, weight(entry))
