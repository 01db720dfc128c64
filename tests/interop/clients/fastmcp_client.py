"""FastMCP's own client: list the tools of a server, call one, print what came as JSON."""

import asyncio
import json
import sys

from fastmcp import Client


async def main(target: str) -> None:
    where = json.loads(target)
    async with Client(where) as client:
        tools = await client.list_tools()
        result = await client.call_tool("search", {"q": "tea"})
    texts = [block.text for block in result.content]
    print(json.dumps({"tools": sorted(tool.name for tool in tools), "texts": texts}))  # noqa: T201


asyncio.run(main(sys.argv[1]))
