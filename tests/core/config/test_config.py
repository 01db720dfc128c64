"""A configuration text becomes checked peers, or one fault with its path."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from workbench.core.config.config import PeerConfig, WorkbenchConfig, check_peer, read_config
from workbench.core.config.config_keys import SERVER_KEYS
from workbench.core.errors import ConfigError, Kind
from workbench.core.text.visible import visible
from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS

ENVIRON = {"TOKEN": "hunter22", "EMPTY": ""}


def read(**servers: Any) -> WorkbenchConfig:
    """Return the configuration of these servers."""
    return read_config(json.dumps({"mcpServers": servers}), ENVIRON)


def notes(**more: Any) -> PeerConfig:
    """Return the peer `notes` with a command and more keys."""
    return read(notes={"command": "notes-server", **more}).peers[0]


def fault(text: str, environ: dict[str, str] | None = None) -> str:
    """Return the message for a text that must be refused."""
    with pytest.raises(ConfigError) as caught:
        read_config(text, ENVIRON if environ is None else environ)
    failure = caught.value.failure
    assert (failure.kind, failure.stage) == (Kind.CONFIG, "config")
    assert failure.rule is not None
    assert failure.rule.startswith("CONF-")
    return str(caught.value)


def fault_in_notes(**more: Any) -> str:
    """Return the message for `notes` with these keys, which must be refused."""
    return fault(json.dumps({"mcpServers": {"notes": {"command": "notes-server", **more}}}))


@pytest.mark.parametrize("key", ["mcpServers", "servers"])
def test_both_shapes_of_the_file_are_read(key: str) -> None:
    """Case N13: `servers` instead of `mcpServers` must not read as an empty file."""
    config = read_config(json.dumps({key: {"b": {"command": "x"}, "a": {"url": "http://h/"}}}), {})
    assert [(peer.name, peer.kind) for peer in config.peers] == [("a", "http"), ("b", "stdio")]
    assert config.warnings == ()
    assert config.peer("b").command == "x"
    with pytest.raises(KeyError):
        config.peer("c")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "$: expected an object, got an array"),
        ("{}", "$: expected the key mcpServers or servers, found neither"),
        ('{"mcpservers": {}}', "Rename mcpservers to mcpServers."),
        ('{"mcpServers": {}, "servers": {}}', "$.servers: mcpServers and servers are both present"),
        ('{"servers": []}', "$.servers: expected an object with one key for each server, got an"),
        ('{"servers": {"a": "cmd"}}', "$.servers.a: expected an object, got a string"),
        ('{"servers": {"a": {}}}', "$.servers.a: neither command nor url is present"),
        ('{"servers": {"a/b": {"command": "x"}}}', '$.servers["a/b"]: the name'),
        ('{"servers": {"": {"command": "x"}}}', '$.servers[""]: the name'),
        ('{"servers": {"Git": {}, "git": {}}}', "$.servers: the names 'Git' and 'git'"),
        ('{"servers": {"a": {}, "a": {}}}', "$.servers.a appears twice"),
        ('{"servers": {}, "allow_legacy": true}', "$.allow_legacy: this key would be ignored"),
        ('{"servers": {"a": {"command": "x" "y"}}}', "column 35: expected"),
    ],
)
def test_a_fault_of_the_document_names_its_path(text: str, words: str) -> None:
    """Case N13: one file for each trap."""
    message = fault(text)
    assert message.startswith("mcp.json line 1")
    assert words in message


def test_a_fault_names_file_line_and_path() -> None:
    """Case N13: error with file, line and key."""
    text = '{"mcpServers": {\n// mine\n"notes": {"command": "x",\n"discovery_timeout_ms": -5,}}}'
    assert (
        "mcp.json line 4: $.mcpServers.notes.discovery_timeout_ms: "
        "expected more than 0 and at most 86400000, got -5"
    ) in fault(text)


def test_a_file_without_servers_is_read_with_a_warning() -> None:
    """Ours: nothing to do is not a fault, and not a thing to hide."""
    config = read()
    assert config.peers == ()
    assert len(config.warnings) == 1


def test_unknown_keys_warn_with_the_nearest_valid_one() -> None:
    """Case N13: a misspelt key is neither dropped silently nor fatal."""
    text = '{"inputs": [],\n"servers": {"a": {"command": "x",\n"arg": [], "timeout": 60}}}'
    assert read_config(text, {}).warnings == (
        "mcp.json line 1: $.inputs: a key of other clients, ignored",
        "mcp.json line 3: $.servers.a.arg: unknown key, ignored; did you mean args?",
        "mcp.json line 3: $.servers.a.timeout: a key of other clients, ignored; "
        "here it is call_timeout_s",
    )


@pytest.mark.parametrize("off", [{"disabled": True}, {"enabled": False}])
def test_a_peer_that_is_switched_off_is_left_out_with_a_warning(off: dict[str, bool]) -> None:
    """Ours: what other clients do not start is not started here, finished or not."""
    config = read(notes={"env": {"A": "${UNDEFINED}"}, **off}, other={"command": "x"})
    assert [peer.name for peer in config.peers] == ["other"]
    assert any("$.mcpServers.notes: switched off" in warning for warning in config.warnings)


def test_a_peer_that_is_not_switched_off_stays() -> None:
    """Ours: the flag is read, not its presence."""
    assert notes(disabled=False, enabled=True).name == "notes"
    assert "$.mcpServers.notes.disabled: expected true or false" in fault_in_notes(disabled="true")


def test_defaults_are_the_strict_ones() -> None:
    """Source: design section 5, defaults; seed skill item 1, allow_legacy defaults to false."""
    peer = notes()
    assert not peer.allow_legacy
    assert (peer.legacy_revisions, peer.modern_revisions) == (LEGACY_REVISIONS, MODERN_REVISIONS)
    assert (peer.discovery_timeout_ms, peer.legacy_probe_timeout_ms) == (1_000, 1_000)
    assert (peer.startup_grace_ms, peer.call_timeout_s) == (5_000, 30.0)
    assert not peer.trust_annotations
    assert not peer.share_public
    assert not peer.accept_missing_result_type
    assert (peer.env_allowlist, peer.auth_context, peer.secrets()) == ((), "", ())


def test_every_setting_is_read() -> None:
    """Source: design section 5, per-peer settings."""
    given = {
        "args": ["-v"],
        "env": {"A": "b"},
        "cwd": "/",
        "allow_legacy": True,
        "legacy_revisions": ["2025-11-25", "2025-06-18"],
        "modern_revisions": ["2026-07-28"],
        "env_allowlist": ["HTTPS_PROXY"],
        "auth_context": "ann",
        "discovery_timeout_ms": 1,
        "legacy_probe_timeout_ms": 2,
        "startup_grace_ms": 0,
        "call_timeout_s": 0.5,
        "share_public": True,
        "trust_annotations": True,
        "accept_missing_result_type": True,
    }
    config = read(notes={"type": "stdio", "command": "x", **given})
    assert config.warnings == ()
    assert set(given) | {"command", "type", "url", "headers", "disabled", "enabled"} == SERVER_KEYS
    expected = {**given, "args": ("-v",), "env_allowlist": ("HTTPS_PROXY",)}
    expected["modern_revisions"] = ("2026-07-28",)
    expected["legacy_revisions"] = ("2025-06-18", "2025-11-25")  # oldest first, as everywhere
    assert {key: getattr(config.peers[0], key) for key in given} == expected


@pytest.mark.parametrize("declared", ["http", "streamable-http", "streamableHttp", None])
def test_every_name_of_the_http_transport_is_understood(declared: str | None) -> None:
    """Ours: clients disagree about the name."""
    entry = {"url": "https://h/", "headers": {"K": "v"}, **({"type": declared} if declared else {})}
    peer = read(notes=entry).peers[0]
    assert (peer.kind, peer.url, peer.headers) == ("http", "https://h/", {"K": "v"})


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"type": "sse"}, ".type: the deprecated HTTP+SSE transport is not spoken"),
        ({"type": "ws"}, '.type: expected "stdio" or "http", got \'ws\''),
        ({"type": "http"}, '.type: "http" needs the key url'),
        ({"url": "https://h/"}, ": command and url are both present"),
        ({"command": ["a", "b"]}, ".command: expected a string, got an array"),
        ({"command": ""}, ".command: expected the name or path of a program"),
        ({"args": "a b"}, ".args: expected an array of strings, got a string"),
        ({"args": ["a", 1]}, ".args[1]: expected a string, got a number"),
        ({"env": {"PORT": 8080}}, ".env.PORT: expected a string, got a number"),
        ({"env": {"": "x"}}, '.env[""]: expected the name of an environment variable'),
        ({"cwd": None}, ".cwd: expected a string, got null"),
        ({"headers": {"a b": "x"}}, '.headers["a b"]: expected the name of an HTTP header'),
        ({"env_allowlist": ["AWS_*"]}, ".env_allowlist[0]: expected the name"),
        ({"allow_legacy": "true"}, ".allow_legacy: expected true or false, got a string"),
        ({"allow_legacy": 1}, ".allow_legacy: expected true or false, got a number"),
        ({"allow_legcy": True}, ".allow_legcy: this key would be ignored"),
        ({"allowLegacy": True}, ".allowLegacy: this key would be ignored"),
        ({"legacy_revisions": []}, ".legacy_revisions: expected at least one revision, got none"),
        ({"legacy_revisions": "2025-11-25"}, ".legacy_revisions: expected an array of strings"),
        ({"legacy_revisions": ["*"]}, ".legacy_revisions[0]: expected a known revision, got '*'"),
        ({"legacy_revisions": ["2026-07-28"]}, ".legacy_revisions[0]: expected a known revision"),
        ({"modern_revisions": ["2025-11-25"]}, ".modern_revisions[0]: expected a known revision"),
        ({"discovery_timeout_ms": 0}, ".discovery_timeout_ms: expected more than 0"),
        ({"discovery_timeout_ms": "1000"}, ".discovery_timeout_ms: expected a whole number, got a"),
        ({"discovery_timeout_ms": True}, ".discovery_timeout_ms: expected a whole number, got tr"),
        ({"legacy_probe_timeout_ms": -1}, ".legacy_probe_timeout_ms: expected more than 0"),
        ({"legacy_probe_timeout_ms": 1.5}, ".legacy_probe_timeout_ms: expected a whole number"),
        ({"startup_grace_ms": -1}, ".startup_grace_ms: expected from 0"),
        ({"call_timeout_s": 0}, ".call_timeout_s: expected more than 0"),
        ({"call_timeout_s": 1e300}, ".call_timeout_s: expected more than 0 and at most 86400"),
    ],
)
def test_a_wrong_field_is_refused_with_its_path(more: dict[str, Any], words: str) -> None:
    """Case N13: error with file, line and key; seed skill item 1, allow_legacy is explicit."""
    assert f"mcp.json line 1: $.mcpServers.notes{words}" in fault_in_notes(**more)


def test_a_key_for_the_other_transport_warns() -> None:
    """Ours: headers of a process are never sent, and the reader should know."""
    config = read(a={"command": "x", "headers": {}}, b={"url": "http://h/", "env": {}, "cwd": "/"})
    assert [warning.partition(": ")[2] for warning in config.warnings] == [
        "$.mcpServers.a.headers: has no effect on a peer with a command",
        "$.mcpServers.b.env: has no effect on a peer with a url",
        "$.mcpServers.b.cwd: has no effect on a peer with a url",
    ]


def test_variables_are_replaced_in_the_documented_fields_only() -> None:
    """Case N14: command, args, env, cwd, url, headers; a name or a label is no such field."""
    peer = notes(
        command="/opt/${TOKEN}/x",
        args=["${env:TOKEN}", "$${TOKEN}", "${NONE:-d}"],
        env={"A": "${TOKEN}", "B": "${EMPTY}"},
        cwd="/${TOKEN}",
        auth_context="${TOKEN}",
    )
    assert (peer.command, peer.cwd) == ("/opt/hunter22/x", "/hunter22")
    assert peer.args == ("hunter22", "${TOKEN}", "d")
    assert (peer.env, peer.auth_context) == ({"A": "hunter22", "B": ""}, "${TOKEN}")
    web = read(w={"url": "https://h/${TOKEN}", "headers": {"K": "Bearer ${TOKEN}"}}).peers[0]
    assert (web.url, web.headers) == ("https://h/hunter22", {"K": "Bearer hunter22"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${GONE}", "the variable GONE is not defined"),
        ("${TOKEN}${GONE}", "the variable GONE is not defined"),
        ("${A${TOKEN}}", 'a "${" stands inside another'),
        ("${TOKEN", 'a "${" is not closed'),
        ("${input:key}", "${input:…} belongs to another program"),
        ("${workspaceFolder}", "${workspaceFolder} is filled in by an editor"),
    ],
)
def test_a_variable_that_cannot_be_replaced_is_refused_where_it_stands(
    text: str, words: str
) -> None:
    """Case N14: undefined, nested and foreign, in env, in args and in a header value."""
    assert f"$.mcpServers.notes.env.KEY: {words}" in fault_in_notes(env={"KEY": text})
    assert "$.mcpServers.notes.args[1]: " in fault_in_notes(args=["x", text])
    web = {"servers": {"w": {"url": "http://h/", "headers": {"Authorization": f"Bearer {text}"}}}}
    assert "$.servers.w.headers.Authorization: " in fault(json.dumps(web))


SECRETIVE = {
    "a": {
        "command": "x",
        "args": ["--key=${TOKEN}", "other-secret-2"],
        "env": {"KEY": "env-secret-1", "SHORT": "q7", "QUOTE": 'it\'s "q" \\ secret'},
    },
    "b": {
        "url": "https://user-1:pass-word-1@h.example/mcp?key=query-secret-1&n=q7",
        "headers": {"Authorization": "Bearer header-secret-1", "X-Other": "other-secret-2"},
    },
}
HIDDEN = (
    *("hunter22", "env-secret-1", "pass-word-1", "user-1", "query-secret-1"),
    *("header-secret-1", "other-secret-2", "q7", "it's"),
)


def test_no_secret_is_shown_by_any_view_of_a_configuration() -> None:
    """Case X01: repr, str, format and rich; short ones and those of another peer too."""
    config = read(**SECRETIVE)
    console = Console(file=io.StringIO(), width=200)
    console.print(config, list(config.peers))
    assert isinstance(console.file, io.StringIO)
    views = [repr(config), str(config), f"{config}", repr(config.warnings)]
    shown = "".join([*views, *map(repr, config.peers[1:])])
    for secret in HIDDEN:
        assert secret not in shown
    for secret in set(HIDDEN) - {"other-secret-2"}:
        assert secret not in console.file.getvalue()
        assert secret not in repr(config.peers[0])
    assert "KEY" in shown
    assert "https://‹redacted›@h.example/mcp?key=‹redacted›" in shown


def test_the_secrets_are_handed_to_whoever_redacts() -> None:
    """Case X01: every value of env and headers, variables, and the url's own."""
    config = read(**SECRETIVE)
    collected = {"hunter22", "env-secret-1", "user-1", "pass-word-1", "query-secret-1"}
    collected |= {"Bearer header-secret-1", "other-secret-2"}
    assert collected <= set(config.secrets)
    assert not {"q7", "x", "h.example"} & set(config.secrets)
    assert "hunter22" in config.peer("a").secrets()
    assert list(config.secrets) == sorted(set(config.secrets))


@pytest.mark.parametrize("key", sorted(SERVER_KEYS - {"legacy_revisions", "modern_revisions"}))
@pytest.mark.parametrize("value", [7_654_321, ["hunter22", 5], {"A": 5, "B": "hunter22"}, None])
def test_no_error_shows_a_value_of_the_wrong_type(key: str, value: Any) -> None:
    """Case X01: a value in the wrong place is still a secret."""
    entry = {"command": "hunter22", "env": {"Z": "hunter22"}, key: value}
    try:
        read(notes=entry)
    except ConfigError as error:
        assert "hunter22" not in str(error)
        assert "hunter22" not in repr(error.failure)
        assert "7654321" not in str(error) or key.endswith("_s")


def test_a_sound_configuration_built_in_code_passes() -> None:
    """Ours: no false alarm."""
    check_peer(PeerConfig(name="a", command="x", call_timeout_s=5))
    check_peer(PeerConfig(name="b", url="https://h/"))
    check_peer(PeerConfig(name="c"), has_endpoint=True)


@pytest.mark.parametrize(
    "fields",
    [
        {"command": None},
        {"url": "https://h/"},
        {"name": "a/b"},
        {"name": 5},
        {"discovery_timeout_ms": 0},
        {"legacy_probe_timeout_ms": -1},
        {"call_timeout_s": float("nan")},
        {"allow_legacy": "true"},
        {"legacy_revisions": ()},
        {"legacy_revisions": ("2025-11-25", "2024-11-05")},
        {"legacy_revisions": ("2026-07-28",)},
        {"args": "a b"},
        {"env": {"A": 5}},
        {"env_allowlist": ("*",)},
    ],
)
def test_code_is_checked_for_the_same_faults_as_a_file(fields: dict[str, Any]) -> None:
    """Seed: card, timeouts must be positive; skill item 1."""
    with pytest.raises(ConfigError):
        check_peer(PeerConfig(**{"name": "notes", "command": "x", **fields}))


def test_a_peer_with_an_endpoint_takes_no_command() -> None:
    """Ours: two ways to one peer would leave open which is used."""
    with pytest.raises(ConfigError):
        check_peer(PeerConfig(name="a", command="x"), has_endpoint=True)


def test_a_fault_in_code_names_peer_and_field() -> None:
    """Ours: there is no file, so the path begins at the peer."""
    with pytest.raises(ConfigError, match=r"^PeerConfig\(notes\)\.discovery_timeout_ms: expected"):
        check_peer(PeerConfig(name="notes", command="x", discovery_timeout_ms=0))


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
KEYS = st.sampled_from(sorted(SERVER_KEYS)) | st.text()
ENTRIES = st.dictionaries(
    KEYS,
    VALUES | st.lists(VALUES, max_size=3) | st.dictionaries(st.text(), VALUES, max_size=3),
    max_size=6,
)
DOCUMENTS = st.dictionaries(
    st.sampled_from(["mcpServers", "servers", "inputs"]) | st.text(),
    st.dictionaries(st.text(), ENTRIES | VALUES, max_size=3) | VALUES,
    max_size=3,
)


@given(st.text())
def test_random_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    """Ours: property; never a traceback."""
    try:
        read_config(text, ENVIRON)
    except ConfigError as error:
        assert visible(str(error)) == str(error)


@given(DOCUMENTS)
def test_a_random_document_is_read_or_refused_and_nothing_else(document: Any) -> None:
    """Ours: property, over documents of nearly the right shape; messages are one safe line."""
    try:
        config = read_config(json.dumps(document), ENVIRON)
    except ConfigError as error:
        assert visible(str(error)) == str(error)
        return
    repr(config)
    for peer in config.peers:
        check_peer(peer)
