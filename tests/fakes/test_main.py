import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakes import FAULTS, close, modern, on, raw
from fakes.__main__ import main
from fakes.load import dump

Build = Callable[..., dict[str, Any]]


def run(*arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "fakes", *arguments]
    return subprocess.run(command, input=text, capture_output=True, timeout=5)


def test_a_named_fake_serves_its_standard_streams(modern_body: Build) -> None:
    """Ours: `python -m fakes modern --stdio`."""
    text = json.dumps(modern_body(1, "tools/list")).encode()
    done = run("modern", "--tools", "a,b", "--stdio", text=text)
    tools = json.loads(done.stdout)["result"]["tools"]
    assert ([tool["name"] for tool in tools], done.returncode) == (["a", "b"], 0)


def test_rules_from_a_file_go_in_front(modern_body: Build, tmp_path: Path) -> None:
    """Ours: `--script` adds rules to a ready-made fake, or is a whole fake."""
    rules = tmp_path / "rules.json"
    rules.write_text('[{"on": {"method": "tools/list"}, "then": [{"do": "exit", "status": 5}]}]')
    text = json.dumps(modern_body(1, "tools/list")).encode()
    assert run("modern", "--script", str(rules), text=text).returncode == 5
    whole = tmp_path / "whole.json"
    whole.write_bytes(dump(modern().script(on("*").then(raw("hi"), close())).program))
    assert run("--script", str(whole), text=text).stdout == b"hi\n"


def test_an_unknown_name_is_one_line_with_the_nearest_names(capsys: Any) -> None:
    """Ours: errors say what to do; exit 2."""
    assert main(["modren"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "did you mean modern" in error


def test_no_name_a_missing_file_and_a_broken_script_are_one_line_each(
    capsys: Any, tmp_path: Path
) -> None:
    """Ours: no traceback for what a user typed."""
    broken = tmp_path / "broken.json"
    broken.write_text("[{}]")
    for arguments in ([], ["modern", "--script", "/no/such"], ["modern", "--script", str(broken)]):
        assert main(arguments) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_list_names_every_fake_with_one_line(capsys: Any) -> None:
    """Ours: `python -m fakes --list`."""
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    assert {"modern", "legacy", "dual_era", "silent", *FAULTS} <= set(names)
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)
