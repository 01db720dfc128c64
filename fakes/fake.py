"""A scriptable server: the same value in memory, as a process, and behind HTTP.

Takes:  a `Program`
Gives:  something a client can be connected to (`new_transport`, `over_stdio`,
        `over_http`), and what it has seen of that client
Never:  changes: `.script()` returns a new fake with a recording of its own
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from fakes.errors import ScriptError, UnexpectedRequest
from fakes.load import dump
from fakes.program import Program
from fakes.recording import Exchange, Recording
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

    @classmethod
    def from_journal(
        cls, source: "str | PathLike[str]", *, peer: str | None = None, speed: float = 0.0
    ) -> "Fake":
        """Return a fake that says again what a recorded peer said.

        A message is known by its method and its params; `_meta` and ids do not count. The
        n-th of several equal ones gets the n-th recorded answer, later ones the last. What
        was not recorded gets an error that says so. Rules added with `.script()` go before
        the recording: `.script(on("tools/call").nth(2).then(error(-32603)))`.

        Args:
            source: the text of a journal (`client.journal.to_jsonl()`), or the path of one.
            peer: whose part to play; None where only one peer was recorded.
            speed: how much faster than recorded; 1 keeps every pause, 0 keeps none.

        Raises:
            ScriptError: if there is no such journal, peer or speed.
        """
        from fakes.playback import recorded

        return cls(recorded(source, peer, speed).program)

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
        """Every JSON object received in memory or over HTTP, oldest first."""
        return self._recording.received

    @property
    def exchanges(self) -> list[Exchange]:
        """Every HTTP request with its status so far, oldest first."""
        return self._recording.exchanges

    @property
    def effects(self) -> list[str]:
        """What was done: the names of executed tools, and `effect(...)` steps; not over stdio."""
        return self._recording.effects

    @property
    def lifetimes(self) -> int:
        """How many links have been opened in memory, and runs been started behind HTTP."""
        return self._recording.lifetimes

    def methods(self) -> list[str]:
        """Return the methods of everything received in memory or over HTTP, in order."""
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
        """Do these steps now: `notes.say(close())`.

        In memory they are done on every open link. Over HTTP what they say goes to every
        open listen stream, and to the stream of each legacy session.

        Raises:
            ScriptError: if no link is open and nothing is served.
        """
        if not self._recording.live:
            raise ScriptError(f"{self.name}: nobody is connected in memory or served over HTTP")
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
        """Make a transport to this fake in memory, for one lifetime.

        Raises:
            ScriptError: if the script needs HTTP.
        """
        self._without_http("in memory")
        from fakes.hosts.memory import MemoryHost
        from workbench.transports.memory import MemoryTransport

        return MemoryTransport(MemoryHost(self._program, self._recording, clock))

    @contextmanager
    def over_stdio(
        self,
        *,
        record: "str | PathLike[str] | None" = None,
        effects: "str | PathLike[str] | None" = None,
        frames: "str | PathLike[str] | None" = None,
    ) -> Iterator[list[str]]:
        """Give the command that runs this fake as a process, while the block lasts.

        Any MCP client can spawn it, any number of times.

        Args:
            record: file that every received line is appended to, one JSON value a line.
            effects: file that every effect is appended to, one a line.
            frames: file that every line is appended to, both ways, one object a line.

        Raises:
            ScriptError: if the script needs HTTP.
        """
        self._without_http("over stdio")
        import sys
        from pathlib import Path
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="fake-") as folder:
            script = Path(folder) / "script.json"
            script.write_bytes(dump(self._program))
            command = [sys.executable, "-m", "fakes", "--script", str(script), "--stdio"]
            command += ["--lives", str(Path(folder) / "lives")]
            kept = {"--record": record, "--effects": effects, "--frames": frames}
            for option, file in kept.items():
                if file is not None:
                    command += [option, str(Path(file).absolute())]
            yield command

    @contextmanager
    def over_http(self, *, port: int = 0, **settings: Any) -> Iterator[str]:
        """Serve this fake on 127.0.0.1 from a thread, while the block lasts; give the URL.

        Args:
            port: 0 takes a free one.
            settings: other fields of `fakes.hosts.http_visit.Settings`, such as `origins`.

        Raises:
            OSError: if the port cannot be had.
        """
        from fakes.hosts.http import on_a_thread
        from fakes.hosts.http_visit import Settings

        with on_a_thread(self._program, self._recording, Settings(port=port, **settings)) as url:
            yield url

    @asynccontextmanager
    async def serve_http(self, *, port: int = 0, **settings: Any) -> AsyncIterator[str]:
        """Serve this fake on 127.0.0.1 from the running event loop, as `over_http` does."""
        from fakes.hosts.http import HttpHost
        from fakes.hosts.http_visit import Settings

        host = HttpHost(self._program, self._recording, Settings(port=port, **settings))
        url = await host.start()
        try:
            yield url
        finally:
            await host.stop()

    def wait_until(self, condition: "Callable[[Fake], object]", timeout_s: float = 5.0) -> None:
        """Wait, on another thread than the host's, until what was seen over HTTP suffices.

        Args:
            condition: is asked after each change: `lambda fake: len(fake.exchanges) == 3`.
            timeout_s: longest time to wait.

        Raises:
            UnexpectedRequest: if the condition did not come true in time.
        """
        from threading import Condition

        changed = self._recording.changed = self._recording.changed or Condition()
        with changed:
            if not changed.wait_for(lambda: bool(condition(self)), timeout_s):
                seen = [f"{one.method} {one.status} {one.ended}" for one in self.exchanges]
                raise UnexpectedRequest(f"{self.name}: not within {timeout_s:g} s; saw {seen}")

    def _without_http(self, where: str) -> None:
        if self._program.http_only:
            raise ScriptError(f"{self.name} works over HTTP only, not {where}: use over_http()")
