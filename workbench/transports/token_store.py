"""Where authorizations are kept: by issuer, whose they are, and what they are good for.

Takes:  texts by `TokenKey`
Gives:  them back to whoever has the same key
Never:  gives one issuer's credentials to another, or one person's to another

A store is any object with these two methods, such as one over the system's keyring.
Spec: 2026-07-28 basic/authorization/client-registration, "Authorization Server Binding".
"""

from typing import Literal, Protocol

from msgspec import Struct


class TokenKey(Struct, frozen=True, kw_only=True):
    """What a stored text belongs to."""

    kind: Literal["issuer", "client", "tokens"]
    """`issuer`: which authorization server a resource was last used with; `client`: a
    registration there; `tokens`: for one resource."""
    issuer: str = ""
    """The authorization server; "" for `kind="issuer"`."""
    auth_context: str = ""
    """The peer's `auth_context`: whose authorization it is."""
    resource: str = ""
    """The peer's url; "" for a registration, which is good for all of an issuer's resources."""


class TokenStore(Protocol):
    """Keeps texts; each is JSON and a secret."""

    async def get(self, key: TokenKey) -> str | None:
        """Return what was kept under this key."""

    async def put(self, key: TokenKey, value: str) -> None:
        """Keep a text, in place of the one before."""


class MemoryTokens:
    """Keeps authorizations as long as the program runs."""

    def __init__(self) -> None:
        self._kept: dict[TokenKey, str] = {}

    def __repr__(self) -> str:
        return f"<MemoryTokens of {len(self._kept)} entries>"

    async def get(self, key: TokenKey) -> str | None:
        """Return what was kept under this key."""
        return self._kept.get(key)

    async def put(self, key: TokenKey, value: str) -> None:
        """Keep a text."""
        self._kept[key] = value
