import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakes import (
    answer_default,
    close,
    delay,
    effect,
    exit_,
    fault,
    modern,
    on,
    on_input_end,
    on_start,
    raw,
    reply,
    silence,
    stderr,
)

Body = dict[str, Any]
Build = Callable[..., Body]
Spawn = Callable[[list[str]], Any]


def test_a_process_answers_and_exits_on_the_end_of_its_input(
    spawn: Spawn, modern_body: Build
) -> None:
    """Seed card: exit on stdin EOF."""
    with modern("notes").over_stdio() as command:
        process = spawn(command)
        process.send(modern_body(1, "server/discover"), modern_body(2, "tools/list"))
        assert [process.message()["id"] for _ in range(2)] == [1, 2]
        process.end_input()
        assert process.wait() == 0
        assert process.child.stderr.read() == b""


def test_a_delayed_answer_does_not_hold_up_a_later_one(spawn: Spawn, modern_body: Build) -> None:
    """Ours: the order on the wire is the order of the due times."""
    fake = modern().script(on("tools/list").nth(1).then(delay(0.05), answer_default()))
    with fake.over_stdio() as command:
        process = spawn(command)
        process.send(modern_body(1, "tools/list"), modern_body(2, "tools/list"))
        assert [process.message()["id"] for _ in range(2)] == [2, 1]


def test_the_end_of_input_can_be_ignored_and_sigterm_ends_it(
    spawn: Spawn, modern_body: Build
) -> None:
    """Case S17: a server that ignores EOF goes on speaking."""
    fake = modern().script(on_input_end().then(raw("still here"), silence()))
    with fake.over_stdio() as command:
        process = spawn(command)
        process.end_input()
        assert process.line() == b"still here"
        assert process.child.poll() is None
        process.child.terminate()
        assert process.wait() == -signal.SIGTERM


def test_sigterm_can_be_ignored_too(spawn: Spawn, modern_body: Build) -> None:
    """Case S17: ignores EOF and SIGTERM; only SIGKILL is left."""
    with fault("C14-ignores-sigterm").over_stdio() as command:
        process = spawn(command)
        process.send(modern_body(1, "server/discover"))
        process.message()
        process.child.terminate()
        process.send(modern_body(2, "server/discover"))
        assert process.message()["id"] == 2
        process.end_input()
        process.child.kill()
        assert process.wait() == -signal.SIGKILL


def test_a_grandchild_holds_the_output_open(spawn: Spawn, modern_body: Build) -> None:
    """Case S16: the launcher is gone, the pipe is not."""
    with fault("C14-grandchild").over_stdio() as command:
        process = spawn(command)
        process.send(modern_body(1, "server/discover"))
        process.message()
        process.end_input()
        assert process.wait() == 0
        os.set_blocking(process.child.stdout.fileno(), False)
        # Read without data raises BlockingIOError, or gives None: the other end is open.
        assert process.child.stdout.read() is None
        os.killpg(process.child.pid, signal.SIGKILL)


def test_an_exit_status_and_stderr_arrive(spawn: Spawn) -> None:
    """Case S12: exit 2 after one line on stderr."""
    with modern().script(on_start().then(stderr("no licence"), exit_(2))).over_stdio() as command:
        process = spawn(command)
        assert process.wait() == 2
        assert process.child.stderr.read() == b"no licence\n"


def test_a_closed_output_can_leave_the_process_alive(spawn: Spawn) -> None:
    """Ours: the end of stdout and the end of the process are two things."""
    fake = modern().script(on_start().then(raw("bye"), close(stays=True)))
    with fake.over_stdio() as command:
        process = spawn(command)
        assert process.line() == b"bye"
        assert process.child.stdout.read() == b"" and process.child.poll() is None
        process.end_input()
        assert process.wait() == 0


def test_a_client_that_stops_reading_does_not_cause_a_traceback(
    spawn: Spawn, modern_body: Build
) -> None:
    """Ours: a broken pipe is news, not an accident."""
    with modern().over_stdio() as command:
        process = spawn(command)
        process.child.stdout.close()
        process.send(modern_body(1, "server/discover"))
        process.end_input()
        assert process.wait() == 0
        assert process.child.stderr.read() == b""


def test_received_lines_and_effects_are_written_to_files(
    spawn: Spawn, modern_body: Build, tmp_path: Path
) -> None:
    """Case R03: another process cannot be asked, so it writes things down."""
    record, effects = tmp_path / "record.jsonl", tmp_path / "effects"
    fake = modern().script(on("tools/call").nth(2).then(effect("paid"), exit_(9)))
    call = modern_body(1, "tools/call", {"name": "create"})
    with fake.over_stdio(record=record, effects=effects) as command:
        process = spawn(command)
        process.send(call)
        process.message()
        process.child.stdin.write(b"not json\n")
        process.send(call)
        assert process.wait() == 9
    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    assert lines == [call, "not json", call]
    assert effects.read_text("utf-8") == "create\npaid\n"


def test_every_line_both_ways_is_written_down_with_its_sender(
    spawn: Spawn, modern_body: Build, tmp_path: Path
) -> None:
    """Ours: whoever tests a client of his own sees the whole conversation."""
    frames = tmp_path / "frames.jsonl"
    fake = modern().script(on("tools/call").then(raw("x" * 70_000), exit_(9)))
    body = modern_body(1, "tools/call", {"name": "create"})
    with fake.over_stdio(frames=frames) as command:
        process = spawn(command)
        process.send(body)
        assert len(process.child.stdout.readline()) == 70_001
        assert process.wait() == 9
    kept = [json.loads(line) for line in frames.read_text("utf-8").splitlines()]
    assert [one["from"] for one in kept] == ["process", "client", "server", "process"]
    assert json.loads(kept[1]["frame"]) == body
    assert kept[2]["frame"] == "x" * 65_536
    assert kept[3]["frame"] == "exited with status 9"


def test_each_process_knows_its_number(spawn: Spawn) -> None:
    """Ours: a fake that is broken once is well after a restart."""
    fake = modern().script(
        on_start().in_lifetime(1).then(exit_(7)), on_start().then(raw("ready"), exit_(0))
    )
    with fake.over_stdio() as command:
        first, second = spawn(command), None
        assert first.wait() == 7
        second = spawn(command)
        assert second.line() == b"ready" and second.wait() == 0


def test_the_script_file_is_gone_after_the_block() -> None:
    """Ours: nothing is left behind."""
    with modern().over_stdio() as command:
        script = Path(command[command.index("--script") + 1])
        assert script.exists()
    assert not script.parent.exists()


def test_64_mib_without_a_line_end_reach_the_client(spawn: Spawn, modern_body: Build) -> None:
    """Case S04: endless output, then a good answer."""
    with fault("C09-64-MiB").over_stdio() as command:
        process = spawn(command)
        process.send(modern_body(1, "tools/call", {"name": "search"}))
        left = 64 * 1024 * 1024
        while left:
            chunk = os.read(process.child.stdout.fileno(), min(left, 1 << 20))
            assert chunk and not chunk.strip(b"x")
            left -= len(chunk)
        assert process.line() == b"" and process.message()["id"] == 1


def test_an_answer_in_pieces_is_one_line(spawn: Spawn, modern_body: Build) -> None:
    """Ours: chunked writes change nothing but their number."""
    with modern().script(on("*").then(reply({"ok": 1}, chunk=1))).over_stdio() as command:
        process = spawn(command)
        process.send(modern_body(1, "x"))
        assert process.message()["result"] == {"ok": 1}


def test_a_cancelled_request_loses_its_cancellable_answer(spawn: Spawn, modern_body: Build) -> None:
    """Spec: a cancelled request is not answered; a fake does so where it is told to."""
    fake = modern().script(
        on("tools/list").nth(1).then(delay(0.01, cancellable=True), answer_default()),
        on("tools/list").nth(2).then(delay(0.1), answer_default()),
    )
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with fake.over_stdio() as command:
        process = spawn(command)
        process.send(modern_body(1, "tools/list"), cancel, modern_body(2, "tools/list"))
        assert process.message()["id"] == 2
