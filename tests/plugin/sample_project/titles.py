"""A small program of somebody else: it asks an MCP server for the titles of notes."""

import asyncio
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

PATIENCE_S = 20.0


def over_stdio(command: list[str]) -> Any:
    """Return what the SDK's client connects to for a command line."""
    return StdioServerParameters(command=command[0], args=command[1:])


def over_http(url: str) -> Any:
    """Return what the SDK's client connects to for an address."""
    return streamable_http_client(url)


async def _titles(target: Any, query: str) -> str:
    async with asyncio.timeout(PATIENCE_S), Client(target) as client:
        result = await client.call_tool("search", {"q": query})
    return "".join(block.text for block in result.content)


def titles(target: Any, query: str) -> str:
    """Return what the tool `search` answers to a query."""
    return asyncio.run(_titles(target, query))
