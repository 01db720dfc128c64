"""Shell sessions as a page tells them: commands after `$`, and what each of them prints."""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple

from workbench.cli import main

ELLIPSIS: Final = "…"
"""Alone it stands for any lines, in a line for any text."""
LONGEST_S: Final = 60
_HERE: Final = re.compile(r"mcp-workbench (?:call|compare|discover|lint|pin|report|trace) ")
"""Commands that may be called in this process; others put another program in its place."""
_FOR_A_SHELL: Final = re.compile(r"[;&<>\n$*(){}]")
"""What only a shell understands, but for the pipe."""
_STATUS: Final = "echo $?"


class Step(NamedTuple):
    """One command, and what it is to print."""

    command: str
    printed: tuple[str, ...]


def steps(session: str) -> Iterator[Step]:
    """Yield the commands of a session, in order; lines after "> " belong to the one above."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, *rest = part.rstrip("\n").split("\n")
        while rest and rest[0].startswith("> "):
            command += "\n" + rest.pop(0)[2:]
        yield Step(command, tuple(rest))


def matches(wanted: Sequence[str], lines: Sequence[str]) -> bool:
    """Say whether lines are what a page shows; see `ELLIPSIS`."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == ELLIPSIS else f"{_line(line)}[ ]*\n" for line in wanted
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _line(text: str) -> str:
    return ".*".join(re.escape(piece) for piece in text.split(ELLIPSIS))


def play(session: str, folder: Path) -> list[str]:
    """Do a whole session in a folder; return what differs from what it says.

    A status other than 0 has to be told: by `echo $?` right after, or on the same line.
    """
    wrong, status, untold = [], 0, ""
    for step in steps(session):
        if step.command == _STATUS:
            lines, untold = [str(status)], ""
        else:
            wrong += [untold] if untold else []
            status, lines = shell(step.command, folder)
            untold = f"$ {step.command}: exit status {status}, and nobody says so" if status else ""
        if not matches(step.printed, lines):
            wrong.append(f"$ {step.command}\n" + "\n".join(lines))
    return wrong + ([untold] if untold else [])


def shell(command: str, folder: Path) -> tuple[int, list[str]]:
    """Do a line as a shell does; return its status, and everything it printed.

    Our own program is called right here where no shell is needed, for each start of an
    interpreter takes half a second.
    """
    first, _, rest = command.partition(" #")[0].partition("|")
    if not _HERE.match(first) or _FOR_A_SHELL.search(command.replace(_STATUS, "")):
        return _spawned(command, folder, None)
    status, printed = _called(shlex.split(first)[1:], folder)
    if rest.strip():
        return _spawned(rest, folder, printed)
    return status, printed.splitlines()


def _called(arguments: list[str], folder: Path) -> tuple[int, str]:
    printed = io.StringIO()
    try:
        with at_home(folder), redirect_stdout(printed), redirect_stderr(printed):
            status = main(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    return status, printed.getvalue()


def _spawned(command: str, folder: Path, given: str | None) -> tuple[int, list[str]]:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(folder),
        input=given or "",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=LONGEST_S,
    )
    return done.returncode, done.stdout.splitlines()


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
    """Be in a folder and in its `environment`, while the block lasts."""
    before = dict(os.environ)
    os.environ.update(environment(folder))
    try:
        with chdir(folder):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def environment(folder: Path) -> dict[str, str]:
    """Return one in which this interpreter's programs are found first, and `~` is the folder."""
    programs = str(Path(sys.executable).parent)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "100", "HOME": str(folder)}
