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
_LIVE: set[int] = set()
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
    _LIVE.add(group)
    if _POSIX:
        GUARDIAN.watch(group)


def let_go(group: int) -> None:
    """Forget a group that has no member left."""
    if group in _LIVE:
        _LIVE.discard(group)
        if _POSIX:
            GUARDIAN.forget(group)


def live_groups() -> frozenset[int]:
    """Return the groups this process started that are not known to be gone."""
    return frozenset(_LIVE)


def send_signal(group: int, number: int) -> None:
    """Signal every member of a group we adopted; harmless when there is none."""
    if group not in _LIVE:
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
    try:
        stat = (_PROC / pid / "stat").read_bytes()
    except OSError:
        return False
    # The name, in parentheses, may hold anything; the fields after it are state, parent, group.
    state, _, member_of = stat.rpartition(b")")[2].split(maxsplit=3)[:3]
    return int(member_of) == group and state not in (b"Z", b"X")


def _end_all() -> None:
    for group in live_groups():
        send_signal(group, KILL)
        let_go(group)
    if _POSIX:
        GUARDIAN.stop()


def _forked() -> None:
    _LIVE.clear()
    GUARDIAN.forked()
