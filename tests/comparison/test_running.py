"""Programs beneath a keeper: bounded, and gone with everything that they started."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from survivors import survivors

from workbench.comparison.running import Runner

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
BREEDER = (
    "import subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c', {child!r}, {mark!r}],\n"
    "                         start_new_session=True)\n"
    "print('started', flush=True)\n{then}\n"
)


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[str]:
    """Give a mark for command lines; nobody may hold it afterwards."""
    mark = str(tmp_path / "mark")
    yield mark
    assert survivors(mark) == []


def breeder(mark: str, then: str) -> list[str]:
    return [sys.executable, "-c", BREEDER.format(child=STUBBORN, mark=mark, then=then), mark]


def test_a_program_ends_by_itself_and_is_heard(tmp_path: Path) -> None:
    """Ours: status and words are what a judge needs."""
    ended = Runner().run([sys.executable, "-c", "print('hi'); raise SystemExit(7)"], tmp_path, 30)
    assert (ended.status, ended.said) == (7, b"hi\n")


def test_what_hangs_is_ended_with_a_grandchild_in_a_session_of_its_own(
    tmp_path: Path, marked: str
) -> None:
    """Ours: a signal to the group would miss it; it ignores SIGTERM besides."""
    ended = Runner().run(breeder(marked, "import signal; signal.pause()"), tmp_path, 1.5)
    assert (ended.status, ended.said) == (None, b"started\n")


def test_what_a_program_leaves_behind_ends_with_it(tmp_path: Path, marked: str) -> None:
    """Ours: a client that crashes closes none of its servers."""
    ended = Runner().run(breeder(marked, "import os; os._exit(3)"), tmp_path, 30)
    assert ended.status == 3


def test_a_program_killed_by_a_signal_is_no_hang(tmp_path: Path) -> None:
    """Ours: only the limit makes a hang."""
    ended = Runner().run([sys.executable, "-c", "import os; os.abort()"], tmp_path, 30)
    assert ended.status is not None and ended.status > 128


def test_closing_ends_what_runs_and_what_comes_later(tmp_path: Path, marked: str) -> None:
    """Ours: an interrupt leaves nothing behind, long before the limit."""
    runner = Runner()
    started = threading.Event()
    ended = []

    def run() -> None:
        with runner.serving(breeder(marked, "import signal; signal.pause()"), tmp_path, 300) as it:
            ended.append(it)
            started.set()
            closed.wait(60)

    closed = threading.Event()
    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(60)
    runner.close()
    closed.set()
    thread.join(60)
    assert (ended, thread.is_alive()) == (["started"], False)
    assert survivors(marked) == []
    late = runner.run([sys.executable, "-c", STUBBORN, marked], tmp_path, 300)
    assert late.status is None


def test_a_failure_in_one_run_ends_the_others(tmp_path: Path, marked: str) -> None:
    """Ours: the caller gets the error and no process; a run of five minutes is not waited for."""
    runner = Runner(workers=2)

    def do(number: int) -> None:
        if number:
            raise LookupError("no such thing")
        runner.run([sys.executable, "-c", STUBBORN, marked], tmp_path, 300)

    with pytest.raises(LookupError):
        # The failing item comes first out of the pool's order, the other is still running.
        runner.each(lambda number: do(1 - number), [0, 1])


def test_results_keep_the_order_of_their_items() -> None:
    """Ours: rows must not depend on who is quicker."""
    assert Runner(workers=3).each(lambda n: n * n, range(9)) == [n * n for n in range(9)]


def test_a_server_says_where_it_is_and_ends_with_the_block(tmp_path: Path, marked: str) -> None:
    """Ours: fakes over HTTP."""
    command = [sys.executable, "-c", f"print('url', flush=True); {STUBBORN}", marked]
    with Runner().serving(command, tmp_path, 60) as line:
        assert line == "url"
    with Runner().serving([sys.executable, "-c", "pass"], tmp_path, 60) as line:
        assert line == ""
