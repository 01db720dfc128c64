"""The peers of a configuration, each visited by several clients.

Takes:  the way to each peer, names of clients, a laboratory, what to hide
Gives:  `Visits`: era, version, tools, time or error side by side
Never:  judges: what a real peer should be called nobody here knows; and never shows a secret
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from msgspec import Struct

from workbench.comparison.known import CLIENTS, LABELS
from workbench.comparison.laboratory import Laboratory, Said, seen_of
from workbench.comparison.seen import Verdict
from workbench.core.text.json_text import json_text
from workbench.core.text.markdown import cell, table
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible

MOST_TOOLS: Final = 1_000
"""Most names of tools that are kept of one visit."""
_LONGEST: Final = 200

Clean = Callable[[str], str]
"""Takes the secrets out of a text."""


class Visit(Struct, frozen=True, kw_only=True):
    """One client at one peer; every text is safe to show and free of secrets."""

    verdict: Verdict
    version: str | None = None
    tools: tuple[str, ...] | None = None
    """As the client lists them, sorted; None when it did not get that far."""
    took_ms: int | None = None
    """From the start of the connection to the session."""
    why: str = ""
    """What the client says of a failure."""

    @property
    def ready(self) -> bool:
        """Whether a session came about and the tools were listed."""
        return self.verdict in ("modern", "legacy") and self.tools is not None

    def words(self) -> str:
        """Return the visit in a few words."""
        why = visible(self.why)
        if self.verdict in ("hang", "crash", "refused"):
            return f"{self.verdict}: {why}" if why else self.verdict
        listed = "no list"
        if self.tools is not None:
            listed = f"{len(self.tools)} tool{'' if len(self.tools) == 1 else 's'}"
        said = f", {why}" if why and self.tools is None else ""
        return f"{self.verdict} {visible(str(self.version))}, {listed}, {self.took_ms} ms{said}"


class Visits(Shown, Struct, frozen=True, kw_only=True):
    """Peers by clients."""

    seen: dict[str, dict[str, Visit]] = {}
    """Peer -> client -> what came of it."""
    clients: tuple[str, ...] = ()
    versions: dict[str, str] = {}
    measured_on: str = ""
    limit_s: float = 0.0

    def __str__(self) -> str:
        return self.to_text()

    @property
    def all_ready(self) -> bool:
        """Whether every client is ready at every peer."""
        return all(visit.ready for by in self.seen.values() for visit in by.values())

    def headings(self) -> tuple[str, ...]:
        """Return the headings of the side-by-side table."""
        return ("Peer", *(LABELS[client] for client in self.clients), "Agree")

    def cells(self) -> list[tuple[str, ...]]:
        """Return one safe text a column for each peer."""
        return [
            (visible(peer), *(by[c].words() for c in self.clients), _agreement(list(by.values())))
            for peer, by in sorted(self.seen.items())
        ]

    def caption(self) -> str:
        """Return what was compared and when, in one line."""
        known = ", ".join(f"{name} {version}" for name, version in sorted(self.versions.items()))
        peers = f"{len(self.seen)} peer{'' if len(self.seen) == 1 else 's'}"
        return visible(f"{peers}, visited on {self.measured_on} with {known or 'this harness'}")

    def to_text(self) -> str:
        """Return a paragraph a peer: one line a client."""
        lines = [self.caption()]
        for peer, *said, agree in self.cells():
            told = zip(self.clients, said, strict=True)
            lines += ["", f"{peer} (agree: {agree})"]
            lines += [f"  {LABELS[client]}: {words}" for client, words in told]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """Return the table as GitHub Markdown."""
        return f"{cell(self.caption())}.\n\n{table(self.headings(), self.cells())}"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict for each peer and client."""
        return [
            {
                "peer": visible(peer),
                "client": LABELS[client],
                "verdict": by[client].verdict,
                "version": by[client].version,
                "tools": None if by[client].tools is None else list(by[client].tools or ()),
                "took_ms": by[client].took_ms,
                "why": by[client].why,
            }
            for peer, by in sorted(self.seen.items())
            for client in self.clients
        ]

    def to_json(self) -> str:
        """Return indented JSON without a final line end."""
        known = dict(sorted(self.versions.items()))
        head = {"measured_on": self.measured_on, "versions": known, "limit_s": self.limit_s}
        return json_text({**head, "visits": self.to_rows()}, indent=2)


def visit(
    lab: Laboratory,
    ways: Mapping[str, Mapping[str, Any]],
    clients: Sequence[str],
    day: str,
    clean: Clean,
) -> Visits:
    """Let clients visit peers, several at a time.

    Args:
        lab: what runs clients.
        ways: peer -> "way" (command, args, env, cwd; or url, headers), "settings" for this
            harness, and "refused": why the peer must not be reached, where that is so.
        clients: names of `CLIENTS`.
        day: the date that is put down, as YYYY-MM-DD.
        clean: takes the secrets out of a text.

    Raises:
        CouldNotStart: if the environment of a client cannot be made.
    """
    commands = {client: lab.command(CLIENTS[client]) for client in clients}
    pairs = [(peer, client) for peer in ways for client in clients]
    found = lab.runner.each(
        lambda pair: _one(lab, pair[1], commands[pair[1]], ways[pair[0]], clean), pairs
    )
    seen: dict[str, dict[str, Visit]] = {peer: {} for peer in ways}
    for (peer, client), one in zip(pairs, found, strict=True):
        seen[peer][client] = one
    return Visits(
        seen=seen,
        clients=tuple(clients),
        versions=lab.versions([CLIENTS[client] for client in clients]),
        measured_on=day,
        limit_s=lab.limit_s,
    )


def visit_of(said: Said, clean: Clean) -> Visit:
    """Return what a client said of a peer, made safe: a peer's words are among it."""

    def safe(text: object) -> str:
        return visible(clean(str(text)), _LONGEST)

    seen = seen_of(said, ())
    tools, took_s = said.get("tools"), said.get("took_s")
    names = tools[:MOST_TOOLS] if isinstance(tools, list) else None
    told = " ".join(safe(part) for part in (said.get("why"), said.get("said")) if part)
    return Visit(
        verdict=seen.verdict,
        version=None if seen.version is None else safe(seen.version),
        tools=None if names is None else tuple(sorted(safe(name) for name in names)),
        took_ms=round(took_s * 1_000) if isinstance(took_s, int | float) else None,
        why=told,
    )


def _one(
    lab: Laboratory, client: str, command: Sequence[str], peer: Mapping[str, Any], clean: Clean
) -> Visit:
    if refused := peer.get("refused"):
        return Visit(verdict="refused", why=visible(clean(refused), _LONGEST))
    way = dict(peer["way"])
    if client.startswith("workbench"):
        allowed = {"allow_legacy": True} if client == "workbench-legacy" else {}
        way["settings"] = {**peer["settings"], **allowed}
    with TemporaryDirectory(prefix="compare-") as folder:
        job = {"peers": {"peer": way}, "list": True}
        return visit_of(lab.said(command, job, Path(folder)), clean)


def _agreement(visits: Sequence[Visit]) -> str:
    if len({(one.verdict, one.version) for one in visits}) > 1:
        return "no: the era"
    return "yes" if len({one.tools for one in visits}) <= 1 else "no: the tools"
