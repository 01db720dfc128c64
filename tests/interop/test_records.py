"""Real servers and clients on record: played again they are the same, and lint finds nothing."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from foreign import TOOLS, served, visit

from fakes import Fake, dual_era, legacy, modern
from workbench import Journal, MultiServerClient, PeerConfig
from workbench.core.journal.facts import Facts, request_headers, response_headers
from workbench.core.wire.codec import encode
from workbench.lint import read_record

pytestmark = pytest.mark.interop

PATIENT: Final = {
    "discovery_timeout_ms": 10_000,  # the machine may be busy; a verdict must not depend on it
    "legacy_probe_timeout_ms": 10_000,
    "startup_grace_ms": 20_000,
}
CALLS: Final[dict[str, list[tuple[str, dict[str, Any]]]]] = {
    "fastmcp": [("add", {"a": 1, "b": 2}), ("echo", {"text": "grüße\u2028"}), ("add", {"a": "x"})],
    "mcp2": [("add", {"a": 1, "b": 2}), ("echo", {"text": "grüße\u2028"}), ("add", {"a": "x"})],
    "mcp1": [("add", {"a": 1, "b": 2}), ("echo", {"text": "grüße"}), ("add", {"a": "x"})],
    "everything": [
        ("echo", {"message": "grüße"}),
        ("get-sum", {"a": 1, "b": 2}),
        ("get-tiny-image", {}),
        ("get-structured-content", {"location": "New York"}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-resource-links", {"count": 2}),
    ],
}
ERAS: Final = {"modern": modern, "legacy": legacy, "dual": dual_era}
RECORDED: Final = ("fastmcp", "everything")


def talk(name: str, target: Any) -> tuple[dict[str, Any], list[Any], Journal]:
    """Connect, list, call; return the report, the results, the journal."""
    with MultiServerClient() as client:
        client.add_server(name, target, allow_legacy=True, **PATIENT)
        client.connect_all()
        client.discover_tools()
        client.merge()
        results = [
            client.call(tool, given, check_arguments=False).raw for tool, given in CALLS[name]
        ]
        report = client.report().to_dict()
    for row in report["peers"]:
        del row["ready_ms"], row["transport"]
    return report, results, client.journal


def config(name: str, start: Any) -> PeerConfig:
    return PeerConfig(name=name, command=start.command, args=start.args)


@pytest.fixture(scope="session")
def recorded(foreign: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """Record a server once, however many tests play it."""
    kept: dict[str, tuple[Any, ...]] = {}

    def record(name: str) -> tuple[Any, ...]:
        if name not in kept:
            kept[name] = talk(name, config(name, foreign(name)))
        return kept[name]

    return record


@pytest.mark.parametrize("way", ["memory", "stdio", "http"])
@pytest.mark.parametrize("name", RECORDED)
def test_a_replay_gives_the_reports_and_results_of_the_server(
    name: str, way: str, recorded: Callable[[str], tuple[Any, ...]]
) -> None:
    """Ours: FastMCP 4 and npm's server-everything, recorded and played on every transport."""
    report, results, journal = recorded(name)
    assert report["peers"][0]["status"] == "ready" and len(results) == len(CALLS[name])
    replay = Fake.from_journal(journal.to_jsonl())
    if way == "memory":
        again = talk(name, replay)
    elif way == "stdio":
        with replay.over_stdio() as command:
            again = talk(name, command)
    else:
        with replay.over_http() as url:
            again = talk(name, PeerConfig(name=name, url=url))
    assert again[:2] == (report, results)
    assert not again[2].lint()


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_found_in_the_traffic_of_a_real_server(
    name: str, recorded: Callable[[str], tuple[Any, ...]]
) -> None:
    """Ours: no false alarm over stdio; both sides of the conversation."""
    findings = recorded(name)[2].lint()
    assert findings.frames >= 8
    assert findings.to_text() == f"{findings.frames} frames, nothing found"


@pytest.mark.parametrize("mode", ["json", "sse"])
@pytest.mark.parametrize("name", ["fastmcp", "mcp2", "mcp1"])
def test_nothing_is_found_in_the_traffic_of_a_real_server_over_http(
    name: str, mode: str, foreign: Callable[[str], Any]
) -> None:
    """Ours: no false alarm about headers, statuses and media types either."""
    with served(foreign, name, mode) as url:
        findings = talk(name, PeerConfig(name=name, url=url))[2].lint()
    assert findings.frames >= 8
    assert findings.to_text() == f"{findings.frames} frames, nothing found"


@pytest.mark.parametrize("era", ERAS)
def test_nothing_is_found_in_what_fastmcps_client_sends(
    era: str, foreign: Callable[[str], Any], tmp_path: Path
) -> None:
    """Ours: the client's side alone, as a fake writes it down, over stdio."""
    kept = tmp_path / "received.jsonl"
    with ERAS[era](tools=TOOLS).over_stdio(record=kept) as command:
        server = {"command": command[0], "args": command[1:]}
        visit(foreign, {"mcpServers": {"fake": server}})
    journal, form = read_record(kept.read_text(encoding="utf-8"))
    assert (form, len(journal) >= 3) == ("raw lines", True)
    assert journal.lint().to_text() == f"{len(journal)} frames, nothing found"


@pytest.mark.parametrize("era", ERAS)
def test_nothing_is_found_in_what_fastmcps_client_sends_over_http(
    era: str, foreign: Callable[[str], Any]
) -> None:
    """Ours: with its headers, as a fake keeps them."""
    fake: Fake = ERAS[era](tools=TOOLS)
    with fake.over_http() as url:
        visit(foreign, url)
    findings = of_exchanges(fake).lint()
    assert findings.frames >= 3
    assert findings.to_text() == f"{findings.frames} frames, nothing found"


SDK: Final = """
import asyncio, sys
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

async def main(mode, *target):
    if target[0].startswith("http"):
        server = streamable_http_client(target[0])
    else:
        server = StdioServerParameters(command=target[0], args=list(target[1:]))
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        await client.call_tool(tools[0].name, {"q": "tea"})

asyncio.run(main(*sys.argv[1:]))
"""


def sdk(foreign: Callable[[str], Any], mode: str, *target: str) -> None:
    """Run the official SDK's client in its own environment."""
    command = [foreign("mcp2").command, "-c", SDK, mode, *target]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2_000:]


@pytest.mark.parametrize("era", ERAS)
def test_nothing_is_found_in_what_the_sdks_client_sends(
    era: str, foreign: Callable[[str], Any], tmp_path: Path
) -> None:
    """Ours: the official client, over stdio and over HTTP."""
    kept = tmp_path / "received.jsonl"
    with ERAS[era](tools=TOOLS).over_stdio(record=kept) as command:
        sdk(foreign, "auto", *command)
    journal, _ = read_record(kept.read_text(encoding="utf-8"))
    assert journal.lint().to_text() == f"{len(journal)} frames, nothing found"
    fake: Fake = ERAS[era](tools=TOOLS)
    with fake.over_http() as url:
        sdk(foreign, "auto", url)
    findings = of_exchanges(fake).lint()
    assert findings.to_text() == f"{findings.frames} frames, nothing found"


def of_exchanges(fake: Fake) -> Journal:
    """Return what a fake has received over HTTP as a journal, headers beside the frames."""
    journal = Journal()
    for number, one in enumerate(fake.exchanges):
        if one.method != "POST" or not isinstance(one.body, dict):
            continue
        facts = Facts(headers=request_headers(one.headers))
        journal.sent(float(number), "client", encode(one.body), facts=facts)
        assert one.status is not None
        assert response_headers(one.response_headers) is not None
    return journal


def test_the_comparison_can_fail(recorded: Callable[[str], tuple[Any, ...]]) -> None:
    """Ours: a check must be able to fail; here one answer is another one."""
    report, results, journal = recorded("fastmcp")
    text = journal.to_jsonl()
    other = text.replace(json.dumps("3")[1:-1] + '\\"', '4\\"', 1)
    assert other != text
    assert talk("fastmcp", Fake.from_journal(other))[:2] != (report, results)
