"""What several clients made of the faults, as a value that can be shown.

Takes:  what was seen, row by row
Gives:  `Seen`, `Row` and `Comparison`: text, Markdown, JSON, and through `Shown` a frame or HTML
Never:  shows what a client or a peer wrote unescaped

Source: design section 6, `compare`.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from workbench.comparison.aligned import aligned
from workbench.comparison.categories import CATEGORIES
from workbench.comparison.expected import Expected, expected_of
from workbench.comparison.judging import category_of
from workbench.comparison.known import LABELS, groups_of
from workbench.comparison.seen import Seen
from workbench.comparison.together import Together
from workbench.core.text.json_text import json_text
from workbench.core.text.markdown import cell, table
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible

Way = Literal["stdio", "http"]


class Row(Struct, frozen=True, kw_only=True):
    """One fault, and what each client made of it."""

    name: str
    about: str = ""
    way: Way = "stdio"
    seen: dict[str, Seen] = {}
    """Client -> what came of it."""

    @property
    def expected(self) -> Expected:
        """What the specification says of such a peer."""
        return expected_of(self.name)

    def category(self, client: str) -> str:
        """Return the id of the category a client's answer falls into."""
        return category_of(self.expected, self.seen[client])

    def cell(self, client: str) -> str:
        """Return a client's verdict, with a word where one is needed."""
        short = CATEGORIES[self.category(client)].short
        verdict = self.seen[client].verdict
        return f"{verdict} ({short})" if short else verdict


class Comparison(Shown, Struct, frozen=True, kw_only=True):
    """Faults by clients, with the versions and the date of the measurement."""

    rows: tuple[Row, ...] = ()
    """In the order of their names."""
    clients: tuple[str, ...] = tuple(LABELS)
    """Which of `LABELS`, in order."""
    versions: dict[str, str] = {}
    """Package -> version that was measured."""
    measured_on: str = ""
    """The day, as YYYY-MM-DD."""
    limit_s: float = 40.0
    """Longest a client was given, in seconds."""
    together: Together = Together()
    """Several peers at once."""

    def __str__(self) -> str:
        return self.to_text()

    def only(
        self, faults: Iterable[str] | None = None, clients: Iterable[str] | None = None
    ) -> "Comparison":
        """Return a part: faults by the start of their names, clients by `LABELS`.

        Args:
            faults: such as "P11" or "P02-error-32601"; None keeps all.
            clients: None keeps all.
        """
        starts = None if faults is None else tuple(faults)
        rows = [r for r in self.rows if starts is None or r.name.startswith(starts)]
        wanted = self.clients if clients is None else frozenset(clients)
        kept = tuple(one for one in self.clients if one in wanted)
        together = self.together.only(("",) if starts is None else starts, groups_of(kept))
        return replace(self, rows=tuple(rows), clients=kept, together=together)

    def differing(self) -> "Comparison":
        """Return the rows in which not all clients give one verdict."""
        rows = [r for r in self.rows if len({r.seen[c].verdict for c in self.clients}) > 1]
        return replace(self, rows=tuple(rows))

    def counted(self) -> dict[str, dict[str, int]]:
        """Return client -> category -> how many faults; categories in the legend's order."""
        tallies = {c: Counter(row.category(c) for row in self.rows) for c in self.clients}
        return {c: {one: tally[one] for one in CATEGORIES} for c, tally in tallies.items()}

    def categories(self) -> Collection[str]:
        """Return the ids of the categories that occur, in the legend's order."""
        found = {row.category(client) for row in self.rows for client in self.clients}
        return tuple(one for one in CATEGORIES if one in found)

    def headings(self) -> tuple[str, ...]:
        """Return the headings of the side-by-side table."""
        return ("Fault", *(LABELS[c] for c in self.clients), "Specification")

    def cells(self) -> list[tuple[str, ...]]:
        """Return one safe text a column for each fault."""
        return [
            (visible(row.name), *(row.cell(c) for c in self.clients), row.expected.verdicts())
            for row in self.rows
        ]

    def caption(self) -> str:
        """Return what was compared and when, in one line."""
        known = ", ".join(f"{name} {version}" for name, version in sorted(self.versions.items()))
        faults = f"{len(self.rows)} fault{'' if len(self.rows) == 1 else 's'}"
        return visible(
            f"{faults}, measured on {self.measured_on or 'no day'} with {known or 'this harness'}"
        )

    def legend(self) -> list[tuple[str, str, str]]:
        """Return word in a cell, name and meaning of each category that occurs."""
        found = [CATEGORIES[one] for one in self.categories()]
        return [(one.short or _bare(one.id), one.words, one.meaning) for one in found]

    def to_text(self) -> str:
        """Return the side-by-side table and its legend as plain text."""
        lines = [self.caption()]
        if self.rows:
            lines += ["", *aligned([self.headings(), *self.cells()]), ""]
            lines += [f"{word}: {words}. {meaning}" for word, words, meaning in self.legend()]
        if several := self.together.to_text():
            lines += ["", several]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """Return the table, the counts and the legend as GitHub Markdown."""
        counts = self.counted()
        names = [CATEGORIES[one] for one in self.categories()]
        rows = [(c.words, *(str(counts[x][c.id]) for x in self.clients), c.meaning) for c in names]
        said = ("How often", *(LABELS[c] for c in self.clients), "What it means")
        several = f"\n{self.together.to_markdown()}" if self.together.seen else ""
        faults = f"{table(self.headings(), self.cells())}\n{table(said, rows)}"
        return f"{cell(self.caption())}.\n\n{faults if self.rows else ''}{several}"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict for each fault and client."""
        return [_flat(row, client) for row in self.rows for client in self.clients]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "measured_on": self.measured_on,
            "versions": dict(sorted(self.versions.items())),
            "limit_s": self.limit_s,
            "clients": [LABELS[client] for client in self.clients],
            "faults": self.to_rows(),
            "counted": {LABELS[c]: counts for c, counts in self.counted().items()},
            **self.together.to_dict(),
        }

    def to_json(self) -> str:
        """Return indented JSON without a final line end."""
        return json_text(self.to_dict(), indent=2)


def _flat(row: Row, client: str) -> dict[str, Any]:
    seen = row.seen[client]
    return {
        "fault": visible(row.name),
        "about": visible(row.about),
        "way": row.way,
        "client": LABELS[client],
        "verdict": seen.verdict,
        "category": CATEGORIES[row.category(client)].words,
        "version": None if seen.version is None else visible(seen.version, 80),
        "initialize": seen.initialize,
        "sent": ", ".join(visible(method, 80) for method in seen.sent),
        "why": None if seen.why is None else visible(seen.why, 200),
        "specification": row.expected.verdicts(),
        "says": row.expected.says,
        "source": row.expected.source,
    }


def _bare(category: str) -> str:
    return {"hangs": "hang", "crashes": "crash"}.get(category, "no word")
