"""Servers of other authors over HTTP: JSON bodies, event streams, sessions, and the oldest."""

from collections.abc import Callable
from typing import Any

import pytest
from foreign import served

from workbench import MultiServerClient, PeerConfig

pytestmark = [pytest.mark.interop, pytest.mark.usefixtures("no_survivors")]

PATIENT = {"discovery_timeout_ms": 20_000, "legacy_probe_timeout_ms": 20_000}
"""The machine may be busy; a verdict must not depend on it."""


@pytest.mark.parametrize("mode", ["json", "sse"])
@pytest.mark.parametrize("name", ["fastmcp", "mcp2"])
def test_a_modern_server_over_http_is_ready_after_one_probe_and_answers(
    name: str, mode: str, foreign: Callable[[str], Any], methods_sent: Callable[..., list[str]]
) -> None:
    """Spec: basic/transports/streamable-http; fault matrix H01, H02."""
    with served(foreign, name, mode) as url, MultiServerClient() as client:
        client.add_server(name, PeerConfig(name=name, url=url), allow_legacy=True, **PATIENT)
        client.connect_all()
        client.discover_tools()
        client.merge()
        assert client.call("add", {"a": 1, "b": 2}).text == "3"
        assert client.call("echo", {"text": "grüße\u2028"}).text == "grüße\u2028"
        failed = client.call("add", {"a": "one", "b": 2}, check_arguments=False)
        assert failed.is_error
        (peer,) = client.report().peers
        sent = methods_sent(client.journal.entries(kind="sent"))
    assert (peer.status, peer.era, peer.version) == ("ready", "modern", "2026-07-28")
    assert (peer.rule, peer.deviations, peer.dropped) == ("ERA-01", (), ())
    assert sent == ["server/discover", "tools/list", *["tools/call"] * 3]


@pytest.mark.parametrize("mode", ["json", "sse"])
def test_a_session_server_over_http_needs_permission_and_then_answers(
    mode: str, foreign: Callable[[str], Any], methods_sent: Callable[..., list[str]]
) -> None:
    """Spec 2025-11-25: sessions over HTTP; fault matrix H11: a 400 of another kind."""
    with served(foreign, "mcp1", mode) as url:
        with MultiServerClient() as client:
            client.add_server("old", PeerConfig(name="old", url=url), **PATIENT)
            (refused,) = client.connect_all().peers
            assert methods_sent(client.journal.entries(kind="sent")) == ["server/discover"]
        assert (refused.status, refused.era) == ("unavailable", None)
        with MultiServerClient() as client:
            client.add_server("old", PeerConfig(name="old", url=url), allow_legacy=True, **PATIENT)
            client.connect_all()
            client.discover_tools()
            client.merge()
            assert client.call("add", {"a": 1, "b": 2}).text == "3"
            assert client.call("echo", {"text": "grüße"}).text == "grüße"
            (peer,) = client.report().peers
    assert (peer.status, peer.era, peer.version) == ("ready", "legacy", "2025-11-25")


def test_the_transport_of_2024_is_recognized_and_refused(
    foreign: Callable[[str], Any],
) -> None:
    """Spec: backward compatibility; a GET brings an endpoint event after a refused POST."""
    with served(foreign, "mcp1", "old-sse") as url, MultiServerClient() as client:
        client.add_server("older", PeerConfig(name="older", url=url), allow_legacy=True, **PATIENT)
        (peer,) = client.connect_all().peers
    assert (peer.status, peer.rule) == ("unavailable", "LEG-11")
    assert "2024-11-05" in peer.reason
