"""A peer behind one HTTP endpoint: a POST for each message, and no connection to lose.

Takes:  an `Address`
Gives:  the frames of every answer, and the end of every exchange that had none
Never:  keeps state between two modern messages, answers a modern peer's requests, or tells
        it of a cancellation otherwise than by closing the stream

What belongs to the era of sessions is in `http_legacy`, loaded and made only when the
driver sends an `initialize`; a message with a protocol version in its `_meta` never gets
there. Spec: 2026-07-28 basic/transports/streamable-http.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.core.config.config_secrets import public_url
from workbench.core.errors import Failure, Kind, MisuseError, PipeClosed
from workbench.core.text.visible import visible
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.framing import DEFAULT_FRAME_CAP
from workbench.core.wire.headers import VERSION_HEADER, http_headers_for
from workbench.core.wire.keys import INITIALIZE
from workbench.core.wire.message import RequestId
from workbench.transports.base import Clock, Ending, Receiver, TransportKind
from workbench.transports.http_address import Address
from workbench.transports.http_exchange import ACCEPT, Exchange
from workbench.transports.http_way import HttpWay

if TYPE_CHECKING:
    from workbench.transports.http_legacy import LegacyBranch

GOODBYE_S = 1.0
"""How long closing may take: the requests that are given up, and a legacy session's end."""


class HttpEndpoint:
    """A recipe for reaching one address.

    Args:
        address: where to, with the operator's headers and the proxy.
        frame_cap: most bytes of one message.
        new_way: how requests of one lifetime are sent; None means with the address alone.
    """

    kind: TransportKind = "http"

    def __init__(
        self,
        address: Address,
        frame_cap: int = DEFAULT_FRAME_CAP,
        new_way: Callable[[Clock], HttpWay] | None = None,
    ) -> None:
        self.identity = public_url(address.url)
        self.address = address
        self._cap = frame_cap
        self._new_way = new_way

    def __repr__(self) -> str:
        return f"<HttpEndpoint {self.identity}>"

    def new_transport(self, clock: Clock) -> "HttpTransport":
        """Make a transport for one lifetime; nothing is connected yet."""
        way = HttpWay(self.address) if self._new_way is None else self._new_way(clock)
        return HttpTransport(way, clock, self._cap)


class HttpTransport:
    """One lifetime: some exchanges at a time, each alone in its trouble.

    Args:
        way: how requests are sent.
        clock: times the pauses of a legacy stream that is resumed.
        frame_cap: most bytes of one message.
    """

    def __init__(self, way: HttpWay, clock: Clock, frame_cap: int = DEFAULT_FRAME_CAP) -> None:
        self._way = way
        self._clock = clock
        self._cap = frame_cap
        self._receiver: _Once | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._notices: set[asyncio.Task[None]] = set()
        self._exchanges: dict[RequestId, tuple[asyncio.Task[None], bool]] = {}
        self._legacy: LegacyBranch | None = None
        self._ending: Ending | None = None

    @property
    def held_s(self) -> float:
        """Seconds that were spent on authorization, and are no silence of the peer."""
        return self._way.held_s

    async def open(self, receiver: Receiver) -> None:
        """Get ready to send; no connection is made before the first message."""
        self._receiver = _Once(receiver)
        self._way.open()

    def send(self, frame: bytes, tool: Any = None) -> dict[str, str]:
        """Post one frame.

        Args:
            frame: the final body; its headers are read from it.
            tool: for `tools/call`, the declaration whose annotations ask for headers.

        Returns:
            The headers of the protocol it goes with; the operator's own are not among them.

        Raises:
            PipeClosed: if the transport has ended.
            MisuseError: if an argument that must be mirrored has no header form.
        """
        if self._receiver is None or self._ending is not None:
            raise _closed("the transport is closed")
        message = msgspec.json.decode(frame)
        try:
            headers = http_headers_for(message, tool)
        except ValueError as problem:
            raise _misused(f"{problem}") from problem
        request_id = message.get("id") if "method" in message else None
        if VERSION_HEADER in headers:
            exchange = Exchange(self._way, self._receiver, request_id, self._cap)
            self._start(request_id, self._converse(exchange, frame, headers), True)
            return {**ACCEPT, **headers}
        branch = self._legacy_branch(message.get("method"))
        self._start(request_id, branch.converse(frame, message), False)
        return {**ACCEPT, **branch.headers()}

    def _start(
        self, request_id: RequestId | None, work: Coroutine[Any, Any, None], tells: bool
    ) -> None:
        if request_id is None:
            task = self.spawn(work)
            self._notices.add(task)
            task.add_done_callback(self._notices.discard)
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        self._exchanges[request_id] = (task, tells)
        task.add_done_callback(partial(self._settled, request_id))

    def give_up(self, request_id: RequestId) -> bool:
        """Close the exchange of one request.

        Returns:
            True when that tells the peer to stop, so that no message has to: always with a
            modern peer. To a legacy peer a closed connection means nothing.
        """
        task, tells = self._exchanges.pop(request_id, (None, True))
        if task is not None:
            task.cancel()
        return tells

    async def close(self) -> Ending:
        """Give up every exchange, end a legacy session, close every connection; bounded."""
        if self._ending is None:
            ending = Ending(reason="closed by us", by_us=True)
            self._ending = ending
            if self._notices:
                # What was said without wanting an answer is still said.
                await asyncio.wait(self._notices, timeout=GOODBYE_S)
            await self._give_up_all()
            if self._legacy is not None:
                await self._legacy.say_goodbye(GOODBYE_S)
            await self._way.close()
            if self._receiver is not None:
                self._receiver.transport_closed(ending)
        elif not self._ending.by_us:
            await self._give_up_all()
            await self._way.close()
        return self._ending

    def end(self, reason: str) -> None:
        """End from the peer's side: a legacy session that is over."""
        if self._ending is None and self._receiver is not None:
            self._ending = Ending(reason=reason)
            self._receiver.transport_closed(self._ending)

    def _legacy_branch(self, method: Any) -> "LegacyBranch":
        assert self._receiver is not None
        if method == INITIALIZE and self._legacy is None:
            from workbench.transports.http_legacy import LegacyBranch

            self._legacy = LegacyBranch(self._way, self._receiver, self, self._clock, self._cap)
        if self._legacy is None:
            shown = visible(str(method), 40)
            raise _misused(f"{shown} has no protocol version, and no handshake came before it")
        return self._legacy

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine that ends with this transport."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _settled(self, request_id: RequestId, done: asyncio.Task[None]) -> None:
        self._tasks.discard(done)
        self._exchanges.pop(request_id, None)
        problem = None if done.cancelled() else done.exception()
        if problem is not None and self._receiver is not None:
            # A fault of ours must not leave a caller waiting.
            how = f"was not understood: this client failed with {type(problem).__name__}"
            end = ExchangeEnd(request_id=request_id, trouble=Trouble.BROKEN, how=how)
            self._receiver.exchange_ended(end)

    async def _converse(self, exchange: Exchange, frame: bytes, headers: dict[str, str]) -> None:
        end = await exchange.run(frame, headers)
        if end is not None and self._receiver is not None:
            self._receiver.exchange_ended(end)

    async def _give_up_all(self) -> None:
        # Never the task that closes us: a receiver may close from what it was told.
        open_tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in open_tasks:
            task.cancel()
        if open_tasks:
            await asyncio.wait(open_tasks, timeout=GOODBYE_S)


class _Once:
    """The receiver, told of the first sign of life once, and of nothing after the end."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._alive = False
        self._over = False

    def life_seen(self) -> None:
        if not self._alive and not self._over:
            self._alive = True
            self._receiver.life_seen()

    def frame_received(self, frame: bytes, exchange: RequestId | None = None) -> None:
        if not self._over:
            self._receiver.frame_received(frame, exchange)

    def frame_dropped(self, size: int, head: bytes, cap: int) -> None:
        if not self._over:
            self._receiver.frame_dropped(size, head, cap)

    def exchange_seen(self, exchange: RequestId, status: int, headers: Mapping[str, str]) -> None:
        if not self._over:
            self._receiver.exchange_seen(exchange, status, headers)

    def exchange_ended(self, end: ExchangeEnd) -> None:
        if not self._over:
            self._receiver.exchange_ended(end)

    def transport_closed(self, ending: Ending) -> None:
        if not self._over:
            self._over = True
            self._receiver.transport_closed(ending)


def _closed(detail: str) -> PipeClosed:
    return PipeClosed(
        Failure(kind=Kind.PIPE_CLOSED, detail=detail, stage="transport", rule="PROC-04")
    )


def _misused(detail: str) -> MisuseError:
    return MisuseError(
        Failure(
            kind=Kind.MISUSE,
            stage="call",
            rule="HTTP-07",
            detail=detail,
            hint="Pass a value the tool's schema allows.",
        )
    )
