"""A canary in every secret place of a configuration; the server repeats each; none gets out."""

import json
import logging
from pathlib import Path
from typing import Any, Final

import pytest

from fakes import error, library, modern, on
from workbench import MultiServerClient
from workbench.classroom.acting import act
from workbench.classroom.lesson import notebook_text
from workbench.cli import main
from workbench.comparison.visits import visit_of
from workbench.core.errors import WorkbenchError
from workbench.core.text.redact import MARK
from workbench.lint import read_record
from workbench.views.display import frame_of, html_of
from workbench.views.panels.demonstration import Plan

CANARIES: Final = {
    place: f"canary-{place}-4711"
    for place in ("header", "bearer", "query", "fragment", "user", "password", "fromenv")
}
NAMED: Final = f"keep-{CANARIES['header']}"
"""A tool whose very name holds a canary."""
LONG: Final = " ".join(CANARIES.values())


class _Found(AssertionError):
    pass


def check(exits: dict[str, Any]) -> None:
    """Raise if any way out holds any canary."""
    held = [
        (where, place)
        for where, shown in exits.items()
        for place, canary in CANARIES.items()
        if canary in str(shown)
    ]
    if held:
        raise _Found(held)


def configured(folder: Path, url: str) -> Path:
    """Write a configuration with a canary in every place that may hold a secret."""
    scheme, _, rest = url.partition("://")
    user = f"{CANARIES['user']}:{CANARIES['password']}@"
    server = {
        "url": f"{scheme}://{rest}?key={CANARIES['query']}&more=${{FROM_ENV}}#{CANARIES['fragment']}",
        "headers": {
            "X-Key": CANARIES["header"],
            "Authorization": f"Bearer {CANARIES['bearer']}",
        },
    }
    other = {"url": f"{scheme}://{user}127.0.0.1:9/mcp", "discovery_timeout_ms": 500}
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"peer": server, "other": other}}))
    return file


def repeating() -> Any:
    """Return a peer that says every canary wherever it can say something in its own words."""
    return modern("peer", tools=["look", NAMED]).script(
        on("tools/call").then(error(-32000, f"bad key {LONG}", data={"key": LONG, LONG: [LONG]}))
    )


def test_the_check_can_fail() -> None:
    """Ours: and a canary is found inside other text."""
    with pytest.raises(_Found, match="report"):
        check({"report": f"the key is {CANARIES['query']}."})


def test_no_canary_leaves_through_any_exit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Field case X01; design section 5: report, journal, findings, export, lock, logs, commands."""
    monkeypatch.setenv("FROM_ENV", CANARIES["fromenv"])
    caplog.set_level(logging.DEBUG)
    exits: dict[str, Any] = {}
    with repeating().over_http() as url:
        file = configured(tmp_path, url)
        with MultiServerClient.from_config(file) as client:
            told: list[str] = []
            shown = act(client, Plan(cast="P01-valid"), about="", subject="peer", then="again",
                        tell=lambda text: told.append(str(text)))  # fmt: skip
            with pytest.raises(WorkbenchError) as caught:
                client.call("look", {"key": LONG})
            with pytest.raises(WorkbenchError) as named:
                client.call(NAMED)
            exits |= _exits(client)
            exits["exception about a name"] = [named.value, repr(named.value.failure)]
            exits["exception"] = [caught.value, repr(caught.value.failure), caught.value.__cause__]
            exits["demonstration"] = [shown.acts, shown, told]
            exits["lesson of a class"] = notebook_text(shown, library)
            journal = client.journal.to_jsonl()
            visit = visit_of(
                {"ended": "error", "why": LONG, "said": LONG, "tools": [LONG]},
                client.journal.redactor.clean,
            )
            exits["comparison"] = [visit, visit.words()]
        assert journal.count(MARK) > 2 * len(CANARIES), "hidden, and not left unsaid"
        record = tmp_path / "record.jsonl"
        lock = tmp_path / "mcp.lock.json"
        for command in (
            ["report", str(file), "--json", "--record", str(record)],
            ["report", str(file), "--markdown"],
            ["trace", str(file), "peer"],
            ["call", str(file), "look", json.dumps({"key": LONG}), "--record", f"{record}2"],
            ["pin", str(file)],
            ["report", str(file), "--locked"],
            ["lint", str(record)],
            ["lint", str(record), "--json"],
        ):
            main(command)
            exits[" ".join(command[:1] + command[2:3])] = capsys.readouterr()
        exits["record file"] = record.read_text()
        exits["record of a call"] = Path(f"{record}2").read_text(encoding="utf-8")
        exits["lock file"] = lock.read_text()
        replayed, _ = read_record(record.read_text())
        exits["record read again"] = replayed.to_text(frames=True)
    exits["log"] = caplog.text
    assert "peer" in caplog.text and lock.exists()
    check(exits)


def _exits(client: MultiServerClient) -> dict[str, Any]:
    values = {
        "report": client.report(),
        "row": client.report().peers[0],
        "journal": client.journal,
        "outcomes": client.outcomes,
        "cache": client.cache,
        "drifts": client.drift,
        "change": client.menu_change,
        "findings": client.journal.lint(),
    }
    exits: dict[str, Any] = {"configs": repr(client.configs), "client": repr(client)}
    for name, value in values.items():
        exits[f"{name} as a page"] = html_of(value)
        exits[f"{name} as a frame"] = frame_of(value).to_csv()
        exits[f"{name} as it is"] = repr(value)
        for way in ("to_text", "to_markdown", "to_mermaid", "to_json", "to_jsonl"):
            if hasattr(value, way):
                exits[f"{name}: {way}"] = getattr(value, way)()
    exits["frames"] = client.journal.to_text(frames=True)
    exits["entries"] = client.journal.entries()
    return exits
