"""A folder with a configuration, a server that leaves a witness, and the command line."""

import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from workbench import MultiServerClient
from workbench.cli import main
from workbench.core.report import PeerReport

ROOT = Path(__file__).resolve().parents[2]


class Done(NamedTuple):
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


class Place:
    """A folder with a configuration, a server, and a witness of every start."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "mcp.json"
        self.lock = folder / "mcp.lock.json"
        self.witness = folder / "witness"
        self.script = self.server("server.py")

    def server(self, name: str, fake: str = "modern", extra: str = "") -> Path:
        """Write a server that plays a fake and leaves a witness."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
            f"open({str(self.witness)!r}, 'a').write('x')\n{extra}\n"
            "from fakes.__main__ import main\n"
            f"sys.exit(main([{fake!r}, '--tools', 'search', '--stdio']))\n",
            encoding="utf-8",
        )
        return path

    def program(self, name: str, text: str = "") -> Path:
        """Write an executable that runs the server."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            text or f"#!/bin/sh\nexec {sys.executable} {self.script}\n", encoding="utf-8"
        )
        path.chmod(0o755)
        return path

    def write(self, **peers: dict[str, Any]) -> None:
        """Write the configuration; without peers, one called notes."""
        servers = peers or {"notes": self.peer()}
        self.config.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    def peer(self, *args: str, **settings: Any) -> dict[str, Any]:
        """Return the entry of one peer."""
        return {"command": sys.executable, "args": [str(self.script), *args], **settings}

    def run(self, *arguments: str) -> Done:
        """Run the command line in this process; the peers are processes of their own."""
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = main(arguments)
        return Done(status, out.getvalue(), err.getvalue())

    def pin(self, *options: str, status: int = 0) -> str:
        """Pin, forget the starts that took, and return what was printed."""
        done = self.run("pin", str(self.config), *options)
        assert done.returncode == status, done.stdout + done.stderr
        self.witness.unlink(missing_ok=True)
        return done.stdout

    def fails(self, *arguments: str) -> str:
        """Run a command that must end with status 2; return its one line."""
        done = self.run(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stdout + done.stderr
        (line,) = done.stderr.splitlines()
        return line

    @property
    def starts(self) -> int:
        """How many processes were started since the last pin."""
        return len(self.witness.read_text()) if self.witness.exists() else 0

    def row(self) -> PeerReport:
        """Connect once and return the row of the peer called notes."""
        with MultiServerClient.from_config(self.config) as client:
            rows = {row.peer: row for row in client.connect_all().peers}
        return rows["notes"]

    def refused(self, rule: str = "PIN-02") -> str:
        """Connect; return the reason of the refusal, after making sure nothing started."""
        row = self.row()
        assert (row.status, row.rule, self.starts) == ("unavailable", rule, 0), row
        assert f"mcp-workbench pin {self.config}" in row.hint
        return row.reason or ""
