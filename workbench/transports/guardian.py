"""A tiny process that outlives us just long enough to end what we started.

Takes:  ids of process groups, through a pipe nobody else holds
Gives:  the end of those groups when the interpreter goes, even by SIGKILL
Never:  inherits an open file, keeps a pipe of ours open, or hears the terminal's signals

An exit hook does not run when the interpreter is killed or calls `os._exit`. The guardian
notices by the only sign that cannot be missed: the kernel closes our end of its pipe.
It is one shell per interpreter, started with the first child, asleep in `read` afterwards.
Case: a killed notebook kernel must leave no servers.
"""

import os
import subprocess
import threading
from typing import Final

SHELL: Final = "/bin/sh"
_SCRIPT: Final = """
trap '' HUP INT QUIT TERM
known=' '
while read -r verb group; do
  case $verb$known in
    add*" $group "*) ;;
    add*) known="$known$group " ;;
    drop*" $group "*) gap=" $group "; known="${known%%$gap*} ${known#*$gap}" ;;
  esac
done
end() {
  id=${2%%:*} mark=${2#*:} signal=$1
  if read -r stat <"/proc/$id/stat"; then
    set -- ${stat##*) }
    test -z "$mark" || test -z "${20}" || test "${20}" = "$mark" || return 1
  fi
  kill -s "$signal" -- "-$id"
}
left=
for group in $known; do end TERM "$group" && left=1; done
test -n "$left" && sleep 1
for group in $known; do end KILL "$group"; done
"""
"""TERM first, so that a server may still write its files; one second later KILL.

A group is "id:mark", the mark being when its leader started (field 22 of its `stat`): a
process that has the id and another mark is a stranger.
"""
_STOP_S: Final = 2.0


class Guardian:
    """The helper process of this interpreter, started lazily and again if it was killed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[int, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1

    @property
    def pid(self) -> int | None:
        """Process id of the helper, or None when none was started."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the helper if there is none; where there is no shell, do without."""
        with self._lock:
            if self._process is None:
                self._start()

    def watch(self, group: int, mark: str = "") -> None:
        """Have `group` ended when this interpreter goes.

        Args:
            group: its id.
            mark: when its leader started, as `/proc` has it; empty means unknown.
        """
        with self._lock:
            self._known[group] = mark
            self._tell("add", group, mark)

    def forget(self, group: int) -> None:
        """Stop watching a group that is gone; its id may be given to somebody else."""
        with self._lock:
            self._tell("drop", group, self._known.pop(group, ""))

    def stop(self) -> None:
        """Let the helper go: it ends what it still watches and exits."""
        with self._lock:
            process = self._process
            self._let_go()
            if process is not None:
                _bury(process)

    def forked(self) -> None:
        """Forget everything in a forked child: the helper watches its parent, not it.

        Above all the child must not hold the pipe open, or its parent's end stays unnoticed.
        """
        self._lock = threading.Lock()
        self._known.clear()
        if self._process is not None:
            self._process.returncode = 0  # Not ours to wait for.
        self._let_go()

    def _tell(self, verb: str, group: int, mark: str) -> None:
        if self._process is None:
            return
        try:
            os.write(self._pipe, f"{verb} {group}:{mark}\n".encode())
        except BlockingIOError:
            # Stopped from outside, and thousands of lines wait: the exit hook is left.
            return
        except OSError:
            _bury(self._process)
            self._let_go()
            self._start()

    def _start(self) -> None:
        if not os.path.exists(SHELL):
            return
        theirs, ours = os.pipe()
        try:
            self._process = subprocess.Popen(
                [SHELL, "-c", _SCRIPT, "mcp-workbench-guardian"],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.defpath},
                start_new_session=True,
            )
        except OSError:
            os.close(ours)
            return
        finally:
            os.close(theirs)
        os.set_blocking(ours, False)
        self._pipe = ours
        for group, mark in self._known.items():
            self._tell("add", group, mark)

    def _let_go(self) -> None:
        self._process = None
        if self._pipe >= 0:
            os.close(self._pipe)
        self._pipe = -1


def _bury(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.returncode = 0  # Stopped from outside: not waited for any longer.


GUARDIAN: Final = Guardian()
"""The one of this interpreter."""
