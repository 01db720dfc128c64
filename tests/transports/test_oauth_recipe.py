"""Signing in as an application says it, and as the SDK wants it."""

import asyncio
import io
from typing import Any

import pytest
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthToken
from rich.console import Console

from workbench import OAuth
from workbench.core.errors import ConfigError
from workbench.transports.http_credentials import NoCredentials
from workbench.transports.oauth_recipe import PeerTokens, SignIn
from workbench.transports.token_store import MemoryTokens, TokenKey


def signed(visit: Any, limit_s: float = 5.0) -> tuple[AuthorizationCodeResult, list[str]]:
    hidden: list[str] = []

    async def run() -> AuthorizationCodeResult:
        sign_in = SignIn(visit, limit_s, hidden.append, AuthorizationCodeResult)
        await sign_in.show("https://as/page")
        return await sign_in.answer()

    return asyncio.run(run()), hidden


def test_code_state_and_issuer_are_read_and_the_code_is_hidden() -> None:
    """Spec: basic/authorization, authorization response validation."""
    result, hidden = signed(lambda page: f"http://h/cb?code=c%2B1&state=s&iss={page}&more=1#x")
    assert (result.code, result.state, result.iss) == ("c+1", "s", "https://as/page")
    assert hidden == ["c+1"]


@pytest.mark.parametrize("led_to", ["", "http://h/cb?error=access_denied&state=s", "nonsense"])
def test_a_page_that_gives_no_code_gives_none(led_to: str) -> None:
    """Spec: what an error response says is not acted upon."""
    result, hidden = signed(lambda page: led_to)
    assert (result.code, hidden) == ("", [])


def test_an_empty_issuer_is_not_an_absent_one() -> None:
    """RFC 9207: what is present is compared."""
    assert signed(lambda page: "http://h/cb?code=c&iss=")[0].iss == ""


def test_a_plain_function_may_return_a_coroutine() -> None:
    """Ours: a lambda around a coroutine function is a common slip, and means no harm."""

    async def visit(page: str) -> str:
        return "http://h/cb?code=c"

    assert signed(lambda page: visit(page))[0].code == "c"
    assert signed(visit)[0].code == "c"


async def _never(page: str) -> str:
    await asyncio.Event().wait()
    return ""


def _fails(page: str) -> str:
    raise KeyError("code=s3cret")


@pytest.mark.parametrize(
    ("visit", "why"),
    [
        (_never, "nobody signed in within 0.05 s"),
        (_fails, "visit= failed with KeyError"),
        (lambda page: None, "visit= gave NoneType instead of an address"),
    ],
)
def test_a_sign_in_that_does_not_happen_is_said_in_one_clause(visit: Any, why: str) -> None:
    """Ours: bounded, and without the text of an exception that may hold a code."""
    with pytest.raises(NoCredentials) as told:
        signed(visit, 0.05)
    assert str(told.value) == why


def test_nothing_is_kept_under_another_issuer_or_for_another_person() -> None:
    """Spec: client-registration, authorization server binding."""

    class Context:
        auth_server_url = "https://one"
        client_info = None

    class Provider:
        context = Context()

    def tokens_of(store: MemoryTokens, context: str) -> PeerTokens:
        parse = (OAuthClientInformationFull, OAuthToken)
        made = PeerTokens(store, "https://h/mcp", context, lambda secret: None, None, parse)
        made.provider = Provider()
        return made

    async def run() -> None:
        store = MemoryTokens()
        ann, bob = tokens_of(store, "ann"), tokens_of(store, "bob")
        await ann.set_client_info(OAuthClientInformationFull(client_id="c1", issuer="https://one"))
        await ann.set_tokens(OAuthToken(access_token="t1"))
        again = tokens_of(store, "ann")
        assert (await again.get_tokens()).access_token == "t1"
        assert (await again.get_client_info()).client_id == "c1"
        assert await bob.get_tokens() is None and await bob.get_client_info() is None
        elsewhere = TokenKey(kind="tokens", issuer="https://two", auth_context="ann",
                             resource="https://h/mcp")  # fmt: skip
        assert await store.get(elsewhere) is None
        assert "t1" not in repr(store)

    asyncio.run(run())


def test_a_recipe_shows_no_secret() -> None:
    """Design section 5."""
    oauth = OAuth(visit=print, client_id="me", client_secret="s3cret-s3cret")
    screen = io.StringIO()
    Console(file=screen, width=200).print(oauth)
    assert "s3cret" not in repr(oauth) + str(oauth) + screen.getvalue()


def test_a_setting_the_sdk_refuses_is_a_configuration_error() -> None:
    """Ours: found when the peer is added, not when somebody signs in."""
    oauth = OAuth(visit=print, client_metadata_url="http://not-https/")
    with pytest.raises(ConfigError, match="OAuth cannot be set up"):
        oauth.credentials("https://h/mcp", "", lambda secret: None)
