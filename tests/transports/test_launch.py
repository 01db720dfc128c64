"""A child gets an absolute program and a small environment, or a clear refusal."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from workbench.core.errors import CouldNotStart, Kind
from workbench.transports.launch import child_environment, resolve_command, started


def program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(mode)
    return path


def refusal(command: str, *, search_path: str = "", cwd: str | None = None) -> str:
    with pytest.raises(CouldNotStart) as caught:
        resolve_command(command, search_path=search_path, cwd=cwd)
    failure = caught.value.failure
    assert (failure.kind, failure.stage, failure.rule) == (
        Kind.COULD_NOT_START,
        "transport",
        "PROC-01",
    )
    assert failure.hint
    assert "\n" not in failure.line()
    return failure.detail


def test_given_values_come_on_top_of_a_safe_base_and_nothing_else_is_handed_on() -> None:
    """Case S21: an API key in `env` must not cost the child its PATH, nor show it our secrets."""
    parent = {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "LC_ALL": "C.UTF-8",
        "AWS_SECRET_ACCESS_KEY": "s3cret",
        "PROXY": "http://proxy",
        "LC_TRICK": "() { :; }",
    }
    child = child_environment(parent, ["PROXY", "ABSENT"], {"API_KEY": "x"})
    assert child == {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "LC_ALL": "C.UTF-8",
        "PROXY": "http://proxy",
        "API_KEY": "x",
    }


def test_given_path_replaces_the_inherited_one() -> None:
    """Case S21, variant: what the configuration says wins."""
    assert child_environment({"PATH": "/bin"}, [], {"PATH": "/opt"}) == {"PATH": "/opt"}


def test_bare_name_is_looked_up_on_the_childs_path_in_order(tmp_path: Path) -> None:
    """Case S21: the lookup uses the child's PATH; what cannot be started is passed over."""
    (tmp_path / "a" / "tool").mkdir(parents=True)
    program(tmp_path / "b" / "tool", 0o644)
    right = program(tmp_path / "c" / "tool")
    program(tmp_path / "d" / "tool")
    path = os.pathsep.join(str(tmp_path / name) for name in "abcd")
    assert resolve_command("tool", search_path=path) == str(right)


def test_relative_command_is_meant_from_the_childs_directory(tmp_path: Path) -> None:
    """Ours: the child starts there, so its command is read there."""
    right = program(tmp_path / "bin" / "tool")
    assert resolve_command("bin/tool", search_path="/bin", cwd=str(tmp_path)) == str(right)


def test_links_are_kept(tmp_path: Path) -> None:
    """Ours: the python of a virtual environment is a link that must not be followed."""
    link = tmp_path / "python"
    link.symlink_to(program(tmp_path / "real"))
    assert resolve_command(str(link), search_path="") == str(link)


def test_missing_command_says_where_it_was_looked_for(tmp_path: Path) -> None:
    """Case S12: command not found."""
    assert (
        refusal("nowhere", search_path=str(tmp_path)) == f'"nowhere" was not found in "{tmp_path}"'
    )
    assert refusal("./nowhere", cwd=str(tmp_path)) == f'"{tmp_path}/./nowhere" was not found'


def test_file_that_is_not_executable_is_named(tmp_path: Path) -> None:
    """Case S12: not executable, by path and by name."""
    plain = program(tmp_path / "tool", 0o644)
    assert refusal(str(plain)) == f'"{plain}" is not executable'
    assert refusal("tool", search_path=str(tmp_path)) == f'"{plain}" is not executable'


def test_directory_is_not_a_command(tmp_path: Path) -> None:
    """Case S12: a path of a checkout instead of its script."""
    assert refusal(str(tmp_path)) == f'"{tmp_path}" is a directory'


@pytest.mark.parametrize("command", ["", "a\0b"])
def test_text_that_can_name_nothing_is_refused(command: str) -> None:
    """Ours: the system calls would raise something unreadable."""
    assert "is not a name" in refusal(command, search_path="/bin")


def test_hostile_name_is_shown_harmless() -> None:
    """Design 7.10: a configuration is text from outside, too."""
    assert "\x1b" not in refusal("\x1b[2Jnpx", search_path="/bin")


def test_system_that_goes_by_endings_starts_the_shim_and_not_the_script_beside_it(
    tmp_path: Path,
) -> None:
    """Case S27: `npx` on Windows is npx.cmd, next to a shell script named npx."""
    program(tmp_path / "npx")
    shim = program(tmp_path / "npx.cmd", 0o644)
    found = resolve_command("npx", search_path=str(tmp_path), pathext=".COM;.EXE;.BAT;.CMD")
    assert found == str(shim)


def test_ending_that_is_stated_is_not_added_again(tmp_path: Path) -> None:
    """Case S27: `npx.CMD` as the configured command, whatever the case."""
    shim = program(tmp_path / "npx.CMD", 0o644)
    assert resolve_command("npx.CMD", search_path=str(tmp_path), pathext=".exe;.cmd") == str(shim)


@pytest.mark.parametrize(
    ("refusals", "tries", "number"),
    [
        ([errno.EFAULT], 2, None),
        ([errno.EFAULT] * 2, 3, None),
        ([errno.EFAULT] * 3, 3, errno.EFAULT),
        ([errno.EACCES], 1, errno.EACCES),
    ],
)
def test_a_start_whose_arguments_were_lost_is_tried_again_and_no_other(
    refusals: list[int], tries: int, number: int | None
) -> None:
    """Ours: nothing ran, so nothing is done twice; every loop is bounded."""
    calls: list[int] = []

    async def start() -> str:
        calls.append(len(calls))
        if len(calls) <= len(refusals):
            raise OSError(refusals[len(calls) - 1], "no")
        return "started"

    async def story() -> object:
        try:
            return await started(start)
        except OSError as refused:
            return refused.errno

    assert asyncio.run(story()) == (number or "started")
    assert len(calls) == tries
