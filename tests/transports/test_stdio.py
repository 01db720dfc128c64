"""A real child process: what it writes, how it starts and how it ends by itself."""

import asyncio
import os
import sys
import threading
import tracemalloc
from pathlib import Path

import psutil
import pytest

from workbench.core.errors import MisuseError, PipeClosed
from workbench.transports.groups import live_groups
from workbench.transports.launch import child_environment
from workbench.transports.stdio import StdioEndpoint, StdioTransport

ENV = child_environment(os.environ, [], {})
LIMIT_S = 5.0
ECHO = """
import sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""


def python(code: str, **options) -> StdioEndpoint:
    return StdioEndpoint([sys.executable, "-I", "-S", "-c", code], env=ENV, **options)


def shell(script: str, **options) -> StdioEndpoint:
    return StdioEndpoint(["sh", "-c", script], env=ENV, **options)


def test_one_call_goes_there_and_back(heard) -> None:
    """Spec: one message a line, both ways; closing the input is enough to end a good server."""

    async def run() -> None:
        link = python(ECHO).new_transport(None)
        await link.open(heard)
        assert link.pid in live_groups()
        link.send(b'{"a":1}')
        link.send(b'{"b":2}')
        await heard.until(lambda: len(heard.frames) == 2)
        ending = await link.close()
        assert (ending.reason, ending.exit_status, ending.by_us) == ("closed by us", 0, True)
        assert await link.close() is ending
        assert link.pid not in live_groups()

    asyncio.run(run())
    assert heard.frames == [b'{"a":1}', b'{"b":2}']
    assert heard.order == ["life", "frame", "frame", "closed"]


def test_frames_of_one_turn_leave_in_one_write(heard) -> None:
    """Ours: fifty concurrent calls cost the pipe one write; the peer reads them in one go."""
    code = "import os, sys; sys.stdout.write(repr(os.read(0, 65536)))"

    async def run() -> None:
        link = python(code).new_transport(None)
        await link.open(heard)
        for number in range(50):
            link.send(b"%d" % number)
        await heard.ending()
        await link.close()

    asyncio.run(run())
    assert heard.frames == [repr(b"".join(b"%d\n" % n for n in range(50))).encode()]


@pytest.mark.parametrize("size", [200_000, 5_000_000])
def test_long_lines_pass_both_ways(heard, size: int) -> None:
    """Case S03: far above what a line reader takes by default."""

    async def run() -> None:
        link = python(ECHO).new_transport(None)
        await link.open(heard)
        link.send(b"x" * size)
        await heard.until(lambda: bool(heard.frames))
        await link.close()

    asyncio.run(run())
    assert [len(frame) for frame in heard.frames] == [size]


def test_endless_line_costs_no_memory_and_the_next_one_is_read(heard) -> None:
    """Case S04: 64 MiB without a newline, then a valid response."""
    code = """
import sys
for _ in range(1024): sys.stdout.buffer.write(b"x" * 65536)
sys.stdout.buffer.write(b"\\nok\\n")
"""

    async def run() -> int:
        link = python(code, frame_cap=1_000_000).new_transport(None)
        tracemalloc.start()
        try:
            await link.open(heard)
            await heard.ending()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            await link.close()

    assert asyncio.run(run()) < 8_000_000
    assert heard.dropped == [(64 * 1024 * 1024, b"x" * 200, 1_000_000)]
    assert heard.frames == [b"ok"]


def test_line_ends_of_any_kind_and_none_at_the_end(heard) -> None:
    """Case S06, S08: CRLF, blank lines, U+2028 inside, the last response without a newline."""
    code = r"""
import sys
sys.stdout.buffer.write(b"a\r\n\n\r\nb" + "\u2028\u2029\x85".encode() + b"\r\nlast")
"""

    async def run() -> None:
        link = python(code).new_transport(None)
        await link.open(heard)
        await heard.ending()
        await link.close()

    asyncio.run(run())
    assert heard.frames == [b"a", b"", b"", b"b" + "\u2028\u2029\x85".encode(), b"last"]
    assert heard.order[-1] == "closed"


def test_noisy_stderr_never_blocks_the_peer(heard) -> None:
    """Case S11, P22: 1 MiB to stderr before each response, half of it without newlines."""
    code = """
import sys
for line in sys.stdin.buffer:
    sys.stderr.buffer.write(b"." * 524288 + b"log line\\n" * 58254)
    sys.stderr.buffer.flush()
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""

    async def run() -> str:
        link = python(code).new_transport(None)
        await link.open(heard)
        for number in range(3):
            link.send(b"%d" % number)
            await heard.until(lambda number=number: len(heard.frames) == number + 1)
        return (await link.close()).stderr_tail

    tail = asyncio.run(run())
    assert heard.frames == [b"0", b"1", b"2"]
    assert set(tail.splitlines()) == {"log line"}
    assert heard.order.count("life") == 1


def test_first_byte_on_stderr_is_a_sign_of_life(heard) -> None:
    """Design 5: a slow start is over at the first byte on any stream."""

    async def run() -> None:
        link = shell("echo downloading >&2; read -r line").new_transport(None)
        await link.open(heard)
        await heard.until(lambda: heard.order == ["life"])
        await link.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("script", "reason", "status", "name"),
    [
        ("echo 'no API key' >&2; exit 2", "exited with status 2", 2, None),
        ("echo 'no API key' >&2; kill -KILL $$", "was killed by SIGKILL", None, "SIGKILL"),
        ("echo 'no API key' >&2; kill -ABRT $$", "was killed by SIGABRT", None, "SIGABRT"),
    ],
)
def test_end_of_the_process_says_how_and_what_it_said_last(
    heard, script: str, reason: str, status: int | None, name: str | None
) -> None:
    """Case S12, S13, P12: the reason is on stderr, the status in the ending."""

    async def run() -> None:
        link = shell(script).new_transport(None)
        await link.open(heard)
        ending = await heard.ending()
        assert (ending.reason, ending.exit_status, ending.signal) == (reason, status, name)
        assert (ending.stderr_tail, ending.by_us) == ("no API key", False)
        with pytest.raises(PipeClosed) as caught:
            link.send(b"too late")
        assert reason in caught.value.failure.detail
        assert await link.close() == ending

    asyncio.run(run())
    assert heard.order == ["life", "closed"]


def test_death_in_the_middle_of_a_call_is_told_at_once(heard) -> None:
    """Case S13: `os._exit(9)` inside a tool, half an answer written."""
    code = "import os; os.read(0, 100); os.write(1, b'{\"half'); os._exit(9)"

    async def run() -> None:
        link = python(code).new_transport(None)
        await link.open(heard)
        link.send(b"call")
        assert (await heard.ending()).exit_status == 9
        await link.close()

    asyncio.run(run())
    assert heard.frames == [b'{"half']


def test_closed_output_is_an_end_although_the_process_lives(heard, alive) -> None:
    """Ours: a peer that can never answer again is gone, and does not stay behind."""

    async def run() -> int | None:
        link = shell("exec >&-; sleep 60", term_grace_s=0.2, eof_grace_s=0.1).new_transport(None)
        await link.open(heard)
        assert (await heard.ending()).reason == "closed its output"
        await link.close()
        return link.pid

    assert alive(asyncio.run(run())) == []


def test_peer_that_closes_its_input_may_still_answer(heard, tmp_path: Path) -> None:
    """Ours: nothing more can be sent, but what is under way arrives."""
    script = "read -r x; exec <&-; echo closed; until test -e go; do sleep 0.01; done; echo done"

    async def run() -> None:
        link = shell(script, cwd=str(tmp_path)).new_transport(None)
        await link.open(heard)
        link.send(b"ask")
        await heard.until(lambda: bool(heard.frames))
        while True:
            try:
                link.send(b"more")
            except PipeClosed as closed:
                assert "closed its input" in closed.failure.detail
                break
            await asyncio.wait([asyncio.ensure_future(_turn())])
        (tmp_path / "go").touch()
        await heard.ending()
        await link.close()

    asyncio.run(run())
    assert heard.frames == [b"closed", b"done"]


async def _turn() -> None:
    """Let the loop turn once."""


def test_peer_that_does_not_read_is_refused_more_and_closed_all_the_same(heard) -> None:
    """Ours: 64 MiB may wait, then the caller hears it."""

    async def run() -> None:
        link = shell("exec sleep 60", eof_grace_s=0.1, term_grace_s=1.0).new_transport(None)
        await link.open(heard)
        with pytest.raises(PipeClosed, match="does not read its input"):
            for _ in range(80):
                link.send(b"x" * 1_000_000)
        assert (await link.close()).signal == "SIGTERM"

    asyncio.run(run())
    assert heard.order == ["closed"]


def test_transport_is_opened_once_and_used_only_while_open(heard) -> None:
    """Ours: misuse is told apart from what a peer does."""

    async def run() -> None:
        link = python(ECHO).new_transport(None)
        with pytest.raises(PipeClosed):
            link.send(b"before")
        await link.open(heard)
        with pytest.raises(MisuseError):
            await link.open(heard)
        await link.close()
        with pytest.raises(PipeClosed):
            link.send(b"after")

    with pytest.raises(MisuseError):
        StdioEndpoint([], env=ENV)
    asyncio.run(run())


def test_loop_in_a_background_thread_is_enough(heard) -> None:
    """Case J03: the sync client's loop does not run in the main thread."""

    async def run() -> None:
        link = StdioTransport(["cat"], ENV)
        await link.open(heard)
        link.send(b"hello")
        await heard.until(lambda: bool(heard.frames))
        await link.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    thread.join(LIMIT_S)
    assert heard.frames == [b"hello"]


def test_hundred_rounds_leave_no_files_threads_or_processes(heard, eventually) -> None:
    """Design 7.9: everything is bounded, also over a long session."""
    me = psutil.Process()

    async def rounds(count: int) -> tuple[int, int]:
        for _ in range(count):
            link = StdioTransport(["cat"], ENV)
            await link.open(heard)
            await link.close()
        return me.num_fds(), len(me.children(recursive=True))

    async def run() -> None:
        before = await rounds(1)
        assert await rounds(100) == before

    threads = me.num_threads()
    asyncio.run(run())
    eventually(lambda: me.num_threads() <= threads)
