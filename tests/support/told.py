"""A conversation told message by message, and what lint finds in it."""

from __future__ import annotations

from typing import Any

from workbench.core.journal.facts import Facts
from workbench.core.journal.journal import Journal
from workbench.core.wire.codec import encode
from workbench.core.wire.envelope import request_meta
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN

VERSION = "io.modelcontextprotocol/protocolVersion"
STREAM = "io.modelcontextprotocol/subscriptionId"
DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": [LATEST_MODERN],
    "capabilities": {"tools": {}},
    "ttlMs": 0,
    "cacheScope": "private",
}
GREETED = {
    "protocolVersion": LATEST_LEGACY,
    "capabilities": {},
    "serverInfo": {"name": "s", "version": "1"},
}
DONE = {"resultType": "complete", "content": []}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class Told:
    """A journal under construction; every entry has the next number."""

    def __init__(self) -> None:
        self.journal = Journal()

    def ask(
        self,
        id: Any,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        declared: dict[str, Any] | None = None,
        meta: dict[str, Any] | None = None,
        drop: tuple[str, ...] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send a modern request; `drop` leaves entries of `_meta` out."""
        whole = {**request_meta(LATEST_MODERN, declared or {}), **(meta or {})}
        kept = {key: value for key, value in whole.items() if key not in drop}
        self.send(
            {"id": id, "method": method, "params": {**(params or {}), "_meta": kept}}, headers
        )

    def old(self, id: Any, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a legacy request."""
        self.send({"id": id, "method": method, **({"params": params} if params else {})})

    def send(self, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        """Send any message."""
        facts = Facts(headers=headers) if headers else None
        self.journal.sent(0.0, "p", encode({"jsonrpc": "2.0", **body}), facts=facts)

    def hear(self, body: dict[str, Any] | bytes, **facts: Any) -> None:
        """Receive any frame."""
        frame = body if isinstance(body, bytes) else encode({"jsonrpc": "2.0", **body})
        self.journal.received(0.0, "p", frame, Facts(**facts) if facts else None)

    def answer(self, id: Any, result: Any, **facts: Any) -> None:
        """Receive a result."""
        self.hear({"id": id, "result": result}, **facts)

    def refuse(self, id: Any, code: int, data: Any = None, **facts: Any) -> None:
        """Receive an error."""
        error = {"code": code, "message": "no", **({} if data is None else {"data": data})}
        self.hear({"id": id, "error": error}, **facts)

    def news(self, method: str, params: dict[str, Any] | None = None, **facts: Any) -> None:
        """Receive a notification."""
        self.hear({"method": method, "params": params or {}}, **facts)

    def modern(self) -> Told:
        """Settle on the modern era, with ids from 1."""
        self.ask(1, "server/discover")
        self.answer(1, DISCOVERED)
        return self

    def legacy(self, declared: dict[str, Any] | None = None) -> Told:
        """Settle on the legacy era, with ids from 1."""
        hello = {
            "protocolVersion": LATEST_LEGACY,
            "capabilities": declared or {},
            "clientInfo": {"name": "c", "version": "1"},
        }
        self.old(1, "initialize", hello)
        self.answer(1, GREETED)
        self.send({"method": "notifications/initialized"})
        return self

    def found(self) -> list[tuple[int, str]]:
        """Return the number and the rule of each finding."""
        return [(one.number, one.rule) for one in self.journal.lint()]

    def said(self) -> str:
        """Return all findings as text."""
        text: str = self.journal.lint().to_text()
        return text
