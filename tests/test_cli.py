"""The command line, as a real process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from survivors import survivors

MODERN = ["-m", "fakes", "modern", "--stdio"]


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
    )


@pytest.fixture
def config(tmp_path: Path):
    """Write a configuration; every command carries the folder's name as a marker."""

    def write(**servers: dict[str, Any]) -> str:
        path = tmp_path / "mcp.json"
        path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
        return str(path)

    yield write
    assert survivors(str(tmp_path)) == []


def fake(tmp_path: Path, *extra: str, name: str = "modern", **settings: Any) -> dict[str, Any]:
    marked = ["--record", str(tmp_path / f"{name}.jsonl")]
    return {
        "command": sys.executable,
        "args": ["-m", "fakes", name, *extra, *marked, "--stdio"],
        **settings,
    }


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    assert "Traceback" not in result.stderr
    (line,) = result.stderr.splitlines()
    return line


def test_a_report_of_ready_peers_exits_0(tmp_path: Path, config: Any) -> None:
    """Design section 6."""
    path = config(
        notes=fake(tmp_path, "--tools", "search,create"),
        old=fake(tmp_path, name="legacy", allow_legacy=True),
    )
    result = run("report", path, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    value = json.loads(result.stdout)
    assert [peer["peer"] for peer in value["peers"]] == ["notes", "old"]
    notes, old = value["peers"]
    assert list(notes)[:12] == [
        "peer",
        "transport",
        "status",
        "era",
        "version",
        "cache_scope",
        "tools",
        "allow_legacy",
        "ready_ms",
        "reason",
        "evidence",
        "rule",
    ]
    assert (notes["era"], notes["version"], notes["cache_scope"]) == (
        "modern",
        "2026-07-28",
        "public",
    )
    assert notes["tools"] == [
        {"canonical": "create", "local": "create"},
        {"canonical": "search", "local": "search"},
    ]
    assert (old["era"], old["allow_legacy"], old["rule"]) == ("legacy", True, "LEG-00")
    assert old["tools"][0] == {"canonical": "old/create", "local": "create"}
    assert [c["name"] for c in value["collisions"]] == ["create", "search"]


def test_a_report_with_a_refused_peer_exits_3_and_says_why(tmp_path: Path, config: Any) -> None:
    """Design section 6: the others are reported all the same."""
    path = config(old=fake(tmp_path, name="legacy"), notes=fake(tmp_path))
    for form, shown in (("--markdown", "| old"), ("--json", '"ERA-10"')):
        result = run("report", path, form)
        assert (result.returncode, shown in result.stdout) == (3, True)
    plain = run("report", path).stdout
    assert "ERA-10" in plain and "allow_legacy" in plain and "unavailable" in plain
    sent = (tmp_path / "legacy.jsonl").read_text(encoding="utf-8")
    assert "initialize" not in sent


def test_a_call_prints_the_text_of_the_result(tmp_path: Path, config: Any) -> None:
    """Design section 6."""
    path = config(notes=fake(tmp_path))
    result = run("call", path, "search", '{"q": "x"}')
    assert (result.returncode, result.stdout) == (0, 'search: {"q":"x"}\n')
    whole = json.loads(run("call", path, "search", "--json").stdout)
    assert whole["resultType"] == "complete"


def test_a_trace_shows_each_frame_with_its_rule(tmp_path: Path, config: Any) -> None:
    """Design section 6."""
    path = config(old=fake(tmp_path, name="legacy", allow_legacy=True), notes=fake(tmp_path))
    result = run("trace", path, "old", "--frames")
    assert result.returncode == 0
    for part in ("server/discover", "LEG-01", "initialize", "LEG-00", '"jsonrpc":"2.0"'):
        assert part in result.stdout
    assert "notes" not in result.stdout
    assert run("trace", path, "old", "--mermaid").stdout.startswith("sequenceDiagram")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["call", "{config}", "serch"], ["serch", "search"]),
        (["call", "{config}", "search", "[1]"], ["no JSON object"]),
        (["call", "{config}", "search", "{"], ["no JSON"]),
        (["call", "{config}", "search", "--timeout", "0"], ["--timeout"]),
        (["trace", "{config}", "note"], ["note", "Did you mean notes?"]),
        (["report", "{folder}/missing.json"], ["missing.json"]),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    tmp_path: Path, config: Any, arguments: list[str], parts: list[str]
) -> None:
    """Ours: what was seen, which rule, what to do; nearest names offered."""
    path = config(notes=fake(tmp_path))
    result = run(
        *(
            a.format(config=path, folder=tmp_path) if "{" in a and len(a) > 1 else a
            for a in arguments
        )
    )
    line = one_line(result)
    assert (result.returncode, result.stdout) == (2, "")
    assert all(part in line for part in parts), line


def test_a_syntax_error_names_file_line_and_column(tmp_path: Path) -> None:
    """Field case N13."""
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {\n  "a": {"command" "x"}\n}}', encoding="utf-8")
    result = run("report", str(path))
    line = one_line(result)
    assert result.returncode == 2
    assert "mcp.json" in line and "2" in line


def test_a_missing_command_leaves_its_peer_out_and_the_others_ready(
    tmp_path: Path, config: Any
) -> None:
    """Field case S12: the report says what was looked for."""
    path = config(gone={"command": "no-such-command-here"}, notes=fake(tmp_path))
    result = run("report", path, "--json")
    gone, notes = json.loads(result.stdout)["peers"]
    assert (result.returncode, gone["status"], notes["status"]) == (3, "unavailable", "ready")
    assert "no-such-command-here" in gone["reason"] and gone["rule"].startswith("PROC-")


def test_a_command_that_exits_at_once_shows_status_and_stderr(tmp_path: Path, config: Any) -> None:
    """Field case S12."""
    code = f"import sys; sys.exit('no key in {tmp_path}')"
    path = config(bad={"command": sys.executable, "args": ["-c", code]})
    result = run("report", path, "--json")
    (bad,) = json.loads(result.stdout)["peers"]
    assert (result.returncode, bad["rule"]) == (3, "ERA-12")
    assert "status 1" in bad["reason"] and "no key in" in bad["reason"]


def test_a_call_to_a_peer_that_is_not_ready_exits_2_or_3(tmp_path: Path, config: Any) -> None:
    """Design section 6: the name is unknown, for the peer offers nothing."""
    path = config(old=fake(tmp_path, name="legacy"))
    result = run("call", path, "search")
    assert result.returncode in (2, 3)
    one_line(result)


def test_a_failing_call_exits_1(tmp_path: Path, config: Any) -> None:
    """Ours: a protocol violation is the peer's failure, not bad input."""
    path = config(peer=fake(tmp_path, name="C02-no-result-type"))
    name = json.loads(run("report", path, "--json").stdout)["peers"][0]["tools"][0]["canonical"]
    result = run("call", path, name)
    assert result.returncode == 1
    assert "CALL-01" in one_line(result)


def test_debug_shows_a_traceback(tmp_path: Path) -> None:
    """Design section 6."""
    result = run("report", "--debug", str(tmp_path / "missing.json"))
    assert "Traceback" in result.stderr


def test_no_command_and_help_explain_the_verbs() -> None:
    """Ours: a stranger starts here."""
    assert run().returncode == 2
    for verb in ("report", "call", "trace", "fake", "lab"):
        assert verb in run("--help").stdout
    assert run("--version").stdout.startswith("mcp-workbench ")


def test_the_fakes_are_reachable_from_the_command_line() -> None:
    """Design section 6."""
    listed = run("fake", "--list")
    assert listed.returncode == 0 and "P11-silence" in listed.stdout
    unknown = run("fake", "moden", "--stdio")
    assert unknown.returncode == 2 and "modern" in one_line(unknown)


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, config: Any) -> None:
    """Ours: `mcp-workbench report … | head -1` ends quietly."""
    path = config(notes=fake(tmp_path))
    command = f"{sys.executable} -m workbench.cli trace {path} notes --frames | true"
    piped = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    assert piped.stderr == ""
