"""One of the servers beside this file over HTTP: `over_http.py NAME json|sse|old-sse`.

Prints its url, serves until it is told to end, and is run by its own environment.
"""

import importlib
import pathlib
import socket
import sys

import uvicorn

sys.path.insert(0, str(pathlib.Path(__file__).parent))


def app(name: str, mode: str) -> object:
    """Return the ASGI application of a server, with JSON bodies or with event streams."""
    server = importlib.import_module(f"{name}_server").server
    if mode == "old-sse":
        return server.sse_app()
    if name == "fastmcp":
        return server.http_app(path="/mcp", json_response=mode == "json")
    if name == "mcp2":
        return server.streamable_http_app(json_response=mode == "json")
    server.settings.json_response = mode == "json"
    return server.streamable_http_app()


def main() -> None:
    """Listen on a free port of this machine, say where, and serve."""
    name, mode = sys.argv[1:]
    listening = socket.create_server(("127.0.0.1", 0))
    path = "/sse" if mode == "old-sse" else "/mcp"
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}{path}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app(name, mode), log_level="warning")).run([listening])


if __name__ == "__main__":
    main()
