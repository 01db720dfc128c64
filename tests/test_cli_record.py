"""An incident in three commands: record it, look at it, play it to others."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fakes import modern, on, status
from workbench.cli_record import recording
from workbench.core.errors import ConfigError
from workbench.sync_client import MultiServerClient


def run(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        input=text or "",
    )


def config(folder: Path, name: str, *command: str, **settings: Any) -> str:
    path = folder / f"{name}.json"
    peer = {"command": command[0], "args": list(command[1:]), **settings}
    path.write_text(json.dumps({"mcpServers": {name: peer}}), encoding="utf-8")
    return str(path)


def test_an_incident_is_recorded_and_fails_again_as_it_failed(tmp_path: Path) -> None:
    """Ours: what happened in production can be shown in a lesson."""
    kept = str(tmp_path / "incident.jsonl")
    faulty = (sys.executable, "-m", "fakes", "C02-no-result-type", "--stdio")
    first = run("call", config(tmp_path, "notes", *faulty), "search", "{}", "--record", kept)
    assert (first.returncode, "CALL-01" in first.stderr) == (1, True)
    replay = (sys.executable, "-m", "workbench.cli", "replay", kept, "--stdio")
    again = run("call", config(tmp_path, "again", *replay), "search", "{}")
    assert again.returncode == 1
    assert again.stderr == first.stderr.replace("notes", "again")


@pytest.mark.parametrize("verb", [("report",), ("trace", "notes")])
def test_report_and_trace_record_too_and_only_for_their_owner(
    verb: tuple[str, ...], tmp_path: Path
) -> None:
    """Ours: a journal may hold what only its owner may read."""
    kept = tmp_path / "kept.jsonl"
    path = config(tmp_path, "notes", sys.executable, "-m", "fakes", "modern", "--stdio")
    done = run(verb[0], path, *verb[1:], "--record", str(kept))
    assert (done.returncode, done.stderr) == (0, "")
    header, *entries = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    assert header["journal"] == "mcp-client-workbench"
    assert (entries[0]["kind"], entries[-1]["kind"]) == ("opened", "closed")
    assert kept.stat().st_mode & 0o077 == 0


def test_a_record_that_cannot_be_kept_starts_nothing(tmp_path: Path) -> None:
    """Ours: found out before, not after."""
    path = config(tmp_path, "notes", sys.executable, "-c", f"open({str(tmp_path / 'ran')!r}, 'w')")
    done = run("report", path, "--record", str(tmp_path / "none" / "x.jsonl"))
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "cannot be written" in line and not (tmp_path / "ran").exists()


def test_a_broken_configuration_leaves_an_older_record_alone(tmp_path: Path) -> None:
    """Ours: a typing error must not cost the incident."""
    kept = tmp_path / "kept.jsonl"
    kept.write_text("precious", encoding="utf-8")
    assert run("report", str(tmp_path / "none.json"), "--record", str(kept)).returncode == 2
    assert kept.read_text(encoding="utf-8") == "precious"


def test_the_journal_is_written_when_the_block_fails(tmp_path: Path) -> None:
    """Ours: the failing call is the one worth keeping."""
    kept = tmp_path / "kept.jsonl"
    client = MultiServerClient()
    with pytest.raises(KeyError), recording(str(kept), client), client:
        raise KeyError
    assert kept.read_text(encoding="utf-8").startswith('{"journal"')
    with pytest.raises(ConfigError), recording(str(tmp_path), client):
        pass
    with recording(None, client):
        pass


def test_replay_serves_edits_and_says_what_is_wrong(tmp_path: Path) -> None:
    """Ours: one line for what a user typed; `--script` goes before the recording."""
    kept, rules = str(tmp_path / "kept.jsonl"), tmp_path / "rules.json"
    notes = config(tmp_path, "notes", sys.executable, "-m", "fakes", "modern", "--stdio")
    assert run("call", notes, "search", "{}", "--record", kept).returncode == 0
    rules.write_text(
        '[{"on": {"method": "tools/call"}, "then": [{"do": "error", "code": -32603}]}]',
        encoding="utf-8",
    )
    replay = (sys.executable, "-m", "workbench.cli", "replay", kept, "--script", str(rules))
    edited = run("call", config(tmp_path, "edited", *replay), "search", "{}")
    assert (edited.returncode, "-32603" in edited.stderr) == (1, True)
    for arguments, told in (
        ([str(tmp_path / "none")], "cannot be read"),
        ([kept, "--peer", "x"], "recorded: notes"),
        ([kept, "--speed", "-1"], "speed"),
        ([str(rules)], "journal line 1"),
    ):
        wrong = run("replay", *arguments)
        assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)
        assert told in wrong.stderr
    assert "Example:" in run("replay", "--help").stdout


def test_no_credential_is_in_a_record_not_even_when_the_server_repeats_it(tmp_path: Path) -> None:
    """Design 5: secrets never reach a journal; the canary comes back in header, body and URL."""
    canary = "canary-5f2c-91"
    challenge = {"WWW-Authenticate": f'Bearer error="{canary}"'}
    echo = status(401, f"no entry for {canary}", challenge, "text/plain")
    kept, texts = tmp_path / "kept.jsonl", []
    for fake in (modern(), modern().script(on("server/discover").then(echo))):
        with fake.over_http() as url:
            peer = {"url": url, "headers": {"Authorization": f"Bearer {canary}"}}
            path = tmp_path / "http.json"
            path.write_text(json.dumps({"mcpServers": {"notes": peer}}), encoding="utf-8")
            run("report", str(path), "--record", str(kept))
        texts.append(kept.read_text(encoding="utf-8"))
    assert [canary in text for text in texts] == [False, False]
    assert '"mcp-method":"server/discover"' in texts[0] and "401" in texts[1]
    assert "no entry for ‹redacted›" in texts[1]
    assert any(canary in one.headers.get("authorization", "") for one in fake.exchanges)
