"""An MCP server behind OAuth, and its authorization servers, at one `Desk`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from aiohttp import web
from desk import Desk, Visit

from workbench import PeerConfig

TOOL = {"name": "look", "description": "Looks.", "inputSchema": {"type": "object"}}
HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
RESULTS = {
    "server/discover": {
        **HINTS,
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
    },
    "tools/list": {**HINTS, "tools": [TOOL]},
    "tools/call": {"resultType": "complete", "content": []},
}


class Gate:
    """Lets in whoever shows a token it has given out; use `answer` for a `Desk`."""

    def __init__(self) -> None:
        self.desk = Desk(self.answer)
        self.issuer = "one"
        """Which of its authorization servers the peer names."""
        self.valid: dict[str, str] = {}
        """Tokens and what they are good for."""
        self.wanted = "read"
        """The scope a call needs."""
        self.pages: list[str] = []
        """Addresses that were shown to the person."""
        self.on_page: Callable[[str], Any] = lambda page: None
        """Called with each page before it leads anywhere; may be a coroutine function."""
        self.on_call: Callable[[Visit], Any] = lambda visit: None

    @property
    def secrets(self) -> list[str]:
        """Return everything that must not be shown anywhere."""
        made = [f"{kind}-{n}-secret" for n in range(1, 10) for kind in ("code", "token", "again")]
        return [*made, "client-secret-of-one"]

    def asked(self, path: str) -> list[Visit]:
        """Return the visits to one path."""
        return [visit for visit in self.desk.visits if visit.path.split("?")[0] == path]

    def methods(self) -> list[str]:
        """Return what was asked of the MCP server, in order."""
        return [visit.message["method"] for visit in self.asked("/mcp")]

    def config(self, name: str = "peer", **settings: Any) -> PeerConfig:
        """Return the peer's configuration."""
        return PeerConfig(name=name, url=self.desk.url, **settings)

    async def sign_in(self, page: str) -> str:
        """Do what a person does on the page."""
        self.pages.append(page)
        given = self.on_page(page)
        if asyncio.iscoroutine(given):
            await given
        asked = {name: values[0] for name, values in parse_qs(urlsplit(page).query).items()}
        issuer = f"{self.origin}/{urlsplit(page).path.split('/')[1]}"
        query = f"code=code-{len(self.pages)}-secret&state={asked['state']}&iss={issuer}"
        return f"{asked['redirect_uri']}?{query}"

    @property
    def origin(self) -> str:
        """Return where all of this is."""
        return self.desk.url.removesuffix("/mcp")

    async def answer(self, visit: Visit) -> web.StreamResponse:
        """Answer one visit."""
        path = visit.path.split("?")[0]
        if path == "/mcp":
            return await self._peer(visit)
        if path == "/.well-known/oauth-protected-resource/mcp":
            servers = [f"{self.origin}/{self.issuer}"]
            return _json({"resource": self.desk.url, "authorization_servers": servers})
        if path.startswith("/.well-known/oauth-authorization-server/"):
            return _json(self._metadata(path.rpartition("/")[2]))
        if path.endswith("/register"):
            issuer = path.split("/")[1]
            asked = json.loads(visit.body)
            made = {"client_id": f"client-of-{issuer}", "client_secret": "client-secret-of-one"}
            return _json({**asked, **made, "token_endpoint_auth_method": "client_secret_post"})
        if path.endswith("/token"):
            return self._token(visit)
        return web.Response(status=404)

    async def _peer(self, visit: Visit) -> web.StreamResponse:
        token = visit.headers.get("authorization", "").removeprefix("Bearer ")
        method = visit.message["method"]
        if token not in self.valid:
            return web.Response(status=401, headers={"WWW-Authenticate": 'Bearer scope="read"'})
        if method == "tools/call" and self.wanted not in self.valid[token].split():
            short = f'Bearer error="insufficient_scope", scope="{self.wanted}"'
            return web.Response(status=403, headers={"WWW-Authenticate": short})
        if method == "tools/call":
            given = self.on_call(visit)
            if asyncio.iscoroutine(given):
                await given
        return visit.json(visit.reply(RESULTS[method]))

    def _metadata(self, name: str) -> dict[str, Any]:
        here = f"{self.origin}/{name}"
        return {
            "issuer": here,
            "authorization_endpoint": f"{here}/authorize",
            "token_endpoint": f"{here}/token",
            "registration_endpoint": f"{here}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def _token(self, visit: Visit) -> web.StreamResponse:
        number = len(self.asked(visit.path))
        scopes = parse_qs(urlsplit(self.pages[-1]).query).get("scope", [""])
        self.valid[f"token-{number}-secret"] = scopes[0]
        return _json(
            {
                "access_token": f"token-{number}-secret",
                "refresh_token": f"again-{number}-secret",
                "token_type": "Bearer",
                "scope": scopes[0],
            }
        )


def _json(value: Any) -> web.Response:
    return web.json_response(value)
