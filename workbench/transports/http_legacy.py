"""The era of sessions over HTTP: revisions 2025-03-26 to 2025-11-25, apart from the rest.

Takes:  frames without protocol metadata, beginning with the one `initialize`
Gives:  their answers, and what the server sends by itself on its standing stream
Never:  is made for a modern peer, and never begins a second session

The session id and the revision are read from the answer to `initialize` as it passes by.
A stream that breaks is resumed after the pause the server asked for, with `Last-Event-ID`;
a session the server has ended ends the transport, and the next connect begins anew.
Spec: 2025-11-25 basic/transports, "Streamable HTTP".
"""

import asyncio
from typing import Any, Final, Protocol

import aiohttp
import msgspec
from msgspec.structs import replace

from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.framing import DEFAULT_FRAME_CAP, Oversized
from workbench.core.wire.headers import VERSION_HEADER
from workbench.core.wire.keys import INITIALIZE, INITIALIZED
from workbench.core.wire.message import RequestId
from workbench.core.wire.sse import SseEvent, SseParser
from workbench.transports.base import Clock, Receiver
from workbench.transports.http_exchange import Exchange, media_type, resumed
from workbench.transports.http_way import HttpWay, Lost

SESSION_HEADER: Final = "Mcp-Session-Id"
RETRY_MS: Final = 1_000
"""Pause before a reconnection when the server named none, in milliseconds."""
MOST_RETRIES: Final = 5
"""Reconnections in a row that bring nothing new, before a stream is given up."""
OLD_LOOK_S: Final = 0.5
"""How long a GET may take that looks for the transport of 2024-11-05."""
OLD_TRANSPORT: Final = (
    "speaks the HTTP+SSE transport of revision 2024-11-05, which this client does not"
)
_EVENTS: Final = {"Accept": "text/event-stream"}


class Host(Protocol):
    """What the branch needs of the transport it belongs to."""

    def spawn(self, work: Any) -> Any:
        """Run a coroutine that ends with the transport."""

    def end(self, reason: str) -> None:
        """End the transport from the peer's side."""


class LegacyBranch:
    """One session.

    Args:
        way: how requests are sent.
        receiver: told about frames and ends.
        host: the transport.
        clock: times the pauses before a reconnection.
        cap: most bytes of one message.
    """

    def __init__(
        self,
        way: HttpWay,
        receiver: Receiver,
        host: Host,
        clock: Clock,
        cap: int = DEFAULT_FRAME_CAP,
    ) -> None:
        self.session_id = ""
        self.version = ""
        self._way = way
        self._receiver = receiver
        self._host = host
        self._clock = clock
        self._cap = cap
        self._introduced = asyncio.Event()

    def headers(self) -> dict[str, str]:
        """Return the headers of every message after the handshake."""
        headers = {VERSION_HEADER: self.version, SESSION_HEADER: self.session_id}
        return {name: value for name, value in headers.items() if value}

    async def converse(self, frame: bytes, message: dict[str, Any]) -> None:
        """Post one frame and hand on everything that comes of it."""
        method = message.get("method")
        request_id = message.get("id") if method is not None else None
        begins = method == INITIALIZE
        exchange = _LegacyExchange(self, request_id, begins)
        if method not in (INITIALIZE, INITIALIZED):
            # Posts may overtake each other, and nothing may come before this one.
            await self._introduced.wait()
        end = await exchange.run(frame, {} if begins else self.headers())
        if end is not None:
            if begins and end.status in (400, 404, 405) and await self._is_old_transport():
                end = _old(end)
            self._receiver.exchange_ended(end)
        elif method == INITIALIZED:
            self._host.spawn(self._listen())
        if method == INITIALIZED:
            self._introduced.set()
        if exchange.status == 404 and self.session_id:
            self.session_id = ""
            self._host.end("the server ended the session (HTTP 404)")

    async def say_goodbye(self, within_s: float) -> None:
        """Tell the server that the session is no longer needed; bounded, never raises."""
        if not self.session_id:
            return
        try:
            async with asyncio.timeout(within_s):
                got = await self._way.request("DELETE", self.headers())
                got.response.close()
        except (Lost, TimeoutError):
            pass  # the server will forget the session by itself

    def began(self, response: aiohttp.ClientResponse) -> None:
        """Take the session id, if it is one, from the answer to `initialize`."""
        given = response.headers.get(SESSION_HEADER, "")
        if response.status == 200 and all("\x21" <= char <= "\x7e" for char in given):
            self.session_id = given

    def agreed(self, frame: bytes) -> None:
        """Take the revision from the answer to `initialize`."""
        try:
            result = msgspec.json.decode(frame).get("result")
        except (msgspec.MsgspecError, AttributeError):
            return
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str) and version.isascii() and version.isprintable():
            self.version = version

    async def resume(self, parser: SseParser) -> aiohttp.ClientResponse | None:
        """Return the response that goes on where a stream was left, or None."""
        if not parser.last_event_id:
            return None
        await self._pause(parser.retry_ms or RETRY_MS)
        response = await self._get({"Last-Event-ID": parser.last_event_id})
        if response is None or _is_stream(response):
            return response
        response.close()
        return None

    async def _listen(self) -> None:
        """Hear what the server sends by itself, as long as it wants to send."""
        parser, failures = SseParser(self._cap), 0
        while failures < MOST_RETRIES:
            after = {"Last-Event-ID": parser.last_event_id} if parser.last_event_id else {}
            response = await self._get(after)
            if response is not None and not _is_stream(response):
                response.close()
                return  # 405: the server has no standing stream
            heard = response is not None and await self._hear_out(response, parser)
            failures = 0 if heard else failures + 1
            parser = resumed(parser, self._cap)
            await self._pause(parser.retry_ms or RETRY_MS)

    async def _hear_out(self, response: aiohttp.ClientResponse, parser: SseParser) -> bool:
        heard = False
        try:
            while chunk := await response.content.readany():
                for event in parser.feed(chunk):
                    heard = True
                    self._event(event)
        except (aiohttp.ClientError, OSError):
            pass  # a broken stream is resumed like one that ended
        finally:
            response.close()
        return heard

    def _event(self, event: SseEvent | Oversized) -> None:
        if isinstance(event, Oversized):
            self._receiver.frame_dropped(event.size, event.head, self._cap)
        elif event.kind == "message":
            self._receiver.frame_received(event.data)

    async def _get(self, more: dict[str, str]) -> aiohttp.ClientResponse | None:
        try:
            return (await self._way.request("GET", {**_EVENTS, **self.headers(), **more})).response
        except Lost:
            return None

    async def _is_old_transport(self) -> bool:
        parser = SseParser(self._cap)
        try:
            async with asyncio.timeout(OLD_LOOK_S):
                response = await self._get({})
                if response is None:
                    return False
                try:
                    while _is_stream(response) and (chunk := await response.content.readany()):
                        for event in parser.feed(chunk):
                            return isinstance(event, SseEvent) and event.kind == "endpoint"
                finally:
                    response.close()
        except (aiohttp.ClientError, OSError, TimeoutError):
            pass  # no old transport either
        return False

    async def _pause(self, length_ms: int) -> None:
        over = asyncio.Event()
        timer = self._clock.call_at(self._clock.now() + length_ms / 1000, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()


class _LegacyExchange(Exchange):
    """A POST of a session, whose stream may be resumed."""

    def __init__(self, branch: LegacyBranch, request_id: RequestId | None, begins: bool) -> None:
        super().__init__(branch._way, branch._receiver, request_id, branch._cap)
        self._branch = branch
        self.status = 0
        self._begins = begins
        self._left = MOST_RETRIES
        self._reached = ""

    def response_came(self, response: aiohttp.ClientResponse) -> None:
        super().response_came(response)
        self.status = response.status
        if self._begins:
            self._branch.began(response)

    def hear(self, frame: bytes) -> None:
        if self._begins:
            self._branch.agreed(frame)
        super().hear(frame)

    async def stream_ended(self, parser: SseParser) -> aiohttp.ClientResponse | None:
        # A stream that moved on may be resumed as often as it moves on.
        moved, self._reached = parser.last_event_id != self._reached, parser.last_event_id
        self._left = MOST_RETRIES if moved else self._left - 1
        return await self._branch.resume(parser) if self._left >= 0 else None


def _is_stream(response: aiohttp.ClientResponse) -> bool:
    return response.status == 200 and media_type(response) == "text/event-stream"


def _old(end: ExchangeEnd) -> ExchangeEnd:
    return replace(end, trouble=Trouble.OLD_TRANSPORT, status=None, how=OLD_TRANSPORT, head=b"")
