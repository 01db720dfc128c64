"""How a person signs in, said once for any number of peers.

Takes:  `OAuth`: one function that shows a page and returns where it led, and a store
Gives:  the SDK's provider for one peer, with both
Never:  shows a token, a code or a client secret: each is told to the redactor when it comes

The SDK wants four functions and a storage; an application should need one function. What
the page led to is read here, so that the issuer in it is always checked (RFC 9207).
Spec: 2026-07-28 basic/authorization, "Authorization Response Validation", and
client-registration, "Authorization Server Binding".
"""

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct, field

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.transports.http_credentials import NoCredentials
from workbench.transports.oauth import EXTRA, FlowCredentials
from workbench.transports.own_thread import in_own_thread
from workbench.transports.token_store import MemoryTokens, TokenKey, TokenStore

REDIRECT_URI: Final = "http://127.0.0.1:8765/callback"
Hide = Callable[[str], object]


class OAuth(Struct, frozen=True, kw_only=True):
    """Signing in to the authorization servers of one or many peers.

    ::

        def sign_in(page):                       # a plain function: runs on its own thread
            webbrowser.open(page)
            return input("Where did it lead? ")  # http://127.0.0.1:8765/callback?code=…

        client.add_server("notes", PeerConfig(name="notes", url=…),
                          authorization=OAuth(visit=sign_in))
    """

    visit: Any
    """Takes the address of the sign-in page, returns the whole address the page redirected
    to, with its query. A function or a coroutine function."""
    redirect_uri: str = REDIRECT_URI
    """Where the page redirects to; a loopback address for a program on a desk."""
    client_name: str = "mcp-client-workbench"
    client_metadata_url: str | None = None
    """Address of a client ID metadata document; used where the server supports it."""
    client_id: str | None = None
    """A client registered beforehand; None registers one where needed."""
    client_secret: str | None = None
    issuer: str | None = None
    """Whose client `client_id` is. None binds it to the first server it is used with."""
    store: Any = field(default_factory=MemoryTokens)
    """Where authorizations are kept, a `TokenStore`."""
    sign_in_timeout_s: float = 300.0
    """Longest time one sign-in may take."""

    def __repr__(self) -> str:
        """Return what it is for, without secrets."""
        return f"<OAuth of {self.client_name}>"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show no secrets either."""
        return [("client_name", self.client_name), ("redirect_uri", self.redirect_uri)]

    def credentials(self, url: str, auth_context: str, hide: Hide) -> FlowCredentials:
        """Make the credentials of one peer.

        Args:
            url: the peer's address.
            auth_context: whose authorization it is; kept apart in the store.
            hide: told each secret that comes.

        Raises:
            ConfigError: if the SDK is not installed, or a setting is wrong.
        """
        try:
            return FlowCredentials(_provider(self, url, auth_context, hide), hide)
        except ImportError as missing:
            detail = f"OAuth needs the official SDK, which cannot be loaded: {missing}"
            raise _wrong(detail, f"Install it: pip install '{EXTRA}'.") from missing
        except ValueError as problem:
            raise _wrong(f"OAuth cannot be set up: {problem}", "Correct the setting.") from problem


class PeerTokens:
    """The SDK's storage for one peer, over a `TokenStore`.

    Args:
        store: what keeps it.
        resource: the peer's address.
        auth_context: whose it is.
        hide: told each secret.
        registered: the client registered beforehand, or None.
        parse: (client model, token model) of the SDK.
    """

    def __init__(
        self,
        store: TokenStore,
        resource: str,
        auth_context: str,
        hide: Hide,
        registered: Any,
        parse: tuple[Any, Any],
    ) -> None:
        self.provider: Any = None
        self._store = store
        self._of = {"auth_context": auth_context, "resource": resource}
        self._whose = {"auth_context": auth_context}
        self._hide = hide
        self._registered = registered
        self._client, self._tokens = parse

    async def get_client_info(self) -> Any:
        """Return the client to use: the one registered beforehand, or the one kept."""
        if self._registered is not None:
            return self._registered
        issuer = await self._issuer()
        kept = await self._store.get(TokenKey(kind="client", issuer=issuer, **self._whose))
        return None if kept is None else self._hidden(self._client.model_validate_json(kept))

    async def set_client_info(self, client_info: Any) -> None:
        """Keep a registration under its issuer.

        Raises:
            NoCredentials: if there is a client registered beforehand, and this is another.
        """
        if self._registered is not None:
            raise NoCredentials(
                "the peer now names another authorization server than client_id is for"
            )
        self._hidden(client_info)
        key = TokenKey(kind="client", issuer=client_info.issuer or "", **self._whose)
        await self._store.put(key, client_info.model_dump_json(exclude_none=True))

    async def get_tokens(self) -> Any:
        """Return the tokens of the authorization server used last."""
        key = TokenKey(kind="tokens", issuer=await self._issuer(), **self._of)
        kept = await self._store.get(key)
        return None if kept is None else self._hidden(self._tokens.model_validate_json(kept))

    async def set_tokens(self, tokens: Any) -> None:
        """Keep tokens under their issuer, and bind a client registered beforehand to it."""
        self._hidden(tokens)
        context = self.provider.context
        issuer = context.auth_server_url or (context.client_info and context.client_info.issuer)
        if self._registered is not None and self._registered.issuer is None:
            self._registered.issuer = issuer
        kept = tokens.model_dump_json(exclude_none=True)
        await self._store.put(TokenKey(kind="issuer", **self._of), issuer or "")
        await self._store.put(TokenKey(kind="tokens", issuer=issuer or "", **self._of), kept)

    async def _issuer(self) -> str:
        return await self._store.get(TokenKey(kind="issuer", **self._of)) or ""

    def _hidden(self, model: Any) -> Any:
        for name in ("access_token", "refresh_token", "client_secret"):
            secret = getattr(model, name, None)
            if secret:
                self._hide(secret)
        return model


class SignIn:
    """One function of the application as the two the SDK wants.

    Args:
        visit: as in `OAuth`.
        limit_s: longest time it may take.
        hide: told the authorization code.
        result: the SDK's type for what the page led to.
    """

    def __init__(self, visit: Any, limit_s: float, hide: Hide, result: Any) -> None:
        self._visit = visit
        self._limit_s = limit_s
        self._hide = hide
        self._result = result
        self._led_to = ""

    async def show(self, page: str) -> None:
        """Show the page and wait for where it leads.

        Raises:
            NoCredentials: if that takes too long, fails, or leads nowhere.
        """
        try:
            async with asyncio.timeout(self._limit_s):
                led_to = await self._call(page)
        except TimeoutError:
            raise NoCredentials(f"nobody signed in within {self._limit_s:g} s") from None
        except NoCredentials:
            raise
        except Exception as problem:
            # Its text may hold the address, and with it the code.
            raise NoCredentials(f"visit= failed with {type(problem).__name__}") from problem
        if not isinstance(led_to, str):
            raise NoCredentials(f"visit= gave {type(led_to).__name__} instead of an address")
        self._led_to = led_to

    async def answer(self) -> Any:
        """Return code, state and issuer from where the page led."""
        query = parse_qs(urlsplit(self._led_to).query, keep_blank_values=True)
        self._led_to = ""
        code, state, iss = (query.get(name, [None])[0] for name in ("code", "state", "iss"))
        if code:
            self._hide(code)
        return self._result(code=code or "", state=state, iss=iss)

    async def _call(self, page: str) -> Any:
        if inspect.iscoroutinefunction(self._visit):
            return await self._visit(page)
        given = await in_own_thread(self._visit, page)
        return await given if inspect.isawaitable(given) else given


def _provider(oauth: OAuth, url: str, auth_context: str, hide: Hide) -> Any:
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared import auth

    # Otherwise the SDK's account of a refused sign-in lands on the user's screen, in full.
    logger = logging.getLogger("mcp.client.auth")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    registered = None
    if oauth.client_id is not None:
        method = "none" if oauth.client_secret is None else "client_secret_basic"
        registered = auth.OAuthClientInformationFull.model_validate(
            {
                "client_id": oauth.client_id,
                "client_secret": oauth.client_secret,
                "issuer": oauth.issuer,
                "redirect_uris": [oauth.redirect_uri],
                "token_endpoint_auth_method": method,
            }
        )
    if oauth.client_secret:
        hide(oauth.client_secret)
    parse = (auth.OAuthClientInformationFull, auth.OAuthToken)
    storage = PeerTokens(oauth.store, url, auth_context, hide, registered, parse)
    sign_in = SignIn(oauth.visit, oauth.sign_in_timeout_s, hide, auth.AuthorizationCodeResult)
    metadata = auth.OAuthClientMetadata.model_validate(
        {"client_name": oauth.client_name, "redirect_uris": [oauth.redirect_uri]}
    )
    provider = OAuthClientProvider(
        url, metadata, storage, sign_in.show, sign_in.answer, oauth.client_metadata_url
    )
    storage.provider = provider
    return provider


def _wrong(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))
