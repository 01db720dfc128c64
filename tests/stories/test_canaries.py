"""A canary in every secret place of a configuration; the server repeats each; none gets out."""

import json
import logging
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from canary import Found, check, check_loud, exits_of, exits_of_error, named, nothing_hidden
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tiny import PRELUDE

from fakes import Fake, error, library, modern, on, reply
from workbench import MultiServerClient
from workbench.classroom.acting import act
from workbench.classroom.lesson import notebook_text
from workbench.cli import main
from workbench.comparison.visits import visit_of
from workbench.core.errors import ConfigError, WorkbenchError
from workbench.core.text.redact import MARK
from workbench.lint import read_record
from workbench.views.panels.demonstration import Plan

WEB: Final = {
    place: f"canary-{place}-4711"
    for place in ("header", "bearer", "query", "fragment", "user", "password", "fromenv")
}
PROCESS: Final = {
    place: f"canary-{place}-4711"
    for place in ("option", "equals", "variable", "inheader", "env", "envvariable", "handed")
}
LONG: Final = " ".join(WEB.values())
NAMED: Final = f"keep-{WEB['header']}"
"""A tool whose very name holds a canary."""
COUNTS: Final = ("client", "journal: repr", "journal: rich", "outcomes: repr", "outcomes: rich")
"""Ways out that show no more than numbers, or names of ours."""
QUIET: Final = ("change", "collisions", "drifts", "cache", "findings", "menu: as a page", *COUNTS)
"""The same, and what is empty in these stories, or has no page."""

TOLD: Final = {
    "name": NAMED,
    "title": f"title {LONG}",
    "description": f"says {LONG}",
    "inputSchema": {"type": "object", "properties": {LONG: {"description": LONG, "enum": [LONG]}}},
}
PAGE: Final = {"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}


def repeating() -> Any:
    """Return a peer that says every canary wherever it can say something in its own words."""
    look = {"name": "look", "inputSchema": {"type": "object"}}
    prompt = {"name": NAMED, "description": LONG}
    about = {
        **PAGE,
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}, "prompts": {}},
        "instructions": LONG,
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": LONG, "version": LONG}},
    }
    return modern("peer").script(
        on("server/discover").then(reply(about)),
        on("tools/list").then(reply({**PAGE, "tools": [TOLD, look]})),
        on("prompts/list").then(reply({**PAGE, "prompts": [prompt]})),
        on("tools/call").then(error(-32000, f"bad key {LONG}", data={"key": LONG, LONG: [LONG]})),
    )


def web_configuration(folder: Path, url: str) -> Path:
    """Write a configuration with a canary in every place of an HTTP peer that may be secret."""
    scheme, _, rest = url.partition("://")
    user = f"{WEB['user']}:{WEB['password']}@"
    server = {
        "url": f"{scheme}://{rest}?key={WEB['query']}&more=${{FROM_ENV}}#{WEB['fragment']}",
        "headers": {"X-Key": WEB["header"], "Authorization": f"Bearer {WEB['bearer']}"},
    }
    other = {"url": f"{scheme}://{user}127.0.0.1:9/mcp", "discovery_timeout_ms": 500}
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"peer": server, "other": other}}))
    return file


REPEATS: Final = """
every = [one for one in sys.argv[1:] if one] + [os.environ[name] for name in
         ("CANARY", "CANARY_VARIABLE", "HANDED")]
long = " ".join(every)
print(long, file=sys.stderr, flush=True)
out.write(b"starting with " + long.encode() + b"\\n")
TOOLS = ["look", "die", every[1]]
for message in messages():
    method, id = message["method"], message.get("id")
    if method == "server/discover":
        result(id, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                    "ttlMs": 3600000, "cacheScope": "public", "instructions": long,
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": long}}})
    elif method == "tools/list":
        schema = {"type": "object", "properties": {long: {"description": long}}}
        result(id, {"tools": [{"name": name, "title": long, "description": long,
                               "inputSchema": schema} for name in TOOLS],
                    "ttlMs": 3600000, "cacheScope": "public"})
    elif method == "tools/call" and message["params"]["name"] == "die":
        print("dying with", long, file=sys.stderr, flush=True)
        os._exit(9)
    elif method == "tools/call":
        say({"jsonrpc": "2.0", "id": id,
             "error": {"code": -32000, "message": "bad key " + long, "data": {long: [long]}}})
"""


def process_configuration(folder: Path, **changes: str) -> Path:
    """Write a configuration with a canary in every place of a process that may be secret."""
    said = {**PROCESS, **changes}
    server = {
        "command": sys.executable,
        "args": [
            *("-I", "-S", "-c", PRELUDE + REPEATS, "--api-key", said["option"]),
            *(f"--token={said['equals']}", "${CANARY_ARGUMENT}"),
            *("--header", f"X-Api-Key: {said['inheader']}"),
        ],
        "env": {"CANARY": said["env"], "CANARY_VARIABLE": "${CANARY_VARIABLE}"},
        "env_allowlist": ["HANDED"],
        "discovery_timeout_ms": 30_000,
    }
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"peer": server}}))
    return file


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Set the variables the configurations name, and listen to every log."""
    monkeypatch.setenv("FROM_ENV", WEB["fromenv"])
    monkeypatch.setenv("CANARY_ARGUMENT", PROCESS["variable"])
    monkeypatch.setenv("CANARY_VARIABLE", PROCESS["envvariable"])
    monkeypatch.setenv("HANDED", PROCESS["handed"])
    caplog.set_level(logging.DEBUG)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set up OpenTelemetry, and return a function that gives what was exported."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    meters = MeterProvider(metric_readers=[reader])
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: tracers)
    monkeypatch.setattr(metrics, "get_meter_provider", lambda: meters)

    def exported() -> dict[str, str]:
        data: Any = reader.get_metrics_data()
        spans = "".join(span.to_json() for span in exporter.get_finished_spans())
        return {"spans": spans, "metrics": data.to_json() if data else ""}

    return exported


def from_client(file: Path, calls: tuple[str, ...], exported: Any) -> dict[str, Any]:
    """Use every verb, and return everything that could be seen of it."""
    exits: dict[str, Any] = {}
    with MultiServerClient.from_config(file) as client:
        client.connect_all()
        client.discover_tools()
        client.merge("reject")
        for name in calls:
            with pytest.raises(WorkbenchError) as caught:
                client.call(name, {"key": LONG})
            exits |= named(f"exception of {name[:4]}", exits_of_error(caught.value))
        with pytest.raises(WorkbenchError) as unknown:
            client.accept(f"{client.menu.names[0]}x"[-20:])  # type: ignore[union-attr]
        exits |= named("unknown", exits_of_error(unknown.value))
        client.connect_all()  # whoever died over a call is back
        exits |= exits_of(client)
        exits |= exported()
        assert client.journal.to_jsonl()
    return exits


def from_commands(file: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run the commands, and return what they print and write."""
    exits: dict[str, Any] = {}
    record, second = folder / "record.jsonl", folder / "record2.jsonl"
    for command in (
        ["report", str(file), "--json", "--record", str(record)],
        ["report", str(file), "--markdown"],
        ["trace", str(file), "peer"],
        ["call", str(file), "look", json.dumps({"key": LONG}), "--record", str(second)],
        ["pin", str(file)],
        ["report", str(file), "--locked"],
        ["lint", str(record)],
        ["lint", str(record), "--json"],
    ):
        main(command)
        exits[" ".join(command[:1] + command[2:3])] = capsys.readouterr()
    exits["record file"] = record.read_text()
    exits["record of a call"] = second.read_text(encoding="utf-8")
    exits["lock file"] = (folder / "mcp.lock.json").read_text()
    replayed, _ = read_record(record.read_text())
    exits["record read again"] = replayed.to_text(frames=True)
    exits["tape"] = repr(Fake.from_journal(record, peer="peer").program)
    return exits


def test_the_check_can_fail() -> None:
    """Ours: and a canary is found inside other text."""
    with pytest.raises(Found, match="report"):
        check({"report": f"the key is {WEB['query']}."}, WEB)


def test_no_canary_of_a_web_peer_leaves_through_any_exit(
    surroundings: None,
    measured: Any,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Field case X01; design section 5: report, journal, findings, export, lock, logs, commands."""
    with repeating().over_http() as url:
        file = web_configuration(tmp_path, url)
        exits = from_client(file, ("look", NAMED), measured)
        exits |= from_commands(file, tmp_path, capsys)
    exits["log"] = caplog.text
    assert "peer" in caplog.text and MARK in exits["lock file"]
    assert exits["journal: to_jsonl"].count(MARK) > 2 * len(WEB), "hidden, and not left unsaid"
    check(exits, WEB)


def test_without_hiding_every_canary_of_a_web_peer_leaves_through_nearly_every_exit(
    surroundings: None, measured: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Ours: the story above can fail, for each place and for each exit."""
    with repeating().over_http() as url, nothing_hidden():
        exits = from_client(web_configuration(tmp_path, url), ("look", NAMED), measured)
    exits["log"] = caplog.text
    check_loud(exits, WEB, (*QUIET, "configs"))


def test_no_canary_of_a_process_leaves_through_any_exit(
    surroundings: None,
    measured: Any,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Field case X01: arguments, variables, and what is handed on of our own environment."""
    file = process_configuration(tmp_path)
    exits = from_client(file, ("look", "die"), measured)
    exits |= from_commands(file, tmp_path, capsys)
    process_configuration(tmp_path, option="canary-another-4711")
    main(["report", str(file), "--locked"])
    exits["refused by the lock"] = capsys.readouterr()
    exits["log"] = caplog.text
    assert "another hidden value" in str(exits["refused by the lock"])
    check(exits, {**PROCESS, "another": "canary-another-4711"})


def test_without_hiding_every_canary_of_a_process_leaves_through_nearly_every_exit(
    surroundings: None, measured: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Ours: the same of a process."""
    with nothing_hidden():
        exits = from_client(process_configuration(tmp_path), ("look", "die"), measured)
    exits["log"] = caplog.text
    check_loud(exits, PROCESS, (*QUIET, "metrics", "prompts"))


def test_no_canary_leaves_through_a_class_or_a_comparison(
    surroundings: None, tmp_path: Path
) -> None:
    """Design section 5: what a teacher shows and exports, and what a comparison keeps."""
    exits: dict[str, Any] = {}
    with repeating().over_http() as url:
        with MultiServerClient.from_config(web_configuration(tmp_path, url)) as client:
            told: list[str] = []
            shown = act(client, Plan(cast="P01-valid"), about="", subject="peer", then="again",
                        tell=lambda text: told.append(str(text)))  # fmt: skip
            exits["demonstration"] = [shown.acts, shown, told]
            exits["lesson of a class"] = notebook_text(shown, library)
            visit = visit_of(
                {"ended": "error", "why": LONG, "said": LONG, "tools": [LONG]},
                client.journal.redactor.clean,
            )
            exits["comparison"] = [visit, visit.words()]
    check(exits, WEB)


def test_no_canary_leaves_in_an_error_about_the_configuration(tmp_path: Path) -> None:
    """Design section 5: an error names the place, and never the value."""
    server = {"command": "x", "args": ["--token", PROCESS["option"]], "env": {"A": PROCESS["env"]}}
    file = tmp_path / "mcp.json"
    for wrong in ({"env": [PROCESS["env"]]}, {"headers": {"K\n": WEB["header"]}}, {"cwd": 7}):
        file.write_text(json.dumps({"mcpServers": {"peer": {**server, **wrong}}}))
        with pytest.raises(ConfigError) as caught:
            MultiServerClient.from_config(file)
        check(exits_of_error(caught.value), {**PROCESS, **WEB})
