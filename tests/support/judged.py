"""One scenario of the official conformance suite, run by itself and judged strictly."""

from __future__ import annotations

import errno
import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

PATIENCE_S = 120


class Run(Struct, frozen=True):
    """What one scenario said."""

    status: int
    checks: list[dict[str, Any]]
    said: str = ""
    least: int = 1
    """How many checks must have succeeded: some scenarios pass where nothing was done."""

    @property
    def passed(self) -> Counter[str]:
        """Return how many checks ended how."""
        return Counter(str(one.get("status")) for one in self.checks)

    @property
    def faults(self) -> list[str]:
        """Return everything that keeps the scenario from being passed."""
        found = [
            f"{one.get('id')}: {one.get('status')} {one.get('errorMessage', '')}"
            for one in self.checks
            if one.get("status") not in ("SUCCESS", "INFO", "SKIPPED")
        ]
        if self.status != 0:
            found.append(f"exit status {self.status}")
        if self.passed["SUCCESS"] < self.least:
            found.append(f"{self.passed['SUCCESS']} checks have succeeded, not {self.least}")
        return [*found, self.said] if found else []


def run_scenario(command: Sequence[str], folder: Path, least: int = 1) -> Run:
    """Run one scenario; `folder` is new, and gets what the suite writes down.

    Single runs are stricter than the suite's own tally: there, only failed checks count.
    """
    done = _run([*command, "-o", str(folder)])
    texts = [file.read_text(encoding="utf-8") for file in folder.rglob("checks.json")]
    checks = [one for text in texts for one in json.loads(text)]
    said = done.stdout + b"".join(file.read_bytes() for file in folder.rglob("std*.txt"))
    return Run(done.returncode, checks, said.decode("utf-8", "replace")[-2_000:], least)


def _run(command: Sequence[str], tries: int = 3) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE_S,
            check=False,
        )
    except OSError as refused:
        # Some virtual machines lose the arguments of a program that one of several threads
        # starts. Nothing has run then, so it can be started again.
        if refused.errno != errno.EFAULT or tries <= 1:
            raise
        return _run(command, tries - 1)


def names_below(listing: str, heading: str) -> set[str]:
    """Return the names the suite lists below a heading, up to the next one."""
    names = set()
    for line in listing.partition(heading)[2].splitlines()[1:]:
        if not line.strip().startswith("- "):
            break
        names.add(line.strip()[2:])
    return names
