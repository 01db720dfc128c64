"""A plain HTTP client for the checks of the fake host: no library of ours in between."""

import http.client
import json
import socket
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from workbench.core.wire.envelope import modern_request
from workbench.core.wire.versions import LATEST_MODERN

PATIENCE_S = 5.0
BOTH = "application/json, text/event-stream"


class Answer(Struct, frozen=True, kw_only=True):
    """One whole response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> int:
        code = self.json["error"]["code"]
        assert isinstance(code, int)
        return code

    @property
    def events(self) -> list[Any]:
        """Return the JSON of each event, in order."""
        blocks = self.body.decode().split("\n\n")[:-1]
        return [json.loads(block.partition("data: ")[2]) for block in blocks]


class Stream:
    """A response that is read as it comes."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection
        self.response = connection.getresponse()

    def event(self) -> dict[str, str]:
        """Return the fields of the next event; `{}` at the end of the stream."""
        fields: dict[str, str] = {}
        while line := self.response.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            fields[name] = value
        return fields

    def message(self) -> Any:
        """Return the JSON of the next event."""
        return json.loads(self.event()["data"])

    def close(self) -> None:
        """Hang up."""
        # The response holds a second handle to the socket.
        self.response.close()
        self._connection.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Visitor:
    """Sends requests to one endpoint, each on a connection of its own.

    Args:
        url: of the endpoint.
    """

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)

    @property
    def port(self) -> int:
        """The port of the endpoint."""
        assert self._parts.port is not None
        return self._parts.port

    def open(
        self, method: str, headers: dict[str, str] | None = None, body: bytes | None = None,
        path: str | None = None,
    ) -> Stream:  # fmt: skip
        """Send one request and return its response, head read."""
        assert self._parts.hostname is not None
        connection = http.client.HTTPConnection(
            self._parts.hostname, self._parts.port, timeout=PATIENCE_S
        )
        try:
            connection.request(method, path or self._parts.path, body, headers or {})
            return Stream(connection)
        except BaseException:
            connection.close()
            raise

    def send(
        self, method: str, headers: dict[str, str] | None = None, body: bytes | None = None,
        path: str | None = None,
    ) -> Answer:  # fmt: skip
        """Send one request and return its whole response."""
        with self.open(method, headers, body, path) as stream:
            response = stream.response
            sent = {name.lower(): value for name, value in response.getheaders()}
            return Answer(status=response.status, headers=sent, body=response.read())

    def post(self, body: Any, headers: dict[str, str] | None = None) -> Answer:
        """POST any JSON with the headers every message needs."""
        return self.send("POST", {**plain(), **(headers or {})}, encoded(body))

    def ask(self, method: str, params: Any = None, **more: Any) -> Answer:
        """Ask a modern request."""
        headers, body = modern(method, params, **more)
        return self.send("POST", headers, body)

    def ask_open(self, method: str, params: Any = None, **more: Any) -> Stream:
        """Ask a modern request and leave the response open."""
        headers, body = modern(method, params, **more)
        return self.open("POST", headers, body)

    def raw(self, data: bytes) -> bytes:
        """Send bytes, stop sending, and return whatever comes until the other side closes."""
        assert self._parts.hostname is not None and self._parts.port is not None
        place = (self._parts.hostname, self._parts.port)
        with socket.create_connection(place, PATIENCE_S) as link:
            seen = b""
            try:
                link.sendall(data)
                link.shutdown(socket.SHUT_WR)
                while chunk := link.recv(65_536):
                    seen += chunk
            except (ConnectionError, BrokenPipeError):
                pass
            return seen


def plain() -> dict[str, str]:
    """Return the headers every message needs."""
    return {"Accept": BOTH, "Content-Type": "application/json"}


def modern(
    method: str, params: Any = None, *, id: Any = 1, version: str = LATEST_MODERN,
    headers: dict[str, str | None] | None = None, capabilities: Any = None,
) -> tuple[dict[str, str], bytes]:  # fmt: skip
    """Return headers and body of a modern request; a header given as None is left out."""
    sent: dict[str, str | None] = {
        **plain(), "MCP-Protocol-Version": version, "Mcp-Method": method,
    }  # fmt: skip
    named = (params or {}).get("name", (params or {}).get("uri"))
    if isinstance(named, str):
        sent["Mcp-Name"] = named
    sent.update(headers or {})
    body = modern_request(id, method, params, version, capabilities)
    return {name: value for name, value in sent.items() if value is not None}, encoded(body)


def encoded(body: Any) -> bytes:
    """Return JSON; bytes stay as they are."""
    return body if isinstance(body, bytes) else json.dumps(body).encode()
