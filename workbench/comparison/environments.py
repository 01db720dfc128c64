"""Environments for clients of other makers, made on first use below one folder.

Takes:  a folder, and for each environment the steps that fill it
Gives:  the folder of a finished environment
Never:  installs into the environment it runs in, or uses one that was not finished

An environment is made once, under a file lock, and marked finished by a stamp that holds
its recipe: a half-made one, or one of another recipe, is made again.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from workbench.core.errors import CouldNotStart, Failure, Kind
from workbench.core.text.visible import visible

REQUIREMENTS: Final = {"fastmcp": "fastmcp>=4,<5", "mcp2": "mcp>=2.3,<3"}
"""Environment -> the one thing that is installed into it."""
STEP_TIMEOUT_S: Final = 600
"""Longest time one installation step may take."""
_LAST_WORDS: Final = 600
"""Most characters of a failed step's output that are shown."""


class Step(Struct, frozen=True):
    """One command of a recipe."""

    command: tuple[str, ...]
    path_first: str = ""
    """A folder to put in front of PATH."""


Recipe = Callable[[Path], Sequence[Step]]


class Workshop:
    """Makes environments below one folder, each at most once, whoever asks.

    Args:
        folder: where they live; created when needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ready(self, name: str, recipe: Recipe) -> Path:
        """Return the folder of a finished environment, making it when there is none.

        Args:
            name: of the environment, and of its folder.
            recipe: gives the steps that fill the folder it is called with.

        Raises:
            CouldNotStart: if a step fails; shows its command and its last words.
        """
        place = self._folder / name
        steps = recipe(place)
        stamp, wanted = place / ".ready", repr(steps)
        with self._alone(name):
            if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir(parents=True)
                for step in steps:
                    _run(name, step, place)
                stamp.write_text(wanted, encoding="utf-8")
        return place

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        import fcntl

        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{name}.lock").open("w", encoding="utf-8") as lock:
            # The kernel frees it with the process, so a killed run leaves no stale lock.
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def python_recipe(requirement: str) -> Recipe:
    """Return the recipe of a virtual environment that holds `requirement`."""

    def steps(place: Path) -> list[Step]:
        python = str(place / "bin" / "python")
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        return [
            # Who asks may call this interpreter by several names; what it is made of is one.
            Step((os.path.realpath(sys.executable), "-m", "venv", str(place))),
            Step((*pip, "--retries", "3", requirement)),
        ]

    return steps


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Return where the environments of this user live, below the folder for caches."""
    base = environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "mcp-client-workbench" / "clients"


def _run(name: str, step: Step, place: Path) -> None:
    env = dict(os.environ)
    if step.path_first:
        env["PATH"] = os.pathsep.join((step.path_first, env.get("PATH", "")))
    try:
        done = subprocess.run(
            step.command,
            cwd=place,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=STEP_TIMEOUT_S,
            check=False,
        )
        said, how = done.stdout, f"exited with status {done.returncode}"
        if done.returncode == 0:
            return
    except subprocess.TimeoutExpired as late:
        said, how = late.stdout or b"", f"took longer than {STEP_TIMEOUT_S} s"
    except OSError as error:
        said, how = b"", str(error)
    words = visible(" ".join(said.decode("utf-8", "replace").split())[-_LAST_WORDS:])
    raise CouldNotStart(
        Failure(
            kind=Kind.COULD_NOT_START,
            stage="compare",
            detail=visible(
                f"the environment {name!r} could not be made: {' '.join(step.command)} {how}"
            )
            + (f": {words}" if words else ""),
            hint="A package registry is needed the first time; check the connection to yours.",
        )
    )
