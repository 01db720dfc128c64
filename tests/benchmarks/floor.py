"""The floor: bare asyncio and msgspec on the same pipe or socket, without a single check."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

_DECODE: Final = msgspec.json.Decoder(dict).decode


class _Pipe(asyncio.SubprocessProtocol):
    """The least that can match answers to requests."""

    def __init__(self) -> None:
        self.rest: list[bytes] = []
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.gone = asyncio.get_running_loop().create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        first, *lines = data.split(b"\n")
        self.rest.append(first)
        if not lines:
            return
        for line in (b"".join(self.rest), *lines[:-1]):
            answer = _DECODE(line)
            self.waiting.pop(answer["id"]).set_result(answer["result"])
        self.rest = [lines[-1]]

    def process_exited(self) -> None:
        self.gone.set_result(None)


@asynccontextmanager
async def over_stdio(command: list[str]) -> AsyncIterator[Any]:
    """Give a function that sends one request and waits for its result."""
    loop = asyncio.get_running_loop()
    transport, pipe = await loop.subprocess_exec(_Pipe, *command, stderr=None)
    out: Any = transport.get_pipe_transport(0)
    last_id = 0

    async def ask(method: str, params: dict[str, Any]) -> Any:
        nonlocal last_id
        last_id += 1
        answer = pipe.waiting[last_id] = loop.create_future()
        body = {"jsonrpc": "2.0", "id": last_id, "method": method, "params": params}
        out.write(msgspec.json.encode(body) + b"\n")
        return await answer

    try:
        yield ask
    finally:
        out.close()  # the yardstick ends with its input
        await asyncio.wait([pipe.gone], timeout=5)
        transport.close()


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[Any]:
    """Give a function that posts one request and waits for its result."""
    import aiohttp

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    last_id = 0
    async with aiohttp.ClientSession(
        headers=headers, connector=aiohttp.TCPConnector(limit=0)
    ) as session:

        async def ask(method: str, params: dict[str, Any]) -> Any:
            nonlocal last_id
            last_id += 1
            body = {"jsonrpc": "2.0", "id": last_id, "method": method, "params": params}
            async with session.post(url, data=msgspec.json.encode(body)) as response:
                return _DECODE(await response.read())["result"]

        yield ask
