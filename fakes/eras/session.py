"""What a server remembers between two messages.

A modern server remembers only its open listen streams; a legacy server where the
handshake stands; a dual-era server which of the two this link has become.
"""

from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from workbench.core.wire.message import RequestId

KINDS: Final = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
    "notifications/resources/updated": "resourceSubscriptions",
}
"""Notification method -> the member of a listen filter that asks for it."""


class Stream(Struct, frozen=True):
    """One open `subscriptions/listen`."""

    id: RequestId
    wanted: dict[str, Any]
    """The notification kinds the server agreed to."""
    origin: int = 0
    """Where it was opened; a host that serves several clients tells them apart by it."""

    def wants(self, method: str) -> bool:
        """Say whether this stream agreed to notifications of this method."""
        kind = KINDS.get(method)
        return kind is None or bool(self.wanted.get(kind))


class Session(Struct, frozen=True, kw_only=True):
    """The memory of one lifetime."""

    name: str
    """The server's name, for its identity."""
    era: Literal["open", "modern", "legacy"] = "open"
    """What the first telling request has made of this link; matters to a dual-era server."""
    stage: Literal["new", "greeted", "ready"] = "new"
    """Legacy: nothing yet, `initialize` answered, `notifications/initialized` received."""
    streams: tuple[Stream, ...] = ()
    heard: dict[str, int] = {}
    """Of a recorded server: how often each message has come."""

    def with_(self, **changes: Any) -> "Session":
        """Return a copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)


class Scene(Struct, frozen=True, kw_only=True):
    """Where and when a message is answered; remembered by nobody."""

    origin: int = 0
    """Where the message comes from."""
    principal: str = ""
    """Who sent it; "" is unknown."""
    now: float = 0.0
    """Seconds of the host's clock."""
    secret: bytes = b""
    """What only this process knows."""
    lifetime: int = 1
    """Which process or link of the fake this is, counted from 1."""
