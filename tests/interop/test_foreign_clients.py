"""FastMCP's client against the fakes: they are servers for everybody, in both eras."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import Fake, dual_era, legacy, modern

pytestmark = pytest.mark.interop

CLIENT = Path(__file__).resolve().parent / "clients" / "fastmcp_client.py"
TOOLS = ["search", "create"]
ERAS = {"modern": modern, "legacy": legacy, "dual": dual_era}


def visit(foreign: Callable[[str], Any], target: Any) -> dict[str, Any]:
    """Run FastMCP's client in its own environment and return what it printed."""
    python = foreign("fastmcp").command
    done = subprocess.run(
        [python, str(CLIENT), json.dumps(target)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


def check(seen: dict[str, Any]) -> None:
    assert seen == {"tools": sorted(TOOLS), "texts": ['search: {"q":"tea"}']}


@pytest.mark.parametrize("era", ERAS)
def test_over_http(era: str, foreign: Callable[[str], Any]) -> None:
    """Ours: a fake is true for clients nobody here wrote."""
    fake: Fake = ERAS[era](tools=TOOLS)
    with fake.over_http() as url:
        check(visit(foreign, url))
    assert "tools/call" in fake.methods()
    assert ("initialize" in fake.methods()) == (era == "legacy")


@pytest.mark.parametrize("era", ERAS)
def test_over_stdio(era: str, foreign: Callable[[str], Any]) -> None:
    """Ours: the same scripts as a process."""
    with ERAS[era](tools=TOOLS).over_stdio() as command:
        server = {"command": command[0], "args": command[1:]}
        check(visit(foreign, {"mcpServers": {"fake": server}}))
