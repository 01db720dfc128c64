"""`--record FILE`, and `mcp-workbench replay`: an incident kept, and played again.

Takes:  the arguments of a command, and its client
Gives:  the journal in a file, whatever came of the command; or a process that plays one
Never:  writes a known secret, and never makes a file that others on the machine can read

Source: design section 6.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.text.visible import visible
from workbench.sync_client import MultiServerClient

Verb = Callable[..., argparse.ArgumentParser]


def add_record(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command that talks to peers."""
    parser.add_argument(
        "--record", metavar="FILE", help="write the journal to FILE, for lint and replay"
    )


def add_replay(verbs: Any, verb: Verb) -> None:
    """Add the command to a parser; its options belong to the program that plays.

    Args:
        verbs: where commands are added.
        verb: adds one, as the other commands are added.
    """
    verb(verbs, "replay", run_replay, "Serve a peer recorded in JOURNAL (--stdio or --http PORT).")


def run_replay(arguments: argparse.Namespace) -> NoReturn:
    """Become the process that plays; the harness knows nothing of it."""
    rest: Sequence[str] = arguments.rest
    os.execv(sys.executable, [sys.executable, "-m", "fakes", "replay", *rest])


@contextmanager
def recording(path: str | None, client: MultiServerClient) -> Iterator[None]:
    """Write the client's journal when the block has ended, in whatever way.

    The file is opened first, so that a command does nothing whose record cannot be kept.

    Args:
        path: where to; None writes nothing.
        client: not connected yet, and closed inside the block.

    Raises:
        ConfigError: if the file cannot be written.
    """
    if path is None:
        yield
        return
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as problem:
        raise _unwritable(path, problem) from None
    with os.fdopen(file, "w", encoding="utf-8") as text:
        try:
            yield
        finally:
            text.write(client.journal.to_jsonl())


def _unwritable(path: str, problem: OSError) -> ConfigError:
    return ConfigError(
        Failure(
            kind=Kind.CONFIG,
            stage="record",
            detail=f"{visible(path)} cannot be written: {problem.strerror}",
            hint="Give --record a file in a folder that exists.",
        )
    )
