"""Connect FastMCP's client to one command and print what came of it.

`fastmcp_client.py SETTINGS COMMAND…`; the client runs as it comes.
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def visit(command: list[str]) -> str | None:
    """Return the version of a session that came about."""
    way = StdioTransport(command[0], command[1:], keep_alive=False)
    async with Client(way) as client:
        return client.protocol_version


def main() -> None:
    """Print one JSON object: the version, or the error a caller would have seen."""
    version = why = None
    try:
        version = asyncio.run(visit(sys.argv[2:]))
    except Exception as refused:
        why = type(refused).__name__
    json.dump({"version": version, "why": why}, sys.stdout)


if __name__ == "__main__":
    main()
