"""Several peers at once against several clients, as a value that can be shown.

Takes:  what each client made of each situation
Gives:  `Together`: text, Markdown, rows for a frame or HTML
Never:  shows what a client or a peer wrote unescaped
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from workbench.comparison.aligned import aligned
from workbench.comparison.gatherings import KINDS, SITUATIONS, Gathered, Situation, kind_of
from workbench.comparison.known import GROUP_LABELS, GROUPS
from workbench.core.text.markdown import table
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible

_ORDER = "the menu depends on the order of the peers"
_BY_NAME = {one.name: one for one in SITUATIONS}


class Together(Shown, Struct, frozen=True, kw_only=True):
    """Situations by clients."""

    seen: dict[str, dict[str, Gathered]] = {}
    """Situation -> client -> what came of it."""
    clients: tuple[str, ...] = tuple(GROUPS)
    """Names of `GROUPS`, in order."""

    def __str__(self) -> str:
        return self.to_text()

    def only(self, situations: Iterable[str], clients: Iterable[str]) -> "Together":
        """Return a part: situations by the start of their names, clients by `GROUPS`."""
        starts, wanted = tuple(situations), frozenset(clients)
        seen = {name: by for name, by in self.seen.items() if name.startswith(starts)}
        return replace(self, seen=seen, clients=tuple(c for c in self.clients if c in wanted))

    def headings(self) -> tuple[str, ...]:
        """Return the headings of the side-by-side table."""
        return ("Several peers", *(GROUP_LABELS[client] for client in self.clients))

    def cells(self) -> list[tuple[str, ...]]:
        """Return one safe text a column for each situation."""
        return [
            (f"{one.name}: {one.about}", *(_cell(one, by[client]) for client in self.clients))
            for one, by in self._pairs()
        ]

    def legend(self) -> list[tuple[str, str, str]]:
        """Return word in a cell, name and meaning of each kind that occurs and has a word."""
        found = {kind_of(one, by[c]) for one, by in self._pairs() for c in self.clients}
        kinds = [(k.short, k.words, k.meaning) for k in KINDS.values() if k.id in found and k.short]
        turned = any(not by[c].same_in_reverse for _, by in self._pairs() for c in self.clients)
        return kinds + ([("order", _ORDER, "Told the other way round, it differs.")] * turned)

    def to_text(self) -> str:
        """Return the table and its legend as plain text; nothing when there is no situation."""
        if not self.seen:
            return ""
        # The descriptions would make every column narrow: they go below.
        short = [(cells[0].partition(":")[0], *cells[1:]) for cells in self.cells()]
        lines = aligned([self.headings(), *short])
        lines += ["", *(cells[0] for cells in self.cells()), ""]
        return "\n".join([*lines, *(f"{w}: {n}. {meaning}" for w, n, meaning in self.legend())])

    def to_markdown(self) -> str:
        """Return the table and its legend as GitHub Markdown."""
        said = [f"- *{word}*: {name}. {meaning}\n" for word, name, meaning in self.legend()]
        return f"{table(self.headings(), self.cells())}\n{''.join(said)}"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict for each situation and client."""
        return [
            _flat(one, GROUP_LABELS[client], by[client])
            for one, by in self._pairs()
            for client in self.clients
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {"situations": self.to_rows()}

    def _pairs(self) -> list[tuple[Situation, dict[str, Gathered]]]:
        return [(_BY_NAME[name], by) for name, by in sorted(self.seen.items())]


def _cell(situation: Situation, seen: Gathered) -> str:
    kind = kind_of(situation, seen)
    if kind in ("hangs", "crashes"):
        return seen.ended
    wanted = situation.tools()
    reached = len(wanted & set(seen.reaches.values()))
    remarks = [KINDS[kind].short] * bool(KINDS[kind].short)
    remarks += ["order"] * (not seen.same_in_reverse)
    counted = f"{reached} of {len(wanted)} tools"
    return f"{counted} ({', '.join(remarks)})" if remarks else counted


def _flat(situation: Situation, client: str, seen: Gathered) -> dict[str, Any]:
    wanted = situation.tools()
    leads = [f"{name} → {tool or 'nothing'}" for name, tool in sorted(seen.reaches.items())]
    missing = [f"{name}: {why}" for name, why in sorted(seen.missing.items())]
    return {
        "situation": situation.name,
        "about": situation.about,
        "client": client,
        "kind": KINDS[kind_of(situation, seen)].words,
        "reached": len(wanted & set(seen.reaches.values())),
        "tools": len(wanted),
        "names": visible("; ".join(leads), 500),
        "missing": visible("; ".join(missing), 500),
        "same_in_reverse": seen.same_in_reverse,
        "why": None if seen.why is None else visible(seen.why, 200),
    }
