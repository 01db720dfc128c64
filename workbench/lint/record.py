"""A journal as lint sees it: for each peer its lives, for each life its questions and answers.

Takes:  journal entries, oldest first
Gives:  `Life` values: frames, requests with their answers, and what belongs to nothing
Never:  judges; it only says what came when, and which answer belongs to which request

Matching is by id alone, type and value, and within an HTTP exchange also by the exchange.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from workbench.core.journal.entry import Entry
from workbench.core.journal.facts import Facts
from workbench.core.wire.codec import decode
from workbench.core.wire.keys import CANCELLED, DISCOVER, INITIALIZE, TOOLS_LIST, VERSION_KEY
from workbench.core.wire.message import (
    ErrorReply,
    Fault,
    Incoming,
    Malformed,
    Notification,
    Request,
    RequestId,
    Result,
    same_id,
)
from workbench.lint.findings import Side

MODERN_ONLY = frozenset({DISCOVER, "subscriptions/listen"})
"""Methods no legacy revision has."""

_BROKEN_ANSWERS = frozenset(
    {
        Fault.WRONG_JSONRPC,
        Fault.RESULT_AND_ERROR,
        Fault.NEITHER_RESULT_NOR_ERROR,
        Fault.WRONG_ERROR,
    }
)
"""Faults of what would be an answer; its request is not open any more."""


class Frame(Struct, frozen=True, kw_only=True):
    """One frame, or the end of an exchange that had none."""

    place: int
    """Position within its life, from 0."""
    number: int
    by: Side
    raw: bytes | None
    message: Incoming | None
    facts: Facts

    @property
    def params(self) -> dict[str, Any]:
        """The params of a request or notification, else nothing."""
        return self.message.params if isinstance(self.message, Request | Notification) else {}

    @property
    def method(self) -> str:
        """The method of a request or notification, else ""."""
        return self.message.method if isinstance(self.message, Request | Notification) else ""

    @property
    def meta(self) -> dict[str, Any]:
        """`params._meta`, or nothing."""
        found = self.params.get("_meta")
        return found if isinstance(found, dict) else {}


class Asked:
    """One request and what came of it.

    Args:
        frame: of the request.
        request: the message in it.
    """

    def __init__(self, frame: Frame, request: Request) -> None:
        self.frame = frame
        self.request = request
        self.answers: list[Frame] = []
        self.cancelled: Frame | None = None
        """The first cancellation by its sender."""

    @property
    def result(self) -> Any:
        """The first result, whatever it is; None when there is none."""
        first = self.answers[0].message if self.answers else None
        return first.result if isinstance(first, Result) else None

    @property
    def answered_at(self) -> int | None:
        """The place of the first answer."""
        return self.answers[0].place if self.answers else None

    @property
    def version(self) -> str | None:
        """The version a modern request names."""
        found = self.frame.meta.get(VERSION_KEY)
        return found if isinstance(found, str) else None


class Life:
    """One transport of one peer, from its opening to its end.

    Args:
        peer: the name.
        entries: what was recorded, oldest first.
        whole: False when the beginning is missing.
    """

    def __init__(self, peer: str, entries: Sequence[Entry], whole: bool) -> None:
        self.peer = peer
        self.whole = whole
        self.frames: tuple[Frame, ...] = tuple(_frames(entries))
        self.asked: list[Asked] = []
        """Every request of either side, in order."""
        self.strays: list[Frame] = []
        """Answers that belong to no open request."""
        self.twice: list[Frame] = []
        """Answers to a request that had one."""
        self.reused: list[Asked] = []
        """Requests under an id that was used before."""
        self._by_id: dict[tuple[Side, type, RequestId], Asked] = {}
        for frame in self.frames:
            self._take(frame)

    def of(self, side: Side) -> Iterator[Asked]:
        """Yield the requests of one side."""
        return (one for one in self.asked if one.frame.by == side)

    def find(self, side: Side, request_id: Any) -> Asked | None:
        """Return the latest request of a side under an id, of that very type."""
        if not isinstance(request_id, int | str) or isinstance(request_id, bool):
            return None
        return self._by_id.get((side, type(request_id), request_id))

    def notifications(self, side: Side) -> Iterator[Frame]:
        """Yield the notifications of one side."""
        wanted = (frame for frame in self.frames if frame.by == side)
        return (frame for frame in wanted if isinstance(frame.message, Notification))

    @cached_property
    def handshake(self) -> Asked | None:
        """The first `initialize` of the client."""
        return next((one for one in self.of("client") if one.request.method == INITIALIZE), None)

    @cached_property
    def by_token(self) -> dict[tuple[Side, type, Any], list[Asked]]:
        """The requests with a progress token, by their sender and the token."""
        found: dict[tuple[Side, type, Any], list[Asked]] = {}
        for asked in self.asked:
            token = asked.frame.meta.get("progressToken")
            if isinstance(token, int | str):
                found.setdefault((asked.frame.by, type(token), token), []).append(asked)
        return found

    @cached_property
    def listings(self) -> list[tuple[int, list[Any]]]:
        """Each list of tools that was answered, with the place of its request."""
        found = []
        for asked in self.of("client"):
            if asked.request.method == TOOLS_LIST and isinstance(asked.result, dict):
                tools = asked.result.get("tools")
                found.append((asked.frame.place, tools if isinstance(tools, list) else []))
        return found

    @cached_property
    def is_http(self) -> bool:
        """Whether there is anything of HTTP in the record."""
        return any(frame.facts.headers or frame.facts.status for frame in self.frames)

    def is_modern(self, asked: Asked) -> bool | None:
        """Say which era a request of the client belongs to; None when nobody can tell."""
        if asked.version is not None or asked.request.method in MODERN_ONLY:
            return True
        if asked.request.method == INITIALIZE or self.era == "legacy":
            return False
        return True if self.era == "modern" else None

    @cached_property
    def era(self) -> str:
        """What the two settled on: "modern", "legacy" or "" when they did not."""
        greeted = self.handshake
        if greeted is not None and isinstance(greeted.result, dict):
            return "legacy"
        for one in self.of("client"):
            modern = one.version is not None or one.request.method in MODERN_ONLY
            if modern and isinstance(one.result, dict):
                return "modern"
        asked = list(self.of("client"))
        if greeted is not None and not any(one.answers for one in asked):
            return "legacy"  # only the client's side was recorded
        if asked and greeted is None and not any(one.answers for one in asked):
            return "modern" if any(one.version is not None for one in asked) else ""
        return ""

    def _take(self, frame: Frame) -> None:
        message = frame.message
        if isinstance(message, Request):
            asked = Asked(frame, message)
            self.asked.append(asked)
            key = (frame.by, type(message.id), message.id)
            if key in self._by_id:
                self.reused.append(asked)
            self._by_id[key] = asked
        elif isinstance(message, Notification) and message.method == CANCELLED:
            named = self.find(frame.by, message.params.get("requestId"))
            if named is not None and named.cancelled is None:
                named.cancelled = frame
        elif isinstance(message, Result | ErrorReply):
            self._answer(frame, message.id)
        elif isinstance(message, Malformed) and message.fault in _BROKEN_ANSWERS:
            self._answer(frame, message.id, broken=True)

    def _answer(self, frame: Frame, answer_id: RequestId | None, broken: bool = False) -> None:
        other: Side = "client" if frame.by == "server" else "server"
        exchange = frame.facts.exchange
        if answer_id is None and exchange is not None and isinstance(frame.message, ErrorReply):
            answer_id = exchange  # over HTTP an error may come without an id
        asked = self.find(other, answer_id)
        if asked is None or (exchange is not None and not same_id(exchange, answer_id)):
            if not broken:
                self.strays.append(frame)
        elif asked.answers:
            self.twice.append(frame)
        else:
            asked.answers.append(frame)


def lives_of(entries: Iterable[Entry], dropped: int = 0) -> list[Life]:
    """Cut a record into the lives of its peers, in the order of their first entries.

    Args:
        entries: oldest first.
        dropped: how many older entries are missing.
    """
    cut: list[tuple[str, list[Entry]]] = []
    latest: dict[str, list[Entry]] = {}
    first: dict[str, list[Entry]] = {}
    for entry in entries:
        if not entry.peer:
            continue
        if entry.peer not in latest or (entry.kind == "opened" and latest[entry.peer]):
            latest[entry.peer] = []
            cut.append((entry.peer, latest[entry.peer]))
            first.setdefault(entry.peer, latest[entry.peer])
        latest[entry.peer].append(entry)
    return [Life(peer, found, whole=not (dropped and first[peer] is found)) for peer, found in cut]


def _frames(entries: Sequence[Entry]) -> Iterator[Frame]:
    place = 0
    for entry in entries:
        facts = entry.facts or Facts()
        if entry.frame is None and not facts.trouble:
            continue
        if entry.kind not in ("sent", "received", "stray"):
            continue
        yield Frame(
            place=place,
            number=entry.number,
            by="client" if entry.kind == "sent" else "server",
            raw=entry.frame,
            message=None if entry.frame is None else decode(entry.frame),
            facts=facts,
        )
        place += 1
