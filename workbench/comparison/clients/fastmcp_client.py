"""Connect FastMCP's client to one peer and print what came of it: `fastmcp_client.py JOB`.

JOB is a file, the same as for the other clients here; the client runs as it comes.
"""

import asyncio
import json
import sys
import time
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


def way_to(peer: dict[str, Any]) -> Any:
    """Return what the client connects to."""
    if "url" in peer:
        return StreamableHttpTransport(peer["url"], headers=peer["headers"])
    return StdioTransport(**peer, keep_alive=False)


async def visit(peer: dict[str, Any], lists: bool, came: dict[str, Any]) -> None:
    """Note the version of a session that came about, and the names of its tools."""
    started = time.monotonic()
    async with Client(way_to(peer)) as client:
        came |= {"version": client.protocol_version, "took_s": time.monotonic() - started}
        if lists:
            came["tools"] = [tool.name for tool in await client.list_tools()]


def main() -> None:
    """Print one JSON object: the version, or the error a caller would have seen."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    came: dict[str, Any] = {"version": None, "why": None}
    try:
        (peer,) = job["peers"].values()
        asyncio.run(visit(peer, job["list"], came))
    except Exception as refused:
        came |= {"why": type(refused).__name__, "said": str(refused)[:500]}
    json.dump(came, sys.stdout)


if __name__ == "__main__":
    main()
