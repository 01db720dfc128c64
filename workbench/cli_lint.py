"""`mcp-workbench lint`: a record held against the protocol, a line a finding.

Takes:  the arguments of the command
Gives:  the findings on stdout, and the exit status: 0 nothing found, 1 something, 2 bad input
Never:  connects to anything

Source: design section 6.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from workbench.core.text.visible import visible

CLEAN: Final = 0
FOUND: Final = 1
Verb = Callable[..., argparse.ArgumentParser]


def add_lint(verbs: Any, verb: Verb) -> None:
    """Add the command to a parser.

    Args:
        verbs: where commands are added.
        verb: adds one, as the other commands are added.
    """
    lint = verb(verbs, "lint", run, "Hold a recorded conversation against the protocol.")
    lint.epilog = "Example: mcp-workbench lint incident.jsonl"
    lint.add_argument(
        "record",
        help="a journal (--record), raw frames one a line, or an export of the MCP Inspector; "
        "- is stdin",
    )
    lint.add_argument("--json", action="store_true", help="print JSON")
    lint.add_argument("--peer", metavar="NAME", help="only this peer; or the name of the one peer")
    lint.add_argument("--by", choices=("client", "server"), help="only what this side did")


def run(arguments: argparse.Namespace) -> int:
    """Lint, and return the exit status.

    Raises:
        ConfigError: if the record cannot be read.
    """
    from workbench.lint import lint_entries, read_record

    journal, form = read_record(_text(arguments.record), arguments.peer or "peer")
    entries = journal.entries(arguments.peer if form == "journal" else None)
    findings = lint_entries(entries, journal.dropped)
    if arguments.by:
        findings = findings.by(arguments.by)
    if arguments.json:
        print(findings.to_json())  # noqa: T201 - stdout is this command's product
    else:
        print(findings.to_text())  # noqa: T201
    if not findings.frames:
        print("warning: there is no frame to look at", file=sys.stderr)  # noqa: T201
    return FOUND if findings else CLEAN


def _text(path: str) -> str:
    from workbench.lint.reading import wrong

    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as problem:
        raise wrong(f"{visible(path)} cannot be read: {problem.strerror}") from None
