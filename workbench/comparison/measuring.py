"""The fault matrix against several clients: every pair measured, side by side.

Takes:  names of faults, names of clients, a laboratory
Gives:  a `Comparison` of today
Never:  lets a client speak for itself: what it sent is what the fake wrote down

A fake is a process, `python -m fakes NAME`, as any client would reach it.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from workbench.comparison.known import CLIENTS
from workbench.comparison.laboratory import MODERN, Laboratory, seen_of
from workbench.comparison.seen import Seen
from workbench.comparison.values import Comparison, Row, Way
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.text.visible import visible

ROWS: Final = ("H", "L", "P")
"""First letters of the faults that are compared: the probe over HTTP, the handshake, the
probe over stdio."""
DISCOVERY_TIMEOUT_S: Final = 1.0
"""How long this harness waits for a probe's answer here; late fakes overrun it."""


def faults() -> dict[str, str]:
    """Return each fault that can be compared, with its description."""
    listed = subprocess.run(
        [sys.executable, "-m", "fakes", "--list"],
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    named = (line.partition(" ") for line in listed.stdout.splitlines())
    return {name: about.strip() for name, _, about in named if _is_row(name)}


def chosen(starts: Iterable[str] | None, known: Iterable[str]) -> list[str]:
    """Return the names that start with one of some texts, in order; None takes all.

    Raises:
        ConfigError: if a text starts none of them.
    """
    names, wanted = sorted(known), tuple(("",) if starts is None else starts)
    for start in wanted:
        if not any(name.startswith(start) for name in names):
            raise _unknown(start, names)
    return [name for name in names if name.startswith(wanted)]


def compare(
    lab: Laboratory, abouts: dict[str, str], names: Sequence[str], clients: Sequence[str], day: str
) -> Comparison:
    """Run clients against faults, several at a time.

    Args:
        lab: what runs clients.
        abouts: fault -> description.
        names: the faults.
        clients: names of `CLIENTS`.
        day: the date that is put down, as YYYY-MM-DD.

    Raises:
        CouldNotStart: if the environment of a client cannot be made.
    """
    known = [CLIENTS[client] for client in clients]
    commands = {client: lab.command(CLIENTS[client]) for client in clients}
    pairs = [(name, client) for name in names for client in clients]
    found = lab.runner.each(lambda pair: at_fault(lab, *pair, commands[pair[1]]), pairs)
    seen: dict[str, dict[str, Seen]] = {name: {} for name in names}
    for (name, client), one in zip(pairs, found, strict=True):
        seen[name][client] = one
    rows = [Row(name=n, about=abouts[n], way=way_of(n), seen=seen[n]) for n in names]
    return Comparison(
        rows=tuple(rows),
        clients=tuple(clients),
        versions=lab.versions(known),
        measured_on=day,
        limit_s=lab.limit_s,
    )


def at_fault(lab: Laboratory, name: str, client: str, command: Sequence[str]) -> Seen:
    """Run one client at one fault and return what came of it.

    Args:
        lab: what runs clients.
        name: of the fault.
        client: of `CLIENTS`; decides what this harness is configured with.
        command: what runs the client.
    """
    with TemporaryDirectory(prefix="compare-") as place:
        folder = Path(place)
        record = folder / "received"
        fake = [sys.executable, "-m", "fakes", name, "--record", str(record)]
        fake += ["--discovery-timeout", str(DISCOVERY_TIMEOUT_S)]
        if way_of(name) == "http":
            # The fake lives somewhat longer than the client, whoever ends first.
            limit_s = 2 * lab.limit_s
            with lab.runner.serving([*fake, "--http", "0"], folder, limit_s) as url:
                said = lab.said(command, _job(name, client, {"url": url, "headers": {}}), folder)
        else:
            fake += ["--lives", str(folder / "lives"), "--stdio"]
            way = {"command": fake[0], "args": fake[1:], "env": None, "cwd": None}
            said = lab.said(command, _job(name, client, way), folder)
        return seen_of(said, sent_in(record))


def way_of(fault: str) -> Way:
    """Return how a fault is reached."""
    return "http" if fault.startswith("H") else "stdio"


def sent_in(record: Path) -> list[str]:
    """Return the methods of the messages in a fake's record; an answer has none."""
    if not record.exists():
        return []
    with record.open(encoding="utf-8") as lines:
        values = [json.loads(line) for line in lines]
    bodies = [value if isinstance(value, dict) else {} for value in values]
    return [str(body.get("method", "an answer")) for body in bodies]


def _job(fault: str, client: str, way: dict[str, Any]) -> dict[str, Any]:
    peer = dict(way)
    if client.startswith("workbench"):
        peer["settings"] = _settings(fault, allowed=client == "workbench-legacy")
    return {"peers": {"peer": peer}, "list": False}


def _settings(fault: str, *, allowed: bool) -> dict[str, Any]:
    late = fault.startswith("P20")
    settings: dict[str, Any] = {
        "allow_legacy": allowed,
        "discovery_timeout_ms": round(DISCOVERY_TIMEOUT_S * 1_000),
        # A late answer must be late: a spawned process normally has a grace on top.
        "startup_grace_ms": 0 if late else 5_000,
        "legacy_probe_timeout_ms": 3_000,
    }
    if "mutual-version" in fault:
        # Such a fake refuses whatever is offered first, and is content with the second.
        settings["modern_revisions"] = [MODERN, "2099-12-31"]
    return settings


def _is_row(name: str) -> bool:
    return len(name) > 3 and name.startswith(ROWS) and name[1:3].isdigit()


def _unknown(start: str, names: Sequence[str]) -> ConfigError:
    rows = sorted({name[:3] for name in names})
    return ConfigError(
        Failure(
            kind=Kind.CONFIG,
            stage="compare",
            detail=f"no fault that is compared starts with {visible(start, 60)!r}",
            hint=f"There are {rows[0]} to {rows[-1]}; mcp-workbench fake --list names each.",
        )
    )
