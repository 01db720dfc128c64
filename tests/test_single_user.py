"""The server of one user of a JupyterHub: closed to others, and started only where it works."""

import os
import socket
import sys
from pathlib import Path

import pytest

from workbench import single_user
from workbench.core.errors import ConfigError
from workbench.lessons import FIRST

HUB = {"JUPYTERHUB_SERVICE_URL": "http://127.0.0.1:9/user/alice/", "PATH": "/bin"}
HOME = Path("/home/alice")
LESSONS = HOME / "mcp-lessons"


def test_the_server_opens_the_first_lesson_and_shows_nothing_but_the_folder() -> None:
    """Ours: a student who logs in is where the course begins."""
    environ = single_user.environment(HUB, LESSONS, HOME)
    assert environ["JUPYTERHUB_ROOT_DIR"] == str(LESSONS)
    assert environ["JUPYTERHUB_DEFAULT_URL"] == f"/lab/tree/{FIRST}"
    assert environ["PATH"] == "/bin"


def test_what_the_hub_says_about_the_page_and_the_sockets_is_kept() -> None:
    """Ours: whoever runs the hub has the last word, but for the folder."""
    said = {"JUPYTERHUB_DEFAULT_URL": "/tree", "JUPYTER_RUNTIME_DIR": "/run/alice"}
    environ = single_user.environment({**HUB, **said, "JUPYTERHUB_ROOT_DIR": "/"}, LESSONS, HOME)
    assert {name: environ[name] for name in said} == said
    assert environ["JUPYTERHUB_ROOT_DIR"] == str(LESSONS)


def test_kernels_talk_over_sockets_in_a_place_of_the_user() -> None:
    """Ours: a port of 127.0.0.1 is open to every user of the machine."""
    assert "--KernelManager.transport=ipc" in single_user.command([], as_root=False)
    environ = single_user.environment(HUB, LESSONS, HOME)
    assert Path(environ["JUPYTER_RUNTIME_DIR"]).is_relative_to(HOME)


def test_a_hub_may_choose_ports_all_the_same() -> None:
    """Ours: the same option twice would end the server at its start."""
    command = single_user.command(["--KernelManager.transport=tcp"], as_root=False)
    assert [one for one in command if "transport" in one] == ["--KernelManager.transport=tcp"]


def test_the_command_is_this_interpreter_and_options_of_the_hub_come_last() -> None:
    """Ours: a file in the home is no module of the server."""
    command = single_user.command(["--debug"], as_root=False)
    assert command[:4] == [sys.executable, "-P", "-m", "workbench.hub_server"]
    assert command[-1] == "--debug" and "--allow-root" not in command
    assert "--allow-root" in single_user.command([], as_root=True)


def test_the_longest_user_name_still_has_sockets() -> None:
    """unix(7): 107 bytes; useradd(8): a name has at most 32 characters."""
    single_user.environment(HUB, LESSONS, Path("/home") / ("x" * 32))
    with pytest.raises(ConfigError, match=r"3 bytes too long.* JUPYTER_RUNTIME_DIR"):
        single_user.environment(HUB, LESSONS, Path("/home") / ("x" * 41))


def test_the_limit_is_that_of_the_operating_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a limit nobody tried is a guess; the first path fits, the second is refused."""
    monkeypatch.chdir(tmp_path)  # relative, so that the length is the same wherever this runs
    for length, fits in ((single_user.LONGEST_PATH, True), (single_user.LONGEST_PATH + 1, False)):
        with socket.socket(socket.AF_UNIX) as tried:
            try:
                tried.bind("x" * length)
            except OSError:
                assert not fits
            else:
                assert fits


def test_without_a_hub_there_is_no_such_server() -> None:
    """Design, section 6: errors say what to do."""
    with pytest.raises(ConfigError, match="JupyterHub starts"):
        single_user.environment({"PATH": "/bin"}, LESSONS, HOME)


def test_without_jupyterhub_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design, section 6: errors say what to do."""
    monkeypatch.setattr(single_user, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"not installed.* pip install"):
        single_user.environment(HUB, LESSONS, HOME)


@pytest.mark.parametrize(("before", "after"), [(0o755, 0o700), (0o777, 0o700), (0o500, 0o500)])
def test_a_folder_is_closed_to_others_and_its_owner_keeps_what_he_may(
    tmp_path: Path, before: int, after: int
) -> None:
    """Ours: a student does not read another's answers."""
    tmp_path.chmod(before)
    single_user.close_to_others(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == after


def test_a_folder_that_cannot_be_closed_is_refused(tmp_path: Path) -> None:
    """Ours: rather no server than one in a folder that others read."""
    with pytest.raises(ConfigError, match=r"gone cannot be closed.* --folder"):
        single_user.close_to_others(tmp_path / "gone")


def test_what_is_made_from_now_on_is_closed_to_others(tmp_path: Path) -> None:
    """Ours: notebooks, journals and pictures that are saved later, by kernels too."""
    before = os.umask(0o022)
    try:
        single_user.keep_to_oneself()
        (tmp_path / "notes.txt").touch()
        (tmp_path / "folder").mkdir()
    finally:
        os.umask(before)
    assert [p.stat().st_mode & 0o077 for p in tmp_path.iterdir()] == [0, 0]
