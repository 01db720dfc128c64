"""Programs run beneath a keeper: bounded in time, and gone with everything they started.

Takes:  a command, a limit in seconds, an environment
Gives:  how it ended and what it said on stdout
Never:  waits longer than the limit and a little, and never leaves a process behind
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from workbench.comparison import keeper

A = TypeVar("A")
B = TypeVar("B")

KEEPER: Final = (sys.executable, "-I", "-S", str(Path(keeper.__file__).resolve()))
MOST_SAID: Final = 1_048_576
"""Most bytes of a program's output that are read."""
_GRACE_S: Final = 15.0
"""What the keeper itself may take beyond the limit, in seconds."""


class Ended(Struct, frozen=True, kw_only=True):
    """How a program ended."""

    status: int | None
    """Its exit status; None when it was ended at the limit."""
    said: bytes


class Runner:
    """Runs programs, some at a time; `close` ends those that still run.

    Args:
        workers: how many at a time.
    """

    def __init__(self, workers: int = 4) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._live: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def run(
        self,
        command: Sequence[str],
        folder: Path,
        limit_s: float,
        environ: Mapping[str, str] | None = None,
    ) -> Ended:
        """Run a program to its end.

        Args:
            command: the program and its arguments.
            folder: its working directory, of its own; what it says is kept there meanwhile.
            limit_s: when it is ended, in seconds.
            environ: its environment; None means ours.
        """
        said = folder / "said"
        with said.open("wb") as output, self._kept(command, folder, limit_s, output, environ) as it:
            try:
                status: int | None = it.wait(limit_s + _GRACE_S)
            except subprocess.TimeoutExpired:
                status = None
        with said.open("rb") as text:
            words = text.read(MOST_SAID)
        return Ended(status=None if status == keeper.ENDED else status, said=words)

    @contextmanager
    def serving(self, command: Sequence[str], folder: Path, limit_s: float) -> Iterator[str]:
        """Run a server while the block lasts; give the first line it says, or "" for none."""
        with self._kept(command, folder, limit_s, subprocess.PIPE, None) as server:
            assert server.stdout is not None
            with server.stdout as lines:
                yield lines.readline(MOST_SAID).decode("utf-8", "replace").strip()
                # Its keeper ends it, and the pipe with it.
                self._let_go(server)

    def each(self, do: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Do something for each item, some at a time; an interrupt ends all of it."""
        with ThreadPoolExecutor(self._workers) as pool:
            try:
                return list(pool.map(do, items))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.close()
                raise

    def close(self) -> None:
        """End every program that still runs; later ones are ended at once."""
        with self._lock:
            self._closed = True
            live = tuple(self._live)
        for process in live:
            self._let_go(process)

    @contextmanager
    def _kept(
        self,
        command: Sequence[str],
        folder: Path,
        limit_s: float,
        output: object,
        environ: Mapping[str, str] | None,
    ) -> Iterator["subprocess.Popen[bytes]"]:
        process = subprocess.Popen(
            [*KEEPER, str(limit_s), *command],
            cwd=folder,
            env=None if environ is None else dict(environ),
            stdin=subprocess.PIPE,
            stdout=output,  # type: ignore[call-overload]
            stderr=subprocess.DEVNULL,
            # An interrupt of the terminal is for us; the keeper hears of it from us.
            start_new_session=True,
        )
        try:
            with self._lock:
                self._live.add(process)
                closed = self._closed
            if closed:
                self._let_go(process)
            yield process
        finally:
            self._let_go(process)
            with self._lock:
                self._live.discard(process)
            try:
                process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @staticmethod
    def _let_go(process: "subprocess.Popen[bytes]") -> None:
        """Close a keeper's input, which is how it knows that nobody waits any more."""
        if process.stdin is not None:
            process.stdin.close()
