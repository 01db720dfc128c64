"""What a configured peer really is, on this machine and now.

Takes:  a checked `PeerConfig`, and the environment of this process
Gives:  a `PeerPin` with the real paths and digests of the files that decide what runs
Never:  starts or imports anything, or reads what is not a regular file

Covered: the executable behind every link, the interpreter a "#!" line names, and each
argument that names a file. Not covered, because no argument names it: a module after "-m",
what a file imports, packages a launcher fetches, environment values, and what runs behind a
url. `uncovered` says so for one peer. Source: design section 5.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Final

from msgspec.structs import replace

from workbench.core.config.config import PeerConfig
from workbench.core.errors import CouldNotStart
from workbench.core.pins.pins import (
    EXECUTABLE,
    INTERPRETER,
    FilePin,
    Hider,
    PeerPin,
    argument,
    declared,
)
from workbench.core.text.visible import visible
from workbench.transports.launch import child_environment, resolve_command

LAUNCHERS: Final = frozenset({"npx", "uvx", "pipx", "bunx", "pnpm", "yarn", "docker", "podman"})
"""Programs that fetch what they run; the names without any ending."""
_FIRST_LINE: Final = 512
"""Bytes of a "#!" line that are read; the system reads fewer."""


class Fingerprint:
    """The facts about one peer; can be taken again and again.

    Args:
        config: a checked configuration, its command absolute where it was found.
        environ: this process's environment; decides the child's PATH.
        secrets: what to hide besides the peer's own secrets.
    """

    def __init__(
        self, config: PeerConfig, environ: Mapping[str, str], secrets: Iterable[str] = ()
    ) -> None:
        self._config = config
        self._hider = Hider(config, secrets)
        self._declared = declared(config, self._hider)
        child = child_environment(environ, config.env_allowlist, config.env)
        self._search_path = child.get("PATH", os.defpath)

    def take(self) -> PeerPin:
        """Read the files and return the facts.

        Blocks while it reads: on an event loop, call it in a thread.
        """
        files = {
            role: FilePin(path=self._hider.text(role, path), sha256=sha256_of(path))
            for role, path in self._paths()
        }
        return replace(self._declared, files=files)

    def _paths(self) -> Iterator[tuple[str, str]]:
        config, here = self._config, os.path.abspath(self._config.cwd or os.curdir)
        if config.command is None:
            return
        program = os.path.join(here, config.command)
        if os.path.isabs(config.command) and os.path.isfile(program):
            yield EXECUTABLE, os.path.realpath(program)
            interpreter = self._interpreter(program, here)
            if interpreter is not None:
                yield INTERPRETER, os.path.realpath(interpreter)
        for index, given in enumerate(config.args):
            path = os.path.join(here, given)
            if os.path.isfile(path):
                yield argument(index), os.path.realpath(path)

    def _interpreter(self, program: str, here: str) -> str | None:
        words = _shebang(program)
        if not words:
            return None
        first = words[0]
        if PurePath(first).name == "env":
            # `env -S A=1 program`: the first word that is neither an option nor a setting.
            named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
            first = named[0] if named else first
        try:
            return resolve_command(first, search_path=self._search_path, cwd=here)
        except CouldNotStart:
            return None


def uncovered(config: PeerConfig) -> tuple[str, ...]:
    """Say which code of this very peer no lock covers, one clause each, safe to show."""
    if config.command is None:
        return ("what runs behind the url",)
    said = []
    if PurePath(config.command).stem in LAUNCHERS:
        said.append(f"what {PurePath(config.command).stem} fetches and runs")
    for flag, module in zip(config.args, config.args[1:], strict=False):
        if flag == "-m":
            said.append(f"the module {visible(module, 80)} and what it imports")
            break
    return tuple(said)


def sha256_of(path: str) -> str | None:
    """Return the digest of a file's content, hexadecimal; None when it cannot be read."""
    # Not blocking: a pipe put in the place of a file must not stop the reader.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return None
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


def _shebang(program: str) -> list[str]:
    try:
        with open(program, "rb") as stream:
            line = stream.read(_FIRST_LINE).split(b"\n", 1)[0]
    except OSError:
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
