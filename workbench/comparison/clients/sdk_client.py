"""Connect the official SDK's client to one peer and print what came of it: `sdk_client.py JOB`.

JOB is a file: `{"peers": {NAME: {"command", "args", "env", "cwd"} or {"url", "headers"}},
"list": BOOL}`. The client runs as it comes, with `mode="auto"`.
"""

import asyncio
import json
import sys
import time
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def way_to(peer: dict[str, Any]) -> Any:
    """Return what the client connects to."""
    if "url" not in peer:
        return StdioServerParameters(**peer)
    if not peer["headers"]:
        return peer["url"]
    http = create_mcp_http_client(headers=peer["headers"])
    return streamable_http_client(peer["url"], http_client=http)


async def visit(peer: dict[str, Any], lists: bool, came: dict[str, Any]) -> None:
    """Note the version of a session that came about, and the names of its tools."""
    started = time.monotonic()
    async with Client(way_to(peer), mode="auto") as client:
        came |= {"version": client.protocol_version, "took_s": time.monotonic() - started}
        cursor = None
        for _ in range(100 if lists else 0):  # pages, at the most
            page = await client.list_tools(cursor=cursor)
            came["tools"] = [*came.get("tools", ()), *(tool.name for tool in page.tools)]
            cursor = page.next_cursor
            if cursor is None:
                break


def main() -> None:
    """Print one JSON object: the version, or the error a caller would have seen."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    came: dict[str, Any] = {"version": None, "why": None}
    try:
        (peer,) = job["peers"].values()
        asyncio.run(visit(peer, job["list"], came))
    except Exception as refused:
        leaf: BaseException = refused
        while isinstance(leaf, BaseExceptionGroup):
            leaf = leaf.exceptions[0]
        said = f"{'' if leaf is refused else type(leaf).__name__} {leaf}"
        came |= {"why": type(refused).__name__, "said": said.strip()[:500]}
    json.dump(came, sys.stdout)


if __name__ == "__main__":
    main()
