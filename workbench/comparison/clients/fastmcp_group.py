"""Several peers and FastMCP: print the menu, and call each name: `fastmcp_group.py JOB [HOW]`.

JOB is a file, the same as for the other clients here. HOW is "config" (the default: one
`Client` of an `mcp.json`, which puts a router in front of the peers) or "group" (a
`ClientGroup`, which does not). Both run as they come.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.group import ClientGroup


async def gather(peers: dict[str, Any], how: str, came: dict[str, Any]) -> None:
    """Connect all peers, note the names, call each."""
    servers = {n: {"command": p["command"], "args": p["args"]} for n, p in peers.items()}
    config = {"mcpServers": servers}
    group: Any = ClientGroup.from_config(config) if how == "group" else Client(config)
    async with group as client:
        came["names"] = [tool.name for tool in await client.list_tools()]
        for name in came["names"]:
            try:
                await client.call_tool(name, {"q": name})
            except Exception as problem:
                came["missing"][name] = type(problem).__name__


def main() -> None:
    """Print one JSON object: the names, and which peer is missing and why."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    came: dict[str, Any] = {"names": None, "missing": {}}
    try:
        asyncio.run(gather(job["peers"], job.get("how", "config"), came))
    except Exception as refused:
        came["why"] = type(refused).__name__
    json.dump(came, sys.stdout)


if __name__ == "__main__":
    main()
