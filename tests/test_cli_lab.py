"""`mcp-workbench lab`: which folder is opened, and what is handed on."""

import argparse
import os
import sys
from pathlib import Path

import pytest

from workbench import cli, cli_lab
from workbench.lessons import FIRST, shipped


class Became(Exception):
    """What the process would have become."""


@pytest.fixture
def becomes(monkeypatch: pytest.MonkeyPatch) -> None:
    def execv(program: str, command: list[str]) -> None:
        raise Became(program, command)

    monkeypatch.setattr(os, "execv", execv)


def became(*arguments: str) -> list[str]:
    """Return the command line that `lab` hands over to."""
    with pytest.raises(Became) as caught:
        cli.main(["lab", *arguments])
    program, command = caught.value.args
    assert program == sys.executable
    return list(command[1:])


@pytest.mark.usefixtures("becomes")
def test_a_folder_is_laid_out_and_opened_and_the_rest_is_jupyters(tmp_path: Path) -> None:
    """Design, section 6: lab."""
    command = became("--no-browser", "--folder", str(tmp_path / "course"), "--port", "8899")
    assert command[:2] == ["-m", "jupyterlab"]
    assert str(tmp_path / "course" / FIRST) in command
    assert command[-3:] == ["--no-browser", "--port", "8899"]
    assert (tmp_path / "course" / FIRST).read_bytes() == (shipped() / FIRST).read_bytes()


@pytest.mark.usefixtures("becomes")
def test_in_a_checkout_its_own_notebooks_are_opened() -> None:
    """Design, section 2: `make lab` opens the first notebook."""
    assert str(shipped() / FIRST) in became("--no-browser")


def test_where_there_is_no_checkout_a_folder_is_made_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: an installed program has nothing to write into but the reader's own folder."""
    monkeypatch.setattr(cli_lab, "in_checkout", lambda: False)
    monkeypatch.chdir(tmp_path)
    folder = cli_lab.place_to_work(None)
    assert folder == tmp_path / cli_lab.FOLDER
    assert " new, in " in capsys.readouterr().err
    cli_lab.place_to_work(None)
    assert capsys.readouterr().err == "", "nothing was done, so nothing is said"


def test_a_folder_that_cannot_be_used_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Design, section 6: errors are one line that says what to do."""
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert cli.main(["lab", "--folder", str(tmp_path / "taken")]) == cli.BAD_INPUT
    assert "--folder" in capsys.readouterr().err


def test_the_option_stands_in_the_help() -> None:
    """Ours: what is ours among the options is said."""
    parser = argparse.ArgumentParser()
    cli_lab.add_folder(parser)
    assert "--folder DIR" in parser.format_help()
