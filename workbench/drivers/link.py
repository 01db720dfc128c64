"""One transport lifetime, seen from the driver: journal, decode, hand on.

Takes:  the frames of one transport
Gives:  events to a listener while an era is negotiated, afterwards each answer to the
        future that waits for its id
Never:  lets one bad frame end the reader, and never matches an answer by anything but its
        id's type and value

Spec: basic/index "Responses"; field cases S18–S20, S26.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, cast

from msgspec.structs import replace

from workbench.core.call import Answer
from workbench.core.errors import Failure, Kind
from workbench.core.events import Closed, Event, ExchangeEnded, LifeSeen, Received
from workbench.core.journal.entry import id_text
from workbench.core.journal.facts import Facts, end_facts, request_headers, response_headers
from workbench.core.journal.journal import Journal
from workbench.core.recovery.unanswered import outcome_of
from workbench.core.text.visible import visible
from workbench.core.wire.codec import decode, encode, too_long
from workbench.core.wire.envelope import error_reply, result_reply
from workbench.core.wire.exchange import ExchangeEnd
from workbench.core.wire.keys import METHOD_NOT_FOUND
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
from workbench.core.wire.versions import Era
from workbench.drivers.bulk import LARGE_BYTES, Bulk
from workbench.transports.base import Clock, Ending, ExchangeTransport, Transport

Waiting = asyncio.Future[Answer | Failure]


class _Holding(Protocol):
    """A transport that may hold requests back."""

    held_s: float
    """Seconds it has done so."""


class Link:
    """A `Receiver` for one transport.

    Args:
        peer: name of the peer, for the journal.
        transport: not opened yet.
        clock: source of the journal's times.
        journal: where every frame goes.
        listener: called with every event until `settle`.
        on_end: called once when the transport has ended.
    """

    def __init__(
        self,
        peer: str,
        transport: Transport,
        clock: Clock,
        journal: Journal,
        listener: Callable[[Event], None],
        on_end: Callable[[Ending], None],
    ) -> None:
        self.pending: dict[RequestId, Waiting] = {}
        self.on_notification: Callable[[Notification], None] | None = None
        self.on_request: Callable[[Request, Callable[[dict[str, Any]], None]], bool] | None = None
        """Offered what a legacy server asks, with a way to answer it later; True takes it."""
        self.near_miss: str = ""
        """The last answer nobody had asked for, for the message of a call that timed out."""
        self.ending: Ending | None = None
        self._heads: dict[RequestId, tuple[int | None, dict[str, str]]] = {}
        """Heads of responses of which nothing has been recorded yet."""
        self._peer = peer
        self._transport = transport
        # Looked up, not tested by type: a transport may be wrapped.
        exchanges = hasattr(transport, "give_up")
        self._exchanges = cast(ExchangeTransport, transport) if exchanges else None
        self._holding = cast(_Holding, transport) if hasattr(transport, "held_s") else None
        self._clock = clock
        self._journal = journal
        self._listener: Callable[[Event], None] | None = listener
        self._on_end = on_end
        self._era: Era | None = None

    async def open(self) -> None:
        """Open the transport.

        Raises:
            CouldNotStart: if there is nothing to talk to.
        """
        await self._transport.open(self)
        self._journal.opened(self._clock.now(), self._peer, "transport opened")

    def send(self, frame: bytes, method: str, tool: Any = None) -> None:
        """Journal and send one frame.

        Args:
            frame: the final body.
            method: what it asks for.
            tool: the declaration of the tool it calls, for a transport that mirrors parts
                of the body into headers.

        Raises:
            PipeClosed: if the transport has ended.
            MisuseError: if an argument cannot be mirrored.
        """
        if self._exchanges is None:
            self._transport.send(frame)
            self._journal.sent(self._clock.now(), self._peer, frame, method)
            return
        headers = self._exchanges.send(frame) if tool is None else self._exchanges.send(frame, tool)
        facts = Facts(headers=request_headers(headers)) if headers else None
        self._journal.sent(self._clock.now(), self._peer, frame, method, facts)

    def give_up(self, request_id: RequestId) -> bool:
        """End the exchange of one request; True when that itself tells the peer to stop."""
        return self._exchanges is not None and self._exchanges.give_up(request_id)

    @property
    def held_s(self) -> float:
        """Seconds the transport spent on authorization; they count against no deadline."""
        return 0.0 if self._holding is None else self._holding.held_s

    def settle(self, era: Era) -> None:
        """Stop feeding the listener; from here on answers go to whoever waits for them."""
        self._listener = None
        self._era = era

    def mute(self) -> None:
        """Stop feeding the listener for good: what still comes is only recorded."""
        self._listener = None
        self._era = None

    def with_last_words(self, failure: Failure) -> Failure:
        """Return `failure` with what a peer that is still open has on stderr, if it has one.

        A package runner that is still downloading says so there (case S23).
        """
        tail = "" if self.ending is not None else getattr(self._transport, "stderr_tail", "")
        if not tail:
            return failure
        return replace(failure, detail=f"{failure.detail} Stderr so far ends: {tail}")

    async def close(self) -> Ending:
        """End the transport, bounded by its own ladder."""
        return await self._transport.close()

    # What the transport calls (`Receiver`).

    def frame_received(self, frame: bytes, exchange: RequestId | None = None) -> None:
        """Journal, decode and hand on one frame.

        A frame of an exchange can answer that exchange's request and no other; an error
        without an id is then its answer, because nothing else can be meant.
        """
        facts = None if exchange is None else self._facts_of(exchange)
        number = self._journal.received(self._clock.now(), self._peer, frame, facts)
        if len(frame) < LARGE_BYTES:
            message = decode(frame)
        else:
            with Bulk():
                message = decode(frame)
        if type(message) is Result and exchange is None:
            self._hand_on(message, number)
            return
        if type(message) is Malformed:
            # The sample is cut anew after hiding secrets, so that no half of one is left.
            message = replace(message, sample=self._journal.redactor.sample(frame))
        if exchange is not None and isinstance(message, Result | ErrorReply | Malformed):
            message = _within(message, exchange)
        self._hand_on(message, number)

    def frame_dropped(self, size: int, head: bytes, cap: int) -> None:
        """Record a frame that was too long; whoever waited for it ends at the deadline."""
        number = self._journal.received(self._clock.now(), self._peer, head, Facts(size=size))
        self._hand_on(too_long(size, head, cap), number)

    def exchange_seen(self, exchange: RequestId, status: int, headers: Mapping[str, str]) -> None:
        """Keep the head of a response for the first entry of its exchange."""
        self._heads[exchange] = (status, response_headers(headers))

    def exchange_ended(self, end: ExchangeEnd) -> None:
        """Record an exchange without an answer, and tell whoever waits for one."""
        if end.head:
            # Cut after hiding secrets, so that no half of one is left.
            end = replace(end, sample=self._journal.redactor.sample(end.head))
        head = None if end.request_id is None else self._heads.pop(end.request_id, None)
        facts = end_facts(end, head[1] if head else {})
        number = self._journal.stray(self._clock.now(), self._peer, end.seen, None, facts)
        if self._listener is not None:
            self._listener(ExchangeEnded(end, number))
            return
        waiting = self.pending.pop(end.request_id, None) if end.request_id is not None else None
        if waiting is not None and not waiting.done():
            waiting.set_result(outcome_of(end, self._peer))

    def life_seen(self) -> None:
        """Tell the listener that the peer is alive."""
        if self._listener is not None:
            self._listener(LifeSeen())

    def transport_closed(self, ending: Ending) -> None:
        """Fail everything in flight, then tell the owner."""
        self.ending = ending
        self._journal.closed(self._clock.now(), self._peer, ending.reason, _how(ending))
        self._heads.clear()
        listener, self._listener = self._listener, None
        self._on_end(ending)
        for future in self.pending.values():
            if not future.done():
                future.set_result(self._lost(ending))
        self.pending.clear()
        if listener is not None:
            listener(Closed(ending.reason, ending.stderr_tail))

    def _facts_of(self, exchange: RequestId) -> Facts:
        status, headers = self._heads.pop(exchange, (None, {}))
        return Facts(exchange=exchange, status=status, headers=headers)

    def _hand_on(self, message: Incoming, number: int) -> None:
        if self._listener is not None:
            self._listener(Received(message, number))
            return
        if type(message) is Result or type(message) is ErrorReply:
            waiting = self.pending.pop(message.id, None) if message.id is not None else None
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            else:
                shown = id_text(message.id) or "null"
                self._unasked(f"answered id {shown}, which nobody waits for")
            return
        match message:
            case Malformed():
                self._malformed(message)
            case Notification():
                if self.on_notification is not None:
                    self.on_notification(message)
            case Request():
                self._asked(message)

    def _malformed(self, message: Malformed) -> None:
        waiting = self.pending.pop(message.id, None) if message.id is not None else None
        if waiting is not None and not waiting.done():
            waiting.set_result(message)
        elif message.fault is Fault.WRONG_ID:
            self._unasked(f"answered with a wrong id: {message.detail}")
        elif message.fault is not Fault.BLANK:
            self._unasked(f"wrote no message: {message.detail}")

    def _asked(self, request: Request) -> None:
        shown = visible(request.method, 60)
        if self._era is not Era.LEGACY:
            what = f"sent the request {shown}; modern servers send none, not answered [WIRE-02]"
            self._journal.stray(self._clock.now(), self._peer, what, None)
            return
        if request.method == "ping":
            self._reply(request, result_reply(request.id, {}))
        elif self.on_request is None or not self.on_request(request, partial(self._reply, request)):
            text = f"this client does not answer {shown}"
            self._reply(request, error_reply(request.id, METHOD_NOT_FOUND, text))

    def _reply(self, request: Request, body: dict[str, Any]) -> None:
        if self.ending is None:
            self.send(encode(body), f"answer to {visible(request.method, 60)}")

    def _unasked(self, what: str) -> None:
        self.near_miss = what
        self._journal.stray(self._clock.now(), self._peer, what, None)

    def _lost(self, ending: Ending) -> Failure:
        tail = f"; stderr ends: {ending.stderr_tail}" if ending.stderr_tail else ""
        return Failure(
            kind=Kind.CANCELLED if ending.by_us else Kind.OUTCOME_UNKNOWN,
            peer=self._peer,
            stage="call",
            detail=f"the transport ended before the answer: {ending.reason}{tail}",
        )


def _how(ending: Ending) -> Facts:
    return Facts(
        exit_status=ending.exit_status,
        signal=ending.signal or "",
        stderr=ending.stderr_tail,
        by_us=ending.by_us,
    )


def _within(message: Result | ErrorReply | Malformed, exchange: RequestId) -> Incoming:
    """Return what an answer means in the exchange it came in."""
    if isinstance(message, ErrorReply) and message.id is None:
        return replace(message, id=exchange)
    if message.id is None or same_id(exchange, message.id):
        return message
    if isinstance(message, Malformed):
        return replace(message, id=None)
    detail = f"the id is {id_text(message.id)} in the exchange of {id_text(exchange)}"
    return Malformed(Fault.WRONG_ID, detail, "")
