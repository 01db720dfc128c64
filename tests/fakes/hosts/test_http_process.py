import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visitor import Visitor

from fakes import effect, modern, on, on_start, stderr
from fakes.load import dump
from fakes.steps import answer_default

Spawn = Callable[[list[str]], Any]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "fakes", *arguments]


def test_a_process_prints_its_url_serves_and_ends_on_sigterm(spawn: Spawn) -> None:
    """Ours: `python -m fakes NAME --http PORT`."""
    for wanted in (signal.SIGTERM, signal.SIGINT):
        process = spawn(command("modern", "--http", "0"))
        url = process.line().decode()
        assert url.startswith("http://127.0.0.1:") and url.endswith("/mcp")
        assert Visitor(url).ask("tools/list").status == 200
        with Visitor(url).ask_open("subscriptions/listen", {"notifications": {}}) as stream:
            stream.message()
            process.child.send_signal(wanted)
            assert process.wait() == 0
        assert process.child.stderr.read() == b""


def test_a_taken_port_is_one_line_on_stderr(spawn: Spawn) -> None:
    """Ours: errors say what is wrong; exit 1."""
    first = spawn(command("modern", "--http", "0"))
    port = Visitor(first.line().decode()).port
    second = subprocess.run(command("modern", "--http", str(port)), capture_output=True, timeout=10)
    assert (second.returncode, second.stdout) == (1, b"")
    assert second.stderr.count(b"\n") == 1 and str(port).encode() in second.stderr


def test_bodies_effects_and_stderr_are_written_down(spawn: Spawn, tmp_path: Path) -> None:
    """Ours: another process cannot be asked, so it writes things down."""
    record, effects, script = (tmp_path / name for name in ("record", "effects", "script"))
    fake = modern().script(
        on_start().then(stderr("hello")), on("tools/list").then(effect("listed"), answer_default())
    )
    script.write_bytes(dump(fake.program))
    process = spawn(
        command("--script", str(script), "--http", "0", "--record", str(record),
                "--effects", str(effects))
    )  # fmt: skip
    visitor = Visitor(process.line().decode())
    visitor.ask("tools/list", id=1)
    visitor.post(b"{")
    process.child.terminate()
    assert process.wait() == 0
    first, second = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    assert (first["method"], second) == ("tools/list", "{")
    assert effects.read_text("utf-8") == "listed\n"
    assert process.child.stderr.read() == b"hello\n"


def test_a_fake_that_needs_http_says_so_over_stdio() -> None:
    """Ours: one line that says what to do; exit 2."""
    done = subprocess.run(command("H06-400-empty"), input=b"", capture_output=True, timeout=10)
    assert done.returncode == 2 and b"--http" in done.stderr and done.stderr.count(b"\n") == 1


def test_a_port_that_is_none_is_an_error_of_usage() -> None:
    """Ours: exit 2."""
    for port in ("99999", "-1", "x"):
        done = subprocess.run(command("modern", "--http", port), capture_output=True, timeout=10)
        assert done.returncode == 2
