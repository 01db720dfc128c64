"""The keeper by itself: it outlives neither its program nor its caller."""

import subprocess
import sys
from pathlib import Path

from survivors import survivors

from workbench.comparison.keeper import ENDED
from workbench.comparison.running import KEEPER

PAUSE = "import signal; print('on', flush=True); signal.pause()"


def test_a_caller_that_goes_ends_the_program(tmp_path: Path) -> None:
    """Ours: when the workbench is killed, the end of a pipe is the only sign."""
    mark = str(tmp_path / "mark")
    command = [*KEEPER, "300", sys.executable, "-c", PAUSE, mark]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as keeper:
        assert keeper.stdin is not None and keeper.stdout is not None
        assert keeper.stdout.readline() == b"on\n"
        keeper.stdin.close()
        assert keeper.wait(60) == ENDED
    assert survivors(mark) == []


def test_the_limit_has_a_status_of_its_own() -> None:
    """Ours: a hang is told from a program that ended."""
    quick = [*KEEPER, "0.2", sys.executable, "-c", PAUSE]
    assert subprocess.run(quick, stdin=subprocess.PIPE, timeout=60).returncode == ENDED
