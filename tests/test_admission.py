"""What may become a peer, and under which terms."""

import sys
from pathlib import Path
from typing import Any

import pytest

from fakes import modern
from workbench import AsyncMultiServerClient, PeerConfig
from workbench.admission import admit, terms_for
from workbench.core.errors import ConfigError
from workbench.transports.recipes import UnreachableEndpoint
from workbench.transports.stdio import StdioEndpoint

ENVIRON = {"PATH": str(Path(sys.executable).parent), "SECRET": "s3cr3t-value"}


@pytest.mark.parametrize(
    ("name", "settings", "match"),
    [
        ("a", {}, "registered"),
        ("A", {}, "too close"),
        ("b/c", {}, "/"),
        ("", {}, "name"),
        ("b", {"discovery_timeout_ms": 0}, "discovery_timeout_ms"),
        ("b", {"discovery_timeout": 5}, "unknown setting"),
        ("b", {"legacy_revisions": ("2026-07-28",)}, "legacy_revisions"),
        ("b", {"allow_legacy": "yes"}, "allow_legacy"),
    ],
)
def test_a_wrong_registration_is_one_clear_error(
    name: str, settings: dict[str, Any], match: str
) -> None:
    """Field cases N06, N13; seed card: timeouts must be positive."""
    client = AsyncMultiServerClient()
    client.add_server("a", modern("a"))
    with pytest.raises(ConfigError, match=match):
        client.add_server(name, modern("b"), **settings)


@pytest.mark.parametrize("target", ["python server.py", 3, None, []])
def test_a_target_that_is_none_is_refused(target: Any) -> None:
    """Ours: a command is a list, so that no shell ever reads it."""
    with pytest.raises(ConfigError):
        AsyncMultiServerClient().add_server("a", target)


def test_an_unknown_merge_policy_is_refused_at_once() -> None:
    """Ours: not at the first merge."""
    with pytest.raises(ConfigError, match="polic"):
        AsyncMultiServerClient(merge_policy="overwrite")  # type: ignore[arg-type]


def test_a_command_line_becomes_a_pinned_absolute_command() -> None:
    """Design section 5: resolved to absolute paths when loaded."""
    name = Path(sys.executable).name
    config, endpoint = admit("a", [name, "-V"], {}, None, ENVIRON)
    assert (config.command, config.args) == (name, ("-V",))
    assert isinstance(endpoint, StdioEndpoint)
    assert endpoint.command == (str(Path(sys.executable).parent / name), "-V")


def test_a_command_that_is_not_there_is_a_peer_that_says_so() -> None:
    """Field case N11: one bad peer never stops the others."""
    _, endpoint = admit("a", ["no-such-command-here"], {}, None, ENVIRON)
    assert isinstance(endpoint, UnreachableEndpoint)


def test_an_allowlist_is_resolved_like_the_command_itself() -> None:
    """Seed skill, refusal rules."""
    name = Path(sys.executable).name
    _, allowed = admit("a", [name, "-V"], {}, [name], ENVIRON)
    assert isinstance(allowed, StdioEndpoint)
    for entries in ([], ["other"], [(name, "-c")], [(name,)]):
        _, refused = admit("a", [name, "-V"], {}, entries, ENVIRON)
        assert isinstance(refused, UnreachableEndpoint), entries


def test_settings_given_in_code_win_over_the_configuration() -> None:
    """Ours: the nearest word counts."""
    config, _ = admit("b", PeerConfig(name="a", command="x"), {"auth_context": "me"}, None, ENVIRON)
    assert (config.name, config.auth_context) == ("b", "me")


def test_only_a_spawned_process_has_a_start_up_grace() -> None:
    """Design section 5: none for memory and HTTP."""
    config, process = admit("a", [sys.executable], {}, None, ENVIRON)
    assert terms_for(config, process, {}, {}).startup_grace_ms == 5_000
    config, memory = admit("a", modern("a"), {}, None, ENVIRON)
    assert terms_for(config, memory, {}, {}).startup_grace_ms == 0


def test_what_is_handed_on_of_our_environment_is_hidden() -> None:
    """Field case X01: `env_allowlist` gives a process a key that the file does not hold."""
    environ = {**ENVIRON, "SHORT": "1"}
    hidden: list[str] = []
    handed = ("SECRET", "SHORT", "PATH", "ABSENT")
    config = PeerConfig(name="peer", command=sys.executable, env_allowlist=handed)
    admit("peer", config, {}, None, environ, hide=hidden.append)
    assert hidden == [ENVIRON["SECRET"]], "what every program gets is no secret"
