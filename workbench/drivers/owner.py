"""One task owns one peer, from the first byte to the last.

Takes:  a peer's terms and endpoint
Gives:  a verdict, then answers to requests, until the transport ends
Never:  decides an era (the core does), and never lets a peer's trouble leave this file as
        an exception

The task outlives the calls that use it: in a notebook every cell is a task of its own, so
whoever opens a transport in one cell and closes it in another must not be either of them.

Source: design section 3; seed lesson, "Um colega, não uma sessão de protocolo".
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from workbench.core.actions import Settled
from workbench.core.call import Answer
from workbench.core.cause import cause
from workbench.core.errors import Failure, Kind, MisuseError, PipeClosed
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms
from workbench.core.rulebook.rules import RULES
from workbench.core.wire.codec import encode
from workbench.core.wire.envelope import legacy_request, modern_request, notification
from workbench.core.wire.keys import CANCELLED
from workbench.core.wire.message import RequestId
from workbench.core.wire.versions import Era
from workbench.drivers import log
from workbench.drivers.conversation import Conversation
from workbench.drivers.deadlines import Deadline, Deadlines
from workbench.drivers.link import Link, Waiting
from workbench.drivers.patience import Patience
from workbench.drivers.verdict import Status, Verdict
from workbench.transports.base import Clock, Ending, Endpoint

__all__ = ["Owner", "Status", "Verdict"]

_Posted: TypeAlias = tuple[Link, int, Waiting]
_READY: Final = Status.READY
_MODERN: Final = Era.MODERN


class Owner:
    """The one user of a peer's transport.

    Args:
        name: the peer's name.
        endpoint: makes a transport for each lifetime.
        terms: what the negotiation runs under.
        clock: source of time.
        journal: where frames and decisions go.
    """

    def __init__(
        self, name: str, endpoint: Endpoint, terms: Terms, clock: Clock, journal: Journal
    ) -> None:
        self.name = name
        self.endpoint = endpoint
        self.terms = terms
        self.status = Status.IDLE
        self.verdict = Verdict()
        self.clock = clock
        self.journal = journal
        self.next_id = 1
        self._link: Link | None = None
        self._task: asyncio.Task[None] | None = None
        self._decided: asyncio.Future[None] | None = None
        self._stopped = asyncio.Event()
        self._starting = asyncio.Lock()
        self._deadlines = Deadlines(clock, self._expire)
        self.on_notification: Any = None
        """Called with (peer name, Notification) for what a ready peer announces."""
        self.on_request: Any = None
        """Called with (peer name, Request, reply) for what a legacy peer asks; True takes it."""
        self.on_connected: Callable[[str], object] | None = None
        """Called with the peer's name when an attempt to connect it is over."""
        self.on_lost: Callable[[str], object] | None = None
        """Called with the peer's name when its transport ended under a ready peer."""
        self.prospects: Callable[[str], str] | None = None
        """Called with the peer's name for what will be done about its absence; may be ""."""

    # -- the verbs ---------------------------------------------------------------------

    async def connect(self) -> Verdict:
        """Negotiate unless the peer is ready; return the verdict, never raise for the peer."""
        if self.status is Status.READY:
            return self.verdict
        async with self._starting:  # two that ask at once share one attempt
            decided = self._decided
            if decided is None or (decided.done() and not self._is_ready()):
                await self._end_task()
                self._stopped = asyncio.Event()  # of the loop of this life
                self._decided = decided = asyncio.get_running_loop().create_future()
                self.status = Status.CONNECTING
                self._task = asyncio.get_running_loop().create_task(
                    self._own(decided), name=f"owner of {self.name}"
                )
        await asyncio.shield(decided)
        return self.verdict

    async def request(
        self,
        method: str,
        params: dict[str, Any],
        *,
        timeout_s: float,
        tool: Any = None,
        patience: Patience | None = None,
    ) -> Answer | Failure:
        """Send one request and wait for its answer: the short path, no task, no snapshot.

        Args:
            method: protocol method.
            params: without protocol metadata; it is stamped here, on every request.
            timeout_s: seconds until the call ends and the peer is told to stop.
            tool: the declaration of the tool that is called; over HTTP its annotations
                name the arguments that are mirrored into headers.
            patience: asked when the deadline has come for a later one, which progress may
                have earned.

        Returns:
            The message that carried the id, or a `Failure` (deadline, transport, not ready).

        Raises:
            MisuseError: if the parameters have no JSON form, or an argument that must be
                mirrored has no header form.
            asyncio.CancelledError: if the caller was cancelled; the peer is told.
        """
        posted = self._post(method, params, tool)
        if type(posted) is Failure:
            return posted
        link, request_id, waiting = posted
        if patience is not None:
            patience.waiting = waiting  # once it is set, progress comes too late
        now = self.clock.now()
        self._deadlines.add(
            request_id,
            Deadline(now + timeout_s, now, link, link.held_s, method, timeout_s, patience),
        )
        try:
            return await waiting
        except asyncio.CancelledError:
            self._withdraw(link, request_id)
            raise
        finally:
            self._deadlines.open.pop(request_id, None)

    async def keep_open(
        self, method: str, params: dict[str, Any], sent: Callable[[RequestId], object]
    ) -> Answer | Failure:
        """Send a request that stays open until the peer ends it; it has no deadline.

        Args:
            method: protocol method.
            params: without protocol metadata.
            sent: told the request's id before any answer can come.

        Raises:
            asyncio.CancelledError: if the caller was cancelled; the peer is told.
        """
        posted = self._post(method, params)
        if type(posted) is Failure:
            return posted
        link, request_id, waiting = posted
        sent(request_id)
        try:
            return await waiting
        except asyncio.CancelledError:
            self._withdraw(link, request_id)
            raise

    async def close(self) -> None:
        """End the transport and the task; bounded by the transport's own ladder."""
        await self._end_task()
        self._deadlines.forget()
        if not self._starting.locked():
            self._starting = asyncio.Lock()  # a closed peer may be used on another loop
        if self.status is not Status.UNAVAILABLE:
            self.status = Status.IDLE

    def away(self) -> Failure:
        """Say why this peer cannot be used now."""
        reason = self.verdict.failure
        detail = reason.detail if reason else f"the peer is {self.status}"
        return Failure(
            kind=Kind.PEER_AWAY,
            peer=self.name,
            stage="route",
            rule="PEER-01",
            detail=f"the peer is not ready: {detail}",
            hint=self.hint() or RULES["PEER-01"].hint,
        )

    def _tell_connected(self) -> None:
        # Told here and not by whoever asked for it: that call may have been cancelled.
        log.connected(self.name, self.verdict, self.journal.redactor)
        if self.on_connected is not None:
            self.on_connected(self.name)

    def _is_ready(self) -> bool:
        return self.status is Status.READY

    def hint(self) -> str:
        """Say what will be done about this peer's absence; "" when nothing is known."""
        return "" if self.prospects is None else self.prospects(self.name)

    # -- the task ----------------------------------------------------------------------

    async def _own(self, decided: asyncio.Future[None]) -> None:
        negotiation = Conversation(self)
        try:
            self._link = await negotiation.run()
            self._tell_connected()
            _resolve(decided)
            await self._stopped.wait()
        except Exception as problem:  # a fault of ours stays this peer's row in the report
            self._broke(problem)
            self._tell_connected()
        finally:
            _resolve(decided)
            await negotiation.end()
            self._link = None

    async def _end_task(self) -> None:
        task, self._task = self._task, None
        if task is None:
            return
        self._stopped.set()
        if self._decided is not None and not self._decided.done():
            task.cancel()
        await asyncio.wait([task])

    def _broke(self, problem: Exception) -> None:
        self.status = Status.UNAVAILABLE
        failure = Failure(
            kind=Kind.INTERNAL,
            peer=self.name,
            stage="negotiate",
            detail=f"this client failed: {cause(problem)}",
            hint="Please report this with the journal.",
        )
        self.verdict = Verdict(failure=failure, evidence="internal failure")

    def stop(self) -> None:
        """Let the task end: nothing is left to be done for this peer."""
        self._stopped.set()

    def lost(self, ending: Ending) -> None:
        """React to a transport that ended under a ready peer."""
        if self.status is not Status.READY or ending.by_us:
            return
        tail = f"; stderr ends: {ending.stderr_tail}" if ending.stderr_tail else ""
        self.status = Status.UNAVAILABLE
        self.verdict = Verdict(
            failure=Failure(
                kind=Kind.PIPE_CLOSED,
                peer=self.name,
                stage="transport",
                rule="PEER-01",
                detail=f"{ending.reason}{tail}. {RULES['PEER-01'].sentence}",
                hint=RULES["PEER-01"].hint,
            ),
            evidence="transport closed",
        )
        log.lost(self.name, self.verdict, self.journal.redactor)
        self._stopped.set()
        if self.on_lost is not None:
            self.on_lost(self.name)

    # -- one request -------------------------------------------------------------------

    def _post(self, method: str, params: dict[str, Any], tool: Any = None) -> _Posted | Failure:
        link, settled = self._link, self.verdict.settled
        if link is None or settled is None or self.status is not _READY:
            return self.away()
        request_id = self.next_id
        self.next_id = request_id + 1
        frame = self._frame(request_id, method, params, settled)
        waiting: Waiting = asyncio.get_running_loop().create_future()
        link.pending[request_id] = waiting
        try:
            link.send(frame, method, tool)
        except PipeClosed as closed:
            del link.pending[request_id]
            return closed.failure
        except MisuseError:
            del link.pending[request_id]
            raise
        return link, request_id, waiting

    def _withdraw(self, link: Link, request_id: int) -> None:
        if link.pending.pop(request_id, None) is not None:
            self._tell_cancelled(link, request_id, "the caller cancelled the request")

    def _frame(
        self, request_id: int, method: str, params: dict[str, Any], settled: Settled
    ) -> bytes:
        if settled.era is _MODERN:
            body = modern_request(
                request_id,
                method,
                params,
                settled.version,
                settled.client_capabilities,
                self.terms.client_info,
            )
        else:
            body = legacy_request(request_id, method, params)
        try:
            return encode(body)
        except (TypeError, ValueError, OverflowError) as problem:
            raise MisuseError(
                Failure(
                    kind=Kind.MISUSE,
                    peer=self.name,
                    stage="call",
                    detail=f"the parameters of {method} have no JSON form: {problem}",
                    hint="Pass dicts, lists, strings, numbers, booleans and None only.",
                )
            ) from problem

    def _expire(self, request_id: int, deadline: Deadline, waited_s: float) -> None:
        """End the wait for an answer, and tell the peer to stop."""
        link: Link = deadline.link
        waiting = link.pending.pop(request_id, None)
        if waiting is None or waiting.done():
            return
        method, moved = deadline.method, deadline.patience is not None
        timeout_s = round(waited_s, 3) if moved else deadline.timeout_s
        self._tell_cancelled(link, request_id, f"no answer within {timeout_s:g} s")
        stray = f"; meanwhile the peer {link.near_miss}" if link.near_miss else ""
        waiting.set_result(
            Failure(
                kind=Kind.TOOK_TOO_LONG,
                peer=self.name,
                stage="call",
                rule="CALL-03",
                detail=f"{method} got no answer within {timeout_s:g} s{stray}",
                hint=RULES["CALL-03"].hint,
            )
        )

    def _tell_cancelled(self, link: Link, request_id: int, reason: str) -> None:
        if link.give_up(request_id):
            return  # closing its stream has told the peer
        body = notification(CANCELLED, {"requestId": request_id, "reason": reason})
        try:
            link.send(encode(body), CANCELLED)
        except PipeClosed:
            return  # nobody is left to be told


def _resolve(decided: asyncio.Future[None]) -> None:
    if not decided.done():
        decided.set_result(None)
