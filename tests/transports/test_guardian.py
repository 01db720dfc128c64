"""However the interpreter ends, nothing it started lives on."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from workbench.transports.guardian import Guardian

OPEN = """
import asyncio, json, os, signal, sys
from workbench.transports.groups import live_groups
from workbench.transports.guardian import GUARDIAN
from workbench.transports.ladder import Graces
from workbench.transports.stdio import StdioTransport

class Quiet:
    def __init__(self): self.frames, self.news = [], asyncio.Event()
    def frame_received(self, frame): self.frames.append(frame); self.news.set()
    def frame_dropped(self, size, head, cap): pass
    def life_seen(self): pass
    def transport_closed(self, ending): self.frames.append(None); self.news.set()
    async def next(self):
        while not self.frames: self.news.clear(); await self.news.wait()
        return self.frames.pop(0)

STUBBORN = '''
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin: print(line, end="", flush=True)
time.sleep(60)
'''

async def opened():
    command = [sys.executable, "-I", "-S", "-c", STUBBORN]
    peer = Quiet()
    link = StdioTransport(command, dict(os.environ), graces=Graces(0.1, 0.1))
    await link.open(peer)
    link.send(b"ready")
    assert await peer.next() == b"ready"
    print(json.dumps([link.pid, GUARDIAN.pid]), flush=True)
    return peer, link
"""
WAIT = "sys.stdin.readline()"


def start(ending: str) -> subprocess.Popen[bytes]:
    code = f"{OPEN}\nasync def main():\n    peer, link = await opened()\n"
    code += "".join(f"    {line}\n" for line in ending.splitlines()) + "asyncio.run(main())\n"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )


def said(interpreter: subprocess.Popen[bytes]) -> str:
    """Return the next line it printed; the pipe is not buffered, so waiting on it is true."""
    assert interpreter.stdout is not None
    assert select.select([interpreter.stdout], [], [], 5.0)[0], "it said nothing"
    return interpreter.stdout.readline().decode().rstrip()


def running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (f"{WAIT}", 0),
        (f"{WAIT}\nraise ValueError('a bug of the caller')", 1),
        (f"{WAIT}\nsys.exit(4)", 4),
        (f"{WAIT}\nos._exit(5)", 5),
        (f"{WAIT}\nos.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
    ids=["normal", "raises", "sys.exit", "os._exit", "SIGKILL"],
)
def test_stubborn_server_does_not_outlive_the_interpreter(
    alive, eventually, ending: str, status: int
) -> None:
    """Case J07: restart, shutdown and SIGKILL of a kernel leave no survivors."""
    with start(ending) as interpreter:
        group, guardian = json.loads(said(interpreter))
        assert alive(group) == [group]
        assert running(guardian)
        interpreter.communicate(b"go\n", timeout=5)
        assert interpreter.returncode == status
    eventually(lambda: not alive(group))
    eventually(lambda: not running(guardian))


def test_forked_child_keeps_nobody_alive_and_ends_nobody(alive, eventually) -> None:
    """Case J07: a worker process made by `fork` must not confuse the guardian."""
    ending = """
done, tell = os.pipe()
if os.fork() == 0:
    assert live_groups() == frozenset() and GUARDIAN.pid is None
    import atexit
    atexit._run_exitfuncs()
    os.write(tell, b"x")
    import time
    time.sleep(60)
os.read(done, 1)
link.send(b"still there")
assert await peer.next() == b"still there"
print("alive", flush=True)
sys.stdin.readline()
"""
    interpreter = start(ending)
    assert interpreter.stdout is not None and interpreter.stdin is not None
    group, guardian = json.loads(said(interpreter))
    try:
        assert said(interpreter) == "alive"
        assert len(alive(interpreter.pid)) == 2
        interpreter.kill()
        interpreter.wait(5)
        eventually(lambda: not alive(group))
        eventually(lambda: not running(guardian))
        assert len(alive(interpreter.pid)) == 1
    finally:
        os.killpg(interpreter.pid, signal.SIGKILL)
        interpreter.stdin.close()
        interpreter.stdout.close()


def test_interrupt_of_our_group_reaches_neither_peer_nor_guardian() -> None:
    """Case J06: interrupting a cell cancels the call, not the servers."""
    ending = """
hits = []
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *seen: hits.append(seen))
    os.killpg(0, number)
    os.kill(GUARDIAN.pid, number)
link.send(b"still there")
print(len(hits), (await peer.next()).decode(), flush=True)
import subprocess
try:
    GUARDIAN._process.wait(0.2)
except subprocess.TimeoutExpired:
    print("guardian alive", flush=True)
await link.close()
"""
    with start(ending) as interpreter:
        said(interpreter)
        assert said(interpreter) == "2 still there"
        assert said(interpreter) == "guardian alive"
        interpreter.communicate(timeout=10)
        assert interpreter.returncode == 0


def test_guardian_ends_what_it_watches_and_nobody_it_forgot(alive, eventually) -> None:
    """Ours: ids are dropped once a group is gone, since the system may give them away."""
    sleepers = [subprocess.Popen(["sleep", "60"], start_new_session=True) for _ in range(3)]
    guardian = Guardian()
    guardian.start()
    for sleeper in sleepers:
        guardian.watch(sleeper.pid)
        guardian.watch(sleeper.pid)
    guardian.forget(sleepers[1].pid)
    guardian.stop()
    assert guardian.pid is None
    try:
        assert sleepers[0].wait(5) == sleepers[2].wait(5) == -signal.SIGTERM
        assert sleepers[1].poll() is None
    finally:
        sleepers[1].kill()
        sleepers[1].wait(5)


def test_stranger_with_the_same_id_is_left_alone(eventually) -> None:
    """Ours: ids come round; the mark tells the process we started from a later one."""
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    ours = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        guardian = Guardian()
        guardian.start()
        guardian.watch(stranger.pid, "1")
        stat = Path(f"/proc/{ours.pid}/stat").read_text(encoding="ascii")
        guardian.watch(ours.pid, stat.split()[21])
        guardian.stop()
        assert ours.wait(5) == -signal.SIGTERM
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait(5)
        ours.kill()
        ours.wait(5)


def test_server_gets_a_moment_to_finish_when_the_interpreter_was_killed(tmp_path) -> None:
    """Ours: SIGTERM first, so that a database is not left half-written."""
    script = 'trap "echo saved >saved; exit 7" TERM; echo ready; while :; do sleep 0.05; done'
    server = subprocess.Popen(
        ["sh", "-c", script],
        start_new_session=True,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    said(server)
    guardian = Guardian()
    guardian.start()
    guardian.watch(server.pid)
    guardian.stop()
    server.communicate(timeout=5)
    assert server.returncode == 7
    assert (tmp_path / "saved").read_text(encoding="utf-8") == "saved\n"


def test_exit_hook_is_enough_without_the_guardian(alive, eventually) -> None:
    """Case J07: where there is no shell, a normal exit still leaves nobody."""
    ending = f"os.kill(GUARDIAN.pid, signal.SIGKILL)\n{WAIT}"
    with start(ending) as interpreter:
        group, _ = json.loads(said(interpreter))
        interpreter.communicate(b"go\n", timeout=5)
    eventually(lambda: not alive(group))


def test_guardian_that_was_killed_is_replaced_and_knows_everybody() -> None:
    """Ours: the last resort must not depend on nobody ever killing a shell."""
    sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True)
    guardian = Guardian()
    guardian.start()
    guardian.watch(sleeper.pid)
    first = guardian.pid
    os.kill(first, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(first)], timeout=5)
    guardian.forget(1)
    assert guardian.pid not in (None, first)
    guardian.stop()
    assert sleeper.wait(5) == -signal.SIGTERM
