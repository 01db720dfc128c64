"""`mcp-workbench lab`: which folder is opened, what is handed on, and what a hub gets."""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import cli, cli_lab
from workbench.lessons import FIRST, shipped


class Became(Exception):
    """What the process would have become."""


@pytest.fixture
def becomes(monkeypatch: pytest.MonkeyPatch) -> None:
    def execve(program: str, command: list[str], environ: dict[str, str]) -> None:
        raise Became(program, command, environ)

    monkeypatch.setattr(os, "execve", execve)


def became(*arguments: str) -> list[str]:
    """Return the command line that `lab` hands over to."""
    return became_with(*arguments)[0]


def became_with(*arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the environment that `lab` hands over to."""
    with pytest.raises(Became) as caught:
        cli.main(["lab", *arguments])
    program, command, environ = caught.value.args
    assert program == sys.executable
    return list(command[1:]), environ


@pytest.fixture
def hub_of_alice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What a hub gives a server it starts; returns the home of its user."""
    monkeypatch.setenv("JUPYTERHUB_SERVICE_URL", "http://127.0.0.1:9/user/alice/")
    monkeypatch.setenv("HOME", str(tmp_path))
    # Short, however long the path of this test is; nothing is written there.
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", "/run/alice")
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


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


def test_the_options_stand_in_the_help() -> None:
    """Ours: what is ours among the options is said."""
    parser = argparse.ArgumentParser()
    cli_lab.add_options(parser)
    text = parser.format_help()
    assert all(option in text for option in ("--folder DIR", "--lay-out-only", "--hub"))


@pytest.mark.usefixtures("becomes")
def test_python_in_a_lesson_is_the_one_that_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a configuration says `python`, and nobody has activated an environment."""
    monkeypatch.setenv("PATH", "/nowhere")
    _, environ = became_with("--no-browser")
    found = shutil.which("python", path=environ["PATH"])
    assert found is not None and Path(found).parent == Path(sys.executable).parent
    assert os.environ["PATH"] == "/nowhere"


def test_laying_out_is_all_that_is_done_where_nothing_more_is_wanted(tmp_path: Path) -> None:
    """Ours: a hub of somebody else's needs the lessons, and starts servers itself."""
    assert cli.main(["lab", "--lay-out-only", "--folder", str(tmp_path / "course")]) == cli.OK
    assert (tmp_path / "course" / FIRST).is_file()


def test_laying_out_in_a_checkout_makes_a_copy_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: who asks for a copy gets one."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["lab", "--lay-out-only"]) == cli.OK
    assert (tmp_path / cli_lab.FOLDER / FIRST).is_file()


@pytest.mark.usefixtures("becomes")
def test_a_hub_gets_the_server_of_one_user_in_a_folder_closed_to_others(
    hub_of_alice: Path,
) -> None:
    """Ours: docs/shared_server.md; without --folder never the checkout, which is everybody's."""
    command, environ = became_with("--hub", "--debug")
    assert "workbench.hub_server" in command and command[-1] == "--debug"
    folder = hub_of_alice / "mcp-lessons"
    assert environ["JUPYTERHUB_ROOT_DIR"] == str(folder)
    closed = [p.stat().st_mode & 0o077 for p in (folder, *folder.rglob("*"))]
    assert len(closed) > 20 and not any(closed)


@pytest.mark.usefixtures("becomes")
def test_a_folder_that_stood_open_is_closed_and_what_is_changed_in_it_kept(
    hub_of_alice: Path,
) -> None:
    """Ours: a course that began without a hub goes on with one."""
    folder = hub_of_alice / "course"
    cli.main(["lab", "--lay-out-only", "--folder", str(folder)])
    (folder / FIRST).write_text("my answer", encoding="utf-8")
    folder.chmod(0o755)
    became("--hub", "--folder", "~/course")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / FIRST).read_text(encoding="utf-8") == "my answer"


def test_where_no_hub_is_nothing_is_laid_out(
    hub_of_alice: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Design, section 6: errors are one line that says what to do."""
    monkeypatch.delenv("JUPYTERHUB_SERVICE_URL")
    assert cli.main(["lab", "--hub"]) == cli.BAD_INPUT
    assert "c.Spawner.cmd" in capsys.readouterr().err
    assert list(hub_of_alice.iterdir()) == []
