"""A `FastMCP` of the official SDK 1.x over stdio: the last of the session based servers."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("mcp1-interop")


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
