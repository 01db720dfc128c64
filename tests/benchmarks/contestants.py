"""Who is measured: the floor, this client in both forms, the official SDK, FastMCP.

Each is an asynchronous context manager that gives one function: make one call, wait for its
answer. All talk to the same yardstick over a pipe.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

Call: TypeAlias = Callable[[], Awaitable[Any]]
YARDSTICK: Final = [sys.executable, str(Path(__file__).with_name("yardstick.py"))]
ARGUMENTS: Final = {"q": "tea"}


class _Pipe(asyncio.SubprocessProtocol):
    """The least that can match answers to requests."""

    def __init__(self) -> None:
        self.rest = b""
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.decode = msgspec.json.Decoder(dict).decode
        self.gone = asyncio.get_running_loop().create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            answer = self.decode(line)
            self.waiting.pop(answer["id"]).set_result(answer["result"])

    def process_exited(self) -> None:
        self.gone.set_result(None)


@asynccontextmanager
async def floor() -> AsyncIterator[Call]:
    """Bare asyncio and msgspec on the same pipe, without a single check."""
    loop = asyncio.get_running_loop()
    transport, pipe = await loop.subprocess_exec(_Pipe, *YARDSTICK, stderr=None)
    out: Any = transport.get_pipe_transport(0)
    last_id = 0

    async def call() -> Any:
        nonlocal last_id
        last_id += 1
        answer = pipe.waiting[last_id] = loop.create_future()
        params = {"name": "echo", "arguments": ARGUMENTS}
        body = {"jsonrpc": "2.0", "id": last_id, "method": "tools/call", "params": params}
        out.write(msgspec.json.encode(body) + b"\n")
        return await answer

    try:
        yield call
    finally:
        out.close()  # the yardstick ends with its input
        await asyncio.wait([pipe.gone], timeout=5)
        transport.close()


@asynccontextmanager
async def ours() -> AsyncIterator[Call]:
    """`AsyncMultiServerClient`, journal on, every check on."""
    from workbench import AsyncMultiServerClient

    async with AsyncMultiServerClient() as client:
        client.add_server("yardstick", YARDSTICK)
        await client.call("echo", ARGUMENTS)
        yield lambda: client.call("echo", ARGUMENTS)


@asynccontextmanager
async def sdk() -> AsyncIterator[Call]:
    """The official SDK's `Client`."""
    from mcp import Client, StdioServerParameters

    where = StdioServerParameters(command=YARDSTICK[0], args=YARDSTICK[1:])
    async with Client(where) as client:
        await client.call_tool("echo", ARGUMENTS)
        yield lambda: client.call_tool("echo", ARGUMENTS)


@asynccontextmanager
async def fastmcp() -> AsyncIterator[Call]:
    """FastMCP's client."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    transport = StdioTransport(YARDSTICK[0], YARDSTICK[1:])
    async with Client(transport) as client:
        await client.call_tool("echo", ARGUMENTS)
        yield lambda: client.call_tool("echo", ARGUMENTS)


CONTESTANTS: Final[dict[str, Callable[[], AbstractAsyncContextManager[Call]]]] = {
    "floor": floor,
    "workbench": ours,
    "mcp SDK": sdk,
    "FastMCP": fastmcp,
}
