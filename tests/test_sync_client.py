"""The synchronous client: scripts, threads, running loops, interrupts, exits."""

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from loops import left_over, loops
from survivors import survivors

from fakes import Fake, modern, on, silence
from workbench import MultiServerClient
from workbench.core.errors import MisuseError, UnknownName


def clients_threads() -> set[threading.Thread]:
    """Return the thread of every client that is open here, whoever opened it."""
    return {thread for thread in threading.enumerate() if thread.name == "mcp-workbench"}


def test_the_lesson_runs_as_it_is_written() -> None:
    """Seed card "Client tasks in code"."""
    client = MultiServerClient()
    client.add_server("notes", modern("notes", tools=["search"]))
    client.add_server("files", modern("files", tools=["search"]))
    client.connect_all()
    client.discover_tools()
    client.merge()
    assert client.call("notes/search", {}).text == "search: {}"
    client.close()


def test_it_works_inside_a_running_loop_and_from_another_thread() -> None:
    """Field cases J03, J19: a notebook cell has a running loop of its own."""
    with MultiServerClient() as client:
        client.add_server("notes", modern("notes", tools=["search"]))

        async def cell() -> str:
            return client.call("search").text

        assert asyncio.run(cell()) == asyncio.run(cell()) == "search: {}"
        texts: list[str] = []
        worker = threading.Thread(target=lambda: texts.append(client.call("search").text))
        worker.start()
        worker.join(5)
        assert texts == ["search: {}"]


def test_use_inside_its_own_loop_is_refused_not_hung() -> None:
    """Field case J03: a synchronous call inside an asynchronous callback must raise."""
    with MultiServerClient() as client:
        client.add_server("notes", modern("notes", tools=["search"]))
        client.connect_all()
        caught: list[BaseException] = []

        async def callback() -> None:
            try:
                client.call("search")
            except MisuseError as problem:
                caught.append(problem)

        client._loop.run(callback())
        assert len(caught) == 1


def test_errors_pass_through_unchanged() -> None:
    """Ours: the same tree of exceptions as the asynchronous client."""
    with MultiServerClient() as client:
        client.add_server("notes", modern("notes", tools=["search"]))
        with pytest.raises(UnknownName):
            client.call("nothing")


def test_closing_ends_the_thread_and_the_peers() -> None:
    """Ours: leave nothing behind."""
    before = clients_threads()
    client = MultiServerClient()
    client.add_server("notes", modern("notes"))
    client.connect_all()
    assert len(clients_threads() - before) == 1
    client.close()
    client.close()
    assert clients_threads() - before == set()


def test_a_forgotten_client_is_closed_with_its_last_reference() -> None:
    """Ours: a cell that is run again replaces its client."""
    before = clients_threads()
    client = MultiServerClient()
    client.add_server("notes", modern("notes"))
    client.connect_all()
    del client
    gc.collect()
    assert clients_threads() - before == set()


@pytest.mark.parametrize("how", ["closed", "forgotten"])
def test_a_client_that_is_used_after_it_was_closed_leaves_nothing_behind_either(how: str) -> None:
    """Ours: a panel lists a closed client anew; the thread it starts has to end as well."""
    before = clients_threads()
    client = MultiServerClient()
    client.add_server("notes", modern("notes"))
    client.connect_all()
    client.close()
    assert client.connect_all().all_ready
    assert len(clients_threads() - before) == 1
    if how == "closed":
        client.close()
    del client
    gc.collect()
    assert clients_threads() - before == set()


def test_what_watches_over_every_test_sees_a_client_that_is_open() -> None:
    """Ours: `every_loop_ends` in tests/conftest.py can fail."""
    before = loops()
    with MultiServerClient() as client:
        client.add_server("notes", modern("notes"))
        client.connect_all()
        assert left_over(before) == ["mcp-workbench"]
    assert left_over(before) == []


def test_a_client_that_was_never_used_starts_no_thread() -> None:
    """Ours: building is free."""
    before = clients_threads()
    client = MultiServerClient()
    client.add_server("notes", modern("notes"))
    assert clients_threads() - before == set()
    client.close()


SCRIPT = """
import sys
from workbench import MultiServerClient
command = {command!r}
client = MultiServerClient()
client.add_server("peer", command)
client.connect_all()
print("ready", flush=True)
{then}
"""


def program(fake: Fake, record: Path, then: str) -> "tuple[subprocess.Popen[str], object]":
    running = fake.over_stdio(record=record)
    command = running.__enter__()
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(command=command, then=then)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process, running


@pytest.mark.parametrize("then", ["", "raise SystemExit(3)", "raise ValueError('x')"])
def test_every_peer_is_closed_at_interpreter_exit(tmp_path: Path, then: str) -> None:
    """Field case J07: a script that never calls close."""
    record = tmp_path / "received.jsonl"
    process, running = program(modern("peer"), record, then)
    process.communicate(timeout=20)
    assert survivors(str(record)) == []
    running.__exit__(None, None, None)  # type: ignore[attr-defined]


def test_at_interpreter_exit_a_peer_is_asked_before_it_is_killed(tmp_path: Path) -> None:
    """Spec: basic/transports/stdio, shutdown: the end of input comes first."""
    goodbye = tmp_path / "goodbye"
    code = (
        "import sys, json\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    answer = {'jsonrpc': '2.0', 'id': asked.get('id'), 'result': {\n"
        "        'resultType': 'complete', 'supportedVersions': ['2026-07-28'],\n"
        "        'capabilities': {}}}\n"
        "    print(json.dumps(answer), flush=True)\n"
        f"open({str(goodbye)!r}, 'w').close()\n"
    )
    script = SCRIPT.format(command=[sys.executable, "-c", code], then="")
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30, capture_output=True)
    assert goodbye.exists()


def test_an_interrupt_cancels_the_call_and_leaves_the_peer_alive(tmp_path: Path) -> None:
    """Field cases J06, J08, R05: the Stop button, or Ctrl-C to the whole group."""
    record = tmp_path / "received.jsonl"
    then = """
try:
    client.call("slow")
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(client.call("search").text, flush=True)
"""
    slow = modern("peer", tools=["slow", "search"]).script(
        on("tools/call").where(name="slow").then(silence())
    )
    process, running = program(slow, record, then)
    _wait_for_line(record, '"slow"')
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert out == "interrupted\nsearch: {}\n", err
    bodies = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    (called,) = [b for b in bodies if b.get("params", {}).get("name") == "slow"]
    (cancelled,) = [b for b in bodies if b["method"] == "notifications/cancelled"]
    assert cancelled["params"]["requestId"] == called["id"]
    assert survivors(str(record)) == []
    running.__exit__(None, None, None)  # type: ignore[attr-defined]


def _wait_for_line(path: Path, part: str) -> None:
    """Wait, bounded, until the fake has recorded a line with `part`."""
    paused = threading.Event()
    for _ in range(500):
        if path.exists() and part in path.read_text(encoding="utf-8"):
            return
        paused.wait(0.01)
    raise AssertionError(f"{path} never held {part}")
