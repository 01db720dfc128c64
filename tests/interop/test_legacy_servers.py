"""Legacy servers of other authors: refused by default, one handshake with permission."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench import MultiServerClient, PeerConfig

pytestmark = [pytest.mark.interop, pytest.mark.usefixtures("no_survivors")]

SUM = {
    "mcp1": ("add", "3"),
    "everything": ("get-sum", "The sum of 1 and 2 is 3."),
}
ANSWER_TO_THE_PROBE = {"mcp1": "-32602", "everything": "-32601"}


def _config(name: str, start: Any, **terms: Any) -> PeerConfig:
    return PeerConfig(
        name=name,
        command=start.command,
        args=start.args,
        discovery_timeout_ms=10_000,  # the machine may be busy; a verdict must not depend on it
        legacy_probe_timeout_ms=10_000,
        startup_grace_ms=20_000,
        **terms,
    )


@pytest.mark.parametrize("name", SUM)
def test_without_permission_a_legacy_server_is_refused_and_never_initialized(
    name: str, foreign: Callable[[str], Any], methods_sent: Callable[..., list[str]]
) -> None:
    """Seed lesson: legacy needs an explicit permission; an unknown error proves nothing (P02)."""
    with MultiServerClient() as client:
        client.add_server(name, _config(name, foreign(name)))
        client.connect_all()
        (peer,) = client.report().peers
        sent = methods_sent(client.journal.entries(kind="sent"))
    assert (peer.status, peer.era, peer.version) == ("unavailable", None, None)
    assert peer.rule == "ERA-10"
    assert ANSWER_TO_THE_PROBE[name] in f"{peer.reason} {peer.evidence}"
    assert sent == ["server/discover"]


@pytest.mark.parametrize("name", SUM)
def test_with_permission_a_legacy_server_gets_one_handshake_and_answers(
    name: str, foreign: Callable[[str], Any], methods_sent: Callable[..., list[str]]
) -> None:
    """Spec 2025-11-25: basic/lifecycle; seed lesson: one bounded initialize (P02, L01)."""
    tool, answer = SUM[name]
    with MultiServerClient() as client:
        client.add_server(name, _config(name, foreign(name), allow_legacy=True))
        client.connect_all()
        client.discover_tools()
        client.merge()
        assert client.call(tool, {"a": 1, "b": 2}).text == answer
        (peer,) = client.report().peers
        sent = methods_sent(client.journal.entries(kind="sent"))
    assert (peer.status, peer.era, peer.version) == ("ready", "legacy", "2025-11-25")
    assert peer.allow_legacy
    assert tool in {known.canonical for known in peer.tools}
    assert sent[:4] == ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert sent.count("initialize") == sent.count("notifications/initialized") == 1
    assert sent[-1] == "tools/call"
