"""An `MCPServer` of the official SDK 2.x over stdio, run by its own environment."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("mcp2-interop")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


@server.tool()
def echo(text: str) -> str:
    """Return the text unchanged."""
    return text


if __name__ == "__main__":
    server.run("stdio")
