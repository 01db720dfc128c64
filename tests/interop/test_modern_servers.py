"""Modern servers of other authors: one probe, no handshake, and calls that are answered."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench import MultiServerClient, PeerConfig

pytestmark = [pytest.mark.interop, pytest.mark.usefixtures("no_survivors")]

MODERN = ("fastmcp", "mcp2")


def _config(name: str, start: Any, **terms: Any) -> PeerConfig:
    return PeerConfig(
        name=name,
        command=start.command,
        args=start.args,
        discovery_timeout_ms=10_000,  # the machine may be busy; a verdict must not depend on it
        startup_grace_ms=20_000,
        **terms,
    )


@pytest.mark.parametrize("name", MODERN)
@pytest.mark.parametrize("allow_legacy", [False, True])
def test_a_modern_server_is_ready_after_one_probe_and_answers(
    name: str,
    allow_legacy: bool,
    foreign: Callable[[str], Any],
    methods_sent: Callable[..., list[str]],
) -> None:
    """Spec: basic/lifecycle, discovery; the legacy permission changes nothing (P01)."""
    with MultiServerClient() as client:
        client.add_server(name, _config(name, foreign(name), allow_legacy=allow_legacy))
        client.connect_all()
        client.discover_tools()
        client.merge()
        assert client.call("add", {"a": 1, "b": 2}).text == "3"
        assert client.call("echo", {"text": "grüße\u2028"}).text == "grüße\u2028"
        (peer,) = client.report().peers
        sent = methods_sent(client.journal.entries(kind="sent"))
    assert (peer.status, peer.era, peer.version) == ("ready", "modern", "2026-07-28")
    assert {tool.canonical for tool in peer.tools} == {"add", "echo"}
    assert peer.rule == "ERA-01"
    assert peer.deviations == ()
    assert peer.dropped == ()
    assert sent == ["server/discover", "tools/list", "tools/call", "tools/call"]


@pytest.mark.parametrize("name", MODERN)
def test_a_tool_that_fails_is_a_result_that_says_so(
    name: str, foreign: Callable[[str], Any]
) -> None:
    """Spec: server/tools, error handling; a failing tool is no failing protocol."""
    with MultiServerClient() as client:
        client.add_server(name, _config(name, foreign(name)))
        client.connect_all()
        client.discover_tools()
        client.merge()
        failed = client.call("add", {"a": "one", "b": 2}, check_arguments=False)
        assert failed.is_error
        assert client.call("add", {"a": 2, "b": 2}).text == "4"
