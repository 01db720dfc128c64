"""One client, run at peers in a process of its own, and what came of it.

Takes:  a client's name, the way to its peers, a limit in seconds
Gives:  what it printed as JSON values, or how its process ended
Never:  runs a foreign client in this environment, or shows a job to other users: a job holds
        addresses, variables and headers, so it is a file of this user's own
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from workbench.comparison.environments import REQUIREMENTS, Workshop, python_recipe
from workbench.comparison.known import PACKAGES, Known
from workbench.comparison.running import Runner
from workbench.comparison.seen import Seen, Verdict

LIMIT_S: Final = 40.0
"""Longest a client may take, in seconds: four times the SDK's own patience with a probe, so
that a busy machine does not turn a slow start into a hang."""
MODERN: Final = "2026-07-28"
_VERSION_OF: Final = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"

Said = dict[str, Any]
"""What a client printed, or `{"ended": "hang"}`, or `{"ended": "crash", "why": …}`."""


class Laboratory:
    """Runs clients.

    Args:
        folder: where the environments of foreign clients live.
        runner: what runs programs.
        limit_s: longest one client may take at its peers.
    """

    def __init__(self, folder: Path, runner: Runner, limit_s: float = LIMIT_S) -> None:
        self._workshop = Workshop(folder)
        self.runner = runner
        self.limit_s = limit_s

    def python(self, environment: str) -> str:
        """Return the interpreter of an environment, making it when it is missing.

        Raises:
            CouldNotStart: if it cannot be made.
        """
        if not environment:
            return sys.executable
        recipe = python_recipe(REQUIREMENTS[environment])
        return str(self._workshop.ready(environment, recipe) / "bin" / "python")

    def command(self, client: Known) -> list[str]:
        """Return the command that runs a client, without its job.

        Raises:
            CouldNotStart: if its environment cannot be made.
        """
        # A foreign interpreter sees nothing of this one: no variables, no user packages.
        isolated = ["-I"] if client.environment else []
        return [self.python(client.environment), *isolated, client.path]

    def versions(self, clients: Sequence[Known]) -> dict[str, str]:
        """Return package -> version of the foreign clients among some."""
        found = {}
        for environment in dict.fromkeys(one.environment for one in clients if one.environment):
            ask = [self.python(environment), "-I", "-c", _VERSION_OF, PACKAGES[environment]]
            done = subprocess.run(ask, check=True, capture_output=True, text=True, timeout=60)
            found[PACKAGES[environment]] = done.stdout.strip()
        return found

    def said(self, command: Sequence[str], job: Mapping[str, Any], folder: Path) -> Said:
        """Run a client and return what it said.

        Args:
            command: see `command`.
            job: what it is to do, JSON values.
            folder: of this run, empty and its own.
        """
        file = folder / "job.json"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as text:
            json.dump(job, text)
        ended = self.runner.run([*command, str(file)], folder, self.limit_s)
        if ended.status is None:
            return {"ended": "hang"}
        try:
            said = json.loads(ended.said)
        except (ValueError, RecursionError):
            said = None
        if ended.status != 0 or not isinstance(said, dict):
            return {"ended": "crash", "why": f"status {ended.status}"}
        return said


def seen_of(said: Said, sent: Sequence[str]) -> Seen:
    """Return what a client said, and what its peer received, as a verdict."""
    if (ended := said.get("ended")) in ("hang", "crash"):
        return Seen(verdict=ended, why=said.get("why"), sent=tuple(sent))
    version = None if said.get("version") is None else str(said["version"])
    why = None if said.get("why") is None else str(said["why"])
    verdict: Verdict = "modern" if version is not None and version >= MODERN else "legacy"
    return Seen(
        verdict="refused" if version is None else verdict,
        version=version,
        why=why,
        sent=tuple(sent),
    )
