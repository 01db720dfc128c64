"""Every era row of the fault matrix against four clients, each in a process of its own.

`python tests/differential/compare_clients.py` writes `verdicts.json` and `verdicts.md`
beside itself; `--rows P11-silence,L01-valid` runs some rows and prints them, and with
`--store` puts them into the stored ones. The clients: this
harness as it comes, this harness with permission for legacy, the official SDK's client and
FastMCP's. What a client sent is what the fake wrote down, so no client speaks for itself.

A verdict is "modern", "legacy", "refused" (an error the caller sees), "hang" (nothing
within the limit; the process was killed) or "crash" (the process ended otherwise).
"""

import json
import os
import signal
import subprocess
import sys
import venv
from argparse import ArgumentParser
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from fakes import FAULTS, fault

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
DATA: Final = HERE / "verdicts.json"
FASTMCP: Final = ROOT / "build" / "interop" / "fastmcp"

STRICT: Final = "workbench"
ALLOWED: Final = "workbench, legacy allowed"
SDK: Final = "mcp Client"
OTHER: Final = "fastmcp Client"
CLIENTS: Final = (STRICT, ALLOWED, SDK, OTHER)

LIMIT_S: Final = 40.0
"""Longest a client may take, in seconds: four times the SDK's own patience with a probe, so
that a busy machine does not turn a slow start into a hang."""
WORKERS: Final = 6
MODERN: Final = "2026-07-28"

ROWS: Final = tuple(name for name in FAULTS if name[0] in "PL")
PROOF: Final = ("P03", "P04", "P05", "P06", "P07", "P08", "P09", "P10", "P18")
"""Rows whose peer proves the modern era with its first answer."""

Verdict = dict[str, Any]


def settings_of(row: str, client: str) -> dict[str, Any]:
    """Return what this harness is configured with for a row; lengths in ms."""
    late = row.startswith("P20")
    settings: dict[str, Any] = {
        "allow_legacy": client == ALLOWED,
        "discovery_timeout_ms": 1_000,
        # A late answer must be late: a spawned process normally has a grace on top.
        "startup_grace_ms": 0 if late else 5_000,
        "legacy_probe_timeout_ms": 3_000,
    }
    if row.startswith("P07"):
        settings["modern_revisions"] = [MODERN, "2099-12-31"]
    return settings


def driver(client: str) -> list[str]:
    """Return the command that runs a client, without its arguments."""
    drivers = HERE / "clients"
    if client == OTHER:
        return [str(fastmcp_python()), str(drivers / "fastmcp_client.py")]
    return [sys.executable, str(drivers / ("sdk.py" if client == SDK else "ours.py"))]


def fastmcp_python() -> Path:
    """Return the interpreter FastMCP is installed for, installing it when it is missing."""
    python = FASTMCP / "bin" / "python"
    if not python.exists():
        venv.create(FASTMCP, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "fastmcp>=4,<5"]
        subprocess.run(install, check=True, timeout=600)
    return python


def compare(row: str, client: str, limit_s: float = LIMIT_S) -> Verdict:
    """Run one client against one row and return what came of it.

    Args:
        row: name of a ready-made fault.
        client: one of `CLIENTS`.
        limit_s: hard limit in seconds.
    """
    with TemporaryDirectory(prefix="compare-") as folder:
        record = Path(folder) / "received"
        with fault(row, discovery_timeout_s=1.0).over_stdio(record=record) as command:
            argv = [*driver(client), json.dumps(settings_of(row, client)), *command]
            status, said = _run(argv, limit_s)
        text = record.read_text(encoding="utf-8") if record.exists() else ""
    sent = [str(json.loads(line).get("method", "an answer")) for line in text.splitlines()]
    return {"sent": sent, "initialize": sent.count("initialize"), **_judged(status, said)}


def _run(argv: list[str], limit_s: float) -> tuple[int | None, str]:
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, said


def _judged(status: int | None, said: str) -> Verdict:
    if status is None:
        return {"verdict": "hang", "version": None, "why": None}
    try:
        facts = json.loads(said)
    except ValueError:
        facts = None
    if status != 0 or not isinstance(facts, dict):
        return {"verdict": "crash", "version": None, "why": f"status {status}"}
    version = facts["version"]
    verdict = "refused" if version is None else "modern" if version >= MODERN else "legacy"
    return {"verdict": verdict, "version": version, "why": facts["why"]}


def notes_on(row: str, verdicts: dict[str, Verdict]) -> list[str]:
    """Return what a reader should see in a row: downgrades, repeats, hangs."""
    notes = []
    for client in CLIENTS:
        seen = verdicts[client]
        if row[:3] in PROOF and seen["initialize"]:
            notes.append(f"{client}: initialize after modern proof")
        if seen["initialize"] > 1:
            notes.append(f"{client}: {seen['initialize']} initialize")
        if row[0] == "L" and row[:3] != "L01" and seen["verdict"] == "legacy":
            notes.append(f"{client}: takes a handshake that is refused here")
        if row[:3] == "P15" and seen["verdict"] == "modern":
            notes.append(f"{client}: takes an answer under another id")
        if seen["verdict"] in ("hang", "crash"):
            notes.append(f"{client}: {seen['verdict']}")
    return notes


def compared(rows: Iterable[str], clients: Iterable[str] = CLIENTS) -> dict[str, Any]:
    """Run clients against rows, several at a time; return row -> client -> verdict."""
    pairs = [(row, client) for row in rows for client in clients]
    with ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(lambda pair: compare(*pair), pairs))
    table: dict[str, Any] = {}
    for (row, client), verdict in zip(pairs, found, strict=True):
        table.setdefault(row, {})[client] = verdict
    return table


def versions() -> dict[str, str]:
    """Return the versions of the clients nobody here wrote."""
    ask = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
    asked = {"mcp": sys.executable, "fastmcp": str(fastmcp_python())}
    return {
        name: subprocess.run(
            [python, "-c", ask, name], check=True, capture_output=True, text=True, timeout=60
        ).stdout.strip()
        for name, python in asked.items()
    }


def to_markdown(data: dict[str, Any]) -> str:
    """Return the stored verdicts as a page."""
    known = ", ".join(f"{name} {version}" for name, version in sorted(data["versions"].items()))
    lines = [
        "# What other clients make of the era rows",
        "",
        f"Over stdio, with {known}, each as it comes. A cell is the verdict and the number of",
        "`initialize` requests the peer received. Written by `compare_clients.py`.",
        "",
        f"| Row | {' | '.join(CLIENTS)} | Notes |",
        f"|{' --- |' * (len(CLIENTS) + 2)}",
    ]
    for row, verdicts in sorted(data["rows"].items()):
        cells = [f"{verdicts[c]['verdict']}, {verdicts[c]['initialize']}" for c in CLIENTS]
        lines.append(f"| {row} | {' | '.join(cells)} | {'; '.join(notes_on(row, verdicts))} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Run and write, or run some rows and print; return the exit status."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", help="comma-separated names; printed unless --store")
    parser.add_argument("--store", action="store_true", help="put the rows into the stored ones")
    given = parser.parse_args(arguments)
    fastmcp_python()
    stored = json.loads(DATA.read_text(encoding="utf-8"))["rows"] if given.rows else {}
    rows = given.rows.split(",") if given.rows else sorted(ROWS)
    found = compared(rows)
    if given.rows and not given.store:
        sys.stdout.write(to_markdown({"versions": versions(), "rows": found}))
        return 0
    data = {"format": 1, "versions": versions(), "rows": stored | found}
    DATA.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    DATA.with_suffix(".md").write_text(to_markdown(data), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
