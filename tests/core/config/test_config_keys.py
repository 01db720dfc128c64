"""Unknown keys are remarked on; those that decide whom we trust are refused."""

import pytest

from workbench.core.config.config import PeerConfig
from workbench.core.config.config_keys import GUARDED, SERVER_KEYS, TOP_KEYS, nearest, remark_on
from workbench.core.config.place import Place
from workbench.core.errors import ConfigError

HERE = Place(path="$.mcpServers.notes")


def remark(key: str, known: frozenset[str] = SERVER_KEYS) -> str | None:
    """Return what is said about `key`."""
    return remark_on(key, known, HERE.key(key))


def test_every_setting_of_a_peer_has_its_key() -> None:
    """Ours: a field added to PeerConfig cannot be forgotten here."""
    fields = set(PeerConfig.__struct_fields__) - {"name", "from_environment"}
    assert fields | {"type", "disabled", "enabled"} == SERVER_KEYS
    assert set(GUARDED) <= SERVER_KEYS


@pytest.mark.parametrize("key", sorted(SERVER_KEYS))
def test_a_key_of_ours_gets_no_remark(key: str) -> None:
    """Ours: no false alarm."""
    assert remark(key) is None


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("comand", "command"),
        ("Command", "command"),
        ("arg", "args"),
        ("discovery_timout_ms", "discovery_timeout_ms"),
        ("callTimeoutS", "call_timeout_s"),
        ("header", "headers"),
    ],
)
def test_a_misspelt_key_is_answered_with_the_nearest_valid_one(key: str, meant: str) -> None:
    """Case N13: unknown keys warn with the nearest valid one."""
    assert remark(key) == f"$.mcpServers.notes.{key}: unknown key, ignored; did you mean {meant}?"


def test_a_key_like_none_of_ours_is_only_named() -> None:
    """Case N13: never dropped silently."""
    assert remark("zzz") == "$.mcpServers.notes.zzz: unknown key, ignored"


@pytest.mark.parametrize("key", ["autoApprove", "alwaysAllow", "timeout", "description", "trust"])
def test_a_key_of_another_client_is_noted(key: str) -> None:
    """Case N13: one file serves several clients."""
    said = remark(key)
    assert said is not None
    assert "other clients" in said


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("allow_legcy", "allow_legacy"),
        ("allowLegacy", "allow_legacy"),
        ("allow-legacy", "allow_legacy"),
        ("ALLOW_LEGACY", "allow_legacy"),
        ("authContext", "auth_context"),
        ("env_allow_list", "env_allowlist"),
        ("legacy_revision", "legacy_revisions"),
        ("sharePublic", "share_public"),
        ("trustAnnotations", "trust_annotations"),
        ("accept_missing_resulttype", "accept_missing_result_type"),
        ("Disabled", "disabled"),
    ],
)
def test_a_misspelt_key_that_decides_about_trust_is_refused(key: str, meant: str) -> None:
    """Seed: skill item 1, an explicit flag; case N13, a misspelt key."""
    with pytest.raises(ConfigError) as caught:
        remark(key)
    assert HERE.key(key).path in str(caught.value)
    assert f"Write {meant}" in str(caught.value)


@pytest.mark.parametrize("key", ["allow_legacy", "allowLegacy"])
def test_there_is_no_allow_legacy_for_all_servers(key: str) -> None:
    """Seed: skill, allow_legacy belongs to that exact peer."""
    with pytest.raises(ConfigError, match="no allow_legacy for all servers"):
        remark(key, TOP_KEYS)


def test_a_key_as_long_as_a_file_is_compared_in_bounded_work() -> None:
    """Ours: everything is bounded."""
    assert nearest("x" * 1_000_000, SERVER_KEYS, 0.6) is None
