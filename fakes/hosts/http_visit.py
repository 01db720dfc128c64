"""One HTTP request on its way through the checks to the fake.

Takes:  a request, the play behind the endpoint
Gives:  a response, sent
Never:  lets the script see a message that no server of its era would accept

The parts are checked in their order: host and origin (403), path (404), method (405),
media types (415, 406), body (408, 413, 400), metadata, headers and session (400, 404).
Spec: 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports. Seed card
"Defaults in the lesson code", "Status and error codes".
"""

import asyncio
import secrets
from typing import Any, Final

import msgspec
from aiohttp import ClientPayloadError, web
from aiohttp.http import HttpProcessingError
from msgspec import Struct

from fakes.events import Heard, StreamOpened
from fakes.hosts.http_answer import Answering
from fakes.hosts.http_checks import (
    SESSION_HEADER,
    VERSION_HEADER,
    Refusal,
    accepts,
    media_refusal,
    modern_refusal,
    origin_refusal,
)
from fakes.hosts.http_mailbox import Mailbox
from fakes.hosts.http_play import NOBODY, Link, Play
from fakes.http_steps import SSE_TYPE
from fakes.outputs import Write
from fakes.program import Program
from fakes.recording import Recording
from workbench.core.text.visible import sample
from workbench.core.wire.codec import decode
from workbench.core.wire.keys import INITIALIZE, INVALID_REQUEST, PARSE_ERROR, VERSION_KEY
from workbench.core.wire.message import (
    ErrorReply,
    Fault,
    Incoming,
    Malformed,
    Notification,
    Request,
    Result,
)
from workbench.core.wire.versions import LEGACY_REVISIONS

MAX_BODY_BYTES: Final = 1_048_576
"""Longest accepted body. A longer one gets -32700 with status 413, which is what that
status is for; 400 would look like an answer to what the body said."""
BODY_TIMEOUT_S: Final = 5.0
PAST_EXCHANGES: Final = 100
"""How many exchanges of a legacy session can be resumed."""
SESSION_LOST: Final = -32001
"""What several servers answer when they do not know a session."""


class Settings(Struct, frozen=True, kw_only=True):
    """How a fake is served over HTTP."""

    port: int = 0
    """0 takes a free one."""
    path: str = "/mcp"
    origins: tuple[str, ...] = ()
    """Values of Origin allowed besides this machine's own, compared exactly."""
    hosts: tuple[str, ...] = ()
    """Host names allowed besides this machine's own."""
    max_body_bytes: int = MAX_BODY_BYTES
    body_timeout_s: float = BODY_TIMEOUT_S


class Site(Struct, frozen=True):
    """What all visits of one host share."""

    program: Program
    recording: Recording
    settings: Settings
    play: Play


class Visit:
    """One HTTP request.

    Args:
        site: where it came in.
        request: what came.
        headers: its headers, names in lower case.
        number: of the exchange in the recording.
        mail: where its answer will lie.
    """

    def __init__(
        self,
        site: Site,
        request: web.BaseRequest,
        headers: dict[str, str],
        number: int,
        mail: Mailbox,
    ) -> None:
        self._site = site
        self._play = site.play
        self._server = site.program.server
        self._request = request
        self._headers = headers
        self._number = number
        self._principal = headers.get("authorization", "")
        self.mail = mail

    async def answer(self) -> web.StreamResponse:
        """Check and answer the request."""
        settings = self._site.settings
        refusal = origin_refusal(self._headers, settings.origins, settings.hosts)
        if refusal is None and self._request.path != settings.path:
            refusal = Refusal(status=404)
        if refusal is not None:
            return await self._refuse(refusal)
        match self._request.method:
            case "POST":
                return await self._post()
            case "GET":
                return await self._get()
            case "DELETE":
                return await self._delete()
            case _:
                return await self._not_allowed()

    async def _post(self) -> web.StreamResponse:
        refusal = media_refusal(self._headers)
        body = await self._body() if refusal is None else b""
        if isinstance(body, Refusal):
            # The rest of the body is not worth waiting for.
            self._request.protocol.keep_alive(False)
            return await self._answering(headers={"Connection": "close"}).refuse(body)
        if refusal is not None:
            return await self._refuse(refusal)
        self._site.recording.note(body)
        self._site.recording.update(self._number, body=_shown(body))
        message = decode(body)
        if self._is_modern(message):
            return await self._modern(message, body)
        return await self._legacy(message, body)

    async def _body(self) -> bytes | Refusal:
        cap = self._site.settings.max_body_bytes
        held = bytearray()
        try:
            async with asyncio.timeout(self._site.settings.body_timeout_s):
                async for chunk in self._request.content.iter_any():
                    held += chunk
                    if len(held) > cap:
                        text = f"Parse error: the body is longer than {cap} bytes"
                        return Refusal(status=413, code=PARSE_ERROR, message=text)
        except TimeoutError:
            text = "Parse error: the body did not arrive in time"
            return Refusal(status=408, code=PARSE_ERROR, message=text)
        except (web.RequestPayloadError, ClientPayloadError, HttpProcessingError):
            text = "Parse error: the body cannot be decoded"
            return Refusal(status=400, code=PARSE_ERROR, message=text)
        return bytes(held)

    def _is_modern(self, message: Incoming) -> bool:
        if self._server.era != "dual":
            return self._server.era == "modern"
        version = self._headers.get(VERSION_HEADER)
        if version in (*self._server.versions, *LEGACY_REVISIONS):
            return version in self._server.versions
        meta = message.params.get("_meta") if isinstance(message, Request) else None
        if isinstance(meta, dict) and VERSION_KEY in meta:
            return True
        return version is not None and SESSION_HEADER not in self._headers

    async def _modern(self, message: Incoming, body: bytes) -> web.StreamResponse:
        if isinstance(message, Request):
            bare = "_meta" not in message.params and VERSION_HEADER not in self._headers
            if not (message.method == INITIALIZE and bare):
                refusal = modern_refusal(message, _lines(self._request), self._server.definitions())
                if refusal is not None:
                    return await self._refuse(refusal, message)
        if isinstance(message, Result | ErrorReply):
            text = "Invalid Request: a modern client sends no answers"
            return await self._refuse(Refusal(status=400, code=INVALID_REQUEST, message=text))
        return await self._heard(message, body, lax=None)

    async def _legacy(self, message: Incoming, body: bytes) -> web.StreamResponse:
        name = self._headers.get(SESSION_HEADER)
        if isinstance(message, Request) and message.method == INITIALIZE:
            return await self._initialize(message, body)
        if name is not None:
            refusal = self._session_refusal(name)
            if refusal is not None:
                return await self._refuse(refusal)
            self._join(name)
            return await self._heard(message, body, lax=200)
        # No session, no service; what is refused, and how, is the script's to say.
        return await self._heard(message, body, lax=400)

    async def _initialize(self, message: Request, body: bytes) -> web.StreamResponse:
        name = secrets.token_hex(16)
        self._play.new_session(name)
        self.mail.request_id = message.id
        self._join(name)
        self._play.hear(self.mail, Heard(body, self.mail.origin, self._principal))
        if _is_refused(self.mail):
            self._play.links.pop(name, None)
            return await self._answering(lax=400).send()
        return await self._answering(lax=200, headers={"Mcp-Session-Id": name}).send()

    def _session_refusal(self, name: str) -> Refusal | None:
        if name == "" or name not in self._play.links:
            return Refusal(status=404, code=SESSION_LOST, message="Session not found")
        version = self._headers.get(VERSION_HEADER)
        if version is not None and version not in self._server.revisions:
            text = f"Bad Request: unsupported protocol version {version[:40]}"
            return Refusal(status=400, code=-32000, message=text)
        return None

    def _join(self, name: str) -> None:
        link = self._play.links[name]
        self.mail.link = name
        link.past[self.mail.origin] = self.mail
        while len(link.past) > PAST_EXCHANGES:
            link.past.pop(next(iter(link.past)))

    async def _heard(self, message: Incoming, body: bytes, lax: int | None) -> web.StreamResponse:
        if isinstance(message, Malformed) and message.fault is Fault.BLANK:
            refusal = Refusal(status=400, code=PARSE_ERROR, message="Parse error: no body")
            return await self._refuse(refusal)
        if isinstance(message, Notification | Result | ErrorReply):
            self._play.hear(self.mail, Heard(body, NOBODY, self._principal))
            if self.mail.status is None and not self.mail.ended:
                return await self._answering().refuse(Refusal(status=202))
            if self.mail.status is not None:
                self.mail.put(self.mail.status)
            return await self._answering().send()
        if isinstance(message, Request):
            self.mail.request_id = message.id
        elif lax is not None:
            lax = 400
        self._play.hear(self.mail, Heard(body, self.mail.origin, self._principal))
        return await self._answering(lax=lax).send()

    async def _get(self) -> web.StreamResponse:
        name = self._headers.get(SESSION_HEADER)
        if name is None or self._server.era == "modern":
            return await self._strange_get()
        refusal = self._session_refusal(name)
        if refusal is None and not accepts(self._headers, SSE_TYPE):
            refusal = Refusal(
                status=406, code=INVALID_REQUEST, message=f"Accept must list {SSE_TYPE}"
            )
        if refusal is not None:
            return await self._refuse(refusal)
        link = self._play.links[name]
        origin, _, position = self._headers.get("last-event-id", "").partition(".")
        lost = link.past.get(int(origin)) if origin.isascii() and origin.isdigit() else None
        start = int(position) if position.isascii() and position.isdigit() else 0
        if lost is not None:
            self._play.done(self.mail)
            self.mail = lost
            return await self._answering(lax=200).send(start=start, at_once=True)
        if link.listening:
            return await self._refuse(
                Refusal(status=409, code=-32000, message="Conflict: one stream is enough")
            )
        return await self._listen(link, start if origin == str(link.aside.origin) else None)

    async def _listen(self, link: Link, start: int | None) -> web.StreamResponse:
        self._play.done(self.mail)
        self.mail = link.aside
        link.listening = True
        try:
            self._play.hear(self.mail, StreamOpened(self.mail.origin))
            start = self.mail.delivered if start is None else start
            return await self._answering(lax=200).send(start=start, at_once=True)
        finally:
            link.listening = False

    async def _strange_get(self) -> web.StreamResponse:
        self._play.hear(self.mail, StreamOpened(self.mail.origin))
        if self.mail.plan:
            return await self._answering().send()
        if self._server.era == "legacy":
            text = "Bad Request: no session"
            return await self._refuse(Refusal(status=400, code=-32000, message=text))
        return await self._not_allowed()

    async def _delete(self) -> web.StreamResponse:
        name = self._headers.get(SESSION_HEADER)
        if name is None or self._server.era == "modern":
            return await self._not_allowed()
        refusal = self._session_refusal(name)
        if refusal is not None:
            return await self._refuse(refusal)
        self._play.end_session(name)
        return await self._refuse(Refusal(status=204))

    async def _not_allowed(self) -> web.StreamResponse:
        allowed = "POST" if self._server.era == "modern" else "GET, POST, DELETE"
        return await self._answering(headers={"Allow": allowed}).refuse(Refusal(status=405))

    async def _refuse(self, refusal: Refusal, request: Request | None = None) -> web.StreamResponse:
        return await self._answering().refuse(refusal, request.id if request else None)

    def _answering(
        self, *, lax: int | None = None, headers: dict[str, str] | None = None
    ) -> Answering:
        recording = self._site.recording
        return Answering(
            self._request, self.mail, recording, self._number, lax=lax, headers=headers
        )


def _lines(request: web.BaseRequest) -> list[tuple[str, str]]:
    return [(name.lower(), value) for name, value in request.headers.items()]


def _is_refused(mail: Mailbox) -> bool:
    """Say whether the only answer planned is an error."""
    answers = [decode(one.line.data) for one in mail.plan if isinstance(one, Write)]
    return any(isinstance(one, ErrorReply) for one in answers)


def _shown(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return sample(body)
