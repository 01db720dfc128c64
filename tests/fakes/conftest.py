"""What the checks of the fakes share: honest requests, and a real process to talk to."""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from workbench.core.wire.envelope import legacy_request, modern_request
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN

PATIENCE_S = 5.0


class Process:
    """One spawned fake; every wait is bounded."""

    def __init__(self, command: list[str]) -> None:
        self.child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._read = b""

    def send(self, *bodies: dict[str, Any]) -> None:
        assert self.child.stdin is not None
        for body in bodies:
            self.child.stdin.write(json.dumps(body).encode() + b"\n")
        self.child.stdin.flush()

    def end_input(self) -> None:
        assert self.child.stdin is not None
        self.child.stdin.close()

    def line(self) -> bytes:
        assert self.child.stdout is not None
        deadline = time.monotonic() + PATIENCE_S
        while b"\n" not in self._read:
            ready, _, _ = select.select([self.child.stdout], [], [], deadline - time.monotonic())
            chunk = os.read(self.child.stdout.fileno(), 65_536) if ready else b""
            assert chunk, f"no line within {PATIENCE_S} s, only {self._read[:200]!r}"
            self._read += chunk
        line, self._read = self._read.split(b"\n", 1)
        return line

    def message(self) -> dict[str, Any]:
        body = json.loads(self.line())
        assert isinstance(body, dict)
        return body

    def wait(self) -> int:
        return self.child.wait(PATIENCE_S)

    def kill(self) -> None:
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait(PATIENCE_S)
        for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def spawn() -> Iterator[Callable[[list[str]], Process]]:
    """Start processes; none outlives the test."""
    started: list[Process] = []

    def start(command: list[str]) -> Process:
        started.append(Process(command))
        return started[-1]

    yield start
    for process in started:
        process.kill()


@pytest.fixture
def modern_body() -> Callable[..., dict[str, Any]]:
    """Build a modern request: id, method, params, version."""

    def build(
        request_id: int, method: str, params: Any = None, version: str = LATEST_MODERN
    ) -> dict[str, Any]:
        return modern_request(request_id, method, params, version)

    return build


@pytest.fixture
def handshake() -> list[dict[str, Any]]:
    """The two messages that open a legacy session."""
    params = {
        "protocolVersion": LATEST_LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "check", "version": "1"},
    }
    return [
        legacy_request(1, "initialize", params),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
