"""The smallest modern HTTP server that can answer: bare aiohttp, no routes, no checks.

Run as a program; prints its address on the first line, ends with its input.
"""

import asyncio
import sys

from aiohttp import web
from yardstick import answerer, codec


async def serve() -> None:
    """Answer until the input ends."""
    decode, encode = codec("fast")
    answer = answerer(encode)

    async def handle(request: web.BaseRequest) -> web.Response:
        if request.method != "POST":
            return web.Response(status=405)
        said = answer(decode(await request.read()))
        if not said:
            return web.Response(status=202)
        return web.Response(body=said, content_type="application/json")

    loop = asyncio.get_running_loop()
    host = await loop.create_server(web.Server(handle), "127.0.0.1", 0)
    port = host.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}/mcp\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    host.close()


if __name__ == "__main__":
    asyncio.run(serve())
