"""A child starts as configured, or not at all and with a reason."""

import asyncio
import os
import sys
from pathlib import Path

import psutil
import pytest

from workbench.core.errors import CouldNotStart, Kind
from workbench.transports.groups import live_groups
from workbench.transports.guardian import GUARDIAN
from workbench.transports.launch import child_environment
from workbench.transports.stdio import StdioEndpoint

ENV = child_environment(os.environ, [], {})
LIMIT_S = 5.0


def shell(script: str, **options) -> StdioEndpoint:
    return StdioEndpoint(["sh", "-c", script], env=ENV, **options)


async def _turn() -> None:
    """Let the loop turn once."""


class SlowLoop(asyncio.SelectorEventLoop):
    """Takes so long to connect a child's pipes that the child has ended meanwhile."""

    async def connect_read_pipe(self, *args):
        connected = await super().connect_read_pipe(*args)
        until = self.time() + LIMIT_S
        while psutil.Process().children() != _guardians() and self.time() < until:
            await asyncio.wait([asyncio.ensure_future(_turn())])
        return connected


def _guardians() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if child.pid == GUARDIAN.pid]


def test_process_that_ends_at_once_is_told_once_and_after_open(heard) -> None:
    """Seam: `transport_closed` comes after `open` succeeded, exactly once, and last."""

    async def run() -> None:
        link = shell("echo bye; exit 3").new_transport(None)
        await link.open(heard)
        assert heard.order == []
        assert (await heard.ending()).exit_status == 3
        async with asyncio.timeout(0.5):
            await link.close()

    with asyncio.Runner(loop_factory=SlowLoop) as runner:
        runner.run(run())
    assert heard.frames == [b"bye"]
    assert heard.order == ["life", "frame", "closed"]


@pytest.mark.parametrize(
    ("command", "cwd", "seen", "rule"),
    [
        (["no-such-program"], None, "was not found in", "PROC-01"),
        (["./plain"], "here", "is not executable", "PROC-01"),
        (["sh"], "here/missing", "does not exist", "PROC-02"),
        (["sh"], "here/plain", "is not a directory", "PROC-02"),
        (["./no-interpreter"], "here", "No such file", "PROC-03"),
        (["./no-first-line"], "here", "Exec format error", "PROC-03"),
        (["sh", "-c", "exit", "x" * 4_000_000], None, "Argument list too long", "PROC-03"),
        (["sh", "-c", "exit\0"], None, "null byte", "PROC-03"),
    ],
)
def test_what_cannot_start_says_why_and_leaves_nothing(
    heard, tmp_path: Path, command: list[str], cwd: str | None, seen: str, rule: str
) -> None:
    """Case S12: not found, not executable, cwd missing, refused by the system."""
    for name, mode, text in [
        ("plain", 0o644, ""),
        ("no-interpreter", 0o755, "#!/no/such/interpreter\n"),
        ("no-first-line", 0o755, "text\n"),
    ]:
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(mode)
    where = str(tmp_path / cwd.removeprefix("here").lstrip("/")) if cwd else None
    before = live_groups()

    async def run() -> None:
        link = StdioEndpoint(command, env=ENV, cwd=where).new_transport(None)
        with pytest.raises(CouldNotStart) as caught:
            await link.open(heard)
        failure = caught.value.failure
        assert (failure.kind, failure.stage, failure.rule) == (
            Kind.COULD_NOT_START,
            "transport",
            rule,
        )
        assert seen in failure.detail
        assert failure.hint
        assert "\n" not in failure.line()
        assert (await link.close()).reason == "never opened"

    asyncio.run(run())
    assert heard.order == []
    assert live_groups() == before
    assert psutil.Process().children(recursive=True) == _guardians()


def test_cancelled_start_leaves_nothing(heard, alive, tmp_path: Path) -> None:
    """Ours: a start given up half-way ends the process it began."""

    async def run() -> None:
        for turns in range(12):
            link = shell("exec sleep 60", eof_grace_s=0.01).new_transport(None)
            opening = asyncio.ensure_future(link.open(heard))
            for _ in range(turns):
                await asyncio.wait([asyncio.ensure_future(_turn())])
            opening.cancel()
            await asyncio.wait([opening])
            await link.close()

    asyncio.run(run())
    assert live_groups() == frozenset()
    assert psutil.Process().children(recursive=True) == _guardians()


@pytest.mark.parametrize("broken", ["raises", "none"])
def test_notebook_without_a_real_stderr_starts_peers_all_the_same(
    heard, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Case J01: sys.stderr whose fileno raises, and no sys.stderr at all."""

    class NoFile:
        def fileno(self) -> int:
            raise OSError("fileno")

        def write(self, text: str) -> int:
            return len(text)

        def flush(self) -> None:
            """Nothing to do."""

    async def run() -> str:
        link = shell("echo trouble >&2; exit 1").new_transport(None)
        await link.open(heard)
        await heard.ending()
        return (await link.close()).stderr_tail

    monkeypatch.setattr(sys, "stderr", NoFile() if broken == "raises" else None)
    tail = asyncio.run(run())
    monkeypatch.undo()
    assert tail == "trouble"


def test_child_sees_its_own_environment_and_directory_and_no_file_of_ours(
    heard, tmp_path: Path
) -> None:
    """Case S21: names given; ours: no other open file is inherited."""
    code = """
import os
print(sorted(os.environ.keys() - {"LC_CTYPE"}), os.getcwd(), len(os.listdir("/proc/self/fd")))
"""
    given = {"PATH": "/bin:/usr/bin", "API_KEY": "x"}
    endpoint = StdioEndpoint([sys.executable, "-I", "-S", "-c", code], env=given, cwd=str(tmp_path))

    async def run() -> None:
        link = endpoint.new_transport(None)
        await link.open(heard)
        await heard.ending()
        await link.close()

    asyncio.run(run())
    # The three streams, and the directory being listed.
    assert heard.frames == [f"['API_KEY', 'PATH'] {tmp_path} 4".encode()]


def test_identity_names_the_program_and_no_value_of_the_environment(tmp_path: Path) -> None:
    """Seed: a pinned command; design 5: secrets never reach a report."""
    endpoint = StdioEndpoint(["sh", "-c", "exit"], env={**ENV, "KEY": "s3cret"}, cwd=str(tmp_path))
    assert endpoint.kind == "stdio"
    assert '/sh", "-c", "exit"]' in endpoint.identity
    assert '"KEY"' in endpoint.identity
    assert str(tmp_path) in endpoint.identity
    assert "s3cret" not in endpoint.identity
    other = StdioEndpoint(["sh", "-c", "exit 1"], env={**ENV, "KEY": "s3cret"}, cwd=str(tmp_path))
    assert other.identity != endpoint.identity
