"""Where an HTTP peer is, who it is told we are, and through which proxy.

Takes:  a url, the configured headers, the environment of this process
Gives:  an `Address`: a url without user info, one origin, the headers of the operator
Never:  sends a proxy what is meant for this machine, and never keeps a password in a url

Proxies follow the usual variables: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`.
Loopback never goes through one: a proxy elsewhere would look for the server on itself.
Source: cases H12 and H13; RFC 7617 for user info.
"""

import base64
import ipaddress
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from msgspec import Struct

from workbench.core.wire.headers import METHOD_HEADER, NAME_HEADER, PARAM_PREFIX, VERSION_HEADER

_PORTS: Final = {"http": 80, "https": 443}
_OURS: Final = frozenset(
    name.lower()
    for name in (
        *("Accept", "Content-Type", "Content-Length", "Host", "Last-Event-ID", "Mcp-Session-Id"),
        *(METHOD_HEADER, NAME_HEADER, VERSION_HEADER),
    )
)

Origin = tuple[str, str, int]
"""Scheme, host, port."""


class Address(Struct, frozen=True, kw_only=True):
    """One endpoint and what is sent with each request to it."""

    url: str
    """Without user info and fragment."""
    origin: Origin
    headers: dict[str, str] = {}
    """The operator's headers; secrets, only for this origin."""
    proxy: str | None = None
    """Url of the proxy to use; may hold credentials."""


def address_of(url: str, headers: Mapping[str, str], environ: Mapping[str, str]) -> Address:
    """Read an address as configured.

    Args:
        url: absolute, http or https; user info becomes an Authorization header.
        headers: configured headers; those the protocol fills are left out, and a configured
            Authorization wins over user info.
        environ: where proxies are named.
    """
    parts = urlsplit(url)
    user_info, at, host = parts.netloc.rpartition("@")
    given = {name: value for name, value in headers.items() if not _is_ours(name)}
    if at and not any(name.lower() == "authorization" for name in given):
        user, _, password = user_info.partition(":")
        pair = f"{unquote(user)}:{unquote(password)}"
        given["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    clean = urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))
    return Address(
        url=clean, origin=origin_of(clean), headers=given, proxy=proxy_for(clean, environ)
    )


def origin_of(url: str) -> Origin:
    """Return scheme, host and port of an absolute url.

    Raises:
        ValueError: if the url has no host or an impossible port.
    """
    parts = urlsplit(url)
    if not parts.hostname or parts.scheme not in _PORTS:
        raise ValueError("not an absolute http or https address")
    return parts.scheme, parts.hostname.lower(), parts.port or _PORTS[parts.scheme]


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the proxy the environment names for a url, or None.

    Lower-case variables win. `HTTP_PROXY` in capitals is ignored where a web server may have
    filled it from a request header (`REQUEST_METHOD` is set).
    """
    scheme, host, port = origin_of(url)
    if is_loopback(host) or _is_exempt(host, port, _variable("no_proxy", environ)):
        return None
    named = _variable(f"{scheme}_proxy", environ) or _variable("all_proxy", environ)
    if not named:
        return None
    return named if "://" in named else f"http://{named}"


def is_loopback(host: str) -> bool:
    """Say whether a host name or address means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_ours(name: str) -> bool:
    lower = name.lower()
    return lower in _OURS or lower.startswith(PARAM_PREFIX.lower())


def _variable(name: str, environ: Mapping[str, str]) -> str:
    small = environ.get(name, "").strip()
    if small or (name == "http_proxy" and "REQUEST_METHOD" in environ):
        return small
    return environ.get(name.upper(), "").strip()


def _is_exempt(host: str, port: int, no_proxy: str) -> bool:
    for entry in no_proxy.lower().replace(",", " ").split():
        if entry == "*":
            return True
        name, _, wanted = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
        name = name.strip("[]").removeprefix("*").lstrip(".")
        if wanted and wanted != str(port):
            continue
        if name and (host == name or host.endswith("." + name)):
            return True
    return False
