"""Tokens that the application gives."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from workbench.transports.http_credentials import Asked, AskedToken, NoCredentials, Reply

ASKED = Asked("POST", "https://h/mcp", {})


async def nowhere(*request: Any) -> Reply:
    raise AssertionError("nobody is asked")


def current(ask: Callable[[], Any], hidden: list[str] | None = None) -> dict[str, str]:
    hide = [].append if hidden is None else hidden.append
    return asyncio.run(AskedToken(ask, hide).current(ASKED, nowhere))


def test_a_token_becomes_a_header_and_a_secret() -> None:
    """Spec: basic/authorization, access token usage."""
    hidden: list[str] = []
    assert current(lambda: "abc.def", hidden) == {"Authorization": "Bearer abc.def"}
    assert hidden == ["abc.def"]


def test_a_coroutine_function_may_give_it() -> None:
    """Ours: both colours, as with every callback."""

    async def ask() -> str:
        return "abc"

    assert current(ask) == {"Authorization": "Bearer abc"}


@pytest.mark.parametrize("given", ["", "a b", "a\r\nX: y", "ä", None, 7, b"abc"])
def test_what_is_no_token_is_not_sent(given: Any) -> None:
    """RFC 6750 section 2.1; a line end would begin another header."""
    with pytest.raises(NoCredentials, match="instead of a bearer token"):
        current(lambda: given)


def test_a_function_that_fails_is_named_and_not_quoted() -> None:
    """Design section 5: its text may hold what it was working with."""

    def ask() -> str:
        raise RuntimeError("s3cret")

    with pytest.raises(NoCredentials, match=r"^authorization= failed with RuntimeError$"):
        current(ask)


@pytest.mark.parametrize(
    ("status", "tokens", "anew"),
    [(401, ["a", "b"], "b"), (401, ["a", "a"], None), (403, ["a", "b"], None)],
)
def test_only_a_refused_token_with_a_successor_is_replaced(
    status: int, tokens: list[str], anew: str | None
) -> None:
    """Spec: basic/authorization, error handling: 401 is a token, 403 is a permission."""

    async def run() -> dict[str, str] | None:
        left = iter(tokens)
        source = AskedToken(lambda: next(left), lambda token: None)
        given = await source.current(ASKED, nowhere)
        return await source.renewed(ASKED, given, Reply(status), nowhere)

    expected = None if anew is None else {"Authorization": f"Bearer {anew}"}
    assert asyncio.run(run()) == expected
