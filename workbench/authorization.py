"""What an application may hand over so that a peer lets it in.

Takes:  `authorization=` of `add_server`
Gives:  the credentials of one peer
Never:  lets two sources of one header meet: what is configured is not silently replaced

Headers of the configuration need none of this. Spec: 2026-07-28 basic/authorization.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from workbench.core.config.config import PeerConfig
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.text.visible import visible
from workbench.transports.http_credentials import AskedToken, Credentials


def credentials_for(
    authorization: Any, config: PeerConfig, hide: Callable[[str], object]
) -> Credentials:
    """Return the credentials of one peer, made once and kept as long as it is known.

    Args:
        authorization: an `OAuth`, one of the SDK's providers, a function or coroutine
            function that returns a bearer token, or the token itself.
        config: the peer.
        hide: told each secret that comes.

    Raises:
        ConfigError: if it is none of those, or the peer has no url, or has an
            Authorization header already.
    """
    _check(config)
    if hasattr(authorization, "credentials"):
        made: Credentials = authorization.credentials(config.url, config.auth_context, hide)
        return made
    if hasattr(authorization, "async_auth_flow"):
        from workbench.transports.oauth import FlowCredentials

        return FlowCredentials(authorization, hide)
    if isinstance(authorization, str):
        token = authorization
        return AskedToken(lambda: token, hide)
    if callable(authorization):
        return AskedToken(authorization, hide)
    kind = type(authorization).__name__
    hint = "Pass an OAuth, a provider of the SDK, a function that returns a token, or a token."
    raise _wrong(config, f"authorization= got {kind}", hint)


def _check(config: PeerConfig) -> None:
    if config.url is None:
        hint = "Give a local process what it needs through env."
        raise _wrong(config, "authorization= is for peers with a url", hint)
    has_header = any(name.lower() == "authorization" for name in config.headers)
    if has_header or "@" in urlsplit(config.url).netloc:
        where = "its headers" if has_header else "its url"
        detail = f"authorization= was given, and {where} hold credentials too"
        raise _wrong(config, detail, "Keep one of the two.")


def _wrong(config: PeerConfig, detail: str, hint: str) -> ConfigError:
    named = f"peer {visible(config.name, 80)!r}: {detail}"
    return ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=named, hint=hint))
