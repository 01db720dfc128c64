"""`mcp-workbench compare`, as a real process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lab_at_hand import ENVIRONMENTS
from survivors import survivors

from workbench.comparison import kept


def compare(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", "compare", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        stdin=subprocess.DEVNULL,
        cwd=folder,
    )


def config(tmp_path: Path, **peers: object) -> str:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": peers}), encoding="utf-8")
    return str(path)


def peer(tmp_path: Path, name: str = "modern", **more: object) -> dict[str, object]:
    args = ["-m", "fakes", name, "--record", str(tmp_path / f"{name}.record"), "--stdio"]
    return {"command": sys.executable, "args": args, **more}


def test_what_is_kept_is_shown_without_a_network() -> None:
    """Ours: a reader sees verdicts, versions and date at once."""
    done = compare("--kept", "--faults", "P11")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"measured on {kept().measured_on}" in done.stdout
    assert "P11-silence" in done.stdout and "stricter" in done.stdout
    told = json.loads(compare("--kept", "--faults", "P11", "--clients", "mcp", "--json").stdout)
    assert [one["verdict"] for one in told["faults"]] == ["legacy"]
    assert compare("--kept", "--markdown").stdout == kept().to_markdown()
    assert "<caption" in compare("--kept", "--faults", "P11", "--html").stdout


def test_ours_alone_is_measured_without_a_network_and_kept_in_a_file(tmp_path: Path) -> None:
    """Ours: --save joins a part with the whole; nothing is installed for this harness."""
    file, nowhere = tmp_path / "kept.json", tmp_path / "environments"
    for fault in ("P01", "M07"):
        done = compare("--faults", fault, "--clients", "workbench", "--save", str(file),
                       "--environments", str(nowhere), "--json")  # fmt: skip
        assert done.returncode == 0, done.stderr
    whole = kept(file)
    assert [row.name for row in whole.rows] == ["P01-valid"]
    assert list(whole.together.seen) == ["M07-two-eras"]
    assert whole.rows[0].seen["workbench"].verdict == "modern"
    assert not nowhere.exists()


def test_peers_of_a_configuration_are_visited(tmp_path: Path) -> None:
    """Ours: 0 when all are ready, 3 when some client is not; the lock is obeyed."""
    path = config(tmp_path, notes=peer(tmp_path))
    done = compare(path, "--clients", "workbench", "--json")
    (visit,) = json.loads(done.stdout)["visits"]
    assert (done.returncode, visit["verdict"]) == (0, "modern")
    path = config(tmp_path, notes=peer(tmp_path), old=peer(tmp_path, "legacy"))
    both = compare(path, "--clients", "workbench,workbench-legacy")
    assert both.returncode == 3 and "no: the era" in both.stdout.replace("\n", " ")
    assert survivors(str(tmp_path)) == []
    missing = compare(path, "--locked")
    assert (missing.returncode, "has no lock" in missing.stderr) == (2, True)


def test_what_differs_from_its_pin_is_started_by_no_client(tmp_path: Path) -> None:
    """Ours: a foreign client would not ask; so it is asked for it."""
    path = config(tmp_path, notes=peer(tmp_path))
    pin = [sys.executable, "-m", "workbench.cli", "pin", path]
    assert subprocess.run(pin, capture_output=True, timeout=60).returncode == 0
    (tmp_path / "modern.record").unlink()
    config(tmp_path, notes=peer(tmp_path, env={"NEW": "1"}))
    done = compare(path, "--clients", "workbench,workbench-legacy", "--json")
    verdicts = {one["verdict"] for one in json.loads(done.stdout)["visits"]}
    assert (done.returncode, verdicts) == (3, {"refused"})
    assert not (tmp_path / "modern.record").exists()


@pytest.mark.interop
def test_a_foreign_client_visits_with_the_peers_environment_and_no_secret_is_shown(
    tmp_path: Path,
) -> None:
    """Ours: all start the same peer; what it says of a failure is cleaned."""
    broken = {"command": sys.executable, "args": ["-c", "raise SystemExit(3)", "hunter2-secret"],
              "env": {"TOKEN": "hunter2-secret"}}  # fmt: skip
    path = config(tmp_path, notes=peer(tmp_path), broken=broken)
    done = compare(path, "--clients", "workbench,mcp,fastmcp", "--json",
                   "--environments", str(ENVIRONMENTS))  # fmt: skip
    visits = {(one["peer"], one["client"]): one for one in json.loads(done.stdout)["visits"]}
    assert done.returncode == 3 and "hunter2" not in done.stdout + done.stderr
    for client in ("workbench", "mcp Client", "fastmcp Client"):
        assert visits["notes", client]["tools"] == ["create", "search"]
        assert visits["notes", client]["version"] == "2026-07-28"
        assert visits["broken", client]["verdict"] == "refused"
    assert survivors(str(tmp_path)) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--kept", "--faults", "Q1"], "no fault"),
        (["--kept", "--faults", ","], "names nothing"),
        (["--clients", "nobody"], "no client is called"),
        (["--clients", ","], "no client is named"),
        (["--limit", "0"], "not above 0"),
        (["--limit", "nan"], "not above 0"),
        (["mcp.json", "--kept"], "about the fault matrix"),
        (["--kept", "--save", "x"], "--kept measures nothing"),
        (["no-such.json"], "no such file"),
        (["--faults", "P01", "--clients", "workbench", "--save", "none/kept.json"], "cannot be"),
    ],
)
def test_what_cannot_be_used_exits_2_and_says_what_can(
    arguments: list[str], told: str, tmp_path: Path
) -> None:
    """Ours: one line that helps."""
    done = compare(*arguments, folder=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert told in done.stderr.splitlines()[-1], done.stderr


def test_help_has_an_example() -> None:
    """Ours: every command explains itself."""
    assert "Example: mcp-workbench compare --kept" in compare("--help").stdout
