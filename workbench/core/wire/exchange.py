"""How an HTTP exchange ended that brought no answer, as a value.

Takes:  what a transport saw of one POST
Gives:  `ExchangeEnd`, with one clause a report can show
Never:  judges: the same end means one thing to a negotiation and another to a call

Spec: 2026-07-28 basic/transports/streamable-http, "Sending Messages" and "Backward
Compatibility".
"""

from enum import StrEnum

from msgspec import Struct

from workbench.core.text.visible import visible
from workbench.core.wire.message import RequestId


class Trouble(StrEnum):
    """Why there is no answer."""

    AUTH = "authorization needed"
    """401 or 403, whatever the body says."""
    SERVER = "server trouble"
    """A 5xx, or a 429: the server or what stands before it cannot serve now."""
    REDIRECT = "redirect"
    """A redirect that is not followed."""
    STATUS = "error status"
    """Another error status without a JSON-RPC error in the body."""
    NO_ANSWER = "no answer"
    """A success status, and no answer in the body or stream."""
    BROKEN = "broken"
    """The connection broke after the request may have been sent."""
    UNREACHABLE = "unreachable"
    """No connection was made: nothing was sent."""
    OLD_TRANSPORT = "HTTP+SSE transport"
    """A GET showed the transport of revision 2024-11-05, after `initialize` was refused."""


class ExchangeEnd(Struct, frozen=True, kw_only=True):
    """One POST that is over and was not answered."""

    request_id: RequestId | None
    """Id of the request it carried; None for a notification or an answer of ours."""
    trouble: Trouble
    status: int | None = None
    """HTTP status; None when there was no response."""
    media_type: str = ""
    """As the response names it, without parameters; untrusted."""
    how: str = ""
    """What else was seen, one clause, safe to show."""
    head: bytes = b""
    """The start of the body."""
    sample: str = ""
    """The start of the body as safe text, without secrets; "" until somebody cut it."""
    answer: bytes | None = None
    """The whole body, where an error status carries what may be a JSON-RPC error."""

    @property
    def seen(self) -> str:
        """What was seen, as a clause with the peer as its subject."""
        if self.status is None:
            return self.how
        kind = f" {visible(self.media_type, 60)}" if self.media_type else ""
        said = f": {self.sample}" if self.sample else ""
        how = f", {self.how}" if self.how else ""
        return f"ended the exchange with HTTP {self.status}{kind}{how}{said}"
