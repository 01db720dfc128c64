"""The startup report: what became of each peer, as plain values.

Takes:  what the pipeline knows at the end, copied into values
Gives:  the report as JSON, Markdown, text, and through `Shown` as a frame or HTML
Never:  needs a live peer, and never shows a peer's text unescaped

Source: design section 6; seed skill, "a startup report listing peer, selected era, selected
version, cache scope, and canonical tool names".
"""

from typing import Any, Final, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from workbench.core.text.json_text import json_text
from workbench.core.text.markdown import table
from workbench.core.text.redact import Redactor
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible
from workbench.core.tool import Dropped
from workbench.core.wire.versions import Era

PeerStatus: TypeAlias = Literal["ready", "unavailable"]

PEER_COLUMNS: Final = (
    "Peer",
    "Transport",
    "Status",
    "Era",
    "Version",
    "Cache",
    "Tools",
    "Legacy allowed",
    "Ready (ms)",
    "Remarks",
)
COLLISION_COLUMNS: Final = ("Name", "Peers", "Outcome", "Canonical names", "Reason")


class Collision(Protocol):
    """What the report needs of a collision found while merging."""

    @property
    def name(self) -> str:
        """The local name that two peers offer."""

    @property
    def peers(self) -> tuple[str, ...]:
        """The peers that offer it."""

    @property
    def outcome(self) -> str:
        """What became of it."""

    @property
    def canonical(self) -> tuple[str, ...]:
        """The canonical names that came out of it."""

    @property
    def reason(self) -> str:
        """Why."""


class ToolName(Struct, frozen=True):
    """A tool under both of its names."""

    canonical: str
    """What a caller says."""
    local: str
    """What the owner declared."""

    def label(self) -> str:
        """Return the canonical name, with the local one where it differs; safe to show."""
        if self.local == self.canonical:
            return visible(self.canonical)
        return f"{visible(self.canonical)} ({visible(self.local)})"


class PeerReport(Shown, Struct, frozen=True, kw_only=True):
    """One peer's row. A reason is given for every status, also for "ready"."""

    peer: str
    transport: str
    status: PeerStatus
    era: Era | None = None
    version: str | None = None
    """The revision in use; None when there is no era."""
    cache_scope: str | None = None
    tools: tuple[ToolName, ...] = ()
    allow_legacy: bool = False
    ready_ms: float | None = None
    """From the start of connecting to ready, in milliseconds; None when not ready."""
    reason: str | None = None
    evidence: str | None = None
    """What was seen that led there."""
    rule: str | None = None
    hint: str = ""
    """What the reader can do."""
    deviations: tuple[str, ...] = ()
    """Named departures from strict behaviour that the configuration asked for."""
    dropped: tuple[Dropped, ...] = ()
    """Declarations left out of the listing."""
    server: str = ""
    """Self-reported name and version, untrusted."""

    def remarks(self) -> str:
        """Return reason, rule, evidence, hint, deviations and dropped tools as one safe line."""
        said = [self.reason or ""]
        if self.rule:
            said.append(f"[{self.rule}]")
        if self.evidence and self.evidence != self.reason:
            said.append(f"Seen: {_sentence(self.evidence)}")
        said += [self.hint]
        said += [f"Deviation: {_sentence(name)}" for name in self.deviations]
        said += [f"Left out: {tool.name} ({tool.reason}) [{tool.rule}]." for tool in self.dropped]
        return visible(" ".join(part for part in said if part))

    def cells(self) -> tuple[str, ...]:
        """Return one safe text for each of `PEER_COLUMNS`."""
        return (
            visible(self.peer),
            visible(self.transport),
            self.status,
            str(self.era or "-"),
            visible(self.version or "-"),
            visible(self.cache_scope or "-"),
            ", ".join(tool.label() for tool in self.tools) or "-",
            "yes" if self.allow_legacy else "no",
            "-" if self.ready_ms is None else str(round(self.ready_ms)),
            self.remarks(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON values, keys in the order of the command line's contract."""
        return {
            "peer": self.peer,
            "transport": self.transport,
            "status": self.status,
            "era": None if self.era is None else str(self.era),
            "version": self.version,
            "cache_scope": self.cache_scope,
            "tools": [{"canonical": t.canonical, "local": t.local} for t in self.tools],
            "allow_legacy": self.allow_legacy,
            "ready_ms": self.ready_ms,
            "reason": self.reason,
            "evidence": self.evidence,
            "rule": self.rule,
            "hint": self.hint,
            "deviations": list(self.deviations),
            "dropped": [msgspec.to_builtins(tool) for tool in self.dropped],
            "server": self.server,
        }

    def to_text(self) -> str:
        """Return the row as a few plain lines."""
        row = dict(zip(PEER_COLUMNS, self.cells(), strict=True))
        era = row["Era"] if self.version is None else f"{row['Era']} {row['Version']}"
        facts = [row["Status"], row["Transport"], f"era {era}", f"cache {row['Cache']}"]
        facts.append(f"legacy allowed: {row['Legacy allowed']}")
        if self.ready_ms is not None:
            facts.append(f"{row['Ready (ms)']} ms")
        lines = [f"{row['Peer']}: {', '.join(facts)}", f"  tools: {row['Tools']}"]
        if row["Remarks"]:
            lines.append(f"  {row['Remarks']}")
        return "\n".join(lines)


class StartupReport(Shown, Struct, frozen=True, kw_only=True):
    """All peers, sorted by name, and the collisions found while merging."""

    peers: tuple[PeerReport, ...] = ()
    collisions: tuple[Collision, ...] = ()
    policy: str = "prefix-on-collision"

    def __post_init__(self) -> None:
        """Sort the peers, so that no start-up order shows."""
        ordered = tuple(sorted(self.peers, key=lambda row: row.peer))
        msgspec.structs.force_setattr(self, "peers", ordered)

    def __str__(self) -> str:
        return self.to_text()

    @property
    def all_ready(self) -> bool:
        """True when no peer is unavailable; also when there is none."""
        return all(row.status == "ready" for row in self.peers)

    def redacted(self, redactor: Redactor) -> "StartupReport":
        """Return the report without any secret the redactor knows."""
        clean: StartupReport = redactor.tree(self)
        return clean

    def summary(self) -> str:
        """Return the counts and the policy as one safe line."""
        ready = sum(row.status == "ready" for row in self.peers)
        count = f"{len(self.peers)} peer{'' if len(self.peers) == 1 else 's'}"
        away = len(self.peers) - ready
        return f"{count}: {ready} ready, {away} unavailable; merge policy {visible(self.policy)}"

    def collision_cells(self) -> list[tuple[str, ...]]:
        """Return one safe text for each of `COLLISION_COLUMNS`, a tuple a collision."""
        return [
            (
                visible(clash.name),
                ", ".join(map(visible, clash.peers)),
                visible(str(clash.outcome)),
                ", ".join(map(visible, clash.canonical)) or "-",
                visible(" ".join([clash.reason, *(f"[{rule}]" for rule in _rules(clash))])),
            )
            for clash in self.collisions
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "peers": [row.to_dict() for row in self.peers],
            "collisions": [
                {
                    "name": clash.name,
                    "peers": list(clash.peers),
                    "outcome": str(clash.outcome),
                    "canonical": list(clash.canonical),
                    "reason": clash.reason,
                    "rule": next(iter(_rules(clash)), None),
                }
                for clash in self.collisions
            ],
            "policy": self.policy,
        }

    def to_json(self) -> str:
        """Return indented JSON without a final line end; safe to print to a terminal."""
        return json_text(self.to_dict(), indent=2)

    def to_markdown(self) -> str:
        """Return GitHub tables: the peers, and the collisions when there are some."""
        text = table(PEER_COLUMNS, [row.cells() for row in self.peers])
        if self.collisions:
            text += "\n" + table(COLLISION_COLUMNS, self.collision_cells())
        return text

    def to_text(self) -> str:
        """Return plain lines, no width assumed, without a final line end."""
        lines = [self.summary()] + [row.to_text() for row in self.peers]
        for name, peers, outcome, canonical, reason in self.collision_cells():
            lines.append(f"collision on {name} of {peers}: {outcome}, as {canonical}. {reason}")
        return "\n".join(lines)


def _rules(clash: Collision) -> tuple[str, ...]:
    # A collision from elsewhere need not name a rule; one from the merge stage does.
    rule = getattr(clash, "rule", None)
    return (rule,) if isinstance(rule, str) else ()


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
