"""Who is measured: the floor, this client in both forms, the official SDK, FastMCP.

Each is given the same peers, all at once, and says how to call a tool of the first of them
and how to list the tools of all. A command is a list, an address a text.
"""

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import floor

Target: TypeAlias = list[str] | str
ARGUMENTS: Final = {"q": "tea"}


def yardstick(tools: int = 1, way: str = "fast") -> list[str]:
    """Return the command of the stdio yardstick; see there for the arguments."""
    python = [sys.executable] if way == "fast" else [sys.executable, "-I", "-S"]
    return [*python, str(Path(__file__).with_name("yardstick.py")), str(tools), way]


class Connected(NamedTuple):
    """What a contestant can do, once it is connected."""

    call: Callable[[], Awaitable[Any]]
    """Call the tool of the first peer."""
    list_tools: Callable[[], Awaitable[int]]
    """List the tools of every peer anew and return how many there are."""


Contestant: TypeAlias = Callable[[list[Target]], AbstractAsyncContextManager[Connected]]


@asynccontextmanager
async def bare(targets: list[Target]) -> AsyncIterator[Connected]:
    """The floor."""
    async with AsyncExitStack() as stack:
        ways = [_floor(target) for target in targets]
        asks = await asyncio.gather(*(stack.enter_async_context(way) for way in ways))
        await asyncio.gather(*(ask("server/discover", {}) for ask in asks))

        async def listed(ask: Any) -> int:
            count, cursor = 0, {}
            while cursor is not None:
                page = await ask("tools/list", cursor)
                count += len(page["tools"])
                cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
            return count

        async def list_tools() -> int:
            return sum(await asyncio.gather(*(listed(ask) for ask in asks)))

        params = {"name": "echo", "arguments": ARGUMENTS}
        yield Connected(lambda: asks[0]("tools/call", params), list_tools)


def _floor(target: Target) -> Any:
    return floor.over_http(target) if isinstance(target, str) else floor.over_stdio(target)


@asynccontextmanager
async def ours(targets: list[Target]) -> AsyncIterator[Connected]:
    """`AsyncMultiServerClient`, journal on, every check on."""
    from workbench import AsyncMultiServerClient, PeerConfig

    async with AsyncMultiServerClient(merge_policy="prefix-always") as client:
        for number, target in enumerate(targets):
            name = f"peer{number:03}"
            by_url = isinstance(target, str)
            client.add_server(name, PeerConfig(name=name, url=target) if by_url else target)
        await client.connect_all()

        async def list_tools() -> int:
            listings = await client.discover_tools()
            return sum(len(one.tools) for one in listings.values())

        # The first call merges what was listed.
        yield Connected(lambda: client.call("peer000/echo", ARGUMENTS), list_tools)


@asynccontextmanager
async def sdk(targets: list[Target]) -> AsyncIterator[Connected]:
    """The official SDK's `Client`, one for each peer, started in parallel."""
    from mcp import Client, StdioServerParameters

    # Each client lives in a task of its own: its cancel scopes belong to the task.
    over, ready = asyncio.Event(), asyncio.Queue[Any]()

    async def one(target: Target) -> None:
        where: Any = target
        if not isinstance(target, str):
            where = StdioServerParameters(command=target[0], args=target[1:])
        async with Client(where) as client:
            ready.put_nowait(client)
            await over.wait()

    async def listed(client: Any) -> int:
        count, cursor, begun = 0, None, False
        while cursor is not None or not begun:
            page = await client.list_tools(cursor=cursor)
            count, cursor, begun = count + len(page.tools), page.next_cursor, True
        return count

    async with asyncio.TaskGroup() as group:
        for target in targets:
            group.create_task(one(target))
        clients = [await ready.get() for _ in targets]

        async def list_tools() -> int:
            return sum(await asyncio.gather(*(listed(client) for client in clients)))

        try:
            yield Connected(lambda: clients[0].call_tool("echo", ARGUMENTS), list_tools)
        finally:
            over.set()


@asynccontextmanager
async def fastmcp(targets: list[Target]) -> AsyncIterator[Connected]:
    """FastMCP's client; its multi-server configuration where there are several peers."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    where: Any = targets[0]
    if len(targets) > 1:
        where = {"mcpServers": {f"peer{n:03}": _entry(one) for n, one in enumerate(targets)}}
    elif not isinstance(where, str):
        where = StdioTransport(where[0], where[1:], keep_alive=False)
    async with Client(where) as client:

        async def list_tools() -> int:
            return len(await client.list_tools())

        yield Connected(lambda: client.call_tool("echo", ARGUMENTS), list_tools)


def _entry(target: Target) -> dict[str, Any]:
    if isinstance(target, str):
        return {"url": target}
    return {"command": target[0], "args": target[1:]}


ALL: Final[dict[str, Contestant]] = {
    "floor": bare,
    "workbench": ours,
    "mcp SDK": sdk,
    "FastMCP": fastmcp,
}
PACKAGES: Final = {"mcp SDK": "mcp", "FastMCP": "fastmcp"}


def present() -> dict[str, Contestant]:
    """Return the contestants that are installed here."""
    return {
        name: one
        for name, one in ALL.items()
        if name not in PACKAGES or importlib.util.find_spec(PACKAGES[name]) is not None
    }


def versions() -> dict[str, str]:
    """Return the version of everything that decides the figures."""
    import platform
    from importlib.metadata import version

    names = ["mcp-client-workbench", "msgspec", "aiohttp"]
    names += [package for name, package in PACKAGES.items() if name in present()]
    return {"python": platform.python_version(), **{name: version(name) for name in names}}
