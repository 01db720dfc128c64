"""A conversation with the negotiation core, told line by line."""

from __future__ import annotations

from typing import Any

from workbench.core.actions import (
    Action,
    Decide,
    Fail,
    Record,
    Reopen,
    Send,
    SetDeadline,
    Settle,
    Settled,
)
from workbench.core.errors import Failure
from workbench.core.events import Closed, DeadlinePassed, Event, LifeSeen, Opened, Received
from workbench.core.negotiate.machine import step
from workbench.core.negotiate.snapshot import Negotiation, State, Terms, begin
from workbench.core.wire.codec import decode, encode

DISCOVERY: dict[str, Any] = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "ttlMs": 3_600_000,
    "cacheScope": "public",
}
HANDSHAKE: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "old", "version": "1.0"},
}


class Playbook:
    """Feeds events to `step` and keeps what it wanted done."""

    def __init__(self, **terms: Any) -> None:
        self.snapshot: Negotiation = begin(Terms(**terms))
        self.now = 0.0
        self.actions: list[Action] = []
        self.hears(Opened())

    def hears(self, event: Event) -> Playbook:
        self.snapshot, actions = step(self.snapshot, event, self.now)
        self.actions.extend(actions)
        return self

    def reads(self, frame: bytes | dict[str, Any]) -> Playbook:
        raw = frame if isinstance(frame, bytes) else encode(frame)
        return self.hears(Received(decode(raw)))

    def result(self, value: Any, id: Any = None, **envelope: Any) -> Playbook:
        asked = self.asked_id if id is None else id
        return self.reads({"jsonrpc": "2.0", "id": asked, "result": value, **envelope})

    def error(self, code: int, data: Any = None, id: Any = None) -> Playbook:
        error: dict[str, Any] = {"code": code, "message": "no"}
        if data is not None:
            error["data"] = data
        asked = self.asked_id if id is None else id
        return self.reads({"jsonrpc": "2.0", "id": asked, "error": error})

    def waits(self) -> Playbook:
        """Let the deadline pass."""
        assert self.snapshot.deadline_at is not None
        self.now = self.snapshot.deadline_at
        return self.hears(DeadlinePassed(self.now))

    def closes(self) -> Playbook:
        return self.hears(Closed("exited with status 1", "boom"))

    def lives(self) -> Playbook:
        return self.hears(LifeSeen())

    @property
    def state(self) -> State:
        return self.snapshot.state

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [action.body for action in self.actions if isinstance(action, Send)]

    @property
    def methods(self) -> list[str]:
        return [body["method"] for body in self.sent]

    @property
    def asked_id(self) -> Any:
        return next(body["id"] for body in reversed(self.sent) if "id" in body)

    @property
    def deadline_at(self) -> float:
        return next(a.at for a in reversed(self.actions) if isinstance(a, SetDeadline))

    @property
    def rules(self) -> list[str]:
        return [action.rule for action in self.actions if isinstance(action, Decide)]

    @property
    def strays(self) -> list[str]:
        return [action.what for action in self.actions if isinstance(action, Record)]

    @property
    def reopened(self) -> int:
        return sum(isinstance(action, Reopen) for action in self.actions)

    @property
    def settled(self) -> Settled:
        return next(a.settled for a in self.actions if isinstance(a, Settle))

    @property
    def failure(self) -> Failure:
        return next(a.failure for a in self.actions if isinstance(a, Fail))
