"""What a child process is started with: an absolute program and a small environment.

Takes:  a command as configured, the child's own search path, and the parent's environment
Gives:  the absolute path to start, and the complete environment of the child
Never:  hands on the whole environment of the parent, and never starts what it cannot name

Spec: 2026-07-28 basic/transports/stdio, "the client launches the server as a subprocess".
Seed: skill, "Pin a command, arguments, environment allowlist".
"""

import errno
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from workbench.core.errors import CouldNotStart, Failure, Kind
from workbench.core.text.visible import visible

T = TypeVar("T")

SAFE_NAMES: Final = frozenset(
    {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}
    # What programs on Windows cannot start without.
    | {"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT"}
    | {"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE"}
    | {"SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"}
)
"""Names every child gets when the parent has them; `LC_*` comes on top."""

_NO_PROGRAM: Final = "PROC-01"
_NO_DIRECTORY: Final = "PROC-02"
_REFUSED: Final = "PROC-03"
_HINTS: Final = {
    errno.E2BIG: "Shorten the arguments or the environment.",
    errno.ENOEXEC: 'Start a script with "#!" and its interpreter, or name the interpreter.',
    errno.ENOENT: 'Check the interpreter named after "#!" in the file.',
    errno.EACCES: "Check the permissions of the file and its directory.",
}
_FROM_HERE: Final = 300
"""Longest search path shown in a message, in characters."""


def could_not_start(detail: str, hint: str, rule: str = _NO_PROGRAM) -> CouldNotStart:
    """Build the error for a process that was not started; both texts are one safe line."""
    return CouldNotStart(
        Failure(kind=Kind.COULD_NOT_START, detail=detail, stage="transport", rule=rule, hint=hint)
    )


def child_environment(
    environ: Mapping[str, str], allowlist: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    """Build the whole environment of a child: safe base, then allowed names, then `given`.

    Args:
        environ: the parent's environment.
        allowlist: names to hand on besides the safe base; a name the parent lacks is left out.
        given: names and values stated for this child; they win.
    """
    wanted = SAFE_NAMES.union(allowlist)
    chosen = {
        name: value
        for name, value in environ.items()
        # A value that starts so is an exported shell function: code, not a setting.
        if (name in wanted or name.startswith("LC_")) and not value.startswith("()")
    }
    return {**chosen, **given}


def handed_on(environ: Mapping[str, str], allowlist: Sequence[str]) -> list[str]:
    """Return the values a child gets of our environment besides the safe base."""
    return [environ[name] for name in allowlist if name in environ and name not in SAFE_NAMES]


def resolve_command(
    command: str, *, search_path: str, cwd: str | None = None, pathext: str | None = None
) -> str:
    """Return the absolute path of the program that `command` names; links are kept.

    Args:
        command: a bare name (looked up), a relative path (from `cwd`) or an absolute path.
        search_path: the *child's* PATH, directories joined by `os.pathsep`.
        cwd: the child's working directory; None means ours.
        pathext: endings that make a file a program, joined by ";", where the system goes by
            endings; None means the PATHEXT of a Windows system and nothing elsewhere.

    Raises:
        CouldNotStart: if it was not found, is a directory, or is not executable.
    """
    if not command or "\0" in command:
        raise could_not_start(
            f"the command {visible(repr(command), 80)} is not a name",
            "Give the name or the path of a program.",
        )
    endings = _endings(pathext)
    here = os.path.abspath(cwd or os.curdir)
    problem = ""
    for candidate in _candidates(command, search_path, here, endings):
        found = _problem(candidate, endings)
        if not found:
            return candidate
        problem = problem or ("" if found == "not found" else f'"{candidate}" {found}')
    raise _unresolved(command, search_path, here, problem)


def check_directory(cwd: str | None) -> None:
    """Check that a child can start in `cwd`; None means our own directory.

    Raises:
        CouldNotStart: if there is no such directory.
    """
    if cwd is not None and not os.path.isdir(cwd):
        seen = "is not a directory" if os.path.exists(cwd) else "does not exist"
        raise could_not_start(
            f'the working directory "{visible(cwd, _FROM_HERE)}" {seen}',
            "Create it, or correct cwd of the peer.",
            _NO_DIRECTORY,
        )


async def started(start: Callable[[], Awaitable[T]], tries: int = 3) -> T:
    """Start a program; try again where the system lost its arguments on the way.

    On some virtual machines a program that one of several threads starts is refused, rarely,
    with EFAULT ("bad address"). Nothing has run then, so starting it again repeats nothing.

    Raises:
        OSError: whatever else the system says, at once; EFAULT after the last try.
    """
    while True:
        tries -= 1
        try:
            return await start()
        except OSError as refused:
            if refused.errno != errno.EFAULT or tries <= 0:
                raise


def refused_by_system(program: str, problem: Exception) -> CouldNotStart:
    """Return the error for a program that was found and that the system did not start."""
    number = problem.errno if isinstance(problem, OSError) else None
    said = problem.strerror if isinstance(problem, OSError) else None
    return could_not_start(
        f'"{visible(program, _FROM_HERE)}" was not started: {visible(said or str(problem), 200)}',
        _HINTS.get(number or 0, "Try the command in a terminal."),
        _REFUSED,
    )


def _endings(pathext: str | None) -> tuple[str, ...]:
    if pathext is None:
        pathext = os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD") if os.name == "nt" else ""
    return tuple(ending.lower() for ending in pathext.split(";") if ending)


def _has_directory(command: str) -> bool:
    return os.sep in command or bool(os.altsep and os.altsep in command)


def _candidates(
    command: str, search_path: str, here: str, endings: tuple[str, ...]
) -> Iterator[str]:
    folders = [""] if _has_directory(command) else search_path.split(os.pathsep)
    names = [command]
    # A system that goes by endings also holds files without one (a shell script beside its
    # .cmd shim) that it cannot start.
    if endings and not command.lower().endswith(endings):
        names = [command + ending for ending in endings]
    for folder in folders:
        for name in names:
            yield os.path.normpath(os.path.join(here, folder, name))


def _problem(candidate: str, endings: tuple[str, ...]) -> str:
    if os.path.isdir(candidate):
        return "is a directory"
    if not os.path.exists(candidate):
        return "not found"
    if endings or os.access(candidate, os.X_OK):
        return ""
    return "is not executable"


def _unresolved(command: str, search_path: str, here: str, problem: str) -> CouldNotStart:
    if problem:
        return could_not_start(
            visible(problem, _FROM_HERE), "Name a program, or make the file executable."
        )
    if _has_directory(command):
        path = os.path.join(here, command)
        return could_not_start(
            f'"{visible(path, _FROM_HERE)}" was not found', "Check the path of the command."
        )
    return could_not_start(
        f'"{visible(command, 80)}" was not found in "{visible(search_path, _FROM_HERE)}"',
        "Install it, correct PATH in the peer's env, or give an absolute path.",
    )
