"""What a stepper can be given, and what it is told about the peer."""

import json
from pathlib import Path

import pytest

from fakes import fault, modern
from workbench import MultiServerClient, PeerConfig
from workbench.cli import main
from workbench.core.errors import ConfigError
from workbench.core.negotiate.snapshot import State
from workbench.notebook import DiscoveryPanel, LegacyPanel, Stepper


def test_a_fake_a_configuration_and_a_command_are_all_peers() -> None:
    """Design 4: whatever `add_server` takes."""
    with Stepper(modern(), name="notes") as stepper:
        assert stepper.run().snapshot.state is State.MODERN
        assert stepper.name == "notes" and "notes" in stepper.story().to_mermaid()
    with fault("P01").over_stdio() as command:
        with Stepper(command) as stepper:
            assert stepper.kind == "stdio" and stepper.terms.startup_grace_ms == 5_000
            assert stepper.run().snapshot.state is State.MODERN
        config = PeerConfig(name="x", command=command[0], args=tuple(command[1:]))
        with Stepper(config, allow_legacy=True) as stepper:
            assert stepper.terms.allow_legacy
    with fault("P01").over_http() as url, Stepper(PeerConfig(name="x", url=url)) as stepper:
        assert stepper.run().snapshot.state is State.MODERN


def test_terms_are_settings_of_a_peer_by_name() -> None:
    """Design 5: the same names as in a configuration, checked in the same way."""
    with Stepper(
        fault("P05"), can_declare={"elicitation": {}}, discovery_timeout_ms=250
    ) as stepper:
        assert stepper.terms.discovery_timeout_ms == 250
        assert stepper.run().snapshot.state is State.MODERN
    with pytest.raises(ConfigError, match="unknown setting"):
        Stepper(modern(), alow_legacy=True)
    with pytest.raises(ConfigError, match="list of strings"):
        Stepper("python server.py")  # type: ignore[arg-type]


def test_secrets_of_the_configuration_are_never_shown() -> None:
    """Design 5: no secret in a notebook's output."""
    secret = "correct-horse-battery"
    with fault("P12-exit-with-stderr").over_stdio() as command:
        config = PeerConfig(
            name="x", command=command[0], args=tuple(command[1:]), env={"TOKEN": secret}
        )
        with Stepper(config) as stepper:
            stepper.step()
            stepper.answer({"supportedVersions": [secret], "resultType": "complete"})
            assert secret not in stepper.scene().heard


def test_a_peer_of_a_client_is_stepped_under_its_own_terms_and_pins() -> None:
    """Ours: look closer at the peer that the report calls unavailable; pins hold here too."""
    peer = fault("P02")
    with MultiServerClient() as client:
        client.add_server("archive", peer, discovery_timeout_ms=250)
        client.connect_all()
        with Stepper.of(client, "archive") as stepper:
            assert stepper.terms.discovery_timeout_ms == 250
            assert stepper.run().snapshot.state is State.UNAVAILABLE
        assert peer.lifetimes == 2, "the stepper's connection is its own"
        panel = DiscoveryPanel(client, peer="archive")
        assert panel.stepper.name == "archive"
        panel.close()
        with pytest.raises(ConfigError, match="Its peers: archive"):
            Stepper.of(client, "notes")


def test_what_a_lock_forbids_is_not_stepped_either(tmp_path: Path) -> None:
    """Design 5: a command that differs from the lock is refused, whoever starts it."""
    with fault("P01").over_stdio() as command:
        entry = {"command": command[0], "args": command[1:]}
        config, lock = tmp_path / "mcp.json", tmp_path / "mcp.lock.json"
        config.write_text(json.dumps({"mcpServers": {"peer": entry}}), encoding="utf-8")
        assert main(["pin", str(config)]) == 0 and lock.exists()
        changed = {"command": command[0], "args": [*command[1:], "--more"]}
        config.write_text(json.dumps({"mcpServers": {"peer": changed}}), encoding="utf-8")
        with (
            MultiServerClient.from_config(config) as client,
            Stepper.of(client, "peer") as stepper,
        ):
            assert stepper.run().snapshot.state is State.UNAVAILABLE
            assert stepper.decisions[0][1] == "could not start"


def test_a_panel_takes_a_peer_a_stepper_or_the_journal_of_a_client() -> None:
    """Ours: look at what a client has done, step by step."""
    client = MultiServerClient()
    client.add_server("archive", fault("P02"), allow_legacy=True)
    client.add_server("notes", modern())
    client.connect_all()
    client.close()
    panel = LegacyPanel(client.journal, peer="archive")
    panel.end.click()
    assert panel.stepper.moment.snapshot.state is State.LEGACY
    stepper = Stepper(modern())
    other = DiscoveryPanel(stepper)
    assert other.stepper is stepper
    for one in (panel, other):
        one.close()
