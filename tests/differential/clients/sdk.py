"""Connect the official SDK's client to one command and print what came of it.

`sdk.py SETTINGS COMMAND…`; the client runs as it comes, with `mode="auto"`.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def visit(command: list[str]) -> str:
    """Return the version of a session that came about."""
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(server, mode="auto") as client:
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
