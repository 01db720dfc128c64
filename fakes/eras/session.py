"""What a server remembers between two messages.

A modern server remembers only its open listen streams; a legacy server where the
handshake stands; a dual-era server which of the two this link has become.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from workbench.core.wire.message import RequestId


class Stream(Struct, frozen=True):
    """One open `subscriptions/listen`."""

    id: RequestId
    wanted: dict[str, Any]
    """The notification kinds the server agreed to."""


class Session(Struct, frozen=True, kw_only=True):
    """The memory of one lifetime."""

    name: str
    """The server's name, for its identity."""
    era: Literal["open", "modern", "legacy"] = "open"
    """What the first telling request has made of this link; matters to a dual-era server."""
    stage: Literal["new", "greeted", "ready"] = "new"
    """Legacy: nothing yet, `initialize` answered, `notifications/initialized` received."""
    streams: tuple[Stream, ...] = ()

    def with_(self, **changes: Any) -> "Session":
        """Return a copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)
