"""Checks of HTTP responses: rules LINT-29 to LINT-31, and LINT-33.

Takes:  a `Life`
Gives:  (frame, what was seen) for each response that breaks a rule
Never:  judges an error page: a gateway may answer with what it likes
"""

from typing import Final

import msgspec

from workbench.core.text.visible import sample, visible
from workbench.core.wire.codec import decode
from workbench.core.wire.keys import RECOGNIZED_MODERN_ERRORS
from workbench.core.wire.message import ErrorReply, Malformed
from workbench.lint.envelope_checks import Seen
from workbench.lint.record import Life

_BAD_REQUEST: Final = 400
_KEPT: Final = 2_000
"""A body as long as this may have been cut when it was recorded."""


def check_success(life: Life) -> Seen:
    """LINT-29: a success brings JSON or an event stream."""
    for frame in life.frames:
        facts = frame.facts
        if frame.by == "client" or facts.status is None or not 200 <= facts.status < 300:
            continue
        media = _media(facts.headers.get("content-type", ""))
        if facts.trouble and (facts.status != 200 or not media or not facts.body.strip()):
            if media != "text/event-stream":
                yield frame, f"HTTP {facts.status} {media or 'without a type'}, without an answer"
                continue
        if media not in ("application/json", "text/event-stream"):
            yield frame, f"HTTP {facts.status} with {visible(media, 60) or 'no type'}"


def check_bodies(life: Life) -> Seen:
    """LINT-30: JSON that is JSON, JSON-RPC that is a message."""
    for frame in life.frames:
        facts = frame.facts
        body = facts.body.encode()
        if not facts.trouble or not body.strip() or len(body) >= _KEPT:
            continue
        if _media(facts.headers.get("content-type", "")) != "application/json":
            continue
        if facts.trouble == "broken":
            continue
        try:
            value = msgspec.json.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            yield frame, f"the body is no JSON: {sample(body, 60)}"
            continue
        message = decode(body)
        if isinstance(value, dict) and "jsonrpc" in value and isinstance(message, Malformed):
            yield frame, f"the body is no message: {message.fault.value}"


def check_challenge(life: Life) -> Seen:
    """LINT-31: a 401 that says how to be let in."""
    for frame in life.frames:
        if frame.facts.status == 401 and "www-authenticate" not in frame.facts.headers:
            yield frame, "401 without WWW-Authenticate"


def check_error_status(life: Life) -> Seen:
    """LINT-33: the modern errors with their status."""
    for frame in life.frames:
        message, status = frame.message, frame.facts.status
        if frame.by == "server" and isinstance(message, ErrorReply) and status is not None:
            if message.code in RECOGNIZED_MODERN_ERRORS and status != _BAD_REQUEST:
                yield frame, f"{message.code} with HTTP {status}"


def _media(value: str) -> str:
    return value.partition(";")[0].strip().lower()
