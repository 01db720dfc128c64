"""What is known about a frame or an end besides its bytes.

Takes:  nothing; drivers fill it in, and only where there is something to say
Gives:  `Facts`, which the journal keeps beside an entry and writes into its file
Never:  holds a credential: a session id is noted as present, never by its value

Source: design section 6, `lint` and `replay`. It belongs to journal format 1, which grows by
members that older readers ignore.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from workbench.core.config.config_secrets import public_url
from workbench.core.text.redact import MARK
from workbench.core.text.visible import visible
from workbench.core.wire.exchange import ExchangeEnd
from workbench.core.wire.message import RequestId

SESSION_HEADER: Final = "mcp-session-id"
KEPT_HEADERS: Final = frozenset(
    {
        "allow",
        "content-type",
        "location",
        "mcp-protocol-version",
        "retry-after",
        "www-authenticate",
        SESSION_HEADER,
    }
)
"""Response headers worth keeping, names in lower case."""
_GUARDED: Final = frozenset({"location", SESSION_HEADER})
_LONGEST: Final = 400


class Facts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts beside a frame, beside an exchange without one, or beside an end."""

    exchange: RequestId | None = None
    """Id of the request in whose HTTP exchange this came."""
    status: int | None = None
    """HTTP status; beside the first frame of an exchange, or its end."""
    headers: dict[str, str] = {}
    """HTTP headers, names in lower case: of the request beside a frame that was sent, of the
    response beside what came back."""
    trouble: str = ""
    """Why an exchange brought no answer, in the words of `wire.exchange.Trouble`."""
    body: str = ""
    """The start of a body that held no message."""
    size: int | None = None
    """Bytes of a frame that was dropped for its length; the entry holds its start."""
    exit_status: int | None = None
    signal: str = ""
    """Name of the signal that ended the process."""
    stderr: str = ""
    """The last lines the process wrote to stderr."""
    by_us: bool = False
    """Whether this side asked for the end."""


def request_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers a message of ours goes with, fit to be kept."""
    kept = {}
    for name, value in headers.items():
        lower = name.lower()
        # Every request has some, and nothing in them is hidden but what `_kept` knows.
        plain = len(value) < _LONGEST and value.isascii() and value.isprintable()
        kept[lower] = value if plain and lower not in _GUARDED else _kept(lower, value)
    return kept


def response_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a response that are worth keeping."""
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: _kept(name, lower[name]) for name in sorted(KEPT_HEADERS & lower.keys())}


def end_facts(end: ExchangeEnd, headers: Mapping[str, str]) -> Facts:
    """Return what is known of an exchange that ended without an answer.

    Args:
        end: how it ended; its sample is the safe form of the body.
        headers: of the response, as `response_headers` gave them.
    """
    known = dict(headers)
    if end.media_type:
        known.setdefault("content-type", end.media_type)
    return Facts(
        exchange=end.request_id,
        status=end.status,
        headers=known,
        trouble=str(end.trouble),
        body=end.head.decode("utf-8", "replace"),
    )


def _kept(name: str, value: str) -> str:
    if name == SESSION_HEADER:
        return MARK
    if name == "location":
        return visible(public_url(value), _LONGEST)
    return visible(value, _LONGEST)
