"""The server of one user: it reads no more than it needs, and SIGINT ends it as SIGTERM does."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

PROGRAM: Final = """
import signal, sys

def obey(number, frame):
    print("cleaned up after", signal.Signals(number).name, sys.argv[1:], flush=True)
    sys.exit(0)

signal.signal(signal.SIGTERM, obey)
import jsonschema
print("read the grammar" if "rfc3987_syntax.syntax_helpers" in sys.modules else "ready", flush=True)
while True:
    signal.pause()
"""
"""What Jupyter Server does: it obeys SIGTERM, and leaves SIGINT as it is."""
AS_A_USERS_SERVER: Final = "from workbench.hub_server import main; main('standing_in')"
AS_IT_IS: Final = "import runpy; runpy.run_module('standing_in', run_name='__main__')"


@pytest.mark.parametrize(
    ("start", "first", "status", "said"),
    [
        (AS_A_USERS_SERVER, "ready", 0, "cleaned up after SIGTERM ['--port=1']\n"),
        # What this is for: without it much is read, and nothing is cleaned up.
        (AS_IT_IS, "read the grammar", -signal.SIGINT, ""),
    ],
)
def test_the_signal_of_the_hub_ends_a_server_in_order(
    tmp_path: Path, start: str, first: str, status: int, said: str
) -> None:
    """Ours: JupyterHub ends a local process by SIGINT, and starts many at once."""
    (tmp_path / "standing_in.py").write_text(PROGRAM, encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, "-c", start, "--port=1"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    with server:
        assert server.stdout is not None and server.stdout.readline() == f"{first}\n"
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=30)
    assert (server.returncode, rest) == (status, said)
