"""Write `fault_matrix.md` by playing every fault; `--check` only says whether it is up to date.

Run it from anywhere: `python docs/write_fault_matrix.py [--check]`.

Takes:  the ready-made fakes, and the production client
Gives:  what each fake does, what the client made of it, and the rule that decided
Never:  tells what nobody has seen: each cell comes from a run
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from fakes import library
from workbench.classroom.stage import Stage
from workbench.core.text.markdown import table
from workbench.views.panels.demonstration import Act, Demonstration, Plan

PAGE: Final = Path(__file__).with_name("fault_matrix.md")

_HEAD: Final = """\
# The fault matrix

Every way to misbehave that is ready-made here, and what the strict client makes of it. Each
line is a run: the fake of that name played against the client as it comes, in memory where it
can be, and over HTTP or as a process where it must be. A test plays them all again and compares.

`mcp-workbench fake P11 --stdio` is such a server for any client, `fault("P11-silence")` the same
in Python, and `@pytest.mark.mcp_fault("P11")` [in a test](pytest_plugin.md). The rules are in
[the rulebook](rulebook.md); what other clients make of the same faults is in
[verdicts](verdicts.md). The words are explained in the [glossary](glossary.md).

This page is written by `python docs/write_fault_matrix.py`.
"""
_FAMILIES: Final = {
    "P": (
        "P: the first answer, over a pipe or in memory",
        "The client has asked `server/discover`. *Default* is a peer without `allow_legacy`: "
        "whatever proves nothing is refused. *Allowed* is the same peer with it.",
    ),
    "L": (
        "L: the handshake of the legacy era",
        "A legacy server that answers `initialize` in an odd way. Without permission it never "
        "gets one.",
    ),
    "H": (
        "H: the first answer over Streamable HTTP",
        "An answer has a status and a media type here; a login or a server in trouble is no "
        "verdict about the era.",
    ),
    "C": (
        "C: lists, calls and subscriptions",
        "The peer is modern and was accepted; the fault comes later. Where the client lists and "
        "calls again, or listens, it says so. C14 is about how a process ends: whatever it does, "
        "it is gone when the client has closed.",
    ),
    "M": (
        "M: several peers",
        "Nothing is wrong with any of them alone.",
    ),
}
_ERA_COLUMNS: Final = ("Fault", "The peer", "Default", "Allowed", "What was seen")
_LATER_COLUMNS: Final = ("Fault", "The peer", "What came of it", "Rules")
_OTHERWISE: Final[dict[str, tuple[tuple[str, dict[str, Any]], ...]]] = {
    "C04": (("calls carry an idempotency key", {"repeat": True}),),
    "C10": (("the user agrees", {"asked_back": "the user agrees"}),),
    "C13": (("drift policy pin", {"drift_policy": "pin"}),),
    "M01": (("merge policy reject", {"merge_policy": "reject"}),),
}
"""Rows that are played once more, under other terms."""
_PATIENCE: Final = {
    "discovery_timeout_ms": 10_000,
    "legacy_probe_timeout_ms": 10_000,
    "call_timeout_s": 30.0,
}
"""Over sockets and pipes time is real; no answer that comes may be too late on a busy machine."""
_WAITS: Final = {"discovery_timeout_ms": 700, "legacy_probe_timeout_ms": 5_000}
"""For rows over HTTP that end by a deadline: in real time, so kept short."""
_ABOUT_LISTS: Final = frozenset(
    {"C01", "C05", "C06", "C07", "C13", *(f"M{n:02}" for n in range(10))}
)
"""Rows in which it matters what a list holds."""
_ABOUT_STRAYS: Final = frozenset({"C03-twice", "C11-modern-ping"})
"""Faults that change nothing and are written down."""
_PORT: Final = re.compile(r"(127\.0\.0\.1:)\d+")
_MOST: Final = 260
"""Longest text of one cell, in characters."""


class Played(Struct, frozen=True):
    """One row of the matrix, played."""

    name: str
    about: str
    terms: str
    shows: tuple[Demonstration, ...]
    """By default and with permission for the era rows, once for the others."""


def played(stage: Stage, name: str, about: str) -> Iterator[Played]:
    """Play one fault in every way in which the page tells it."""
    family = name[0]
    if family in "PLH":
        how: dict[str, Any] = {"transport": "http" if family == "H" else "memory"}
        how |= _WAITS if name.startswith("H16") else {}
        shows = [_show(stage, name, allow_legacy=allowed, **how) for allowed in (False, True)]
        yield Played(name, about, "", tuple(shows))
        return
    how = {"transport": "stdio" if name.startswith("C14") else "memory"}
    how["allow_legacy"] = "-legacy" in name
    for terms, more in (("", {}), *_OTHERWISE.get(name[:3], ())):
        yield Played(name, about, terms, (_show(stage, name, **how, **more),))


def _show(stage: Stage, name: str, **terms: Any) -> Demonstration:
    patience = _PATIENCE if terms["transport"] != "memory" else {}
    return stage.perform(Plan(cast=name, **{**patience, **terms}), lambda said: None)


def line_of(row: Played) -> tuple[str, ...]:
    """Return the cells of one row."""
    name = row.name + (f", {row.terms}" if row.terms else "")
    about = row.about.removesuffix(" (HTTP only)")
    if len(row.shows) == 2:
        default, allowed = row.shows
        # What is odd about a handshake is seen by whoever asks for one.
        telling_one = allowed if row.name[0] == "L" else default
        return (name, about, _verdict(default), _verdict(allowed), _seen(telling_one))
    (shown,) = row.shows
    telling = [act for act in shown.acts if _tells(act, row.name)]
    rules = sorted({act.rule for act in telling if act.rule})
    came = [_said(act) for act in telling] + list(_strays(shown, row.name))
    return (name, about, _cut("; ".join(came)), ", ".join(rules) or "-")


def _verdict(shown: Demonstration) -> str:
    what = shown.verdict.removeprefix("ready, ").replace("unavailable", "refused")
    sent = [entry for entry in shown.journal.entries(shown.subject) if entry.kind == "sent"]
    asked = sum(b'"method":"initialize"' in (entry.frame or b"") for entry in sent)
    return f"{what}, {shown.rule}" + (f", {asked} initialize" if asked else "")


def _seen(shown: Demonstration) -> str:
    (row,) = [act for act in shown.acts if act.stage == "connect" and act.who == shown.subject]
    said = row.what.removeprefix("unavailable. ")
    return _cut(_PORT.sub(r"\1…", said)) if said != row.what else "-"


def _tells(act: Act, name: str) -> bool:
    """Say whether an act says more than that all is well."""
    if act.stage.startswith("connect"):
        return not act.what.startswith("ready")
    if act.stage == "list" and act.rule is None and not act.what.startswith("no list"):
        return name[:3] in _ABOUT_LISTS
    return act.stage != "merge" or act.rule is not None


def _said(act: Act) -> str:
    who = f" {act.who}" if act.who and not act.stage.startswith("call") else ""
    # The honest answer repeats the arguments; that it came is enough.
    what = act.what.partition(": result: ")[0] + ": result" if _is_echo(act.what) else act.what
    return f"{act.stage}{who}: {what}"


def _is_echo(what: str) -> bool:
    return ": result: " in what and what.endswith('{"q":"tea"}')


def _strays(shown: Demonstration, name: str) -> Iterator[str]:
    """Yield what the journal alone shows, where a row is about messages nobody asked for."""
    if name in _ABOUT_STRAYS:
        strays = [entry for entry in shown.journal.entries() if entry.kind == "stray"]
        yield from (f"set aside: {entry.what} {entry.detail}".rstrip() for entry in strays[:1])


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 2].rstrip()} …"


def page() -> str:
    """Play everything, and return the page as it has to be now."""
    stage = Stage(library)
    rows = [
        row
        for name, about in library.casts()
        if name[0] in _FAMILIES
        for row in played(stage, name, about)
    ]
    parts = [_HEAD]
    for family, (title, words) in _FAMILIES.items():
        columns = _ERA_COLUMNS if family in "PLH" else _LATER_COLUMNS
        mine = [line_of(row) for row in rows if row.name[0] == family]
        parts.append(f"\n## {title}\n\n{words}\n\n{table(columns, mine)}")
    return "".join(parts)


def main(arguments: list[str]) -> int:
    """Write the page, or compare it; return the exit status, 1 for an outdated page."""
    if "--check" in arguments:
        return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
