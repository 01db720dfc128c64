"""Plays a fake on 127.0.0.1 as a Streamable HTTP server of either era, or of both.

Takes:  a program, a recording, settings
Gives:  a URL that any MCP client can use, on the running event loop or on a thread
Never:  listens on anything but this machine, and never falls over what a client sends

Spec: 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from traceback import format_exception
from typing import Final

from aiohttp import web

from fakes.errors import FakeError
from fakes.hosts.http_play import Play
from fakes.hosts.http_visit import Settings, Site, Visit
from fakes.program import Program
from fakes.recording import Exchange, Recording
from fakes.steps import Step

HOST: Final = "127.0.0.1"
_GOODBYE_S: Final = 0.05
"""How long an exchange that does not end by itself is waited for when the host stops."""
_PATIENCE_S: Final = 10.0
"""How long the thread is given to start, to do one thing, or to end."""


class HttpHost:
    """A fake behind an endpoint; `start` and `stop` it on one event loop.

    Args:
        program: what to play.
        recording: where to keep what happens.
        settings: port, path and limits.
        stderr: takes what the fake writes to stderr; None drops it.
    """

    def __init__(
        self,
        program: Program,
        recording: Recording,
        settings: Settings,
        stderr: Callable[[bytes], None] | None = None,
    ) -> None:
        self._program = program
        self._recording = recording
        self._settings = settings
        self._stderr = stderr or (lambda _: None)
        self.broken: Exception | None = None
        """The first accident of the host's own; None as long as there is none."""
        self._loop: asyncio.AbstractEventLoop
        self._site: Site
        self._web: web.Server
        self._listening: asyncio.Server

    async def start(self) -> str:
        """Listen, and return the URL of the endpoint.

        Raises:
            OSError: if the port cannot be had.
        """
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._web = web.Server(
            self._serve, handler_cancellation=True, access_log=None, logger=_quiet()
        )
        self._listening = await self._loop.create_server(self._web, HOST, self._settings.port)
        play = Play(self._program, self._recording, self._loop, self._stderr)
        self._site = Site(self._program, self._recording, self._settings, play)
        self._recording.changed = self._recording.changed or threading.Condition()
        self._recording.live.append(self.tell)
        port = self._listening.sockets[0].getsockname()[1]
        return f"http://{HOST}:{port}{self._settings.path}"

    async def stop(self) -> None:
        """End every exchange and stop listening; nothing is left behind.

        Raises:
            FakeError: if an exchange broke the host, which no client must be able to do.
        """
        self._recording.live.remove(self.tell)
        self._listening.close()
        self._site.play.stop()
        await self._web.shutdown(_GOODBYE_S)
        await self._listening.wait_closed()
        if self.broken is not None:
            raise FakeError(f"{self._program.name}: the host broke") from self.broken

    def tell(self, steps: tuple[Step, ...]) -> None:
        """Do steps that no client asked for; from any thread, and done on return."""
        if threading.get_ident() == self._thread:
            return self._site.play.tell(steps)
        done: Future[None] = Future()

        def do() -> None:
            self._site.play.tell(steps)
            done.set_result(None)

        self._loop.call_soon_threadsafe(do)
        done.result(_PATIENCE_S)

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        headers: dict[str, str] = {}
        for name, value in request.headers.items():
            name = name.lower()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        exchange = Exchange(method=request.method, path=request.path_qs, headers=headers)
        number = self._recording.opened(exchange)
        play = self._site.play
        play.wake()
        visit = Visit(self._site, request, headers, number, play.mailbox())
        try:
            return await visit.answer()
        except (asyncio.CancelledError, ConnectionError):
            self._recording.update(number, ended="client left")
            play.gone(visit.mail)
            raise
        except Exception as problem:
            # A fake that breaks must not look like one that misbehaves on purpose.
            self.broken = self.broken or problem
            self._stderr("".join(format_exception(problem)).encode())
            return web.Response(status=500)
        finally:
            play.done(visit.mail)


@contextmanager
def on_a_thread(program: Program, recording: Recording, settings: Settings) -> Iterator[str]:
    """Serve a fake on a thread with an event loop of its own, while the block lasts.

    Raises:
        OSError: if the port cannot be had.
        FakeError: if the thread does not end, or an exchange broke the host.
    """
    ready: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    broken: list[FakeError] = []

    async def serve() -> None:
        host, enough = HttpHost(program, recording, settings), asyncio.Event()
        try:
            url = await host.start()
        except BaseException as problem:
            ready.set_exception(problem)
            return
        ready.set_result((url, asyncio.get_running_loop(), enough))
        await enough.wait()
        try:
            await host.stop()
        except FakeError as problem:
            broken.append(problem)

    thread = threading.Thread(
        target=lambda: asyncio.run(serve()), name=f"fake {program.name}", daemon=True
    )
    thread.start()
    try:
        url, loop, enough = ready.result(_PATIENCE_S)
    except OSError:
        thread.join(_PATIENCE_S)
        raise
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(enough.set)
        thread.join(_PATIENCE_S)
        if thread.is_alive():
            raise FakeError(f"{program.name}: the HTTP host does not end")
    if broken:
        raise broken[0]


def _quiet() -> logging.Logger:
    # What a hostile client does to us is in the recording; a log of it helps nobody.
    logger = logging.getLogger("fakes.http")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
