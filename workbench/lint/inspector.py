"""What the MCP Inspector (2.x) exports: its Protocol tab and its Network tab, as JSON.

Takes:  the decoded array of an export
Gives:  a journal; of the Network export one with headers and statuses
Never:  trusts an entry: what has no frame in it is skipped, what breaks the shape is an error

An entry of the Protocol export is a message with its `timestamp`; an answer is folded into
the entry of its request, as `response`, `duration` milliseconds later. An entry of the
Network export is one HTTP exchange with headers, bodies and status; those of its category
"auth" hold no frames. Source: modelcontextprotocol/inspector, core/mcp/types.ts, `MessageEntry`
and `FetchRequestEntry`.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from workbench.core.journal.facts import Facts, request_headers, response_headers
from workbench.core.journal.journal import Journal
from workbench.core.wire.sse import SseEvent, SseParser

_MS = 1_000.0


class _At(Struct, frozen=True, order=True):
    """A frame with its place in time."""

    at: float
    order: int
    by_client: bool
    frame: bytes
    facts: Facts | None = None


def from_protocol(entries: list[Any], peer: str) -> Journal:
    """Read an export of the Protocol tab.

    Raises:
        ValueError: if an entry has no message or no time.
    """
    frames: list[_At] = []
    for position, entry in enumerate(entries, 1):
        message, at = _message(entry, position), _time(entry, position)
        by_client = _is_of_client(entry, message)
        frames.append(_At(at, 2 * position, by_client, msgspec.json.encode(message)))
        answer = entry.get("response")
        if isinstance(answer, dict):
            waited_ms = entry.get("duration")
            later = at + (waited_ms / _MS if isinstance(waited_ms, int | float) else 0.0)
            frame = msgspec.json.encode(answer)
            frames.append(_At(later, 2 * position + 1, not by_client, frame))
    return _journal(frames, peer)


def from_network(entries: list[Any], peer: str) -> Journal:
    """Read an export of the Network tab.

    Raises:
        ValueError: if an entry has no time.
    """
    frames: list[_At] = []
    for position, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or entry.get("category") == "auth":
            continue
        at, waited_ms = _time(entry, position), entry.get("duration")
        later = at + (waited_ms / _MS if isinstance(waited_ms, int | float) else 0.0)
        asked = _frame(entry.get("requestBody"))
        exchange = None
        if asked is not None:
            exchange = _id(asked)
            facts = Facts(headers=request_headers(_headers(entry.get("requestHeaders"))))
            frames.append(_At(at, 1_000 * position, True, asked, facts))
        for number, (frame, facts) in enumerate(_answers(entry, exchange)):
            frames.append(_At(later, 1_000 * position + 1 + number, False, frame, facts))
    return _journal(frames, peer)


def _journal(frames: list[_At], peer: str) -> Journal:
    journal = Journal(capacity=len(frames) + 1)
    start = min((one.at for one in frames), default=0.0)
    for one in sorted(frames, key=lambda one: (one.at, one.order)):
        at = round(one.at - start, 6)
        if one.by_client:
            journal.sent(at, peer, one.frame, None, one.facts)
        else:
            journal.received(at, peer, one.frame, one.facts)
    return journal


def _message(entry: Any, position: int) -> dict[str, Any]:
    message = entry.get("message") if isinstance(entry, dict) else None
    if not isinstance(message, dict):
        raise ValueError(f"entry {position} has no message")
    return message


def _time(entry: Mapping[str, Any], position: int) -> float:
    try:
        return datetime.fromisoformat(str(entry.get("timestamp"))).timestamp()
    except (ValueError, OverflowError):
        raise ValueError(f"entry {position} has no timestamp") from None


def _is_of_client(entry: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    origin = entry.get("origin")
    if origin in ("client", "server"):
        return bool(origin == "client")
    # Exports from before `origin`: a request with its answer is nearly always the client's.
    return entry.get("direction") == "request" or message.get("method") == (
        "notifications/initialized"
    )


def _answers(entry: Mapping[str, Any], exchange: Any) -> Iterator[tuple[bytes, Facts]]:
    body = entry.get("responseBody")
    headers = response_headers(_headers(entry.get("responseHeaders")))
    status = entry.get("responseStatus")
    facts = Facts(
        exchange=exchange, status=status if isinstance(status, int) else None, headers=headers
    )
    if not isinstance(body, str) or not body.strip():
        return
    if headers.get("content-type", "").startswith("text/event-stream"):
        parser = SseParser()
        for event in parser.feed(body.encode() + b"\n\n"):
            if isinstance(event, SseEvent) and event.kind == "message" and event.data.strip():
                yield event.data, facts
                facts = Facts(exchange=exchange)
    elif "json" in headers.get("content-type", ""):
        yield body.encode(), facts


def _frame(body: Any) -> bytes | None:
    return body.encode() if isinstance(body, str) and body.strip() else None


def _id(frame: bytes) -> Any:
    try:
        found = msgspec.json.decode(frame).get("id")
    except (msgspec.MsgspecError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


def _headers(value: Any) -> dict[str, str]:
    given = value if isinstance(value, dict) else {}
    return {str(name): str(text) for name, text in given.items()}
