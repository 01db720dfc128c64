"""The configuration's front door: a file becomes a checked configuration.

Takes:  the path of an `mcp.json`, and the environment
Gives:  a `WorkbenchConfig` whose commands and directories are absolute
Never:  starts anything, and never fails the whole file for one program that is missing

A command that cannot be found stays as it was written; its peer says so when it is started,
and the others are untouched. Source: design section 5, "resolved to absolute paths when
loaded"; cases N11 and N13.
"""

import os
from collections.abc import Mapping
from typing import Final

import msgspec

from workbench.core.config.config import PeerConfig, WorkbenchConfig, read_config
from workbench.core.config.place import config_error
from workbench.core.errors import ConfigError, CouldNotStart
from workbench.core.text.visible import visible
from workbench.transports.launch import child_environment, resolve_command

MOST_BYTES: Final = 4 * 1024 * 1024
"""Longest configuration that is read; a real one has a few thousand bytes."""

UNREADABLE: Final = "CONF-07"


def load_config(
    path: str | os.PathLike[str], *, environ: Mapping[str, str] | None = None
) -> WorkbenchConfig:
    """Read and check a configuration file.

    Args:
        path: the file, UTF-8 with or without a byte order mark; "~" is the home directory.
        environ: where variables and programs are looked up; None means this process's.

    Raises:
        ConfigError: if the file cannot be read or is wrong; names line and path of the fault.
    """
    environ = os.environ if environ is None else environ
    source = os.fspath(path)
    # In a cell or a program no shell has replaced the "~".
    file = os.path.abspath(os.path.expanduser(source))
    config = read_config(_text_of(file, source), environ, source)
    folder = os.path.dirname(file)
    peers = tuple(_resolved(peer, folder, environ) for peer in config.peers)
    return msgspec.structs.replace(config, peers=peers)


def _text_of(file: str, source: str) -> str:
    try:
        with open(file, "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise _unreadable(source, "there is no such file", "Check the path.") from None
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        reason = getattr(problem, "strerror", None) or str(problem)
        raise _unreadable(source, visible(reason, 200), "Give a file you may read.") from None
    if len(content) > MOST_BYTES:
        raise _unreadable(source, f"longer than {MOST_BYTES} bytes", "Give a configuration file.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        # Without `from`: the other error carries the whole content.
        line = content.count(b"\n", 0, problem.start) + 1
        detail = f"line {line} is not UTF-8"
    raise _unreadable(source, detail, "Save the file as UTF-8.")


def _unreadable(source: str, what: str, hint: str) -> ConfigError:
    return config_error(
        f"{visible(source)}: the configuration was not read: {what}", hint, UNREADABLE
    )


def _resolved(peer: PeerConfig, folder: str, environ: Mapping[str, str]) -> PeerConfig:
    if peer.command is None:
        return peer
    cwd = None if peer.cwd is None else os.path.normpath(os.path.join(folder, peer.cwd))
    child = child_environment(environ, peer.env_allowlist, peer.env)
    try:
        command = resolve_command(peer.command, search_path=child.get("PATH", ""), cwd=cwd)
    except CouldNotStart:
        command = peer.command
    return msgspec.structs.replace(peer, command=command, cwd=cwd)
