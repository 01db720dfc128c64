"""A FastMCP 4 server over stdio, run by its own environment, never imported by a test."""

from fastmcp import FastMCP

server = FastMCP("fastmcp-interop")


@server.tool
def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


@server.tool
def echo(text: str) -> str:
    """Return the text unchanged."""
    return text


if __name__ == "__main__":
    server.run("stdio", show_banner=False)
