"""The same story on every way to a peer: in memory, over pipes, over HTTP."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from fakes import Fake
from workbench import AsyncMultiServerClient, PeerConfig

Way = Literal["memory", "stdio", "http"]
WAYS: Final[tuple[Way, ...]] = ("memory", "stdio", "http")
LIMIT_S: Final = 20.0


class Place:
    """A client with peers, and what those peers have seen.

    Args:
        way: how every peer is reached.
        client: not connected yet.
        fakes: by the name of the peer.
        folder: where processes write what they see.
        clock: the client's, when the story is to move it.
    """

    def __init__(
        self,
        way: Way,
        client: AsyncMultiServerClient,
        fakes: Mapping[str, Fake],
        folder: Path,
        clock: Any = None,
    ) -> None:
        self.way = way
        self.client = client
        self.fakes = fakes
        self.clock = clock
        self._folder = folder

    def received(self, name: str = "peer") -> list[dict[str, Any]]:
        """Return every JSON object a peer received, oldest first."""
        if self.way != "stdio":
            return self.fakes[name].received
        return [json.loads(line) for line in self._lines(f"{name}.received")]

    def methods(self, name: str = "peer") -> list[str]:
        """Return the methods a peer was asked for, in order."""
        return [str(body["method"]) for body in self.received(name) if "method" in body]

    def effects(self, name: str = "peer") -> list[str]:
        """Return the names of the tools a peer executed."""
        if self.way != "stdio":
            return self.fakes[name].effects
        return self._lines(f"{name}.effects")

    async def listed(self) -> None:
        """Connect, list and merge."""
        await self.client.connect_all()
        await self.client.discover_tools()
        self.client.merge()

    def row(self, name: str = "peer") -> Any:
        """Return one peer's row of the report."""
        return next(row for row in self.client.report().peers if row.peer == name)

    def _lines(self, file: str) -> list[str]:
        path = self._folder / file
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


Story = Callable[[Place], Awaitable[None]]


def tell(
    story: Story,
    way: Way,
    fakes: Mapping[str, Fake],
    folder: Path,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Any,
) -> None:
    """Run a story with a client and its peers; bounded.

    Args:
        story: given the place; nothing is connected yet.
        way: how every peer is reached.
        fakes: by the name of the peer, registered in this order.
        folder: an empty one.
        settings: of single peers, by name; "legacy" peers need `allow_legacy`.
        options: of the client.
    """

    async def run(targets: dict[str, Any]) -> None:
        async with AsyncMultiServerClient(**options) as client, asyncio.timeout(LIMIT_S):
            for name, target in targets.items():
                client.add_server(name, target, **(settings or {}).get(name, {}))
            await story(Place(way, client, fakes, folder, options.get("clock")))

    with _reached(way, fakes, folder) as targets:
        asyncio.run(run(targets))


@contextmanager
def _reached(way: Way, fakes: Mapping[str, Fake], folder: Path) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        targets: dict[str, Any] = {}
        for name, fake in fakes.items():
            if way == "memory":
                targets[name] = fake
            elif way == "http":
                url = stack.enter_context(fake.over_http())
                targets[name] = PeerConfig(name=name, url=url)
            else:
                files = {kind: folder / f"{name}.{kind}" for kind in ("received", "effects")}
                argv = stack.enter_context(
                    fake.over_stdio(record=files["received"], effects=files["effects"])
                )
                targets[name] = PeerConfig(name=name, command=argv[0], args=tuple(argv[1:]))
        yield targets
