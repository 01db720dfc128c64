"""Files become configurations with absolute commands, and a bad file is one clear error."""

import os
import stat
import sys
from pathlib import Path

import pytest

from workbench.configuration import MOST_BYTES, load_config
from workbench.core.errors import ConfigError, Kind
from workbench.transports.launch import resolve_command


def write(folder: Path, text: str | bytes, name: str = "mcp.json") -> Path:
    """Write a configuration file and return its path."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def program(folder: Path, name: str) -> Path:
    """Make an executable file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def fault(path: str | os.PathLike[str]) -> str:
    """Return the message for a file that must be refused."""
    with pytest.raises(ConfigError) as caught:
        load_config(path, environ={})
    assert (caught.value.failure.kind, caught.value.failure.stage) == (Kind.CONFIG, "config")
    assert caught.value.__cause__ is None
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_command_becomes_absolute_on_the_path_of_the_child(tmp_path: Path) -> None:
    """Source: design section 5, resolved to absolute paths when loaded."""
    ours, childs = program(tmp_path / "ours", "tool"), program(tmp_path / "childs", "tool")
    text = (
        '{"mcpServers": {"a": {"command": "tool", "args": ["-v"]},\n'
        f'"b": {{"command": "tool", "env": {{"PATH": "{childs.parent}"}}}}}}}}'
    )
    config = load_config(write(tmp_path, text), environ={"PATH": str(ours.parent)})
    assert [peer.command for peer in config.peers] == [str(ours), str(childs)]
    assert config.peers[0].args == ("-v",)


def test_a_command_that_is_missing_stays_and_fails_nobody_else(tmp_path: Path) -> None:
    """Case N11: one bad peer never stops the others."""
    text = (
        '{"mcpServers": {"bad": {"command": "no-such-tool"}, "web": {"url": "https://h/"},\n'
        f'"good": {{"command": "{sys.executable}"}}}}}}'
    )
    config = load_config(write(tmp_path, text), environ={"PATH": str(tmp_path)})
    assert {peer.name: peer.command for peer in config.peers} == {
        "bad": "no-such-tool",
        "good": resolve_command(sys.executable, search_path=""),
        "web": None,
    }


def test_a_relative_directory_is_seen_from_the_file(tmp_path: Path) -> None:
    """Ours: a configuration means the same from wherever it is loaded."""
    tool = program(tmp_path / "work", "tool")
    text = (
        '{"servers": {"a": {"command": "./tool", "cwd": "work"}, "b": {"command": "x"},'
        '"c": {"command": "x", "cwd": "/"}}}'
    )
    config = load_config(write(tmp_path, text), environ={})
    assert [peer.cwd for peer in config.peers] == [str(tool.parent), None, "/"]
    assert config.peers[0].command == str(tool)


def test_the_own_environment_is_used_when_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case N14: secrets by reference."""
    monkeypatch.setenv("WORKBENCH_TEST_TOKEN", "hunter22")
    path = write(
        tmp_path, '{"servers": {"a": {"command": "x", "args": ["${WORKBENCH_TEST_TOKEN}"]}}}'
    )
    config = load_config(path)
    assert config.peers[0].args == ("hunter22",)
    assert config.secrets == ("hunter22",)
    assert "hunter22" not in repr(config)


def test_a_mark_at_the_beginning_and_comments_are_allowed(tmp_path: Path) -> None:
    """Case N13: as editors save it."""
    text = b'\xef\xbb\xbf// mine\r\n{"servers": {"a": {"url": "https://h/"},},}\r\n'
    config = load_config(str(write(tmp_path, text)), environ={})
    assert config.peers[0].url == "https://h/"
    assert config.source == str(tmp_path / "mcp.json")


def test_a_path_from_the_home_directory_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: in a cell no shell replaces the "~"."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write(tmp_path, '{"servers": {}}')
    assert load_config("~/mcp.json", environ={}).peers == ()


def test_a_fault_in_the_file_names_file_line_and_path(tmp_path: Path) -> None:
    """Case N13: error with file, line and key."""
    path = write(tmp_path, '{"mcpServers": {\n"notes": {"command": "x",\n"args": "-v"}}}')
    assert f"{path} line 3: $.mcpServers.notes.args: expected an array" in fault(path)


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    """Ours: exit status 2 has a sentence."""
    message = fault(tmp_path / "gone.json")
    assert "gone.json" in message
    assert "no such file" in message


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_no_file_can_have_is_one_clear_error(path: str) -> None:
    """Ours: nor is this a traceback."""
    assert "was not read" in fault(path)


def test_a_folder_is_one_clear_error(tmp_path: Path) -> None:
    """Ours: the folder of the configuration is a likely slip."""
    assert "was not read" in fault(tmp_path)


def test_a_file_in_another_encoding_is_one_clear_error(tmp_path: Path) -> None:
    """Case X01: the line is named, the bytes are not shown."""
    message = fault(write(tmp_path, b'{\n"k": "hunter22 \xff"}'))
    assert "line 2 is not UTF-8" in message
    assert "hunter22" not in message
    assert "not UTF-8" in fault(write(tmp_path, '{"servers": {}}'.encode("utf-16")))


def test_a_file_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    """Ours: everything is bounded."""
    assert "longer than" in fault(write(tmp_path, b" " * (MOST_BYTES + 1)))
