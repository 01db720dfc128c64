"""A scriptable server: the same value in memory and as a process.

Takes:  a `Program`
Gives:  something a client can be connected to (`new_transport`, `over_stdio`), and what
        it has seen of that client
Never:  changes: `.script()` returns a new fake with a recording of its own
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from fakes.errors import ScriptError, UnexpectedRequest
from fakes.load import dump
from fakes.program import Program
from fakes.recording import Recording
from fakes.script import Rule, describe
from fakes.steps import Step

if TYPE_CHECKING:
    from os import PathLike

    from workbench.transports.base import Clock, Transport, TransportKind


class Fake:
    """A fake server, and an endpoint any client of ours can be given.

    Args:
        program: name, server and rules.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._recording = Recording()

    @property
    def program(self) -> Program:
        """The whole fake as data."""
        return self._program

    @property
    def name(self) -> str:
        """The name the server gives itself."""
        return self._program.name

    @property
    def kind(self) -> "TransportKind":
        """Which sort of transport `new_transport` makes."""
        return "memory"

    @property
    def identity(self) -> str:
        """Text that changes whenever the name, the server or a rule changes."""
        from hashlib import sha256

        return f"fake {self.name} {sha256(dump(self._program)).hexdigest()[:16]}"

    @property
    def received(self) -> list[dict[str, Any]]:
        """Every JSON object received in memory, oldest first, over all lifetimes."""
        return self._recording.received

    @property
    def effects(self) -> list[str]:
        """What was done in memory: the names of executed tools, and `effect(...)` steps."""
        return self._recording.effects

    @property
    def lifetimes(self) -> int:
        """How many links have been opened in memory."""
        return self._recording.lifetimes

    def methods(self) -> list[str]:
        """Return the methods of everything received in memory, in order."""
        return [str(body["method"]) for body in self.received if "method" in body]

    def script(self, *rules: Rule) -> "Fake":
        """Return a new fake with these rules behind the ones it has.

        Raises:
            ScriptError: if a rule could never have its turn.
        """
        more = (*self._program.rules, *rules)
        return Fake(msgspec.structs.replace(self._program, rules=more))

    def described(self, about: str) -> "Fake":
        """Return a new fake with another one-line description."""
        return Fake(msgspec.structs.replace(self._program, about=about))

    def named(self, name: str) -> "Fake":
        """Return a new fake that gives itself another name."""
        return Fake(msgspec.structs.replace(self._program, name=name))

    def say(self, *steps: Step) -> None:
        """Do these steps now, on every link open in memory: `notes.say(close())`.

        Raises:
            ScriptError: if no link is open.
        """
        if not self._recording.live:
            raise ScriptError(f"{self.name}: nobody is connected in memory")
        for tell in tuple(self._recording.live):
            tell(steps)

    def check(self, *, all_rules_used: bool = False) -> None:
        """Raise for what went wrong with the script so far, in memory.

        Args:
            all_rules_used: also insist that every rule has acted.

        Raises:
            UnexpectedRequest: if the client sent something that is no JSON object.
            ScriptError: if a rule has not acted although all had to.
        """
        if self._recording.unreadable:
            raise UnexpectedRequest(f"{self.name} received {self._recording.unreadable[0]!r}")
        idle = set(range(len(self._program.rules))) - self._recording.used
        if all_rules_used and idle:
            first = min(idle)
            where = describe(self._program.rules[first].on)
            raise ScriptError(f"{self.name}: rule {first + 1} ({where}) has never acted")

    def new_transport(self, clock: "Clock") -> "Transport":
        """Make a transport to this fake in memory, for one lifetime."""
        from fakes.hosts.memory import MemoryHost
        from workbench.transports.memory import MemoryTransport

        return MemoryTransport(MemoryHost(self._program, self._recording, clock))

    @contextmanager
    def over_stdio(
        self,
        *,
        record: "str | PathLike[str] | None" = None,
        effects: "str | PathLike[str] | None" = None,
    ) -> Iterator[list[str]]:
        """Give the command that runs this fake as a process, while the block lasts.

        Any MCP client can spawn it, any number of times.

        Args:
            record: file that every received line is appended to, one JSON value a line.
            effects: file that every effect is appended to, one a line.
        """
        import sys
        from pathlib import Path
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="fake-") as folder:
            script = Path(folder) / "script.json"
            script.write_bytes(dump(self._program))
            command = [sys.executable, "-m", "fakes", "--script", str(script), "--stdio"]
            command += ["--lives", str(Path(folder) / "lives")]
            if record is not None:
                command += ["--record", str(Path(record).absolute())]
            if effects is not None:
                command += ["--effects", str(Path(effects).absolute())]
            yield command
