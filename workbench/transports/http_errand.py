"""Where a peer may send us for authorization, and the one bounded request there.

Takes:  an address that came from a peer's text
Gives:  the response, read
Never:  goes where only this machine or its network can go, unless the peer is there too;
        never carries the operator's headers, and never follows a redirect

Names are not resolved here: what a name leads to is for the network to limit.
Spec: security best practices, "Server-Side Request Forgery"; RFC 9728 section 7.7.
"""

import asyncio
import ipaddress
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from workbench.core.config.config_secrets import public_url
from workbench.core.text.visible import visible
from workbench.transports.http_address import is_loopback, origin_of, proxy_for
from workbench.transports.http_credentials import NoCredentials, Reply

LIMIT_S: Final = 30.0
"""Longest time one request to an authorization server may take."""
CAP: Final = 1_048_576
"""Most bytes of its answer."""


def refuse_errand(target: str, peer: str) -> str:
    """Say why a peer must not send us to an address; "" when it may.

    Args:
        target: the address.
        peer: the peer's own.
    """
    try:
        scheme, host, _ = origin_of(target)
        near = origin_of(peer)[1]
    except ValueError:
        return "is no http or https address"
    if "@" in urlsplit(target).netloc:
        return "holds user info"
    if host == near:
        return ""
    if _is_inside(host) and not _is_inside(near):
        return "is inside this machine or its network, and the peer is not"
    if scheme != "https" and not (is_loopback(host) and is_loopback(near)):
        return "is not https"
    return ""


async def run_errand(
    session: aiohttp.ClientSession,
    peer: str,
    environ: Mapping[str, str],
    request: tuple[str, str, Mapping[str, str], bytes],
) -> Reply:
    """Send one request and read its answer.

    Args:
        session: whose connections are used.
        peer: address of the peer that named the target.
        environ: where proxies are named.
        request: method, target, headers, body.

    Raises:
        NoCredentials: if the target is refused, cannot be reached, or answers too much.
    """
    method, target, headers, body = request
    shown = visible(public_url(target), 200)
    why_not = refuse_errand(target, peer)
    if why_not:
        raise NoCredentials(f"the authorization address {shown} {why_not}")
    try:
        async with (
            asyncio.timeout(LIMIT_S),
            session.request(
                method,
                target,
                data=body or None,
                headers=headers,
                allow_redirects=False,
                proxy=proxy_for(target, environ),
            ) as response,
        ):
            return Reply(response.status, pairs(response), await _whole(response, shown))
    except TimeoutError as late:
        raise NoCredentials(f"{shown} did not answer within {LIMIT_S:g} s") from late
    except (aiohttp.ClientError, OSError, ValueError) as problem:
        kind = type(problem).__name__
        raise NoCredentials(f"{shown} could not be asked ({kind})") from problem


def pairs(response: aiohttp.ClientResponse) -> tuple[tuple[str, str], ...]:
    """Return the headers of a response, as far as they are true of a body that was read."""
    return tuple(
        (name, value)
        for name, value in response.headers.items()
        if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
    )


async def _whole(response: aiohttp.ClientResponse, shown: str) -> bytes:
    body = bytearray()
    while chunk := await response.content.readany():
        body += chunk
        if len(body) > CAP:
            raise NoCredentials(f"{shown} answered with more than {CAP} bytes")
    return bytes(body)


def _is_inside(host: str) -> bool:
    if is_loopback(host):
        return True
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_global
    except ValueError:
        # "0x7f.1" and "2130706433" are addresses to some resolvers, and names to nobody.
        return all(part[:1].isdigit() for part in host.split("."))
