"""What a request is allowed with, and where that comes from.

Takes:  a request about to be sent, or the refusal it met
Gives:  the headers that authorize it
Never:  repeats a request; who sends it decides that

Two sources: an application that gives tokens (here), and an OAuth flow (`oauth`). Headers
of the configuration need neither. Spec: 2026-07-28 basic/authorization, "Access Token Usage".
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct

from workbench.core.cause import first_cause

_TOKEN: Final = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
"""What RFC 6750 lets stand behind "Bearer"."""


class Asked(Struct, frozen=True):
    """A request, as far as its credentials depend on it."""

    method: str
    url: str
    headers: dict[str, str]


class Reply(Struct, frozen=True):
    """A response that was read, or the head of one that was not."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


Errand: TypeAlias = Callable[[str, str, Mapping[str, str], bytes], Awaitable[Reply]]
"""Sends (method, url, headers, body) to an authorization server, without the operator's
headers; raises `NoCredentials` when that may not be, or cannot be, done."""


class NoCredentials(Exception):
    """Nothing authorizes the request; the text is one clause, safe to show."""


class Credentials(Protocol):
    """One peer's authorization, for as long as the peer is known."""

    async def current(self, asked: Asked, errand: Errand) -> dict[str, str]:
        """Return the headers to send now; empty when there is nothing yet.

        Raises:
            NoCredentials: if they cannot be had.
        """

    async def renewed(
        self, asked: Asked, given: Mapping[str, str], refusal: Reply, errand: Errand
    ) -> dict[str, str] | None:
        """Return other headers after a 401 or 403, or None when there are no better ones.

        Args:
            asked: the request that was refused.
            given: what it was sent with.
            refusal: status and headers of the refusal.
            errand: reaches an authorization server.

        Raises:
            NoCredentials: if they cannot be had.
        """


class AskedToken:
    """Bearer tokens that the application gives whenever a request is sent.

    Args:
        ask: a function or coroutine function without arguments that returns the token.
        hide: told about each new token, so that nothing shows it.
    """

    def __init__(self, ask: Callable[[], Any], hide: Callable[[str], object]) -> None:
        self._ask = ask
        self._hide = hide
        self._last = ""

    async def current(self, asked: Asked, errand: Errand) -> dict[str, str]:
        """Ask for the token.

        Raises:
            NoCredentials: if the function fails, or gives what is no token.
        """
        try:
            token = self._ask()
            if inspect.isawaitable(token):
                token = await token
        except Exception as problem:
            # Its text may hold what the function was working with.
            kind = type(first_cause(problem)).__name__
            raise NoCredentials(f"authorization= failed with {kind}") from problem
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            kind = "a text no header can carry" if isinstance(token, str) else type(token).__name__
            raise NoCredentials(f"authorization= gave {kind} instead of a bearer token")
        if token != self._last:
            self._last = token
            self._hide(token)
        return {"Authorization": f"Bearer {token}"}

    async def renewed(
        self, asked: Asked, given: Mapping[str, str], refusal: Reply, errand: Errand
    ) -> dict[str, str] | None:
        """Ask again after a 401: a token that has just expired may have a successor."""
        if refusal.status != 401:
            return None
        anew = await self.current(asked, errand)
        return anew if anew != given else None
