"""Four servers of four makers in one client: each keeps its era, no name is lost."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench import MultiServerClient, PeerConfig

pytestmark = [pytest.mark.interop, pytest.mark.usefixtures("no_survivors")]

NAMES = ("mcp2", "mcp1", "fastmcp", "everything")
ERAS = {"everything": "legacy", "fastmcp": "modern", "mcp1": "legacy", "mcp2": "modern"}


def _client(foreign: Callable[[str], Any], allowed: frozenset[str]) -> MultiServerClient:
    client = MultiServerClient()
    for name in NAMES:
        start = foreign(name)
        client.add_server(
            name,
            PeerConfig(
                name=name,
                command=start.command,
                args=start.args,
                allow_legacy=name in allowed,
                discovery_timeout_ms=10_000,
                legacy_probe_timeout_ms=10_000,
                startup_grace_ms=20_000,
            ),
        )
    return client


def test_two_eras_live_side_by_side_and_every_echo_reaches_its_owner(
    foreign: Callable[[str], Any],
) -> None:
    """Ours: M07 and M01; the first peer by name keeps the bare name, the others a prefix."""
    with _client(foreign, frozenset({"mcp1", "everything"})) as client:
        client.connect_all()
        client.discover_tools()
        client.merge()
        report = client.report()
        assert {peer.peer: peer.era for peer in report.peers} == ERAS
        assert client.call("echo", {"message": "a"}).text == "Echo: a"
        assert client.call("add", {"a": 1, "b": 1}).text == "2"
        for name in ("fastmcp", "mcp1", "mcp2"):
            assert client.call(f"{name}/echo", {"text": name}).text == name
        assert client.call("mcp1/add", {"a": 2, "b": 1}).text == "3"
        assert client.call("mcp2/add", {"a": 2, "b": 2}).text == "4"
        owners = {
            entry.peer
            for entry in client.journal.entries(kind="sent")
            if entry.method == "tools/call"
        }
    assert owners == set(NAMES)


def test_refused_legacy_servers_leave_the_modern_ones_untouched(
    foreign: Callable[[str], Any],
) -> None:
    """Ours: M04; one bad peer never stops the others."""
    with _client(foreign, frozenset()) as client:
        client.connect_all()
        client.discover_tools()
        client.merge()
        status = {peer.peer: peer.status for peer in client.report().peers}
        assert client.call("add", {"a": 1, "b": 2}).text == "3"
        assert client.call("mcp2/echo", {"text": "x"}).text == "x"
    assert status == {
        "everything": "unavailable",
        "fastmcp": "ready",
        "mcp1": "unavailable",
        "mcp2": "ready",
    }
