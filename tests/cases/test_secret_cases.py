"""Field cases about secrets: what a server repeats must not end up in a file somebody shares."""

import json
from pathlib import Path
from typing import Any, Final

import nbformat
import pytest
from nbclient import NotebookClient
from tiny import PRELUDE, tiny

from workbench import MultiServerClient
from workbench.core.errors import WorkbenchError

KEY: Final = "sk-canary-4711-0815"
ECHOES: Final = """
key = os.environ["API_KEY"]
print("starting with", key, file=sys.stderr, flush=True)
TOOLS = ["fail", "tell", "die", "keep-" + key]
for message in messages():
    name = message.get("params", {}).get("name")
    if message["method"] != "tools/call":
        answer(message)
    elif name == "fail":
        say({"jsonrpc": "2.0", "id": message["id"],
             "error": {"code": -32000, "message": "bad key " + key, "data": {"key": key}}})
    elif name == "tell":
        echo(message, "your key is " + key)
    else:
        print("dying with", key, file=sys.stderr, flush=True)
        os._exit(9)
"""
CELLS: Final = (
    "from workbench.notebook import MergePanel, MultiServerClient\n"
    "client = MultiServerClient.from_config('mcp.json')\nclient.connect_all()",
    "client.discover_tools()",
    "client.merge()",
    "client.call('tell')",
    "client.call('tell').content",
    "client.call('fail')",
    "client.call('die')",
    "client.report()",
    "client.journal",
    "print(client.journal.to_text(frames=True))",
    "client.outcomes",
    "client.connect_all()\nclient.discover_tools()\nclient.menu",
    "client.menu.search('keep')",
    "client.menu.to_frame()",
    "MergePanel(client).to_text()",
    "print(client.journal.to_jsonl(), client.configs)",
    "client.close()",
)
TOLD: Final = 4
"""The cell that asks for the content itself: the application's data, shown as it came."""


def configured(folder: Path) -> Path:
    """Write a configuration that names its key, and does not hold it."""
    config = tiny(ECHOES)
    assert config.command is not None and PRELUDE in config.args[-1]
    server = {"command": config.command, "args": list(config.args)}
    server["env"] = {"API_KEY": "${CANARY_KEY}"}
    server["discovery_timeout_ms"] = 30_000
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"peer": server}}), encoding="utf-8")
    return file


def test_X01_a_saved_notebook_holds_no_key_that_a_server_repeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, section 5: on stderr, in an error, and in a result that is shown as a value."""
    monkeypatch.setenv("CANARY_KEY", KEY)
    configured(tmp_path)
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
    context: Any = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(made, timeout=60, allow_errors=True, resources=context).execute()
    saved = tmp_path / "saved.ipynb"
    nbformat.write(made, saved)
    outputs = [json.dumps(cell.outputs) for cell in made.cells]
    assert "bad key" in outputs[5] and "OutcomeUnknown" in outputs[6] and "dying" in outputs[6]
    assert "your key is" in outputs[3], "the result is shown"
    assert all("keep-" in outputs[number] for number in (1, 2, *range(11, 15))), "a tool's name"
    holding = [number for number, text in enumerate(outputs) if KEY in text]
    assert holding in ([], [TOLD]), [outputs[number] for number in holding]
    made.cells[TOLD].outputs = []
    nbformat.write(made, saved)
    assert KEY not in saved.read_text(encoding="utf-8")


def test_X01_no_text_of_an_exception_or_a_value_holds_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same outside a notebook; the data itself still reaches whoever asks for it."""
    monkeypatch.setenv("CANARY_KEY", KEY)
    shown: list[str] = []
    with MultiServerClient.from_config(configured(tmp_path)) as client:
        client.connect_all()
        client.discover_tools()
        client.merge()
        told = client.call("tell")
        assert told.text == f"your key is {KEY}"
        shown += [repr(told), str(told), f"{told!r}"]
        for name in ("fail", "die"):
            with pytest.raises(WorkbenchError) as caught:
                client.call(name)
            shown += [str(caught.value), repr(caught.value), repr(caught.value.failure)]
        shown += [repr(client.configs), client.report().to_json(), client.journal.to_jsonl()]
        shown += [client.outcomes.to_text()]
    assert [text for text in shown if KEY in text] == []
