"""`mcp-workbench lab`: JupyterLab on the first lesson, in a folder that is yours to change.

Takes:  a folder to work in; whatever else is said goes to JupyterLab
Gives:  the lessons laid out there, and JupyterLab in place of this program
Never:  overwrites what somebody has changed
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from workbench.lessons import FIRST, in_checkout, lay_out, shipped

FOLDER: Final = "mcp-lessons"
_ABOUT: Final = "Open the lessons in JupyterLab; further options are passed on to it."


def add_lab(verbs: Any, verb: Any) -> None:
    """Add the command.

    Args:
        verbs: the subparsers of the command line.
        verb: makes one of them: (verbs, name, run, help) -> parser.
    """
    parser = verb(verbs, "lab", run, _ABOUT)
    add_folder(parser)


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the one option that is not JupyterLab's."""
    parser.add_argument(
        "--folder",
        metavar="DIR",
        help=f"where to work; the lessons are copied there and what you change is kept "
        f"(default: {FOLDER}, or the notebooks of a checkout as they are)",
    )


def run(arguments: argparse.Namespace) -> NoReturn:
    """Lay the lessons out, then become JupyterLab.

    Raises:
        ConfigError: if there are no lessons, or the folder cannot be used.
    """
    own = argparse.ArgumentParser(prog="mcp-workbench lab", add_help=False, allow_abbrev=False)
    add_folder(own)
    mine, rest = own.parse_known_args(arguments.rest)
    folder = place_to_work(mine.folder)
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    command = [sys.executable, "-m", "jupyterlab", *as_root, str(folder / FIRST), *rest]
    os.execv(sys.executable, command)


def place_to_work(folder: str | None) -> Path:
    """Return the folder to open, with the lessons in it.

    Args:
        folder: what was asked for; None means the notebooks of a checkout, or `mcp-lessons`
            in the present folder where there is no checkout.

    Raises:
        ConfigError: if there are no lessons, or the folder cannot be used.
    """
    if folder is None and in_checkout():
        return shipped()
    target = Path(folder or FOLDER).expanduser().resolve()
    done = lay_out(shipped(), target).to_text()
    if done:
        print(f"{done}, in {target}", file=sys.stderr)  # noqa: T201 - says where to look
    return target
