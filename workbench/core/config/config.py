"""What one peer is, and what a configuration of many peers is.

Takes:  the text of an `mcp.json` and the environment, or values given in code
Gives:  a `WorkbenchConfig` of checked `PeerConfig`s, sorted by name, with its warnings
Never:  reads a file, guesses a missing value, or shows a secret

Types are checked where a field is read, values by the same rules for a file and for code.
Source: design section 5; seed skill item 1; cases N06, N13, N14, X01.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from workbench.core.config.config_keys import SERVER_KEYS, TOP_KEYS, nearest, remark_on
from workbench.core.config.config_secrets import public_value, secrets_of
from workbench.core.config.fields import Fields
from workbench.core.config.jsonc import read_jsonc
from workbench.core.config.peer_rules import (
    LONGEST_WAIT_S,
    check_distinct,
    check_headers,
    check_name,
    check_preview,
    check_process,
    check_revisions,
    check_url,
    check_variable,
    check_wait,
    in_order,
)
from workbench.core.config.place import Place
from workbench.core.text.redact import Redactor
from workbench.core.text.visible import visible
from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS

HTTP_TYPES: Final = ("http", "streamable-http", "streamableHttp")
"""Names by which other clients call the HTTP transport."""

_LONGEST_WAIT_MS: Final = LONGEST_WAIT_S * 1000


class PeerConfig(Struct, frozen=True, kw_only=True):
    """Everything the harness is told about one peer; exactly one of command and url is set."""

    name: str
    """Stable name; part of canonical tool names. 1 to 64 visible characters, no "/"."""
    command: str | None = None
    """Program to start; an absolute path once a file was loaded and the program was found."""
    args: tuple[str, ...] = ()
    """Arguments of the program, each handed over as it is; no shell reads them. A value whose
    option names a secret (`--api-key …`) is one."""
    env: dict[str, str] = {}
    """Variables set for the process, on top of the safe base. Values are secrets."""
    cwd: str | None = None
    """Working directory of the process; None means ours."""
    url: str | None = None
    """Address of a Streamable HTTP endpoint. User info and query values are secrets."""
    headers: dict[str, str] = {}
    """Headers sent with each HTTP request. Values are secrets."""
    allow_legacy: bool = False
    """Permits one deadline-bound `initialize` to this very peer when its era is ambiguous."""
    legacy_revisions: tuple[str, ...] = LEGACY_REVISIONS
    """Legacy revisions accepted from this peer, oldest first."""
    modern_revisions: tuple[str, ...] = MODERN_REVISIONS
    """Modern revisions offered to this peer, oldest first."""
    env_allowlist: tuple[str, ...] = ()
    """Names of our own environment variables the process gets too, besides the safe base."""
    auth_context: str = ""
    """Whose authorization this peer is used with; private lists never cross contexts."""
    discovery_timeout_ms: int = 1_000
    """Milliseconds for the answer to `server/discover`; positive."""
    legacy_probe_timeout_ms: int = 1_000
    """Milliseconds for the answer to the legacy `initialize`; positive."""
    startup_grace_ms: int = 5_000
    """Milliseconds added to the discovery timeout until a spawned process shows a first
    byte; 0 means none. Not used for HTTP and memory."""
    call_timeout_s: float = 30.0
    """Seconds for one call unless the caller says otherwise; positive."""
    share_public: bool = False
    """Lets what this peer calls public serve its other authorization contexts too."""
    trust_annotations: bool = False
    """Believes the peer's tool annotations: a call of a tool with `readOnlyHint` or
    `idempotentHint` is repeated once when its outcome is unknown. The report shows it."""
    accept_missing_result_type: bool = False
    """Accepts a modern success without `resultType`; a deviation the report shows."""
    from_environment: tuple[str, ...] = ()
    """Values that variables of the file were replaced by; secrets, wherever they stand."""

    @property
    def kind(self) -> Literal["stdio", "http"]:
        """How the peer is reached."""
        return "stdio" if self.url is None else "http"

    def secrets(self) -> tuple[str, ...]:
        """Return every value of this peer that must not be shown, sorted.

        Values shorter than four characters are left out, see `config_secrets`.
        """
        return secrets_of(self.env, self.headers, self.url, self.from_environment, self.args)

    def __repr__(self) -> str:
        """Return the settings that differ from the defaults, without secret values."""
        return _as_call("PeerConfig", self.__rich_repr__())

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show the same as `repr`; the inherited one would show the fields as they are."""
        default = PeerConfig(name="")
        redactor = Redactor(self.secrets())
        return [
            # Cleaned as values, because quoting may change how a secret is written.
            (name, public_value(name, value, redactor))
            for name in self.__struct_fields__
            if (value := getattr(self, name)) != getattr(default, name)
            and name != "from_environment"
        ]


class WorkbenchConfig(Struct, frozen=True, kw_only=True):
    """One configuration file, read and checked."""

    peers: tuple[PeerConfig, ...] = ()
    """Sorted by name; peers that are switched off are not among them."""
    warnings: tuple[str, ...] = ()
    """One line each, for the document and then for each server; safe to show."""
    secrets: tuple[str, ...] = ()
    """Every secret value of every peer, for redaction; never shown."""
    source: str = ""
    """The file as the reader knows it."""

    def peer(self, name: str) -> PeerConfig:
        """Return one peer.

        Raises:
            KeyError: if no peer has that name.
        """
        for one in self.peers:
            if one.name == name:
                return one
        raise KeyError(name)

    def __repr__(self) -> str:
        """Return peers, warnings and source, without secret values."""
        return _as_call("WorkbenchConfig", self.__rich_repr__())

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show the same as `repr`."""
        # The secrets of one peer may stand in another one's arguments.
        tree = Redactor(self.secrets).tree
        return [(name, tree(getattr(self, name))) for name in ("peers", "warnings", "source")]


def check_peer(config: PeerConfig, *, has_endpoint: bool = False) -> None:
    """Check a configuration built in code for the faults a file is checked for.

    Args:
        config: the configuration.
        has_endpoint: the peer is a fake or another object that makes transports, so neither
            command nor url may be set.

    Raises:
        ConfigError: names the first field that is wrong.
    """
    place = Place(path=f"PeerConfig({visible(str(config.name), 80)})")
    values = {name: getattr(config, name) for name in config.__struct_fields__}
    try:
        msgspec.convert(values, PeerConfig)
    except msgspec.ValidationError as problem:
        # Such a message holds types and a path, never a value.
        raise place.fault(str(problem)) from None
    check_name(config.name, place)
    _check_way(config, has_endpoint, place)
    _check_values(config, place, preview=True)


def read_config(text: str, environ: Mapping[str, str], source: str = "mcp.json") -> WorkbenchConfig:
    """Read the text of a configuration file.

    Args:
        text: JSON with comments and trailing commas; `mcpServers` or `servers` holds one
            object for each peer.
        environ: where `${VAR}` is looked up, in command, args, cwd, url and the values of
            env and headers.
        source: how errors and warnings call the file.

    Raises:
        ConfigError: at the first fault; names source, line and path, never a value.
    """
    document, root = read_jsonc(text, source)
    if not isinstance(document, dict):
        raise root.mismatch("an object", document)
    warnings: list[str] = []
    _remark(document, TOP_KEYS, root, warnings)
    servers, place = _servers(document, root)
    if not servers:
        warnings.append(place.said("no server is configured"))
    for name in servers:
        check_name(name, place.key(name))
    check_distinct(servers, place)
    read = [_peer(name, servers[name], place.key(name), environ, warnings) for name in servers]
    peers = sorted((peer for peer in read if peer is not None), key=lambda peer: peer.name)
    secrets = sorted({secret for peer in peers for secret in peer.secrets()})
    return WorkbenchConfig(
        peers=tuple(peers), warnings=tuple(warnings), secrets=tuple(secrets), source=source
    )


def _servers(document: dict[str, Any], root: Place) -> tuple[dict[str, Any], Place]:
    present = [key for key in ("mcpServers", "servers") if key in document]
    if len(present) == 2:
        raise root.key("servers").fault(
            "mcpServers and servers are both present", "Move all servers below one of them."
        )
    if not present:
        near = next((key for key in document if nearest(key, ["mcpServers", "servers"], 0.7)), None)
        hint = (
            'For example {"mcpServers": {"notes": {"command": "notes-server"}}}.'
            if near is None
            else f"Rename {visible(near, 80)} to mcpServers."
        )
        raise root.fault("expected the key mcpServers or servers, found neither", hint)
    place, servers = root.key(present[0]), document[present[0]]
    if not isinstance(servers, dict):
        raise place.mismatch("an object with one key for each server", servers)
    return servers, place


def _remark(
    entry: Mapping[str, Any], known: frozenset[str], place: Place, warnings: list[str]
) -> None:
    remarks = (remark_on(key, known, place.key(key)) for key in entry)
    warnings.extend(remark for remark in remarks if remark is not None)


def _peer(
    name: str, entry: Any, place: Place, environ: Mapping[str, str], warnings: list[str]
) -> PeerConfig | None:
    if not isinstance(entry, dict):
        raise place.mismatch("an object", entry)
    _remark(entry, SERVER_KEYS, place, warnings)
    fields = Fields(entry, place, environ)
    if fields.flag("disabled") or fields.flag("enabled") is False:
        # Not read any further: what is switched off may be half finished.
        warnings.append(place.said("switched off in the file, left out"))
        return None
    given = _given(fields)
    config = PeerConfig(name=name, **{k: v for k, v in given.items() if v is not None})
    _check_type(fields.text("type", expanded=False), config, place)
    _check_way(config, False, place)
    _check_values(config, place)
    _warn_of_useless(fields, config, place, warnings)
    return msgspec.structs.replace(config, from_environment=tuple(sorted(fields.secrets)))


def _given(fields: Fields) -> dict[str, Any]:
    legacy = fields.texts("legacy_revisions", expanded=False)
    modern = fields.texts("modern_revisions", expanded=False)
    return {
        "command": fields.text("command"),
        "args": fields.texts("args"),
        "env": fields.mapping("env"),
        "cwd": fields.text("cwd"),
        "url": fields.text("url"),
        "headers": fields.mapping("headers"),
        "allow_legacy": fields.flag("allow_legacy"),
        "legacy_revisions": legacy and in_order(legacy, LEGACY_REVISIONS),
        "modern_revisions": modern and in_order(modern, MODERN_REVISIONS),
        "env_allowlist": fields.texts("env_allowlist", expanded=False),
        "auth_context": fields.text("auth_context", expanded=False),
        "discovery_timeout_ms": fields.whole("discovery_timeout_ms"),
        "legacy_probe_timeout_ms": fields.whole("legacy_probe_timeout_ms"),
        "startup_grace_ms": fields.whole("startup_grace_ms"),
        "call_timeout_s": fields.number("call_timeout_s"),
        "share_public": fields.flag("share_public"),
        "trust_annotations": fields.flag("trust_annotations"),
        "accept_missing_result_type": fields.flag("accept_missing_result_type"),
    }


def _check_type(declared: str | None, config: PeerConfig, place: Place) -> None:
    here = place.key("type")
    if declared is None:
        return
    if declared == "sse":
        raise here.fault(
            "the deprecated HTTP+SSE transport is not spoken",
            'Use the server\'s Streamable HTTP address and "type": "http".',
        )
    if declared not in ("stdio", *HTTP_TYPES):
        seen = visible(declared, 40)
        raise here.fault(f'expected "stdio" or "http", got {seen!r}')
    needed = "command" if declared == "stdio" else "url"
    if getattr(config, needed) is None:
        raise here.fault(f'"{declared}" needs the key {needed}, which is missing')


def _check_way(config: PeerConfig, has_endpoint: bool, place: Place) -> None:
    ways = [key for key in ("command", "url") if getattr(config, key) is not None]
    if has_endpoint and ways:
        raise place.key(ways[0]).fault("a peer with an endpoint of its own needs no command or url")
    if len(ways) == 2:
        raise place.fault("command and url are both present", "Remove one of the two.")
    if not ways and not has_endpoint:
        raise place.fault("neither command nor url is present", "Add one of the two.")


def _check_values(config: PeerConfig, place: Place, *, preview: bool = False) -> None:
    check_process(config.command, config.args, config.cwd, config.env, place)
    if config.url is not None:
        check_url(config.url, place.key("url"))
    check_headers(config.headers, place.key("headers"))
    for index, name in enumerate(config.env_allowlist):
        check_variable(name, place.key("env_allowlist").item(index))
    check_revisions(config.legacy_revisions, LEGACY_REVISIONS, place.key("legacy_revisions"))
    if preview:
        check_preview(config.modern_revisions, LEGACY_REVISIONS, place.key("modern_revisions"))
    else:
        check_revisions(config.modern_revisions, MODERN_REVISIONS, place.key("modern_revisions"))
    for key in ("discovery_timeout_ms", "legacy_probe_timeout_ms", "startup_grace_ms"):
        zero = key == "startup_grace_ms"
        check_wait(getattr(config, key), _LONGEST_WAIT_MS, place.key(key), zero=zero)
    check_wait(config.call_timeout_s, LONGEST_WAIT_S, place.key("call_timeout_s"))


def _warn_of_useless(fields: Fields, config: PeerConfig, place: Place, warnings: list[str]) -> None:
    other = {"stdio": ("headers",), "http": ("args", "env", "cwd", "env_allowlist")}[config.kind]
    way = "command" if config.kind == "stdio" else "url"
    warnings.extend(
        place.key(key).said(f"has no effect on a peer with a {way}")
        for key in other
        if key in fields
    )


def _as_call(name: str, fields: list[tuple[str, Any]]) -> str:
    return f"{name}({', '.join(f'{field}={value!r}' for field, value in fields)})"
