"""The client in a real notebook kernel: queued cells, the stop button, the end of the kernel."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import nbformat
import psutil
import pytest
from kernels import Kernel, eventually, kernel

from fakes import exit_, modern, on, silence, stderr

ROOT: Final = Path(__file__).resolve().parents[2]

OPEN: Final = """
from workbench.notebook import MultiServerClient
client = MultiServerClient()
client.add_server("tool", {command})
print(client.connect_all().peers[0].status)
client.discover_tools()
"""
QUICK_START: Final = (
    OPEN.format(command=[sys.executable, "-m", "fakes", "modern", "--tools", "echo", "--stdio"]),
    "print(client.merge().names)",
    'print(client.call("echo", {"q": "tea"}).text)',
    "client.close()",
)
DONE: Final = ["ready\n", "('echo',)\n", 'echo: {"q":"tea"}\n', ""]


@pytest.fixture
def cells(tmp_path: Path) -> Iterator[Kernel]:
    """One kernel of its own."""
    with kernel(tmp_path) as running:
        yield running


def source(name: str) -> list[str]:
    """Return the code of every code cell of a lesson."""
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def started_by(pid: int) -> list[psutil.Process]:
    """Return everything the kernel has started, and what that has started."""
    return psutil.Process(pid).children(recursive=True)


def servers(found: list[psutil.Process]) -> list[psutil.Process]:
    """Return those of the processes that run a fake."""
    return [process for process in found if "fakes" in process.cmdline()]


def alive(found: list[psutil.Process]) -> list[psutil.Process]:
    """Return those that still run; a dead child nobody has buried does not."""
    return [p for p in found if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def gone(found: list[psutil.Process]) -> bool:
    """Tell whether nothing of it runs any more."""
    try:
        return not alive(found)
    except psutil.NoSuchProcess:
        return False  # it ended while we looked: look again


def test_run_all_finishes_the_first_lesson(cells: Kernel) -> None:
    """Seed: a lesson is run from top to bottom; all cells queued at once, as Run All does."""
    ran = cells.run_all(source("00_start_here.ipynb"), seconds=60)
    assert [cell.error for cell in ran] == [""] * len(ran)
    assert all(cell.finished for cell in ran)


def test_nothing_is_patched_unless_somebody_asks(cells: Kernel) -> None:
    """Case J04: our own import, client and calls leave the kernel's loop alone."""
    for code in QUICK_START:
        assert cells.run(code).error == ""
    patched = cells.run("import asyncio, sys\nprint(hasattr(asyncio, '_nest_patched'))\n"
                        "print('nest_asyncio' in sys.modules, asyncio.run.__module__)")  # fmt: skip
    assert patched.printed == "False\nFalse asyncio.runners\n"
    refused = cells.run("async def one(): return 1\nwork = one()\nasyncio.run(work)")
    assert refused.error.startswith("RuntimeError: asyncio.run() cannot be called")


def test_nested_loops_work_with_all_cells_queued(cells: Kernel) -> None:
    """Case J03, J04: asyncio.run in cells, queued as Run All does, loses no cell."""
    nested = "import asyncio\nprint(asyncio.run(asyncio.wait_for(one(), 5)))"
    program = [
        "from workbench.notebook import allow_nested_loops\nallow_nested_loops()",
        "import asyncio\nasync def one():\n    await asyncio.to_thread(int)\n    return 1",
        nested,
        *QUICK_START,
        nested,
        "print(await one())",
        "allow_nested_loops()",
    ]
    ran = cells.run_all(program)
    assert [cell.error for cell in ran] == [""] * len(program)
    assert all(cell.finished for cell in ran)
    said = [cell.printed for cell in ran]
    assert said[0].startswith("nest-asyncio2 1.") and "ipykernel 7" in said[0]
    assert said[2] == said[-3] == said[-2] == "1\n"
    assert said[3:7] == DONE
    assert said[-1].startswith("Nothing to do: nest_asyncio2 has patched")


def test_a_kernel_patched_by_the_unsafe_package_is_not_patched_further(cells: Kernel) -> None:
    """Case J04: the order of the two packages matters, so the second one is refused."""
    assert cells.run("import nest_asyncio; nest_asyncio.apply()").error == ""
    asked = cells.run("from workbench.notebook import allow_nested_loops\nallow_nested_loops()")
    assert asked.error.startswith("MisuseError: nest_asyncio has patched this kernel")
    assert "Restart the kernel" in asked.error
    assert "\n" not in asked.error


def test_the_quick_start_works_in_a_kernel_patched_by_somebody_else(cells: Kernel) -> None:
    """Case J04: nest_asyncio in the first cell, then our client, a cell at a time."""
    assert cells.run("import nest_asyncio; nest_asyncio.apply()").error == ""
    ran = [cells.run(code) for code in QUICK_START]
    assert [cell.error for cell in ran] == [""] * len(ran)
    assert [cell.printed for cell in ran] == DONE


@pytest.mark.parametrize("stream", ["None", "Odd()"])
def test_a_process_starts_when_stderr_is_no_file(cells: Kernel, stream: str) -> None:
    """Case J01: a child's stderr is a pipe of ours, so nobody asks for fileno()."""
    odd = (
        "import io, sys\n"
        "class Odd:\n"
        "    def write(self, text): return len(text)\n"
        "    def flush(self): pass\n"
        "    def fileno(self): raise io.UnsupportedOperation('fileno')\n"
        f"kept, sys.stderr = sys.stderr, {stream}\n"
    )
    # In one cell, and put back at its end: IPython itself needs the stream between cells.
    ran = cells.run(odd + "\n".join(QUICK_START) + "\nsys.stderr = kept")
    assert (ran.error, ran.printed) == ("", "".join(DONE))


def test_the_end_of_a_servers_stderr_is_in_the_cells_error(cells: Kernel) -> None:
    """Case J02: a traceback at start is what explains the failure, so the cell shows it."""
    crash = [sys.executable, "-c", "raise RuntimeError('the key is missing')"]
    ran = cells.run(OPEN.format(command=crash))
    assert ran.printed == "unavailable\n"
    shown = cells.run("client.report()").shown[0]
    for text in (shown["text/plain"], shown["text/html"]):
        assert "RuntimeError: the key is missing" in text
        assert "status 1" in text


def test_what_a_server_said_before_it_died_is_in_the_calls_error(cells: Kernel) -> None:
    """Case J02: the same for a server that dies in a call."""
    frail = modern("frail", tools=["echo"])
    frail = frail.script(on("tools/call").then(stderr("KeyError: 'city'"), exit_(3)))
    with frail.over_stdio() as command:
        assert cells.run(OPEN.format(command=command)).printed == "ready\n"
        called = cells.run('client.call("echo")')
    assert called.error.startswith("OutcomeUnknown: ")
    assert "KeyError: 'city'" in called.error
    assert "status 3" in called.error


def test_stop_cancels_the_call_and_keeps_the_servers(cells: Kernel, tmp_path: Path) -> None:
    """Case J06, J08: the peer is told, it stays alive, and the next call works."""
    seen = tmp_path / "seen.jsonl"
    quiet = modern("quiet", tools=["wait", "echo"]).script(on("tools/call").nth(1).then(silence()))
    with quiet.over_stdio(record=seen) as command:
        assert cells.run(OPEN.format(command=command)).printed == "ready\n"
        before = servers(started_by(cells.pid))
        assert len(before) == 1
        waiting = cells.begin('client.call("wait")')
        assert eventually(lambda: "tools/call" in methods(seen))
        cells.interrupt()
        cells.wait(waiting, 5)
        assert waiting.error.startswith("KeyboardInterrupt")
        assert eventually(lambda: "notifications/cancelled" in methods(seen))
        assert cancelled(seen) == call_id(seen)
        assert servers(started_by(cells.pid)) == before == alive(before)
        again = cells.run('print(client.call("echo", {"q": "tea"}).text)')
        assert (again.error, again.printed) == ("", 'echo: {"q":"tea"}\n')
        assert cells.run("client.close()").error == ""


@pytest.mark.parametrize("ending", ["restart", "close", "kill"])
@pytest.mark.parametrize("fake", ["modern", "C14-ignores-sigterm"])
def test_no_server_outlives_its_kernel(cells: Kernel, ending: str, fake: str) -> None:
    """Case J07: restart, shutdown and SIGKILL leave nobody behind, however stubborn."""
    command = [sys.executable, "-m", "fakes", fake, "--stdio"]
    assert cells.run(OPEN.format(command=command)).printed == "ready\n"
    ours = started_by(cells.pid)
    assert len(servers(ours)) == 1
    getattr(cells, ending)()
    assert eventually(lambda: gone(ours)), f"still there after 5 s: {alive(ours)}"


def methods(record: Path) -> list[str]:
    """Return the methods a fake has received so far."""
    return [body.get("method", "") for body in received(record)]


def cancelled(record: Path) -> Any:
    """Return the id of the request that was cancelled."""
    told = [b for b in received(record) if b.get("method") == "notifications/cancelled"]
    return told[0]["params"]["requestId"]


def call_id(record: Path) -> Any:
    """Return the id of the first call."""
    return next(body["id"] for body in received(record) if body.get("method") == "tools/call")


def received(record: Path) -> list[dict[str, Any]]:
    """Return every whole line a fake has recorded."""
    if not record.exists():
        return []
    text = record.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n")[:-1] if line]
