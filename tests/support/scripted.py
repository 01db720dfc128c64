"""A transport with exchanges, whose other end is a function."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from workbench.core.errors import CouldNotStart, Failure, Kind
from workbench.transports.base import Ending

Said = Callable[["Scripted", dict[str, Any]], None]


class Scripted:
    """One lifetime; `said` hears each body on the next turn of the loop and may answer."""

    def __init__(self, said: Said) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.given_up: list[Any] = []
        self.receiver: Any = None
        self._said = said

    async def open(self, receiver: Any) -> None:
        self.receiver = receiver

    def send(self, frame: bytes, tool: Any = None) -> None:
        body = json.loads(frame)
        self.bodies.append(body)
        asyncio.get_running_loop().call_soon(self._said, self, body)

    def give_up(self, request_id: Any) -> bool:
        self.given_up.append(request_id)
        return True

    def answer(self, body: dict[str, Any], result: Any) -> None:
        """Answer a request in its own exchange."""
        frame = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": result}).encode()
        self.receiver.frame_received(frame, body["id"])

    async def close(self) -> Ending:
        ending = Ending(reason="closed by us", by_us=True)
        if self.receiver is not None:
            receiver, self.receiver = self.receiver, None
            receiver.transport_closed(ending)
        return ending


class Recipe:
    """An endpoint of scripted transports; without a script none can be opened."""

    kind = "http"
    identity = "scripted"

    def __init__(self, said: Said | None) -> None:
        self.made: list[Scripted] = []
        self._said = said

    def new_transport(self, clock: Any) -> Any:
        if self._said is None:
            return Closed()
        self.made.append(Scripted(self._said))
        return self.made[-1]


class Closed:
    """A transport that cannot be opened."""

    async def open(self, receiver: Any) -> None:
        raise CouldNotStart(Failure(kind=Kind.COULD_NOT_START, detail="nobody is there"))

    async def close(self) -> Ending:
        return Ending(reason="never opened", by_us=True)
