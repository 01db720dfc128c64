"""`mcp-workbench lab`: JupyterLab on the first lesson, in a folder that is yours to change.

Takes:  a folder to work in; whatever else is said goes to JupyterLab
Gives:  the lessons laid out there, and JupyterLab in place of this program; with --hub the
        server of one user of a JupyterHub, with --lay-out-only nothing more
Never:  overwrites what somebody has changed
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Final

from workbench import single_user
from workbench.lessons import FIRST, in_checkout, lay_out, shipped

FOLDER: Final = "mcp-lessons"
_ABOUT: Final = "Open the lessons in JupyterLab; further options are passed on to it."
_DONE: Final = 0


def add_lab(verbs: Any, verb: Any) -> None:
    """Add the command.

    Args:
        verbs: the subparsers of the command line.
        verb: makes one of them: (verbs, name, run, help) -> parser.
    """
    parser = verb(verbs, "lab", run, _ABOUT)
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that are not JupyterLab's."""
    parser.add_argument(
        "--folder",
        metavar="DIR",
        help=f"where to work; the lessons are copied there and what you change is kept "
        f"(default: {FOLDER}, or the notebooks of a checkout as they are)",
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--lay-out-only", action="store_true", help="copy the lessons and start nothing"
    )
    instead.add_argument(
        "--hub",
        action="store_true",
        help="be the server of one user of a JupyterHub: the hub starts this, with a folder "
        f"closed to other users (default: {single_user.HOME_FOLDER})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Lay the lessons out, then become JupyterLab, or a user's server of a hub.

    Raises:
        ConfigError: if there are no lessons, or the folder cannot be used.
    """
    own = argparse.ArgumentParser(prog="mcp-workbench lab", add_help=False, allow_abbrev=False)
    add_options(own)
    mine, rest = own.parse_known_args(arguments.rest)
    if mine.lay_out_only:
        place_to_work(mine.folder or FOLDER)
        return _DONE
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if mine.hub:
        folder = Path(mine.folder or single_user.HOME_FOLDER).expanduser().resolve()
        environ = single_user.environment(_programs_first(), folder, Path.home())
        single_user.keep_to_oneself()
        single_user.close_to_others(place_to_work(str(folder)))
        command = single_user.command(rest, as_root=as_root)
    else:
        folder, environ = place_to_work(mine.folder), _programs_first()
        allowed = ["--allow-root"] if as_root else []
        command = [sys.executable, "-m", "jupyterlab", *allowed, str(folder / FIRST), *rest]
    os.execve(sys.executable, command, environ)


def _programs_first() -> dict[str, str]:
    """Return an environment in which `python`, as lessons say, is the one that runs this."""
    programs = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", os.defpath)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{path}"}


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
