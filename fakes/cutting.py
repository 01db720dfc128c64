"""A journal cut into takes: which of the frames that came back belongs to which message.

Takes:  the entries of one peer, as `workbench.core.journal.jsonl` reads them
Gives:  a `Tape`
Never:  invents a frame; what it cannot place it leaves to the message that came last before it

An answer belongs to the request with its id, a progress notification to the request with
its token, whatever came in an HTTP exchange to the request of that exchange. All else was
caused, as far as anybody can tell, by the client's latest message, and is said again when
that message comes again. Pauses are kept only on demand, so that a replay without them is
the same each time.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec.structs import replace

from fakes.eras.modern import ACKNOWLEDGED, LISTEN
from fakes.http_steps import SSE_TYPE, As, Deliver, HangUp, Status
from fakes.said import announced, answered
from fakes.steps import Ask, Close, Delay, Error, Exit, Reply, Stderr, Step, raw
from fakes.tape import Life, Take, Tape
from workbench.core.journal.entry import Raw
from workbench.core.journal.facts import Facts
from workbench.core.wire.codec import decode
from workbench.core.wire.keys import PROGRESS, SUBSCRIPTION_ID_KEY
from workbench.core.wire.message import Notification, Request, RequestId

_SHORTEST_S: Final = 0.001
"""Shorter pauses, in recorded seconds, are left out."""


def cut(entries: Iterable[Raw], speed: float = 0.0) -> Tape:
    """Cut one peer's entries into lives and takes.

    Args:
        entries: oldest first, of one peer.
        speed: how much faster than recorded; 1 keeps every pause, 0 keeps none.
    """
    lives: list[_Life] = [_Life(speed)]
    for entry in entries:
        if entry[3] == "opened" and lives[-1].touched:
            lives.append(_Life(speed))
        lives[-1].take(entry)
    return Tape(lives=tuple(life.done() for life in lives))


class _Cut:
    """One message of the client, and what came of it so far."""

    def __init__(self, message: Request | Notification | None, at: float, speed: float) -> None:
        self.message = message
        self.at = at
        self.steps: list[Step] = []
        self.answered = False
        self._speed = speed

    @property
    def id(self) -> RequestId | None:
        return self.message.id if isinstance(self.message, Request) else None

    @property
    def token(self) -> Any:
        meta = self.message.params.get("_meta") if self.message else None
        return meta.get("progressToken") if isinstance(meta, dict) else None

    def add(self, at: float, *steps: Step) -> None:
        pause_s = at - self.at
        if self._speed and pause_s >= _SHORTEST_S:
            self.steps.append(Delay(round(pause_s / self._speed, 6)))
            self.at = at
        self.steps.extend(steps)

    def hold(self, index: int, at: float) -> None:
        """Go on after the client's answer to what the step at `index` asked."""
        step = self.steps[index]
        if index == len(self.steps) - 1 and isinstance(step, Ask):
            self.steps[index] = replace(step, wait=True)
            self.at = at

    def take(self) -> Take:
        message = self.message
        assert message is not None
        params = {name: value for name, value in message.params.items() if name != "_meta"}
        return Take(method=message.method, params=params, steps=tuple(self.steps))


class _Life:
    """One process or link, entry by entry."""

    def __init__(self, speed: float) -> None:
        self.touched = False
        self._speed = speed
        self._cuts: list[_Cut] = []
        self._start = _Cut(None, 0.0, speed)
        self._cause = self._start
        self._open: dict[RequestId, _Cut] = {}
        self._asked: dict[RequestId, tuple[_Cut, int]] = {}

    def take(self, entry: Raw) -> None:
        _, at, _, kind, frame, _, _, facts = entry
        if not self.touched:
            self._start.at, self.touched = at, True
        if kind == "sent" and frame is not None:
            self._sent(at, frame)
        elif kind in ("received", "stray") and frame is not None:
            self._heard(at, frame, facts)
        elif kind == "stray" and facts is not None and facts.trouble:
            self._ended(at, facts)
        elif kind == "closed" and facts is not None:
            self._closed(at, facts)

    def done(self) -> Life:
        takes = tuple(cut.take() for cut in self._cuts)
        return Life(start=tuple(self._start.steps), takes=takes)

    def _sent(self, at: float, frame: bytes) -> None:
        message = decode(frame)
        if isinstance(message, Request | Notification):
            self._cause = _Cut(message, at, self._speed)
            self._cuts.append(self._cause)
            if isinstance(message, Request):
                self._open[message.id] = self._cause
            return
        cut, index = self._asked.pop(message.id, (None, 0)) if message.id is not None else (None, 0)
        if cut is not None:
            cut.hold(index, at)
            self._cause = cut

    def _heard(self, at: float, frame: bytes, facts: Facts | None) -> None:
        message = decode(frame)
        exchange = facts.exchange if facts is not None else None
        home = self._open.get(exchange) if exchange is not None else None
        if isinstance(message, Request):
            cut = home or self._cause
            cut.add(at, Ask(message.method, message.params, message.id))
            self._asked[message.id] = (cut, len(cut.steps) - 1)
        elif isinstance(message, Notification):
            self._announced(at, message, home)
        else:
            self._answered(at, frame, home, facts)

    def _announced(self, at: float, message: Notification, home: _Cut | None) -> None:
        meta = message.params.get("_meta")
        stream = meta.get(SUBSCRIPTION_ID_KEY) if isinstance(meta, dict) else None
        owner = self._open.get(stream) if isinstance(stream, int | str) else None
        if message.method == PROGRESS:
            token = message.params.get("progressToken")
            asked = (cut for cut in self._open.values() if cut.token is not None)
            home = home or next((cut for cut in asked if cut.token == token), None)
        if message.method == ACKNOWLEDGED:
            home = owner or home
        elif owner is not None and _is_listen(owner):
            # Whatever caused it: on replay it goes to every stream that agreed to its kind.
            self._cause.add(at, announced(message, None, listeners=True))
            return
        cut = home or self._cause
        cut.add(at, announced(message, cut.message, listeners=home is None))

    def _answered(self, at: float, frame: bytes, home: _Cut | None, facts: Facts | None) -> None:
        said = answered(frame, [cut.message for cut in self._open.values()])
        if said is None:
            (home or self._cause).add(at, raw(frame))
            return
        step, request_id = said
        cut = home or (self._open.get(request_id) if request_id is not None else self._cause)
        cut = cut or self._cause
        if _is_listen(cut) and cut is not self._cause:
            return  # it ended when the recording did; on replay it stays open
        if not isinstance(cut.message, Request):
            cut.add(at, raw(frame))
            return
        cut.add(at, *_delivery(step, facts), step)
        cut.answered = True

    def _ended(self, at: float, facts: Facts) -> None:
        """An exchange without an answer: a whole response, or a stream that just ended."""
        exchange = facts.exchange
        cut = self._open.get(exchange) if exchange is not None else None
        if cut is None or cut.answered:
            return
        if facts.status is None:
            cut.add(at, HangUp(how="close"))
            return
        media = facts.headers.get("content-type", "")
        if media.startswith(SSE_TYPE):
            cut.add(at, As("sse"), HangUp())
            return
        kept = ("allow", "location", "retry-after", "www-authenticate")
        headers = {name: facts.headers[name] for name in kept if name in facts.headers}
        whole = Status(code=facts.status, body=facts.body, headers=headers, content_type=media)
        cut.add(at, whole)

    def _closed(self, at: float, facts: Facts) -> None:
        words = (Stderr(facts.stderr),) if facts.stderr else ()
        if facts.by_us:
            self._start.steps.extend(words)
            return
        status = facts.exit_status
        end = Exit(status) if status is not None and 0 <= status <= 255 else Close()
        self._cause.add(at, *words, end)


def _is_listen(cut: _Cut) -> bool:
    return cut.message is not None and cut.message.method == LISTEN


def _delivery(step: Reply | Error, facts: Facts | None) -> tuple[Step, ...]:
    """Return the steps that give an answer the form and the status it had over HTTP."""
    if facts is None or facts.status is None:
        return ()
    media = facts.headers.get("content-type", "")
    form = As("sse" if media.startswith(SSE_TYPE) else "json")
    if isinstance(step, Error) or facts.status != 200:
        return (form, Deliver(status=facts.status))
    return (form,)
