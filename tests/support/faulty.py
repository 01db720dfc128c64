"""One ready-made fake, played with our client, and the journal of it."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from driven import driven

from fakes import Fake
from workbench import (
    AsyncMultiServerClient,
    Handlers,
    Journal,
    ManualClock,
    MultiServerClient,
    PeerConfig,
    accept,
)
from workbench.core.errors import WorkbenchError

HTTP_TIMING: Final = {"discovery_timeout_ms": 700, "legacy_probe_timeout_ms": 5_000}
"""Long enough for a busy machine, short enough for the rows that wait for a deadline."""
UNDECLARED: Final = "C10-sampling"
"""The row whose point is that the client has not declared what it is asked for."""


def in_memory(name: str, fake: Fake, allow_legacy: bool) -> Journal:
    """Connect, listen where the row is about streams, list, call once; time is moved."""
    handlers = Handlers(elicitation=lambda asked: accept({"sure": True}))

    async def story() -> Journal:
        clock = ManualClock()
        client = AsyncMultiServerClient(
            clock=clock,
            can_declare={"elicitation": {}},
            recover=False,
            handlers=handlers if name[:3] == "C10" and name != UNDECLARED else None,
        )
        client.add_server("peer", fake, allow_legacy=allow_legacy, legacy_probe_timeout_ms=2_000)
        await driven(client.connect_all(), clock)
        if name[:3] in ("C08", "C12"):
            await _tried(lambda: driven(client.listen("peer", tools=True), clock))
        await driven(client.discover_tools(), clock)
        client.merge()
        for tool in client.menu.names[:1] if client.menu else ():
            await _tried(lambda tool=tool: driven(client.call(tool, timeout_s=2.0), clock))
        await driven(client.aclose(), clock)
        return client.journal

    return asyncio.run(story())


def over_http(fake: Fake, allow_legacy: bool) -> Journal:
    """Connect, list and call once over real sockets."""
    with fake.over_http() as url:
        with MultiServerClient(can_declare={"elicitation": {}}, recover=False) as client:
            config = PeerConfig(name="peer", url=url)
            client.add_server("peer", config, allow_legacy=allow_legacy, **HTTP_TIMING)
            client.connect_all()
            client.discover_tools()
            client.merge()
            for tool in client.menu.names[:1] if client.menu else ():
                try:
                    client.call(tool, timeout_s=5.0)
                except WorkbenchError:
                    pass  # what came of it is in the journal
        return client.journal


async def _tried(work: Callable[[], Any]) -> None:
    try:
        await work()
    except WorkbenchError:
        pass  # what came of it is in the journal
