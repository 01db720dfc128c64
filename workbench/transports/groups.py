"""Process groups we started and that are not yet gone.

Takes:  the id of a group when its leader was started, and again when it is empty
Gives:  signals to whole groups, and their end at the latest when the interpreter ends
Never:  signals a group after it was let go: the system may give its id to a stranger

Each child leads a session and a group of its own, so that an interrupt meant for us does
not reach it and so that what it started itself can be ended together with it.
Case: a launcher was killed and the real server lived on; interrupting a notebook killed
its servers; restarting one left them behind.
"""

import atexit
import contextlib
import os
import signal
from pathlib import Path
from typing import Final

from workbench.transports.guardian import GUARDIAN

KILL: Final[int] = getattr(signal, "SIGKILL", signal.SIGTERM)
_POSIX: Final = os.name == "posix"
_PROC: Final = Path("/proc")
_LIVE: dict[int, str] = {}
"""Group id -> when its leader started, so that a stranger with the same id is told apart."""
_guarded = False


def guard_exit() -> None:
    """Have every live group ended at interpreter exit; the first call registers the hooks.

    Exit hooks run in reverse order. Whoever wants to close politely at exit calls this
    before registering a hook of its own.
    """
    global _guarded
    if not _guarded:
        _guarded = True
        atexit.register(_end_all)
        if _POSIX:
            os.register_at_fork(after_in_child=_forked)
    if _POSIX:
        GUARDIAN.start()


def adopt(group: int) -> None:
    """Remember a group whose leader was just started."""
    guard_exit()
    mark = _start_mark(group)
    _LIVE[group] = mark
    if _POSIX:
        GUARDIAN.watch(group, mark)


def let_go(group: int) -> None:
    """Forget a group that has no member left."""
    if _LIVE.pop(group, None) is not None and _POSIX:
        GUARDIAN.forget(group)


def live_groups() -> frozenset[int]:
    """Return the groups this process started that are not known to be gone."""
    return frozenset(_LIVE)


def send_signal(group: int, number: int) -> None:
    """Signal every member of a group we adopted; harmless when there is none."""
    mark = _LIVE.get(group)
    # A loop that was thrown away never told us of an exit: the id may have a new owner.
    if mark is None or (mark and _start_mark(group) not in ("", mark)):
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if _POSIX:
            os.killpg(group, number)
        else:
            os.kill(group, number)


def has_members(group: int) -> bool:
    """Say whether anybody, running or dead and unburied, is left in the group; cheap."""
    if not _POSIX:
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def living_members(group: int, likely: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the process ids of members that still run.

    Where process 1 does not bury orphans (a container without an init), the dead stay
    members for ever. Where there is no `/proc`, any member counts as running.

    Args:
        group: id of the group.
        likely: members seen before; while one of them runs, nobody else is looked for.
    """
    if not has_members(group):
        return frozenset()
    if not (_PROC / "self" / "stat").exists():
        return frozenset({str(group)})
    known = frozenset(pid for pid in likely if _runs_in(pid, group))
    everybody = (pid for pid in os.listdir(_PROC) if pid.isdigit())
    return known or frozenset(pid for pid in everybody if _runs_in(pid, group))


def _runs_in(pid: str, group: int) -> bool:
    fields = _stat(pid)
    return len(fields) > 2 and int(fields[2]) == group and fields[0] not in ("Z", "X")


def _start_mark(pid: int) -> str:
    fields = _stat(str(pid))
    return fields[19] if len(fields) > 19 else ""


def _stat(pid: str) -> list[str]:
    """Return the third field of a process's `stat` and all after it; empty when it is gone."""
    try:
        stat = (_PROC / pid / "stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    # The name before them, in parentheses, may hold anything.
    return stat.rpartition(")")[2].split()


def _end_all() -> None:
    for group in live_groups():
        send_signal(group, KILL)
        let_go(group)
    if _POSIX:
        GUARDIAN.stop()


def _forked() -> None:
    _LIVE.clear()
    GUARDIAN.forked()
