"""One message out, and everything that comes back for it.

Takes:  a frame and its headers
Gives:  each frame of the answer to a receiver; afterwards how the exchange ended, if it
        brought no answer
Never:  takes an error page for a message, reads without a bound, or goes on reading after
        the answer for longer than a moment

What a status means for an era or a call is decided elsewhere; here it only decides whether
the body can hold a message.
Spec: 2026-07-28 basic/transports/streamable-http, "Sending Messages", "Receiving Messages".
"""

import asyncio
from typing import Any, Final

import aiohttp
import msgspec
from msgspec import UNSET, Struct

from workbench.core.wire.codec import BOM, decode
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.framing import DEFAULT_FRAME_CAP, Oversized
from workbench.core.wire.message import ErrorReply, RequestId, same_id
from workbench.core.wire.sse import SseEvent, SseParser
from workbench.transports.base import Receiver
from workbench.transports.http_challenge import challenge_text
from workbench.transports.http_way import Got, HttpWay, Lost, clause_of, named

ACCEPT: Final = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
AFTERMATH_S: Final = 1.0
"""How long an error page, or a stream that has given its answer, may still take."""
_HEAD: Final = 2_000
_BUSY: Final = 429


class _Outline(Struct):
    id: Any = None
    method: Any = UNSET
    error: Any = UNSET


_OUTLINE: Final = msgspec.json.Decoder(_Outline).decode


class Exchange:
    """One POST.

    Args:
        way: how requests are sent.
        receiver: told about each frame.
        request_id: id of the request; None for a message that gets no answer.
        cap: most bytes of one frame.
    """

    def __init__(
        self,
        way: HttpWay,
        receiver: Receiver,
        request_id: RequestId | None,
        cap: int = DEFAULT_FRAME_CAP,
    ) -> None:
        self.answered = False
        self._way = way
        self._receiver = receiver
        self._request_id = request_id
        self._cap = cap

    async def run(self, frame: bytes, headers: dict[str, str]) -> ExchangeEnd | None:
        """Send the frame and hear the answer out; return the end when there was none."""
        try:
            got = await self._way.request("POST", {**ACCEPT, **headers}, frame)
        except Lost as lost:
            return named(lost.end, self._request_id)
        try:
            self.response_came(got.response)
            return await self._read(got)
        except (aiohttp.ClientError, OSError) as problem:
            if self.answered:
                return None
            how = f"broke the connection before it had answered ({clause_of(problem)})"
            return self.end(Trouble.BROKEN, how=how)
        finally:
            got.response.close()

    def end(self, trouble: Trouble, got: Got | None = None, **facts: Any) -> ExchangeEnd:
        """Build the end of this exchange."""
        if got is not None:
            facts.setdefault("status", got.response.status)
            facts.setdefault("media_type", media_type(got.response))
            if got.moved_to:
                facts["how"] = f"{facts.get('how', '')} at {got.moved_to}".strip()
        return ExchangeEnd(request_id=self._request_id, trouble=trouble, **facts)

    def response_came(self, response: aiohttp.ClientResponse) -> None:
        """The headers of the response are here; for those who look at them."""
        self._receiver.life_seen()
        if self._request_id is not None:
            self._receiver.exchange_seen(self._request_id, response.status, response.headers)

    async def stream_ended(self, parser: SseParser) -> aiohttp.ClientResponse | None:
        """Return a response that goes on with a stream that ended early; here there is none."""
        return None

    def hear(self, frame: bytes) -> None:
        """Hand on one frame, and note when it is the answer."""
        if not self.answered and self._is_answer(frame):
            self.answered = True
        self._receiver.frame_received(frame, self._request_id)

    async def _read(self, got: Got) -> ExchangeEnd | None:
        status = got.response.status
        if status in (401, 403):
            challenge = challenge_text(got.response.headers.getall("WWW-Authenticate", []))
            return self.end(Trouble.AUTH, got, head=await head_of(got.response), how=challenge)
        if status >= 500 or status == _BUSY:
            return await self._trouble(got)
        if status >= 400:
            return await self._refused(got)
        if self._request_id is None:
            return None
        if media_type(got.response) == "text/event-stream":
            return await self._stream(got)
        if media_type(got.response) == "application/json":
            return await self._whole(got)
        head = await head_of(got.response)
        return self.end(Trouble.NO_ANSWER, got, head=head, how="" if head else "an empty body")

    async def _trouble(self, got: Got) -> ExchangeEnd:
        body = await head_of(got.response, self._cap)
        after = got.response.headers.get("Retry-After", "")
        how = f"Retry-After {after[:40]}" if after.isprintable() and after else ""
        return self.end(Trouble.SERVER, got, head=body[:_HEAD], how=how, answer=body)

    async def _refused(self, got: Got) -> ExchangeEnd | None:
        body = await self._body(got.response) or b""
        message = decode(body) if body else None
        if isinstance(message, ErrorReply) and self._is_mine(message.id):
            self.hear(body)
            return None
        how = "" if body else "an empty body"
        if isinstance(message, ErrorReply):
            how = "an error under another id"
        return self.end(Trouble.STATUS, got, head=body[:_HEAD], how=how)

    async def _whole(self, got: Got) -> ExchangeEnd | None:
        body = await self._body(got.response)
        if body:
            self.hear(body)
        if self.answered:
            return None
        how = "no answer in the body" if body else "an empty body"
        if body is None:
            how = f"a body of more than {self._cap} bytes"
        return self.end(Trouble.NO_ANSWER, got, head=(body or b"")[:_HEAD], how=how)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes | None:
        """Return the whole body, or None when it passed the cap and was dropped."""
        body = bytearray()
        while chunk := await response.content.readany():
            body += chunk
            if len(body) > self._cap:
                self._receiver.frame_dropped(len(body), bytes(body[:_HEAD]), self._cap)
                return None
        return bytes(body)

    async def _stream(self, got: Got) -> ExchangeEnd | None:
        parser = SseParser(self._cap)
        response: aiohttp.ClientResponse | None = got.response
        while response is not None:
            try:
                await self._events(response, parser)
            except (aiohttp.ClientError, OSError) as problem:
                if not self.answered and not parser.last_event_id:
                    raise problem from None
            finally:
                response.close()
            if self.answered:
                return None
            inside = parser.is_inside
            response = await self.stream_ended(parser)
            parser = resumed(parser, self._cap)
        how = "the stream ended in the middle of an event" if inside else (
            "the stream ended without an answer"
        )  # fmt: skip
        return self.end(Trouble.NO_ANSWER, got, how=how)

    async def _events(self, response: aiohttp.ClientResponse, parser: SseParser) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as limit:
                while chunk := await response.content.readany():
                    for event in parser.feed(chunk):
                        self._event(event)
                    if self.answered and limit.when() is None:
                        # A stream that goes on after its answer is not worth a connection.
                        limit.reschedule(loop.time() + AFTERMATH_S)
        except TimeoutError:
            if not self.answered:
                raise

    def _event(self, event: SseEvent | Oversized) -> None:
        if isinstance(event, Oversized):
            self._receiver.frame_dropped(event.size, event.head, self._cap)
        elif event.kind == "message":
            self.hear(event.data)

    def _is_answer(self, frame: bytes) -> bool:
        try:
            outline = _OUTLINE(frame.removeprefix(BOM))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return False
        if outline.method is not UNSET:
            return False
        if outline.id is None:
            return outline.error is not UNSET
        return self._is_mine(outline.id)

    def _is_mine(self, answered: Any) -> bool:
        mine = self._request_id
        return mine is not None and (answered is None or same_id(mine, answered))


def media_type(response: aiohttp.ClientResponse) -> str:
    """Return the media type a response names, in lower case; "" when it names none."""
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def resumed(parser: SseParser, cap: int) -> SseParser:
    """Return a parser for the next connection of the same stream; half an event is void."""
    fresh = SseParser(cap, parser.last_event_id)
    fresh.retry_ms = parser.retry_ms
    return fresh


async def head_of(response: aiohttp.ClientResponse, most: int = _HEAD) -> bytes:
    """Return the start of a body that is only shown; bounded in size and time."""
    body = bytearray()
    try:
        async with asyncio.timeout(AFTERMATH_S):
            while len(body) < most and (chunk := await response.content.readany()):
                body += chunk
    except (aiohttp.ClientError, OSError, TimeoutError):
        pass  # what came is what is shown
    return bytes(body[:most])
