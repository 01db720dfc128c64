"""The facts about a configured peer, on real files."""

import hashlib
import os
from pathlib import Path

import pytest

from workbench.core.config.config import PeerConfig
from workbench.core.pins.pins import FilePin, Hidden, PeerPin
from workbench.transports.fingerprint import Fingerprint, sha256_of, uncovered


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def pinned(path: Path) -> FilePin:
    return FilePin(path=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def facts(command: Path | str, *args: str, path: str = "", **settings: object) -> PeerPin:
    config = PeerConfig(name="p", command=str(command), args=args, **settings)  # type: ignore[arg-type]
    return Fingerprint(config, {"PATH": path}).take()


def test_the_executable_behind_every_link_is_hashed(tmp_path: Path) -> None:
    """Design section 5: resolved executable path, its SHA-256."""
    real = program(tmp_path / "real", "\x7fELF")
    (tmp_path / "one").symlink_to(real)
    (tmp_path / "two").symlink_to("one")
    found = facts(tmp_path / "two")
    assert found.command == str(tmp_path / "two")
    assert found.files == {"executable": pinned(real)}


def test_each_argument_that_names_a_file_is_hashed(tmp_path: Path) -> None:
    """Design section 5: the script's SHA-256; a relative path is seen from the peer's cwd."""
    tool, script = program(tmp_path / "tool", "x"), program(tmp_path / "a.py", "1")
    found = facts(tool, "a.py", "-v", str(script), ".", "gone.py", "", cwd=str(tmp_path))
    assert found.files == {
        "executable": pinned(tool),
        "args[0]": pinned(script),
        "args[2]": pinned(script),
    }
    assert set(facts(tool, "no-such-name.py").files) == {"executable"}


@pytest.mark.parametrize(
    "line", ["#!/usr/bin/env runner", "#!/usr/bin/env -S A=1 runner -x", "#!{folder}/runner -x"]
)
def test_the_interpreter_of_a_script_is_hashed(tmp_path: Path, line: str) -> None:
    """Ours: whoever controls `node` controls every launcher that asks env for it."""
    runner = program(tmp_path / "bin" / "runner", "binary")
    first = line.format(folder=runner.parent)
    script = program(tmp_path / "script", f"{first}\nprint()\n")
    found = facts(script, path=str(runner.parent))
    assert found.files == {"executable": pinned(script), "interpreter": pinned(runner)}


@pytest.mark.parametrize("text", ["#!\n", "#!/usr/bin/env no-such-runner\n", "#!/gone\n"])
def test_an_interpreter_that_is_missing_is_no_fact(tmp_path: Path, text: str) -> None:
    """Ours: such a script cannot start; what appears later is a difference."""
    assert set(facts(program(tmp_path / "script", text)).files) == {"executable"}


def test_a_program_that_is_missing_has_no_files(tmp_path: Path) -> None:
    """Case N11: the peer is a row, not a crash; a name that was not found stays a name."""
    assert facts(tmp_path / "gone").files == {}
    (tmp_path / "tool").write_text("", encoding="utf-8")
    assert facts("tool", cwd=str(tmp_path)).files == {}


def test_the_facts_follow_the_files(tmp_path: Path) -> None:
    """Ours: taken again before every start."""
    tool = program(tmp_path / "tool", "1")
    taken = Fingerprint(PeerConfig(name="p", command=str(tool)), {})
    before = taken.take()
    assert taken.take() == before
    program(tool, "2")
    assert taken.take() != before


def test_a_path_that_holds_a_secret_is_hidden(tmp_path: Path) -> None:
    """Design section 5: secrets never reach a file of ours."""
    tool = program(tmp_path / "secret-folder" / "tool", "1")
    found = facts(tool, env={"WHERE": "secret-folder"})
    path = found.files["executable"].path
    assert isinstance(path, Hidden) and path.shown.endswith("‹redacted›/tool")
    config = PeerConfig(name="p", command=str(tool))
    other = Fingerprint(config, {}, ["secret-folder"]).take()
    assert "secret-folder" not in repr(other)


def test_only_a_regular_file_that_can_be_read_has_a_digest(tmp_path: Path) -> None:
    """Ours: a pipe in the place of a file must not stop the reader."""
    os.mkfifo(tmp_path / "pipe")
    assert sha256_of(str(tmp_path / "pipe")) is None
    assert sha256_of(str(tmp_path)) is None
    assert sha256_of(str(tmp_path / "gone")) is None
    assert sha256_of("\0") is None


def test_an_endpoint_has_no_files() -> None:
    """Ours: what runs behind a url is not ours to read."""
    config = PeerConfig(name="p", url="https://h/")
    found = Fingerprint(config, {}).take()
    assert (found.endpoint, found.files) == ("https://h/", {})


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (PeerConfig(name="p", command="/bin/x", args=("a.py",)), ()),
        (
            PeerConfig(name="p", command="/bin/python", args=("-m", "server", "-m", "x")),
            ("the module server and what it imports",),
        ),
        (PeerConfig(name="p", command="/bin/uvx", args=("x",)), ("what uvx fetches and runs",)),
        (PeerConfig(name="p", url="https://h/"), ("what runs behind the url",)),
    ],
)
def test_what_no_lock_covers_is_said(config: PeerConfig, said: tuple[str, ...]) -> None:
    """Ours: a lock that promises too much is worse than none."""
    assert uncovered(config) == said
