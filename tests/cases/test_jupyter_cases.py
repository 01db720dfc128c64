"""Field cases about notebooks: loops, the stop button, clicks, late output and frozen runs."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import nbformat
import pytest
from kernels import Kernel, eventually, kernel

from fakes import answer_default, delay, modern, notify, on, reply, silence
from workbench import AsyncMultiServerClient, PeerConfig
from workbench.core.errors import MisuseError
from workbench.notebook import MultiServerClient
from workbench.views.panels.panel import Panel
from workbench.views.panels.retry import RetryPanel

ROOT: Final = Path(__file__).resolve().parents[2]
OPEN: Final = """
from workbench.notebook import MultiServerClient
client = MultiServerClient()
client.add_server("tool", {command}, discovery_timeout_ms=30_000)
client.connect_all(); client.discover_tools(); menu = client.merge()
print("open")
"""
ASYNC: Final = """
from workbench import AsyncMultiServerClient
other = AsyncMultiServerClient()
other.add_server("tool", {command}, discovery_timeout_ms=30_000)
await other.connect_all(); listed = await other.discover_tools(); menu = other.merge()
print("open")
"""


@pytest.fixture
def cells(tmp_path: Path) -> Iterator[Kernel]:
    """One kernel of its own."""
    with kernel(tmp_path) as running:
        yield running


def received(record: Path) -> list[dict[str, Any]]:
    """Return every whole line a fake has recorded."""
    text = record.read_text(encoding="utf-8") if record.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1] if line]


def done(cells: Kernel, code: str) -> str:
    """Run a cell that must not fail; return what it printed."""
    ran = cells.run(code)
    assert ran.error == "", ran.error
    return ran.printed


def test_J03_both_styles_live_in_one_notebook_and_neither_waits_on_itself(cells: Kernel) -> None:
    """A kernel's loop runs all the time; a call inside the client's own callback must raise."""
    peer = modern("tool", tools=["echo"])
    with peer.over_stdio() as command:
        assert done(cells, OPEN.format(command=command)) == "open\n"
        assert done(cells, ASYNC.format(command=command)) == "open\n"
        assert done(cells, 'print(client.call("echo", {"q": "x"}).text)') == 'echo: {"q":"x"}\n'
        assert done(cells, 'print((await other.call("echo")).text)') == "echo: {}\n"
        inside = (
            "async def here():\n    return client.call('echo').text\n"
            "print(await here())\n"
            "seen = []\n"
            "async def there():\n"
            "    try:\n        client.call('echo')\n"
            "    except Exception as problem:\n        seen.append(type(problem).__name__)\n"
            "client._loop.run(there())\nprint(seen)"
        )
        assert done(cells, inside) == "echo: {}\n['MisuseError']\n"
        done(cells, "client.close()\nawait other.aclose()")


@pytest.mark.parametrize("style", ["facade", "await"])
def test_J08_stop_ends_the_call_whichever_way_it_is_waited_for(
    style: str, cells: Kernel, tmp_path: Path
) -> None:
    """The peer is told, and the next call works."""
    record = tmp_path / "seen.jsonl"
    peer = modern("tool", tools=["wait"]).script(on("tools/call").nth(1).then(silence()))
    start, call = (
        (OPEN, 'client.call("wait")') if style == "facade" else (ASYNC, 'await other.call("wait")')
    )
    with peer.over_stdio(record=record) as command:
        assert done(cells, start.format(command=command)) == "open\n"
        waiting = cells.begin(call)
        asked = lambda method: [b for b in received(record) if b.get("method") == method]  # noqa: E731
        assert eventually(lambda: bool(asked("tools/call")))
        cells.interrupt()
        if style == "await":
            # A kernel that sleeps on its loop looks at the interrupt with the next message.
            cells.begin("", stop_on_error=False)
        cells.wait(waiting, 15)
        assert waiting.finished
        assert waiting.error.startswith(("KeyboardInterrupt", "CancelledError"))
        assert eventually(lambda: bool(asked("notifications/cancelled")))
        (told,) = asked("notifications/cancelled")
        assert told["params"]["requestId"] == asked("tools/call")[0]["id"]
        assert done(cells, f"print(({call}).text)") == "wait: {}\n"
        done(cells, "client.close()" if style == "facade" else "await other.aclose()")


FORM: Final = {
    "method": "elicitation/create",
    "params": {
        "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
    },
}
ASKING: Final = """
import asyncio, threading
from workbench import Handlers
from workbench.notebook import MultiServerClient
from workbench.views.panels.panel import Panel
clicked = threading.Event()
panel = Panel("Sure?")
yes = panel.button("Yes", "Say yes", clicked.set)
def ask(question):
    return {{"sure": clicked.wait({patience})}}
client = MultiServerClient(handlers=Handlers(elicitation=ask))
client.add_server("tool", {command}, discovery_timeout_ms=30_000)
client.connect_all(); client.discover_tools(); menu = client.merge()
print(yes.model_id)
"""


def test_J09_a_question_is_answered_by_a_click_between_two_cells(
    cells: Kernel, tmp_path: Path
) -> None:
    """No cell has to run while somebody clicks: one starts the call, a later one collects it."""
    record = tmp_path / "seen.jsonl"
    asking = reply({"resultType": "input_required", "inputRequests": {"k": FORM}})
    peer = modern("tool", tools=["ask"]).script(on("tools/call").nth(1).then(asking))
    with peer.over_stdio(record=record) as command:
        model = done(cells, ASKING.format(command=command, patience=30)).strip()
        begun = done(
            cells,
            "task = asyncio.ensure_future(asyncio.to_thread(client.call, 'ask'))\n"
            "await asyncio.wait([task], timeout=0.2)\nprint(task.done())",
        )
        assert begun == "False\n"
        click(cells, model)
        assert done(cells, "print((await task).text)") == "ask: {}\n"
        done(cells, "client.close()")
    answers = [body["params"].get("inputResponses") for body in received(record)[-3:]]
    accepted = {"k": {"action": "accept", "content": {"sure": True}}}
    assert accepted in answers


def test_J09_a_cell_that_waits_for_a_click_ends_by_its_own_deadline(cells: Kernel) -> None:
    """Whatever the kernel does with clicks meanwhile: a question nobody answers is a no."""
    asks = (
        "from workbench.core.errors import Failure, Kind\n"
        "from workbench.views.panels.retry import RetryPanel\n"
        "panel = RetryPanel(deadline_s=0.3)\n"
        "print(panel(Failure(kind=Kind.OUTCOME_UNKNOWN, detail='it ended', peer='p')))\n"
        "print(panel)"
    )
    said = done(cells, asks)
    assert said.startswith("False\n") and "Nobody decided within 0.3 s: not repeated." in said


def click(cells: Kernel, model: str) -> None:
    """Send what a browser sends when a button is pressed."""
    content = {"comm_id": model, "data": {"method": "custom", "content": {"event": "click"}}}
    client = cells._client
    client.shell_channel.send(client.session.msg("comm_msg", content))


def test_J10_what_is_heard_after_a_cell_is_shown_by_the_next_one_that_asks(cells: Kernel) -> None:
    """Handlers keep, they do not print: nothing appears under a cell that has ended."""
    news = notify("notifications/tools/list_changed", {}, listeners=True)
    peer = modern("tool", tools=["touch"], list_changed=True)
    peer = peer.script(on("tools/call").then(answer_default(), delay(1.0), news))
    with peer.over_stdio() as command:
        assert done(cells, OPEN.format(command=command)) == "open\n"
        first = cells.run("handle = client.listen('tool')\ntext = client.call('touch').text")
        assert (first.error, first.printed, first.shown) == ("", "", [])
        second = (
            "print(handle.wait_for(lambda one: 'tools changed' in [n.what for n in one.events]))"
        )
        assert done(cells, second) == "True\n"
        assert (first.printed, first.shown) == ("", []), "the old cell stays as it was"
        assert done(cells, "print([n.what for n in handle.events][:2])") == (
            "['listening', 'tools changed']\n"
        )
        done(cells, "client.close()")


def panels() -> list[Panel]:
    from workbench.views.panels.merge import MergePanel

    client = MultiServerClient()
    client.add_server("notes", modern("notes", tools=["t"]))
    client.connect_all()
    client.discover_tools()
    made: list[Panel] = [RetryPanel(), Panel("plain"), MergePanel(client)]
    client.close()
    return made


def test_J11_a_panel_is_stored_as_its_own_text_whatever_the_widgets_call_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The text a notebook keeps is ours, so another version of the widgets changes nothing."""
    import ipywidgets

    before = [panel._repr_mimebundle_()["text/plain"] for panel in panels()]
    for kind in (ipywidgets.VBox, ipywidgets.HBox, ipywidgets.Button, ipywidgets.HTML):
        monkeypatch.setattr(kind, "__repr__", lambda self: "another version")
    after = [panel._repr_mimebundle_()["text/plain"] for panel in panels()]
    assert before == after and all(text and "(" not in text.split("\n")[0] for text in after)
    stored = [
        "".join(output["data"]["text/plain"])
        for file in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for cell in nbformat.read(file, as_version=4).cells
        for output in cell.get("outputs", ())
        if "text/plain" in output.get("data", {})
    ]
    assert len(stored) > 20
    assert not [text for text in stored if text.startswith(("VBox(", "HBox(", "Output("))]


def test_J12_two_runs_print_the_same_and_nothing_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every warning on: no log line, no pid, no time, no port gets into an output."""
    monkeypatch.setenv("PYTHONWARNINGS", "default")
    crash = [sys.executable, "-c", "import sys; sys.exit('no key')"]
    seen = []
    with modern("tool", tools=["echo"]).over_stdio() as command:
        for turn in ("one", "two"):
            (folder := tmp_path / turn).mkdir()
            with kernel(folder) as cells:
                said = [
                    done(cells, OPEN.format(command=command)),
                    done(cells, 'client.add_server("bad", ' + repr(crash) + ")"),
                    done(cells, "print(client.connect_all().peers[0].reason)"),
                    done(cells, 'print(client.call("echo").text)\nclient.close()'),
                ]
            seen.append(said)
    assert seen[0] == seen[1]
    assert seen[0][0] == "open\n" and seen[0][1] == ""
    assert "status 1" in seen[0][2] and "no key" in seen[0][2]


def notebook(path: Path, *cells: tuple[str, str]) -> Path:
    """Write a notebook of cells with the text each is expected to print."""
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    for code, printed in cells:
        cell = nbformat.v4.new_code_cell(code, execution_count=1)
        if printed:
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=printed)]
        made.cells.append(cell)
    nbformat.write(made, path)
    return path


def test_J14_J15_a_cell_that_hangs_and_a_kernel_that_dies_end_the_run(tmp_path: Path) -> None:
    """Each call of ours has a deadline of its own; what is not ours ends by that of a cell."""
    files = [
        notebook(tmp_path / "hangs.ipynb", ("import threading; threading.Event().wait()", "")),
        notebook(tmp_path / "dies.ipynb", ("import os; os._exit(1)", "")),
    ]
    argv = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env"]
    argv += ["--nbval-cell-timeout=2", "-p", "no:cacheprovider", "-c", os.devnull]
    how: Any = {"cwd": tmp_path, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    runs = [subprocess.Popen([*argv, str(file)], **how) for file in files]
    try:
        said = [run.communicate(timeout=90)[0] for run in runs]
    finally:
        for run in runs:
            run.kill()
            run.wait()
    for run, text in zip(runs, said, strict=True):
        assert run.returncode == 1 and "FAILED" in text, text


def test_J14_every_deadline_of_ours_is_well_below_that_of_a_cell() -> None:
    """A black hole ends by itself before the runner has to end it."""
    (limit,) = re.findall(
        r"--nbval-cell-timeout=(\d+)", (ROOT / "Makefile").read_text(encoding="utf-8")
    )
    usual = PeerConfig(name="peer")
    start_ms = usual.discovery_timeout_ms + usual.legacy_probe_timeout_ms + usual.startup_grace_ms
    assert start_ms / 1_000 <= int(limit) / 2 and usual.call_timeout_s <= int(limit) / 2 <= 30


SELECTOR_ONLY: Final = """
import asyncio, sys, warnings
warnings.simplefilter("ignore")
class Loop(asyncio.SelectorEventLoop):
    async def subprocess_exec(self, *args, **named):
        raise NotImplementedError
class Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self):
        return Loop()
asyncio.set_event_loop_policy(Policy())
from workbench import MultiServerClient
async def cell():
    with MultiServerClient() as client:
        client.add_server("tool", sys.argv[1:], discovery_timeout_ms=30_000)
        print(client.connect_all().peers[0].status, client.call("echo").text)
asyncio.run(cell())
"""


def test_J17_a_loop_that_starts_no_processes_is_not_ours() -> None:
    """The client's own thread has a loop of its own kind, whatever a notebook has set."""
    with modern("tool", tools=["echo"]).over_stdio() as command:
        ran = subprocess.run(
            [sys.executable, "-c", SELECTOR_ONLY, *command],
            capture_output=True, encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip
    assert (ran.stdout, ran.returncode) == ("ready echo: {}\n", 0), ran.stderr


def test_J19_an_asynchronous_client_is_refused_on_another_loop_and_told_why() -> None:
    """Nobody hangs, and nothing answers from beside its loop; closed, it may begin anew."""
    client = AsyncMultiServerClient()
    client.add_server("tool", modern("tool", tools=["echo"]))

    async def use() -> str:
        return (await client.call("echo")).text

    async def from_beside() -> str:
        assert await use() == "echo: {}"
        with pytest.raises(MisuseError, match="still runs"):
            await asyncio.to_thread(asyncio.run, use())
        return await use()

    async def all_of_it() -> str:
        text = await from_beside()
        await client.aclose()
        return text

    assert asyncio.run(all_of_it()) == "echo: {}"
    report = asyncio.run(client.connect_all())
    assert report.all_ready, "it was closed, so that it may live elsewhere"
    for verb in (use, client.connect_all, client.discover_tools, client.aclose, client.listen):
        with pytest.raises(MisuseError, match="has ended"):
            asyncio.run(verb())


def test_J19_the_synchronous_client_works_from_every_loop_and_thread() -> None:
    """It has a loop of its own, so that no other one matters."""
    with MultiServerClient() as client:
        client.add_server("tool", modern("tool", tools=["echo"]))

        async def use() -> str:
            return client.call("echo").text

        assert [asyncio.run(use()), asyncio.run(use())] == ["echo: {}"] * 2
        texts: list[str] = []
        worker = threading.Thread(target=lambda: texts.append(client.call("echo").text))
        worker.start()
        worker.join(30)
        assert texts == ["echo: {}"]
