"""What may become a peer: a configuration, a command, or anything that makes transports.

Takes:  what a caller hands to `add_server`
Gives:  a checked `PeerConfig` and the endpoint it stands for
Never:  starts anything, and never lets a command through that the allowlist does not hold
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from workbench.authorization import credentials_for
from workbench.core.config.allowlist import Allowed, refuse_command
from workbench.core.config.config import PeerConfig, check_peer
from workbench.core.config.config_secrets import worth_hiding
from workbench.core.errors import ConfigError, CouldNotStart, Failure, Kind
from workbench.core.negotiate.snapshot import Terms
from workbench.core.text.visible import visible
from workbench.transports.base import Endpoint
from workbench.transports.launch import child_environment, handed_on, resolve_command
from workbench.transports.recipes import UnreachableEndpoint, endpoint_for
from workbench.transports.stdio import StdioEndpoint

Target = PeerConfig | Endpoint | Sequence[str]
"""A configuration, an object with `kind`, `identity` and `new_transport` (a fake, for
example), or a command line."""


def admit(
    name: str,
    target: Target,
    settings: Mapping[str, Any],
    allowed_commands: Iterable[Allowed] | None,
    environ: Mapping[str, str] | None = None,
    *,
    authorization: Any = None,
    hide: Callable[[str], object] = str,
) -> tuple[PeerConfig, Endpoint]:
    """Turn a target into a checked configuration and its endpoint.

    Args:
        name: the peer's name; it wins over the configuration's own.
        target: see `Target`.
        settings: per-peer settings by `PeerConfig` field name; they win too.
        allowed_commands: the allowlist, or None when the given target is itself the
            operator's word.
        environ: environment to resolve and filter from; None means this process's.
        authorization: see `credentials_for`; only for peers with a url.
        hide: told each secret that comes with it, and each value of our environment that
            `env_allowlist` hands on.

    Raises:
        ConfigError: if a setting is unknown or wrong, or the target is none of the three.
    """
    environ = os.environ if environ is None else environ
    if isinstance(target, PeerConfig):
        config = target
    elif isinstance(target, str):
        raise _wrong(
            f"add_server({name!r}) got the text {visible(target, 60)!r}",
            "Pass a command as a list of strings, a PeerConfig, or a fake.",
        )
    elif isinstance(target, Sequence):
        config = PeerConfig(name=name, command=target[0] if target else "", args=tuple(target[1:]))
    elif hasattr(target, "new_transport"):
        if authorization is not None:
            raise _wrong(
                f"add_server({name!r}) got authorization= for an object that makes transports",
                "Pass a PeerConfig with a url.",
            )
        config = _with(PeerConfig(name=name), name, settings)
        check_peer(config, has_endpoint=True)
        return config, target
    else:
        raise _wrong(
            f"add_server({name!r}) got {type(target).__name__}",
            "Pass a PeerConfig, a command as a list of strings, or a fake.",
        )
    config = _with(config, name, settings)
    check_peer(config)
    credentials = None
    if authorization is not None:
        credentials = credentials_for(authorization, config, hide)
    _hide_handed_on(config, environ, hide)
    endpoint = endpoint_for(config, environ, credentials)
    if allowed_commands is not None and isinstance(endpoint, StdioEndpoint):
        entries = [_resolved(entry, config, environ) for entry in allowed_commands]
        refused = refuse_command(name, endpoint.command, entries)
        if refused is not None:
            return config, UnreachableEndpoint("stdio", endpoint.identity, refused)
    return config, endpoint


def terms_for(
    config: PeerConfig,
    endpoint: Endpoint,
    capabilities: Mapping[str, Any],
    can_declare: Mapping[str, Any],
) -> Terms:
    """Return the terms a peer is negotiated under."""
    return Terms(
        allow_legacy=config.allow_legacy,
        modern_revisions=config.modern_revisions,
        legacy_revisions=config.legacy_revisions,
        discovery_timeout_ms=config.discovery_timeout_ms,
        legacy_probe_timeout_ms=config.legacy_probe_timeout_ms,
        startup_grace_ms=config.startup_grace_ms if endpoint.kind == "stdio" else 0,
        capabilities=dict(capabilities),
        can_declare=dict(can_declare),
        accept_missing_result_type=config.accept_missing_result_type,
    )


def _resolved(entry: Allowed, config: PeerConfig, environ: Mapping[str, str]) -> Allowed:
    program, *rest = [entry] if isinstance(entry, str) else list(entry)
    path = child_environment(environ, config.env_allowlist, config.env).get("PATH", "")
    try:
        absolute = resolve_command(program, search_path=path, cwd=config.cwd)
    except CouldNotStart:
        absolute = program  # it is not there, so it can permit nothing
    return absolute if isinstance(entry, str) else (absolute, *rest)


def _hide_handed_on(
    config: PeerConfig, environ: Mapping[str, str], hide: Callable[[str], object]
) -> None:
    # The safe base is the same for every program; what is handed on besides may be a key.
    if config.command is not None:
        for secret in worth_hiding(handed_on(environ, config.env_allowlist)):
            hide(secret)


def _with(config: PeerConfig, name: str, settings: Mapping[str, Any]) -> PeerConfig:
    unknown = sorted(set(settings) - set(PeerConfig.__struct_fields__))
    if unknown:
        known = ", ".join(sorted(set(PeerConfig.__struct_fields__) - {"name", "from_environment"}))
        raise _wrong(f"unknown setting {visible(unknown[0])!r}", f"Known settings: {known}.")
    # Converting instead of replacing checks the types: allow_legacy="false" is no boolean.
    plain = {field: getattr(config, field) for field in PeerConfig.__struct_fields__}
    try:
        return msgspec.convert({**plain, **settings, "name": name}, PeerConfig)
    except msgspec.ValidationError as problem:
        raise _wrong(f"peer {name!r}: {problem}", "Correct the setting.") from None


def _wrong(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))
