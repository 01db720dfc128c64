"""Somebody else's flow, over our own requests."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest

from workbench.transports.http_credentials import Asked, NoCredentials, Reply
from workbench.transports.oauth import FlowCredentials, secrets_asked, secrets_told

ASKED = Asked("POST", "https://h/mcp", {"MCP-Protocol-Version": "2026-07-28"})


class Flow(httpx2.Auth):
    """Fetches one token for each refusal, and says when it was closed."""

    def __init__(self, *, problem: Exception | None = None) -> None:
        self.closed = 0
        self.seen: list[tuple[str | None, int]] = []
        self._token = ""
        self._problem = problem

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        try:
            if self._token:
                request.headers["Authorization"] = self._token
            response = yield request
            version = request.headers.get("MCP-Protocol-Version")
            self.seen.append((version, response.status_code))
            if response.status_code != 401:
                return
            if self._problem is not None:
                raise self._problem
            answer = yield httpx2.Request("POST", "https://as/token", data={"a": "b"})
            self._token = f"Bearer {answer.json()['token']}"
            request.headers["Authorization"] = self._token
            yield request
        finally:
            self.closed += 1


class Errands:
    """Gives a new token each time."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, dict[str, str], bytes]] = []

    async def __call__(self, method: str, url: str, headers: Any, body: bytes) -> Reply:
        self.sent.append((method, url, dict(headers), body))
        name = ("Content-Type", "application/json")
        return Reply(200, (name,), b'{"token": "t%d"}' % len(self.sent))


def test_a_flow_runs_until_it_would_send_the_request_again() -> None:
    """Ours: its lock is never held while a request of the peer is out."""

    async def run() -> None:
        flow, errands, hidden = Flow(), Errands(), []
        credentials = FlowCredentials(flow, hidden.append)
        assert await credentials.current(ASKED, errands) == {}
        assert flow.closed == 1
        anew = await credentials.renewed(ASKED, {}, Reply(401), errands)
        assert anew == {"authorization": "Bearer t1"}
        assert flow.closed == 2 and flow.seen == [("2026-07-28", 401)]
        method, url, headers, body = errands.sent[0]
        assert (method, url, body) == ("POST", "https://as/token", b"a=b")
        assert headers["content-type"] == "application/x-www-form-urlencoded"
        assert not {"host", "content-length"} & set(headers)
        assert await credentials.current(ASKED, errands) == anew
        assert hidden == ["Bearer t1"]

    asyncio.run(run())


def test_what_another_request_has_brought_is_taken() -> None:
    """Ours: two requests with one dead token are one sign-in."""

    async def run() -> None:
        errands = Errands()
        credentials = FlowCredentials(Flow(), lambda secret: None)
        first = await credentials.renewed(ASKED, {}, Reply(401), errands)
        second = await credentials.renewed(ASKED, {}, Reply(401), errands)
        assert first == second and len(errands.sent) == 1

    asyncio.run(run())


def test_a_refusal_the_flow_has_no_answer_to_stands() -> None:
    """Ours: a 403 without a reason is shown as it came."""
    work = FlowCredentials(Flow(), lambda secret: None).renewed(ASKED, {}, Reply(403), Errands())
    assert asyncio.run(work) is None


@pytest.mark.parametrize("problem", [ValueError("odd\nmetadata"), NoCredentials("as it is")])
def test_a_flow_that_fails_says_why_in_one_line(problem: Exception) -> None:
    """Ours: an exception of another library does not leave the transport."""
    flow = Flow(problem=problem)
    with pytest.raises(NoCredentials) as told:
        credentials = FlowCredentials(flow, lambda secret: None)
        asyncio.run(credentials.renewed(ASKED, {}, Reply(401), Errands()))
    assert str(told.value) in (r"ValueError: odd\nmetadata", "as it is")
    assert flow.closed == 1


def test_what_goes_to_an_authorization_server_is_secret() -> None:
    """Spec: OAuth 2.1, PKCE: the verifier, too; a server may repeat it in an error."""
    form = b"grant_type=authorization_code&code=c-4711&code_verifier=v%2B4711&client_id=me"
    basic = {"Authorization": f"Basic {b64encode(b'me:p%2Bw-4711').decode()}"}
    found = secrets_asked(basic, form)
    assert {"c-4711", "v+4711", "p+w-4711", "p%2Bw-4711"} <= set(found)
    assert not {"authorization_code", "me"} & set(found)
    assert secrets_asked({"Authorization": "Bearer tok-4711"}, b"") == ["tok-4711"]
    assert secrets_asked({"Authorization": "Basic !"}, b"\xff") == ["!"]


def test_what_comes_from_an_authorization_server_is_secret() -> None:
    """Ours: whatever keeps the tokens."""
    told = b'{"access_token":"a-4711","refresh_token":"r-4711","token_type":"Bearer","code":7}'
    assert secrets_told(told) == ["a-4711", "r-4711"]
    for odd in (b"", b"[]", b"\xff", b'{"a":"\xff"}', b"[" * 5_000, b'"access_token"'):
        assert secrets_told(odd) == []


def test_a_flow_hides_what_it_sends_and_gets_before_anything_can_fail() -> None:
    """Field case X01: the error of a token endpoint that repeats what it was sent."""
    hidden: list[str] = []

    class Sends(httpx2.Auth):
        async def async_auth_flow(
            self, request: httpx2.Request
        ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
            answer = yield httpx2.Request("POST", "https://as/t", data={"code_verifier": "v-4711"})
            raise ValueError(f"the server said {answer.text}")

    async def errand(method: str, url: str, headers: Any, body: bytes) -> Reply:
        assert hidden == ["v-4711"]
        return Reply(400, (), b'{"refresh_token":"r-4711"}')

    with pytest.raises(NoCredentials):
        asyncio.run(FlowCredentials(Sends(), hidden.append).current(ASKED, errand))
    assert hidden == ["v-4711", "r-4711"]
