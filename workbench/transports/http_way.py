"""One HTTP request at a time to one address, and nothing anywhere else.

Takes:  a method, headers and a body
Gives:  a response whose body is still to be read, or `Lost` with the reason
Never:  keeps a cookie, reads credentials of the machine, follows a redirect to another
        origin, or repeats a request that may have arrived

Credentials never leave the origin they were configured for: a redirect is followed only
where method and body stay (307, 308) and the origin does too.
Source: fault matrix H18; cases H12, H13; RFC 9110 section 15.4.
"""

import ssl
from typing import Final
from urllib.parse import urljoin

import aiohttp
from msgspec import Struct
from msgspec.structs import replace

from workbench.core.config.config_secrets import public_url
from workbench.core.text.visible import visible
from workbench.core.version import __version__
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.transports.http_address import Address, origin_of
from workbench.transports.turn import turn

CONNECT_S: Final = 10.0
"""Longest time a connection may take to open, in seconds; a call may end earlier."""
MOST_CONNECTIONS: Final = 256
IDLE_S: Final = 4.0
"""How long an idle connection is kept; shorter than what common servers keep theirs (5 s),
so that no request meets a connection that is just being closed."""
MOST_REDIRECTS: Final = 5
_FOLLOWED: Final = (307, 308)
_AGENT: Final = f"mcp-client-workbench/{__version__}"


class Lost(Exception):
    """No response that anybody may read; carries the end of the exchange."""

    def __init__(self, end: ExchangeEnd) -> None:
        super().__init__(end.how)
        self.end = end


class Got(Struct, frozen=True):
    """A response, and the address it came from."""

    response: aiohttp.ClientResponse
    moved_to: str = ""
    """Where a followed redirect led, safe to show; "" when there was none."""


class HttpWay:
    """The connections of one transport.

    Args:
        address: where to, with the operator's headers and the proxy.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._session: aiohttp.ClientSession | None = None

    @property
    def held_s(self) -> float:
        """Seconds during which requests were held back for authorization; here none."""
        return 0.0

    def open(self) -> None:
        """Make the session; nothing is connected yet. Needs a running event loop."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=MOST_CONNECTIONS, keepalive_timeout=IDLE_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": _AGENT},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
            trust_env=False,  # it would read .netrc, and use a proxy for loopback
        )

    async def close(self) -> None:
        """Close every connection; harmless when there is none."""
        if self._session is not None:
            await self._session.close()

    async def request(self, method: str, headers: dict[str, str], body: bytes | None = None) -> Got:
        """Send one request and return the response as soon as its headers are there.

        Raises:
            Lost: if there is no response, or a redirect that is not followed.
        """
        url, moved_to = self._address.url, ""
        for _ in range(MOST_REDIRECTS + 1):
            response = await self._once(method, url, headers, body)
            if not 300 <= response.status < 400:
                return Got(response, moved_to)
            try:
                url = self._followed(response, url)
            finally:
                response.close()
            moved_to = visible(public_url(url), 200)
        raise _lost(Trouble.REDIRECT, f"redirected more than {MOST_REDIRECTS} times")

    async def _once(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None
    ) -> aiohttp.ClientResponse:
        assert self._session is not None
        # One turn of the loop, so that a connection the server has closed in the meantime is
        # noticed before a request is written into it and its fate becomes unknowable.
        await turn()
        try:
            return await self._session.request(
                method,
                url,
                data=body,
                headers={**self._address.headers, **headers},
                allow_redirects=False,
                proxy=self._address.proxy,
            )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as problem:
            raise _lost(Trouble.UNREACHABLE, self._not_connected(problem)) from problem
        except aiohttp.ClientHttpProxyError as problem:
            how = f"could not be reached: the proxy {self._proxy()} said {problem.status}"
            raise _lost(Trouble.UNREACHABLE, how) from problem
        except (aiohttp.ClientError, OSError, ValueError) as problem:
            how = f"broke the connection before it answered ({clause_of(problem)})"
            raise _lost(Trouble.BROKEN, how) from problem

    def _followed(self, response: aiohttp.ClientResponse, url: str) -> str:
        location = response.headers.get("Location", "")
        try:
            target = urljoin(url, location)
        except ValueError:
            target = location
        shown = visible(public_url(target), 200)
        if not location:
            how = "redirects and does not say where"
        elif response.status not in _FOLLOWED:
            how = f"redirects to {shown}, and only 307 and 308 keep the request as it is"
        elif not self._same_origin(target):
            how = f"redirects to {shown}, another origin than the configured one"
        else:
            return target
        raise _lost(Trouble.REDIRECT, how, response.status)

    def _same_origin(self, target: str) -> bool:
        try:
            return "@" not in target.split("?", 1)[0] and origin_of(target) == self._address.origin
        except ValueError:
            return False

    def _not_connected(self, problem: Exception) -> str:
        through = f" through the proxy {self._proxy()}" if self._address.proxy else ""
        return f"could not be reached{through}: {clause_of(problem)}"

    def _proxy(self) -> str:
        scheme, host, port = origin_of(self._address.proxy or "")
        return f"{scheme}://{visible(host, 80)}:{port} (from the environment)"


def clause_of(problem: BaseException) -> str:
    """Return a short, safe clause for what went wrong on a connection."""
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        return visible(f"its certificate is not trusted: {problem.certificate_error}", 200)
    if isinstance(problem, ssl.SSLError):
        return visible(f"TLS failed: {problem.reason or problem}", 200)
    if isinstance(problem, aiohttp.ConnectionTimeoutError):
        return f"no connection within {CONNECT_S:g} s"
    if isinstance(problem, aiohttp.ClientPayloadError):
        return "the body broke off"
    cause = getattr(problem, "os_error", None) or problem
    return visible(getattr(cause, "strerror", None) or str(cause) or type(cause).__name__, 200)


def _lost(trouble: Trouble, how: str, status: int | None = None) -> Lost:
    return Lost(ExchangeEnd(request_id=None, trouble=trouble, how=how, status=status))


def named(end: ExchangeEnd, request_id: int | str | None) -> ExchangeEnd:
    """Return the end with the id of the request it ended."""
    return replace(end, request_id=request_id)
