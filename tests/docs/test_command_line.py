"""The shell session in the documentation is run, and every command explains itself."""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from workbench.cli import _parser

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "command_line.md"
FILE: Final = re.compile(r"^In `([\w.]+)`:\n\n```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSION: Final = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELLIPSIS: Final = "…"


class Step(NamedTuple):
    """One command, and what it is to print."""

    command: str
    printed: tuple[str, ...]


def steps(page: str) -> Iterator[Step]:
    """Yield the commands of every session of a page, in order."""
    for session in SESSION.findall(page):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, *printed = part.rstrip("\n").split("\n")
            yield Step(command, tuple(printed))


def matches(wanted: Sequence[str], lines: Sequence[str]) -> bool:
    """Say whether lines are what a page shows.

    Args:
        wanted: "…" alone stands for any lines, and in a line for any text.
        lines: what was printed.
    """
    pattern = "".join(
        r"(?:.*\n)*?" if line == ELLIPSIS else f"{_line(line)}[ ]*\n" for line in wanted
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _line(text: str) -> str:
    return ".*".join(re.escape(piece) for piece in text.split(ELLIPSIS))


def verbs() -> list[str]:
    """Return the name of every command there is."""
    for action in _parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return list(action.choices)
    raise AssertionError("there are no commands")


def environment() -> dict[str, str]:
    """Return one in which this interpreter and its programs are found first."""
    programs = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}


def shell(command: str, folder: Path) -> tuple[int, list[str]]:
    """Run a line as a shell does; return its status, and everything it printed."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
    )
    return done.returncode, done.stdout.splitlines()


def test_the_session_of_the_page_is_what_happens(tmp_path: Path) -> None:
    """Ours: a page that is wrong is worse than none."""
    page = PAGE.read_text(encoding="utf-8")
    for name, content in FILE.findall(page):
        (tmp_path / name).write_text(content, encoding="utf-8")
    status, told = 0, list(steps(page))
    assert len(told) > 15
    for step in told:
        if step.command == "echo $?":
            lines = [str(status)]
        else:
            status, lines = shell(step.command, tmp_path)
        assert matches(step.printed, lines), f"$ {step.command}\n" + "\n".join(lines)


@pytest.mark.parametrize("verb", verbs())
def test_every_command_explains_itself_with_an_example(verb: str, tmp_path: Path) -> None:
    """Ours: design section 6; a new command is asked for its example by this very test."""
    status, lines = shell(f"mcp-workbench {verb} --help", tmp_path)
    text = " ".join(lines)
    assert status == 0 and lines[0].startswith("usage: ")
    assert f"Example: mcp-workbench {verb} " in text, text


def test_every_command_stands_on_the_page() -> None:
    """Ours: whoever reads the page knows what there is."""
    page = PAGE.read_text(encoding="utf-8")
    assert [verb for verb in verbs() if f"mcp-workbench {verb}" not in page] == []


@pytest.mark.parametrize(
    ("wanted", "lines", "good"),
    [
        (["a", "…", "d"], ["a", "b", "c", "d"], True),
        (["a", "…"], ["a"], True),
        (["took … ms"], ["took 17 ms"], True),
        (["a"], ["a  "], True),
        (["a"], ["b"], False),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["a.c"], ["abc"], False),
        ([], ["a"], False),
    ],
)
def test_a_difference_is_found(wanted: list[str], lines: list[str], good: bool) -> None:
    """Ours: a check must be able to fail."""
    assert matches(wanted, lines) is good


def test_commands_and_what_they_print_are_told_apart() -> None:
    """Ours: a session that is not read would always be right."""
    page = "x\n```console\n$ one\nfirst\n$ two | three\n```\n```console\n$ echo $?\n0\n```\n"
    assert list(steps(page)) == [
        Step("one", ("first",)),
        Step("two | three", ()),
        Step("echo $?", ("0",)),
    ]
