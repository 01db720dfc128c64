"""Run one program, and leave nothing of it behind: `keeper.py LIMIT_S PROGRAM…`.

Takes:  a limit in seconds, a command, and a standard input that the caller holds open
Gives:  the program's exit status, or 124 when it was ended
Never:  outlives its caller, or lets anything that the program started outlive itself

A client starts servers in sessions of their own, and a signal to its group would miss them.
On Linux whoever loses its parent becomes a child of this process, which ends them all.
It is run by a bare interpreter and imports nothing but the standard library.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time

ENDED = 124
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of <sys/prctl.h>
_LOOK_S = 0.02
_ROUNDS = 1_000


def keep(limit_s: float, command: list[str]) -> int:
    """Run a command to its end, or to the limit's, or until standard input ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
    deadline = time.monotonic() + limit_s
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True) as program:
        status = _followed(program, deadline)
        try:
            os.killpg(program.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        program.wait()
        _end_children()
    return ENDED if status is None else status if status >= 0 else 128 - status


def _followed(program: "subprocess.Popen[bytes]", deadline: float) -> "int | None":
    while (status := program.poll()) is None:
        left_s = deadline - time.monotonic()
        # Nobody writes to our input: that it can be read means that the caller is gone.
        if left_s <= 0 or select.select([0], [], [], min(_LOOK_S, left_s))[0]:
            return None
    return status


def _end_children() -> None:
    for _ in range(_ROUNDS):
        left = _children()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        for pid in left:
            # What it had started itself is ours from now on, and seen in the next round.
            os.waitpid(pid, 0)
        if not left:
            return


def _children() -> "list[int]":
    me, found = str(os.getpid()), []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as stat:
                    parent = stat.read().rpartition(")")[2].split()[1]
            except (OSError, IndexError):
                continue
            if parent == me:
                found.append(int(name))
    return found


if __name__ == "__main__":
    sys.exit(keep(float(sys.argv[1]), sys.argv[2:]))
