"""Writes one response from a mailbox: JSON or an event stream, whole or broken on purpose.

Takes:  an aiohttp request, the mailbox of its exchange
Gives:  the response, sent
Never:  decides what is said; it decides form, status and framing alone

The status of an answer follows from its JSON-RPC error code in the modern era; a legacy
server answers errors of a session with 200. Spec: 2026-07-28 and 2025-11-25, transports.
"""

from typing import Any, Final

import msgspec
from aiohttp import web

from fakes.hosts.http_checks import STATUS_OF_CODE, Refusal
from fakes.hosts.http_mailbox import End, Mailbox
from fakes.http_steps import JSON_TYPE, SSE_TYPE, Deliver, HangUp, Status, Stop
from fakes.line import Line
from fakes.recording import Recording
from fakes.steps import REQUEST_ID
from workbench.core.wire.codec import decode
from workbench.core.wire.envelope import error_reply
from workbench.core.wire.message import ErrorReply, RequestId

SSE_HEADERS: Final = {
    "Content-Type": SSE_TYPE,
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}


class Stopped(Exception):
    """The body ends here, in the way of `how`."""

    def __init__(self, how: Stop) -> None:
        super().__init__(how)
        self.how: Stop = how


class Events:
    """Lines of any size in any pieces, as events of a stream.

    Args:
        stream: prefix of event ids, for a stream that can be resumed; "" sends none.
    """

    def __init__(self, stream: str = "") -> None:
        self._stream = stream
        self._open = False

    def feed(self, piece: bytes, position: int) -> bytes:
        """Return the bytes of the stream for the next bytes of a line."""
        *ended, rest = piece.split(b"\n")
        out = b"".join(self._head(position) + part + self._tail() for part in ended)
        return out + self._head(position) + rest if rest else out

    def goodbye(self, position: int, retry_ms: int | None) -> bytes:
        """Return an event that tells a client when and where to resume."""
        if not self._stream or retry_ms is None:
            return b""
        return f"id: {self._stream}.{position}\nretry: {retry_ms}\ndata: \n\n".encode()

    def _head(self, position: int) -> bytes:
        if self._open:
            return b""
        self._open = True
        event_id = f"id: {self._stream}.{position}\n" if self._stream else ""
        return f"event: message\n{event_id}data: ".encode()

    def _tail(self) -> bytes:
        self._open = False
        return b"\n\n"


class Answering:
    """One response under way.

    Args:
        request: what is answered.
        mail: what there is to say.
        recording: where status and ending are noted.
        number: of the exchange in the recording.
        lax: the status of errors; None takes it from the code, as modern servers do.
        headers: sent with every answer to this exchange.
    """

    def __init__(
        self,
        request: web.BaseRequest,
        mail: Mailbox,
        recording: Recording,
        number: int,
        *,
        lax: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._request = request
        self._mail = mail
        self._recording = recording
        self._number = number
        self._lax = lax
        self._headers = headers or {}
        self._edits = Deliver()
        self._response: web.StreamResponse | None = None
        self._room: int | None = None
        self._ended = "answered"

    async def send(self, *, start: int = 0, at_once: bool = False) -> web.StreamResponse:
        """Send everything from position `start` of the mailbox on.

        Args:
            start: items before it were delivered on an earlier connection.
            at_once: send the head of a stream before there is anything in it.
        """
        self._edits = self._mail.edits
        self._room = self._edits.stop_after
        try:
            if self._mail.form == "json":
                await self._json(start)
            else:
                await self._stream(start, at_once or self._mail.chosen == "sse")
        except Stopped as stopped:
            await self._stop(stopped.how)
        return self._finish()

    async def refuse(
        self, refusal: Refusal, request_id: RequestId | None = None
    ) -> web.StreamResponse:
        """Send an answer no server was asked for."""
        body = b""
        if refusal.code:
            error = error_reply(request_id, refusal.code, refusal.message, refusal.data)
            body = msgspec.json.encode(error)
        headers = {"Content-Type": JSON_TYPE} if body else {}
        await self._whole(refusal.status, {**headers, **self._headers}, body)
        return self._finish()

    async def _json(self, start: int) -> None:
        lines: list[Line] = []
        async for _, item in self._mail.read(start):
            match item:
                case Line():
                    lines.append(item)
                case Status():
                    return await self._scripted(item)
                case HangUp(how=how):
                    raise Stopped(how)
                case End.DEAD:
                    raise Stopped("close")
        if len(lines) == 1 and lines[0].times == 1 and lines[0].data.endswith(b"\n"):
            lines = [msgspec.structs.replace(lines[0], data=lines[0].data[:-1])]
        headers = {"Content-Type": JSON_TYPE, **self._headers}
        size = sum(len(line.data) * line.times for line in lines)
        await self._head(self._status_of(lines), headers, size)
        for line in lines:
            for piece in line.pieces():
                await self._write(piece)

    async def _stream(self, start: int, at_once: bool) -> None:
        resumable = f"{self._mail.origin}" if self._mail.link else ""
        events = Events(resumable)
        headers = {**SSE_HEADERS, **self._headers}
        if at_once or self._edits.stop_after == 0:
            await self._head(200, headers)
        async for position, item in self._mail.read(start):
            if isinstance(item, Status):
                return await self._scripted(item)
            if item is End.DEAD:
                raise Stopped("close")
            if isinstance(item, HangUp) and item.how != "end":
                raise Stopped(item.how)
            if self._response is None:
                await self._head(200, headers)
            if isinstance(item, Line):
                for piece in item.pieces():
                    await self._write(events.feed(piece, position))
            self._mail.delivered = position
            if isinstance(item, HangUp):
                await self._write(events.goodbye(position, item.retry_ms))
                raise Stopped(item.how)

    def _status_of(self, lines: list[Line]) -> int:
        message = decode(lines[0].data) if len(lines) == 1 else None
        if not isinstance(message, ErrorReply):
            return 200
        return STATUS_OF_CODE.get(message.code, 200) if self._lax is None else self._lax

    async def _scripted(self, step: Status) -> None:
        body = step.content()
        if self._mail.request_id is not None:
            mark, wanted = REQUEST_ID.encode(), msgspec.json.encode(self._mail.request_id)
            body = body.replace(mark, wanted)
        headers = {"Content-Type": step.content_type} if step.content_type else {}
        await self._whole(step.code, {**headers, **step.headers}, body, step.chunk)

    async def _whole(
        self, status: int, headers: dict[str, str], body: bytes, chunk: int = 0
    ) -> None:
        if self._response is not None:
            # The head has gone out, so the rest of the scripted response cannot.
            raise Stopped("close")
        await self._head(status, headers, len(body))
        size = chunk or max(1, len(body))
        for index in range(0, len(body), size):
            await self._write(body[index : index + size])

    async def _head(self, status: int, headers: dict[str, str], size: int | None = None) -> None:
        edits = self._edits
        headers = {**headers, **edits.headers}
        if edits.content_type is not None:
            headers["Content-Type"] = edits.content_type
        response = web.StreamResponse(status=edits.status or status, headers=headers)
        # A body that ends early on purpose must not announce its length and then keep it.
        if size is not None and not (edits.stop_after is not None and edits.stop == "end"):
            response.content_length = size
        if size and "Content-Type" not in response.headers:
            # aiohttp would otherwise claim that there are bytes of some type.
            response.headers["Content-Type"] = ""
        self._response = response
        await response.prepare(self._request)
        sent = {name.lower(): value for name, value in response.headers.items()}
        self._recording.update(self._number, status=response.status, response_headers=sent)

    async def _write(self, data: bytes) -> None:
        response = self._response
        if response is None or not data:
            return
        if self._room is None:
            return await response.write(data)
        part = data[: self._room]
        self._room -= len(part)
        if part:
            await response.write(part)
        if self._room == 0:
            raise Stopped(self._edits.stop)

    async def _stop(self, how: Stop) -> None:
        if how == "stall":
            await self._mail.killed.wait()
            how = "close"
        if how == "end":
            if self._response is None:
                await self._head(200, {"Content-Type": JSON_TYPE, **self._headers})
            return
        self._ended = "hung up"
        transport: Any = self._request.transport
        if transport is not None:
            # A closed transport still sends what was written; a reset one does not.
            transport.abort() if how == "reset" else transport.close()

    def _finish(self) -> web.StreamResponse:
        self._recording.update(self._number, ended=self._ended)
        return self._response or web.Response(status=500)
