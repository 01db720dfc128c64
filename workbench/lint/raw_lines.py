"""Frames one a line, with or without saying who sent them.

Takes:  lines, each a JSON-RPC message, or `{"direction": …, "message": …}` around one
Gives:  a journal
Never:  drops a line: what is no JSON is a frame too, of the server, which is who writes to a
        stream that is being recorded

A direction is a word such as "sent", "out" or "client", or "received", "in" or "server".
Where none is given, a method says who uses it, and an answer goes back to whoever asked.
A wrapper may also hold "peer" and "at" (seconds).
"""

from typing import Any, Final

import msgspec

from workbench.core.journal.journal import Journal
from workbench.core.text.visible import visible
from workbench.core.wire.keys import CANCELLED, ELICIT, INITIALIZED, LIST_ROOTS, SAMPLE
from workbench.lint.findings import Side

OF_THE_CLIENT: Final = frozenset(
    {"sent", "send", "out", "outgoing", "outbound", "client", "client-to-server", "request", ">"}
)
OF_THE_SERVER: Final = frozenset(
    {"received", "receive", "recv", "in", "incoming", "inbound", "server", "server-to-client", "<"}
)
_SERVER_ASKS: Final = frozenset({SAMPLE, ELICIT, LIST_ROOTS})
_CLIENT_TELLS: Final = frozenset({INITIALIZED, CANCELLED, "notifications/roots/list_changed"})
_MOST: Final = 1_000_000


def from_lines(text: str, peer: str) -> Journal:
    """Read lines into a journal.

    Args:
        text: the lines; blank ones between them are skipped.
        peer: the peer's name, where a line has none.

    Raises:
        ValueError: if a direction is none, or there are too many lines.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > _MOST:
        raise ValueError(f"{len(lines)} lines are more than {_MOST}")
    journal = Journal(capacity=len(lines) + 1)
    asked: dict[tuple[str, type, Any], Side] = {}
    for position, line in enumerate(lines, 1):
        name, at, side, frame = (
            peer,
            float(position - 1),
            None,
            line.encode("utf-8", "surrogateescape"),
        )
        value = _decoded(frame)
        if isinstance(value, dict) and "message" in value and "jsonrpc" not in value:
            side = _side(value.get("direction"), position)
            name = value["peer"] if isinstance(value.get("peer"), str) else peer
            at = float(value["at"]) if isinstance(value.get("at"), int | float) else at
            value = value["message"]
            frame = (
                value.encode("utf-8", "surrogatepass")
                if isinstance(value, str)
                else msgspec.json.encode(value)
            )
            value = _decoded(frame)
        side = side or _guessed(value, asked, name)
        _remember(value, side, asked, name)
        if side == "client":
            journal.sent(at, name, frame)
        else:
            journal.received(at, name, frame)
    return journal


def _decoded(frame: bytes) -> Any:
    try:
        return msgspec.json.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _side(word: Any, position: int) -> Side | None:
    if word is None:
        return None
    known = str(word).lower().replace("_", "-")
    if known in OF_THE_CLIENT:
        return "client"
    if known in OF_THE_SERVER:
        return "server"
    shown = visible(str(word), 40)
    raise ValueError(f'line {position}: the direction “{shown}” is neither "sent" nor "received"')


def _guessed(value: Any, asked: dict[tuple[str, type, Any], Side], peer: str) -> Side:
    if not isinstance(value, dict):
        return "server"
    method, given = value.get("method"), value.get("id")
    if isinstance(method, str):
        if "id" in value:
            return "server" if method in _SERVER_ASKS else "client"
        return "client" if method in _CLIENT_TELLS else "server"
    asker = asked.get((peer, type(given), given)) if isinstance(given, int | str) else None
    return "client" if asker == "server" else "server"


def _remember(value: Any, side: Side, asked: dict[tuple[str, type, Any], Side], peer: str) -> None:
    if isinstance(value, dict) and "method" in value and isinstance(value.get("id"), int | str):
        asked[(peer, type(value["id"]), value["id"])] = side
