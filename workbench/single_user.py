"""The server of one user of a JupyterHub: with what it is started.

Takes:  the folder to open, further options, the environment the hub gave, the user's home
Gives:  a command and an environment, to become that server with
Never:  decides who may come in, what a user may use up, or when a server ends: the hub does

Two things that hold on a machine of one's own do not hold here. Kernels talk over ports of
127.0.0.1, where every other user of the machine can listen to what a kernel prints: a key
signs their messages, it does not hide them. So kernels get sockets in a folder that is closed
to others. And the path of such a socket is short, by order of the operating system.

Source: ours; the variables are those of JupyterHub, "Environment variables" of its spawners.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.lessons import FIRST

HOME_FOLDER: Final = "~/mcp-lessons"
"""Where the lessons are laid out when nothing else is said: never in a checkout, which is
everybody's."""
SOCKETS: Final = ".jupyter/run"
"""Below the home: shorter than Jupyter's own choice, for homes with long names."""
LONGEST_PATH: Final = 107
"""Bytes in the path of a socket on Linux, unix(7); one more ends it."""
_LONGEST_NAME: Final = len("/kernel-01234567-89ab-cdef-0123-456789abcdef-ipc-5")
_TRANSPORT: Final = "--KernelManager.transport="
_OTHERS: Final = 0o077
_STARTED_BY_A_HUB: Final = "JUPYTERHUB_SERVICE_URL"


def command(rest: Sequence[str], *, as_root: bool) -> list[str]:
    """Return the command of the server.

    Args:
        rest: options of the hub. One about the transport of kernels is in place of ours:
            the server would refuse two.
        as_root: whether the server will run as root, which it refuses unless told to.
    """
    allowed = ["--allow-root"] if as_root else []
    # -P: a file `random.py` in the home of a student is no part of the server.
    program = [sys.executable, "-P", "-m", "workbench.hub_server"]
    said = any(option.startswith(_TRANSPORT) for option in rest)
    return [*program, *([] if said else [f"{_TRANSPORT}ipc"]), *allowed, *rest]


def environment(given: Mapping[str, str], folder: Path, home: Path) -> dict[str, str]:
    """Return the environment of the server: what the hub gave, and what is missing in it.

    Args:
        given: by the hub; what it says about the page to open and the sockets is kept.
        folder: the lessons of this user; all that the page shows of the disk.
        home: of this user.

    Raises:
        ConfigError: if no hub started this, or if sockets would have too long a path.
    """
    if _STARTED_BY_A_HUB not in given:
        raise _unusable(
            "--hub is for a server that a JupyterHub starts",
            "Leave it out, or name this command in the hub's c.Spawner.cmd.",
        )
    if find_spec("jupyterhub") is None:
        raise _unusable(
            "JupyterHub is not installed beside the workbench",
            "Install both into one environment: pip install 'mcp-client-workbench[hub]'.",
        )
    sockets = given.get("JUPYTER_RUNTIME_DIR") or str(home / SOCKETS)
    too_long = len(os.fsencode(sockets)) + _LONGEST_NAME - LONGEST_PATH
    if too_long > 0:
        raise _unusable(
            f"the path {sockets} is {too_long} bytes too long for sockets of kernels",
            "Set JUPYTER_RUNTIME_DIR to a shorter one, private to each user.",
        )
    return {
        "JUPYTERHUB_DEFAULT_URL": f"/lab/tree/{FIRST}",
        **given,
        "JUPYTERHUB_ROOT_DIR": str(folder),
        "JUPYTER_RUNTIME_DIR": sockets,
    }


def close_to_others(folder: Path) -> None:
    """Take from a folder what the group and everybody else may do with it.

    Raises:
        ConfigError: if it belongs to somebody else.
    """
    try:
        mode = folder.stat().st_mode
        if mode & _OTHERS:
            folder.chmod(mode & ~_OTHERS & 0o7777)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise _unusable(
            f"{folder} cannot be closed to other users: {reason}",
            "Each user needs a folder of their own; name it with --folder.",
        ) from problem


def keep_to_oneself() -> None:
    """Have whatever this process and those after it make be readable by this user alone."""
    os.umask(_OTHERS)


def _unusable(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="lab", detail=detail, hint=hint))
