"""`mcp-workbench lint`, as a real process."""

import json
import subprocess
import sys
from pathlib import Path

from faulty import in_memory

from fakes import fault, modern


def lint(*arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "workbench.cli", "lint", *arguments],
        capture_output=True,
        timeout=60,
        input=text,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def test_a_clean_record_exits_0(tmp_path: Path) -> None:
    """Ours: usable in a pipeline."""
    path = tmp_path / "clean.jsonl"
    path.write_text(in_memory("modern", modern(), False).to_jsonl(), encoding="utf-8")
    done = lint(str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().endswith("frames, nothing found")


def test_a_finding_exits_1_and_names_frame_peer_rule_and_source(tmp_path: Path) -> None:
    """Ours: one line says where, who, what, which rule, and where that rule is from."""
    path = tmp_path / "faulty.jsonl"
    journal = in_memory("P14", fault("P14-not-json"), False)
    path.write_text(journal.to_jsonl(), encoding="utf-8")
    done = lint(str(path))
    assert (done.returncode, done.stderr) == (1, "")
    summary, first, _ = done.stdout.splitlines()
    assert summary == "3 frames, 2 findings"
    assert first.startswith("frame 4, peer, by the server: not JSON")
    assert "[LINT-01; spec: basic/index" in first
    value = json.loads(lint(str(path), "--json").stdout)
    assert value["counted"] == {"LINT-01": 2}
    assert [one["frame"] for one in value["findings"]] == [4, 5]
    assert lint(str(path), "--by", "client").returncode == 0
    assert lint(str(path), "--peer", "peer").returncode == 1
    assert "no frame" in lint(str(path), "--peer", "other").stderr


def test_frames_from_stdin_keep_bytes_that_are_no_text() -> None:
    """Ours: `lint -` at the end of a pipe."""
    done = lint("-", text=b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}\n')
    assert (done.returncode, "not valid UTF-8" in done.stdout) == (1, True)


def test_what_cannot_be_read_exits_2_with_one_line(tmp_path: Path) -> None:
    """Ours: what was seen, and what to give instead."""
    empty = tmp_path / "empty"
    empty.write_text("", encoding="utf-8")
    for path, told in ((empty, "empty"), (tmp_path / "none", "cannot be read")):
        done = lint(str(path))
        (line,) = done.stderr.splitlines()
        assert (done.returncode, told in line, "--record" in line) == (2, True, True)
    assert "Example: mcp-workbench lint" in lint("--help").stdout
