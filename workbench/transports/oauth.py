"""OAuth by the official SDK, run over this client's own HTTP.

Takes:  an SDK flow (`OAuthClientProvider`, or anything with its `async_auth_flow`)
Gives:  `FlowCredentials`: what a peer's requests are sent with
Never:  runs a flow of its own, and never holds the flow's lock while a request is out, so
        that requests to one peer run side by side once there is a token

The flow is a generator that yields requests and is sent responses. One of them is the
request it authorizes: it is not sent from here. When the flow yields it, its headers are
what was wanted, and the generator is closed.

The SDK is the extra `oauth` and is imported here only when a flow is used.
Spec: 2026-07-28 basic/authorization.
"""

from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs, unquote_plus

import msgspec

from workbench.core.cause import cause
from workbench.core.text.redact import Redactor
from workbench.transports.http_credentials import Asked, Errand, NoCredentials, Reply
from workbench.transports.oauth_log import cleaned_log

EXTRA: Final = "mcp-client-workbench[oauth]"
"""What has to be installed."""
_SECRETS: Final = frozenset(
    {"access_token", "refresh_token", "id_token", "client_secret", "client_assertion", "assertion"}
    | {"code", "code_verifier", "device_code", "registration_access_token", "password"}
)
"""Members of what goes to an authorization server, and comes from one, that are secret."""


class FlowCredentials:
    """One peer's authorization, by one flow object that is kept as long as the peer is known.

    Args:
        flow: has `async_auth_flow(request)`, as `httpx2.Auth` says.
        hide: told what the flow adds to requests, so that nothing shows it.
    """

    def __init__(self, flow: Any, hide: Callable[[str], object]) -> None:
        self._flow = flow
        self._hide = hide
        self._hidden: frozenset[str] = frozenset()
        self._knows = Redactor()

    async def current(self, asked: Asked, errand: Errand) -> dict[str, str]:
        """Return what the flow adds now; it refreshes a token that has expired.

        Raises:
            NoCredentials: if the flow fails.
        """
        with cleaned_log(self._knows):
            return await self._run(asked, errand, {}, None) or {}

    async def renewed(
        self, asked: Asked, given: Mapping[str, str], refusal: Reply, errand: Errand
    ) -> dict[str, str] | None:
        """Let the flow authorize anew; None when it sees no reason in the refusal.

        When another request has brought new credentials meanwhile, those are returned and
        nobody is asked twice.

        Raises:
            NoCredentials: if the flow fails.
        """
        with cleaned_log(self._knows):
            return await self._run(asked, errand, dict(given), refusal)

    async def _run(
        self, asked: Asked, errand: Errand, given: dict[str, str], refusal: Reply | None
    ) -> dict[str, str] | None:
        import httpx2

        mine = httpx2.Request(asked.method, asked.url, headers=asked.headers)
        flow = self._flow.async_auth_flow(mine)
        try:
            outgoing = await anext(flow)
            while True:
                if outgoing is mine:
                    added = _added(mine, asked)
                    self._secret(added)
                    if refusal is None or added != given:
                        return added
                    reply, refusal = refusal, None
                else:
                    body = await outgoing.aread()
                    headers = _plain(outgoing.headers)
                    self._all_secret(secrets_asked(headers, body))
                    reply = await errand(outgoing.method, str(outgoing.url), headers, body)
                    self._all_secret(secrets_told(reply.body))
                outgoing = await flow.asend(
                    httpx2.Response(
                        reply.status, headers=list(reply.headers), content=reply.body,
                        request=outgoing,
                    )
                )  # fmt: skip
        except StopAsyncIteration:
            return None
        except NoCredentials:
            raise
        except Exception as problem:
            raise NoCredentials(cause(problem)) from problem
        finally:
            await flow.aclose()

    def _secret(self, added: dict[str, str]) -> None:
        values = frozenset(added.values())
        self._all_secret(values - self._hidden)
        self._hidden = values

    def _all_secret(self, values: Iterable[str]) -> None:
        for value in values:
            self._hide(value)
            self._knows.add(value)


def secrets_asked(headers: Mapping[str, str], body: bytes) -> list[str]:
    """Return the secrets of a request to an authorization server: of a form, and of its header.

    A server may repeat what it was sent in an error, and an error is shown.
    """
    form = parse_qs(body.decode("utf-8", "replace"))
    found = [value for name, values in form.items() if name in _SECRETS for value in values]
    given = next((v for name, v in headers.items() if name.lower() == "authorization"), "")
    scheme, _, encoded = given.partition(" ")
    if scheme.lower() == "basic":
        with suppress(ValueError):
            _, _, password = b64decode(encoded, validate=True).decode().partition(":")
            found += [unquote_plus(password), password]
    return [one for one in (*found, encoded) if one]


def secrets_told(body: bytes) -> list[str]:
    """Return the secrets in the answer of an authorization server, a JSON object."""
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return []
    told = answer.items() if isinstance(answer, dict) else ()
    return [value for name, value in told if name in _SECRETS and isinstance(value, str) and value]


def _added(request: Any, asked: Asked) -> dict[str, str]:
    before = {name.lower() for name in asked.headers}
    usual = {"host", "content-length"}
    return {
        name: value
        for name, value in _plain(request.headers).items()
        if name not in before and name not in usual
    }


def _plain(headers: Any) -> dict[str, str]:
    # The address of the request and the length of its body are written anew.
    skipped = ("host", "content-length", "transfer-encoding")
    return {name: value for name, value in headers.items() if name not in skipped}
