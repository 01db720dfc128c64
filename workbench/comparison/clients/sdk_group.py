"""Several peers and the official SDK's `ClientSessionGroup`: print the menu, and call each name.

`sdk_group.py JOB`; JOB is a file, the same as for the other clients here. The group runs as it
comes, without a hook for names. It is told of one peer after the other, and whoever tells it
goes on when one fails, as a careful caller would.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSessionGroup, StdioServerParameters


async def gather(peers: dict[str, Any], came: dict[str, Any]) -> None:
    """Connect each peer, note the names, call each."""
    async with ClientSessionGroup() as group:
        for name, peer in peers.items():
            server = StdioServerParameters(command=peer["command"], args=peer["args"])
            try:
                await group.connect_to_server(server)
            except Exception as problem:
                came["missing"][name] = type(problem).__name__
        came["names"] = list(group.tools)
        for name in came["names"]:
            try:
                await group.call_tool(name, {"q": name})
            except Exception as problem:
                came["missing"][name] = type(problem).__name__


def main() -> None:
    """Print one JSON object: the names, and which peer is missing and why."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    came: dict[str, Any] = {"names": None, "missing": {}}
    try:
        asyncio.run(gather(job["peers"], came))
    except Exception as refused:
        came["why"] = type(refused).__name__
    json.dump(came, sys.stdout)


if __name__ == "__main__":
    main()
