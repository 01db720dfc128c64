"""Closing is polite first, bounded always, and complete."""

import asyncio
import os
import sys

import psutil
import pytest

from workbench.transports.groups import live_groups
from workbench.transports.launch import child_environment
from workbench.transports.stdio import StdioEndpoint

ENV = child_environment(os.environ, [], {})
SERVER = "import sys; print('ready', flush=True); sys.stdin.read()"
DEAF = "import time; print('ready', flush=True); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {DEAF}"
PYTHON = [sys.executable, "-I", "-S", "-c"]


def endpoint(*command: str, eof: float = 0.1, term: float = 0.2) -> StdioEndpoint:
    return StdioEndpoint(command, env=ENV, eof_grace_s=eof, term_grace_s=term)


def test_server_that_ends_with_its_input_is_not_signalled(heard) -> None:
    """Case S17: exits cleanly some time after the end of its input."""
    code = f"{SERVER}; import time; time.sleep(1); print('saved', flush=True)"

    async def run() -> None:
        link = endpoint(*PYTHON, code, eof=4.0).new_transport(None)
        await link.open(heard)
        await heard.until(lambda: heard.frames == [b"ready"])
        ending = await link.close()
        assert (ending.exit_status, ending.signal) == (0, None)

    asyncio.run(run())
    assert heard.frames == [b"ready", b"saved"]
    assert heard.order[-1] == "closed"


@pytest.mark.parametrize(("code", "name"), [(DEAF, "SIGTERM"), (STUBBORN, "SIGKILL")])
def test_server_that_does_not_listen_is_asked_then_forced(heard, alive, code, name) -> None:
    """Case S17: ignores the end of its input; ignores SIGTERM as well."""

    async def run() -> int:
        link = endpoint(*PYTHON, code).new_transport(None)
        await link.open(heard)
        await heard.until(lambda: heard.frames == [b"ready"])
        ending = await link.close()
        assert (ending.reason, ending.signal, ending.by_us) == ("closed by us", name, True)
        return link.pid

    assert alive(asyncio.run(run())) == []
    assert heard.order == ["life", "frame", "closed"]


def test_answer_given_during_the_grace_is_delivered(heard) -> None:
    """Ours: late answers are recorded as strays, not lost."""
    code = f"{SERVER}; print('late', flush=True)"

    async def run() -> None:
        link = endpoint(*PYTHON, code, eof=4.0).new_transport(None)
        await link.open(heard)
        link.send(b"call")
        await link.close()

    asyncio.run(run())
    assert heard.frames == [b"ready", b"late"]


@pytest.mark.parametrize(
    "script",
    [
        'exec 3<&0; "$0" -c "$1" <&3 & wait',
        """sh -c 'exec 3<&0; "$0" -c "$1" <&3 & wait' "$0" "$1" & wait""",
        '"$0" -c "$1" & exit 0',
    ],
    ids=["wrapper", "two levels", "launcher that leaves"],
)
@pytest.mark.parametrize("code", [SERVER, STUBBORN], ids=["good", "stubborn"])
def test_nobody_behind_a_launcher_survives(heard, alive, script: str, code: str) -> None:
    """Case S16: the real server must not live on when its launcher ends."""

    async def run() -> int:
        link = endpoint("sh", "-c", script, sys.executable, code).new_transport(None)
        await link.open(heard)
        await heard.until(lambda: heard.frames == [b"ready"])
        await link.close()
        return link.pid

    group = asyncio.run(run())
    assert alive(group) == []
    assert group not in live_groups()


def test_grandchild_that_holds_the_output_does_not_delay_the_end(heard, alive) -> None:
    """Case C14: exit is noticed without the end of the output; nobody survives."""
    script = f"'{sys.executable}' -c \"$0\" & read -r line; echo last; exit 3"

    async def run() -> int:
        link = endpoint("sh", "-c", script, STUBBORN).new_transport(None)
        await link.open(heard)
        await heard.until(lambda: heard.frames == [b"ready"])
        link.send(b"go")
        ending = await heard.ending()
        assert (ending.reason, ending.exit_status) == ("exited with status 3", 3)
        assert await link.close() is ending
        return link.pid

    assert alive(asyncio.run(run())) == []
    assert heard.frames == [b"ready", b"last"]
    assert heard.order == ["life", "frame", "frame", "closed"]


def test_process_that_left_the_group_cannot_hold_the_link_open(heard) -> None:
    """Ours: a daemon with a session of its own is not ours to end, nor to wait for."""
    code = """
import os, time
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), flush=True)
    time.sleep(60)
time.sleep(60)
"""

    async def run() -> None:
        link = endpoint(*PYTHON, code).new_transport(None)
        await link.open(heard)
        await heard.until(lambda: bool(heard.frames))
        link.send(b"x" * 1_000_000)
        async with asyncio.timeout(5.0):
            await link.close()

    files = psutil.Process().num_fds()
    asyncio.run(run())
    try:
        assert heard.order == ["life", "frame", "closed"]
        assert psutil.Process().num_fds() == files
    finally:
        psutil.Process(int(heard.frames[0])).kill()


def test_server_is_given_time_after_sigterm_although_its_launcher_is_gone(heard, tmp_path) -> None:
    """Case S16: the launcher dies of SIGTERM at once, the server saves its files first."""
    code = f"""
import signal, sys, time
def save(*seen):
    time.sleep(0.5)
    open("saved", "w").close()
    sys.exit()
signal.signal(signal.SIGTERM, save)
{DEAF}
"""
    command = ["sh", "-c", '"$0" -c "$1" & wait', sys.executable, code]
    peer = StdioEndpoint(command, env=ENV, cwd=str(tmp_path), eof_grace_s=0.05, term_grace_s=4.0)

    async def run() -> None:
        link = peer.new_transport(None)
        await link.open(heard)
        await heard.until(lambda: heard.frames == [b"ready"])
        assert (await link.close()).signal == "SIGTERM"

    asyncio.run(run())
    assert (tmp_path / "saved").exists()


def test_all_who_close_share_one_run_and_one_ending(heard) -> None:
    """Seam: closing is safe to repeat, also at the same time."""

    async def run() -> None:
        link = endpoint(*PYTHON, DEAF).new_transport(None)
        await link.open(heard)
        first, second = await asyncio.gather(link.close(), link.close())
        assert first is second is await link.close()

    asyncio.run(run())
    assert heard.order[-1] == "closed"
    assert heard.order.count("closed") == 1


def test_cancelled_close_is_finished_before_the_cancellation_is_passed_on(heard, alive) -> None:
    """Ours: a loop that is being torn down leaves no process."""
    groups: list[int] = []

    async def forever() -> None:
        link = endpoint(*PYTHON, STUBBORN).new_transport(None)
        await link.open(heard)
        groups.append(link.pid)
        try:
            await asyncio.Event().wait()
        finally:
            await link.close()

    async def run() -> None:
        task = asyncio.ensure_future(forever())
        await heard.until(lambda: bool(heard.frames))
        task.cancel()
        asyncio.get_running_loop().call_later(0.05, task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert heard.order[-1] == "closed"
    assert alive(groups[0]) == []
