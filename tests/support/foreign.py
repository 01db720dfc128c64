"""Clients and servers of other authors, run by their own environments."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

INTEROP: Final = Path(__file__).resolve().parents[1] / "interop"
TOOLS: Final = ["search", "create"]


def visit(foreign: Callable[[str], Any], target: Any) -> dict[str, Any]:
    """Run FastMCP's client in its own environment and return what it printed."""
    python = foreign("fastmcp").command
    script = INTEROP / "clients" / "fastmcp_client.py"
    done = subprocess.run(
        [python, str(script), json.dumps(target)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


@contextmanager
def served(foreign: Callable[[str], Any], name: str, mode: str) -> Iterator[str]:
    """Run a server over HTTP; give its url; end it."""
    start = foreign(name)
    with subprocess.Popen(
        [start.command, str(INTEROP / "servers" / "over_http.py"), name, mode],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()
