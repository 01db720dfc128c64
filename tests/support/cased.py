"""One or more peers, tried the way a user of the client tries them; for the field cases."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from driven import driven

from fakes import Fake
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient, PeerConfig

T = TypeVar("T")

PATIENT: Final = {"discovery_timeout_ms": 30_000, "legacy_probe_timeout_ms": 30_000}
"""For peers that answer: a busy machine must not turn them into silent ones."""
LIMIT_S: Final = 30.0


class Spawned:
    """A fake as a command line, and what its processes have written down."""

    def __init__(self, argv: list[str], record: Path) -> None:
        self.config = PeerConfig(name="peer", command=argv[0], args=tuple(argv[1:]))
        self._record = record

    @property
    def received(self) -> list[dict[str, Any]]:
        """Every message, oldest first."""
        if not self._record.exists():
            return []
        text = self._record.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    def methods(self) -> list[str]:
        """What was asked, in order."""
        return [body["method"] for body in self.received if "method" in body]


@contextmanager
def spawned(fakes: Mapping[str, Fake], folder: Path) -> Iterator[dict[str, Spawned]]:
    """Give each fake as a process to be."""
    with ExitStack() as stack:
        yield {
            name: Spawned(
                stack.enter_context(fake.over_stdio(record=folder / f"{number}.received")),
                folder / f"{number}.received",
            )
            for number, (name, fake) in enumerate(fakes.items())
        }


def rows_of(peers: Mapping[str, Any], **settings: Any) -> dict[str, Any]:
    """Connect all peers, close them again, and return the rows of the report by name."""
    with MultiServerClient() as client:
        for name, target in peers.items():
            client.add_server(name, target, **settings)
        return {row.peer: row for row in client.connect_all().peers}


@contextmanager
def listed(
    peers: Mapping[str, Any], *, options: Mapping[str, Any] | None = None, **settings: Any
) -> Iterator[MultiServerClient]:
    """Give a client whose peers are connected, listed and merged."""
    with MultiServerClient(**(options or {})) as client:
        for name, target in peers.items():
            client.add_server(name, target, **{**PATIENT, **settings})
        client.connect_all()
        client.discover_tools()
        client.merge()
        yield client


Told = Callable[[AsyncMultiServerClient, ManualClock], Awaitable[T]]


def told(
    story: Told[T], peers: Mapping[str, Any], *, options: Mapping[str, Any] | None = None,
    **settings: Any,
) -> T:  # fmt: skip
    """Run a story with peers in memory and a clock that is moved; nothing is connected yet."""

    async def run() -> T:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, **(options or {}))
        for name, target in peers.items():
            client.add_server(name, target, **settings)
        async with asyncio.timeout(LIMIT_S):
            end = await story(client, clock)
            await driven(client.aclose(), clock)
        return end

    return asyncio.run(run())
