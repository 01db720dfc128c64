"""How long one call waits for its peer, and who is told about its progress.

Takes:  the call's limits and callbacks, and what the peer announces
Gives:  the clock time at which waiting ends, moved by progress, never past a hard limit
Never:  counts the time in which a person decides, and never lets a foreign or late token
        move anything

Spec: basic/patterns/progress; basic/patterns/cancellation, "Timeouts" (a client may reset
its clock on progress and should have a maximum); field case R06.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from msgspec import Struct

from workbench.core.cause import cause
from workbench.core.journal.journal import Journal
from workbench.core.wire.keys import LOG_MESSAGE, PROGRESS
from workbench.core.wire.message import Notification, RequestId
from workbench.transports.base import Clock

HARD_FACTOR: Final = 10
"""Without a `max_timeout_s` of the caller, progress can make a call this many times longer."""


class Progress(Struct, frozen=True, kw_only=True):
    """One step of a long call; `message` is the peer's, untrusted."""

    peer: str
    progress: float
    total: float | None = None
    message: str = ""


class LogMessage(Struct, frozen=True, kw_only=True):
    """What a peer logged while a call ran that had asked for it; untrusted."""

    peer: str
    level: str
    logger: str = ""
    data: Any = None


class Patience:
    """The waiting of one call over all its rounds.

    Args:
        clock: source of time.
        timeout_s: seconds without progress after which a request is given up.
        max_timeout_s: seconds of waiting altogether, over all rounds; None is `HARD_FACTOR`
            times `timeout_s` with a progress callback.
        on_progress: called with each `Progress`, on the client's loop.
        on_log: called with each `LogMessage`.
    """

    # Defaults of the class, for most calls never need more.
    waiting: asyncio.Future[Any] | None = None
    """What the present answer will be set on; whoever sends the request puts it here."""
    _began_at = 0.0
    _ends_at = 0.0
    _latest = float("-inf")

    def __init__(
        self,
        clock: Clock,
        timeout_s: float,
        max_timeout_s: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
        on_log: Callable[[LogMessage], object] | None = None,
    ) -> None:
        self.on_progress = on_progress
        self.on_log = on_log
        self._clock = clock
        self._timeout_s = timeout_s
        if max_timeout_s is None and on_progress is not None:
            max_timeout_s = HARD_FACTOR * timeout_s
        self._left_s = max_timeout_s

    def begin(self) -> float:
        """Begin a request; return the seconds it may wait at first."""
        self._began_at = self._clock.now()
        self._latest = float("-inf")
        self._ends_at = self._began_at + self._step()
        return self._ends_at - self._began_at

    def end(self) -> None:
        """End a request: what it waited is taken from what is left of the hard limit."""
        if self._left_s is not None:
            self._left_s = max(0.0, self._left_s - (self._clock.now() - self._began_at))

    def ends_at(self) -> float:
        """Return the clock time at which waiting ends, as things stand."""
        return self._ends_at

    def heard(self, progress: Progress) -> bool:
        """Take one step of progress; say whether it was one (it must be more than before)."""
        if progress.progress <= self._latest:
            return False
        if self.waiting is not None and self.waiting.done():
            return False  # the answer is here, even if its caller has not run yet
        self._latest = progress.progress
        self._ends_at = max(self._ends_at, self._clock.now() + self._step())
        if self._left_s is not None:
            self._ends_at = min(self._ends_at, self._began_at + self._left_s)
        return True

    def _step(self) -> float:
        if self._left_s is None:
            return self._timeout_s
        return min(self._timeout_s, self._left_s)


Waits: TypeAlias = float | Patience
"""How long a request waits: so many seconds in each round, or what the peer may move."""


class Watches:
    """Who waits for progress and log messages, by peer and token.

    Args:
        journal: where a callback that fails, and progress that counts for nothing, is noted.
        clock: source of the journal's times.
    """

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._open: dict[tuple[str, RequestId], Patience] = {}
        self._count = 0

    def open(self, peer: str, patience: Patience) -> str:
        """Return a progress token that no other request of this client has ever had."""
        self._count += 1
        token = f"progress-{self._count}"
        self._open[peer, token] = patience
        return token

    def close(self, peer: str, token: str) -> None:
        """Let what still comes for a token count for nothing."""
        self._open.pop((peer, token), None)

    def hear(self, peer: str, said: Notification) -> None:
        """Hand an announcement to whoever waits for it; never raises."""
        if said.method == PROGRESS:
            self._progress(peer, said.params)
        elif said.method == LOG_MESSAGE:
            log = _log_message(peer, said.params)
            for (name, _), patience in tuple(self._open.items()):
                if name == peer and patience.on_log is not None:
                    self._tell(peer, patience.on_log, log)

    def _progress(self, peer: str, params: dict[str, Any]) -> None:
        token: Any = params.get("progressToken")
        step = _read_progress(peer, params)
        # True is no token, and neither is 1.0, though Python holds both for 1.
        patience = self._open.get((peer, token)) if type(token) in (str, int) else None
        if step is None or patience is None or not patience.heard(step):
            what = "sent progress that counts for nothing [CALL-09]"
            self._journal.stray(self._clock.now(), peer, what, None)
        elif patience.on_progress is not None:
            self._tell(peer, patience.on_progress, step)

    def _tell(self, peer: str, callback: Callable[[Any], object], value: Any) -> None:
        try:
            callback(value)
        except Exception as problem:  # the caller's callback must not end the reader
            what = f"a callback failed: {cause(problem)}"
            self._journal.decided(self._clock.now(), peer, "call", what)


def _read_progress(peer: str, params: dict[str, Any]) -> Progress | None:
    progress = _number(params.get("progress"))
    if progress is None:
        return None
    message = params.get("message")
    return Progress(
        peer=peer,
        progress=progress,
        total=_number(params.get("total")),
        message=message if isinstance(message, str) else "",
    )


def _log_message(peer: str, params: dict[str, Any]) -> LogMessage:
    level, logger = (
        value if isinstance(value := params.get(key), str) else "" for key in ("level", "logger")
    )
    return LogMessage(peer=peer, level=level, logger=logger, data=params.get("data"))


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None
