"""What may be handed over as `authorization=`."""

import asyncio
from typing import Any

import pytest

from fakes import modern
from workbench import MultiServerClient, OAuth, PeerConfig
from workbench.admission import admit
from workbench.authorization import credentials_for
from workbench.core.errors import ConfigError
from workbench.transports.http_credentials import Asked, AskedToken
from workbench.transports.oauth import FlowCredentials

WEB = PeerConfig(name="web", url="https://h/mcp")


class Flow:
    async def async_auth_flow(self, request: Any) -> Any:
        yield request


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("token", AskedToken),
        (lambda: "token", AskedToken),
        (Flow(), FlowCredentials),
        (OAuth(visit=print), FlowCredentials),
    ],
)
def test_four_things_are_an_authorization(given: Any, kind: type) -> None:
    """Ours: a token, a function, a provider of the SDK, a recipe."""
    assert type(credentials_for(given, WEB, lambda secret: None)) is kind


def test_a_text_is_a_token() -> None:
    """Spec: basic/authorization, access token usage."""
    made = credentials_for("abc", WEB, lambda secret: None)
    asked = Asked("POST", "https://h/mcp", {})
    sent = asyncio.run(made.current(asked, None))  # type: ignore[arg-type]
    assert sent == {"Authorization": "Bearer abc"}


@pytest.mark.parametrize(
    ("given", "config", "why"),
    [
        (7, WEB, "authorization= got int"),
        ("t", PeerConfig(name="a", command="x"), "for peers with a url"),
        ("t", PeerConfig(name="a", url="https://u:p@h/"), "its url hold"),
        (
            "t",
            PeerConfig(name="a", url="https://h/", headers={"authorization": "b"}),
            "its headers",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(given: Any, config: PeerConfig, why: str) -> None:
    """Ours: what is configured is not silently replaced."""
    with pytest.raises(ConfigError, match=why):
        credentials_for(given, config, lambda secret: None)


def test_a_fake_takes_no_authorization() -> None:
    """Ours: it would be ignored, and somebody would rely on it."""
    with pytest.raises(ConfigError, match="makes transports"):
        admit("a", modern("a"), {}, None, {}, authorization="t")


def test_the_synchronous_client_takes_it_too() -> None:
    """Design section 4: the same verbs."""
    with MultiServerClient() as client:
        with pytest.raises(ConfigError, match="for peers with a url"):
            client.add_server("a", ["true"], authorization="t")
        client.add_server("b", WEB, authorization="t")
        assert list(client.report().peers)
