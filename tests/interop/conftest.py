"""Servers nobody here wrote, installed on first use into build/interop/<name>/.

The workshop is the one of `mcp-workbench compare`. What cannot be made fails the tests that
need it; nothing is skipped.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil
import pytest
from msgspec import Struct
from node_packages import PLACE, npm_package

from workbench.comparison.environments import REQUIREMENTS, Workshop, python_recipe
from workbench.transports.guardian import GUARDIAN

SERVERS: Final = Path(__file__).resolve().parent / "servers"

PYTHON_ENVIRONMENTS: Final = {
    **REQUIREMENTS,
    "mcp1": "mcp==1.30.*",
}
EVERYTHING: Final = "@modelcontextprotocol/server-everything"
EVERYTHING_VERSION: Final = "2026.8.31"


class Command(Struct, frozen=True):
    """How a foreign server is started."""

    command: str
    args: tuple[str, ...]


@pytest.fixture(scope="session")
def foreign() -> Callable[[str], Command]:
    """Return how to start one of the four servers, installing it when it is missing."""
    workshop = Workshop(PLACE)

    def start(name: str) -> Command:
        if name == "everything":
            return _everything(workshop)
        place = workshop.ready(name, python_recipe(PYTHON_ENVIRONMENTS[name]))
        script = SERVERS / f"{name}_server.py"
        return Command(str(place / "bin" / "python"), (str(script),))

    return start


def _everything(workshop: Workshop) -> Command:
    node, modules = npm_package(workshop, "everything", f"{EVERYTHING}@{EVERYTHING_VERSION}")
    script = modules / EVERYTHING / "dist" / "index.js"
    return Command(str(node), (str(script), "stdio"))


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
