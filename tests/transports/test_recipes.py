"""From a configuration to the endpoint it describes."""

import asyncio
import sys

import pytest

from workbench.core.config.config import PeerConfig
from workbench.core.errors import CouldNotStart, PipeClosed
from workbench.drivers.clock import ManualClock
from workbench.transports.recipes import UnreachableEndpoint, endpoint_for
from workbench.transports.stdio import StdioEndpoint

ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/home/me", "TOKEN": "parent-secret"}


def test_a_command_gets_an_absolute_path_and_a_filtered_environment() -> None:
    """Seed skill, item 1; field case S21."""
    config = PeerConfig(name="p", command=sys.executable, args=("-V",), env={"KEY": "given"})
    endpoint = endpoint_for(config, ENVIRON)
    assert isinstance(endpoint, StdioEndpoint)
    assert endpoint.command == (sys.executable, "-V")
    assert '"KEY"' in endpoint.identity and '"HOME"' in endpoint.identity
    assert "TOKEN" not in endpoint.identity and "given" not in endpoint.identity


def test_an_allowlisted_variable_is_passed_on() -> None:
    """Seed skill, item 1: environment allowlist."""
    config = PeerConfig(name="p", command=sys.executable, env_allowlist=("TOKEN",))
    endpoint = endpoint_for(config, ENVIRON)
    assert isinstance(endpoint, StdioEndpoint)
    assert '"TOKEN"' in endpoint.identity


def test_a_url_becomes_an_http_endpoint() -> None:
    """Design section 5."""
    endpoint = endpoint_for(PeerConfig(name="p", url="http://127.0.0.1:1/mcp"), ENVIRON)
    assert endpoint.kind == "http"


def test_what_cannot_be_reached_says_so_when_it_is_opened() -> None:
    """Field case N11: a bad peer is a row of the report, not a crash."""
    endpoint = endpoint_for(PeerConfig(name="p", command="no-such-command-here"), ENVIRON)
    assert isinstance(endpoint, UnreachableEndpoint)
    transport = endpoint.new_transport(ManualClock())

    async def story() -> None:
        with pytest.raises(CouldNotStart, match="no-such-command-here"):
            await transport.open(None)  # type: ignore[arg-type]
        with pytest.raises(PipeClosed):
            transport.send(b"")
        assert (await transport.close()).by_us

    asyncio.run(story())
