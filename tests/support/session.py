"""Shell sessions in Markdown: each command is run, and what it prints is compared.

A session is a fenced block marked `console`. A line that begins with "$ " is a command, lines
that begin with "> " continue it, all others are what it prints. A line "..." stands for any
number of lines, and "..." inside a line for any text.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
LIMIT_S = 60.0


class Command(Struct, frozen=True):
    """One command, and what the page says it prints."""

    line: str
    printed: str


def sessions(page: str) -> Iterator[list[Command]]:
    """Yield the commands of each session of a page."""
    for block in BLOCK.findall(page):
        commands: list[tuple[list[str], list[str]]] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append(([line[2:]], []))
            elif line.startswith("> ") and commands and not commands[-1][1]:
                commands[-1][0].append(line[2:])
            else:
                commands[-1][1].append(line)
        yield [Command("\n".join(asked), "\n".join(said)) for asked, said in commands]


def differences(commands: list[Command], folder: Path) -> list[str]:
    """Run commands one after the other in a folder; return what differs from the page."""
    here = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    found = []
    for command in commands:
        done = subprocess.run(
            ["sh", "-c", command.line],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )
        printed = done.stdout.rstrip("\n")
        if not fits(command.printed, printed):
            found.append(
                f"$ {command.line}\nthe page says:\n{command.printed}\nit says:\n{printed}"
            )
    return found


def fits(written: str, printed: str) -> bool:
    """Say whether what is printed is what is written."""
    pattern = ""
    for line in written.rstrip("\n").split("\n"):
        if line == "...":
            pattern += r"(?:.*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + "\n"
    return re.fullmatch(pattern, f"{printed}\n") is not None
