"""Steps of the script language that speak HTTP: how an exchange is delivered, or replaced.

Takes:  nothing; these are words, like those of `steps`
Gives:  `Step` values, each with a lower-case function that makes it
Never:  acts; the HTTP host does

`as_sse` and `as_json` choose between two right ways to answer and mean nothing on other
transports. The rest are faults that only HTTP has; a script with one of them is refused
in memory and over stdio, where its request would otherwise wait for ever.
"""

from base64 import b64decode, b64encode
from typing import Final, Literal

from msgspec import Struct

from fakes.errors import ScriptError

JSON_TYPE: Final = "application/json"
SSE_TYPE: Final = "text/event-stream"
HTML_TYPE: Final = "text/html; charset=utf-8"

Stop = Literal["stall", "end", "close", "reset"]
"""How a body stops early: nothing more comes; it ends as if it were whole; the connection
is closed without the end of the body; the connection is reset."""


class As(Struct, frozen=True, tag_field="do", tag="as", forbid_unknown_fields=True):
    """Choose the form of this answer; without it, one answer alone is JSON."""

    form: Literal["json", "sse"]


class Deliver(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="do",
              tag="deliver", forbid_unknown_fields=True):  # fmt: skip
    """Edit how the answer is delivered: status, headers, and how much of the body."""

    status: int | None = None
    """None is the honest one."""
    headers: dict[str, str] = {}
    """Set over the honest ones."""
    content_type: str | None = None
    stop_after: int | None = None
    """Bytes of the body that are sent; None is all."""
    stop: Stop = "stall"

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ScriptError: if one is out of range.
        """
        if self.status is not None:
            check_status(self.status)
        if self.stop_after is not None and self.stop_after < 0:
            raise ScriptError(f"stop_after must be 0 or more bytes, not {self.stop_after}")


class HangUp(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="do",
             tag="hang_up", forbid_unknown_fields=True):  # fmt: skip
    """End this response now. What follows is kept for a legacy client that resumes."""

    how: Literal["end", "close", "reset"] = "end"
    retry_ms: int | None = None
    """Tell a legacy client when to resume, by a `retry` field just before the end."""


class Status(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="do",
             tag="status", forbid_unknown_fields=True):  # fmt: skip
    """Answer with this HTTP response and nothing else."""

    code: int
    body: str = ""
    """Sent as UTF-8; `REQUEST_ID` inside it becomes the JSON of the request's id."""
    base64: str = ""
    """The same for bytes that are not UTF-8; never both."""
    headers: dict[str, str] = {}
    content_type: str = ""
    """Empty sends no Content-Type."""
    chunk: int = 0
    """Bytes per write; 0 writes the body at once."""

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            ScriptError: if they contradict one another or cannot be decoded.
        """
        check_status(self.code)
        if self.body and self.base64:
            raise ScriptError("status takes body or base64, not both")
        if self.chunk < 0:
            raise ScriptError(f"chunk must be 0 or more bytes, not {self.chunk}")
        try:
            b64decode(self.base64, validate=True)
        except ValueError as problem:
            raise ScriptError(f"status.base64 cannot be decoded: {problem}") from None

    def content(self) -> bytes:
        """Return the body as it was scripted."""
        return b64decode(self.base64) if self.base64 else self.body.encode()


HTTP_ONLY: Final = (Deliver, HangUp, Status)
"""Steps that mean nothing without HTTP."""


def check_status(code: int) -> None:
    """Check that `code` can be the status of a final response.

    Raises:
        ScriptError: if it cannot.
    """
    if not 200 <= code <= 599:
        raise ScriptError(f"a final HTTP status is between 200 and 599, not {code}")


def as_sse() -> As:
    """Answer as an event stream, even if it holds one event."""
    return As("sse")


def as_json() -> As:
    """Answer as `application/json`, whatever is in the body."""
    return As("json")


def deliver(
    *,
    status: int | None = None,
    headers: dict[str, str] | None = None,
    content_type: str | None = None,
) -> Deliver:
    """Deliver the answer that follows with another status, other headers, another type."""
    return Deliver(status=status, headers=headers or {}, content_type=content_type)


def stall(after: int = 0) -> Deliver:
    """Send `after` bytes of the body that follows, then nothing more; the head is sent."""
    return Deliver(stop_after=after, stop="stall")


def cut(after: int = 0, *, how: Literal["end", "close", "reset"] = "close") -> Deliver:
    """Send `after` bytes of the body that follows, then end it in this way."""
    return Deliver(stop_after=after, stop=how)


def hang_up(
    how: Literal["end", "close", "reset"] = "end", *, retry_ms: int | None = None
) -> HangUp:
    """End the response now: cleanly, by closing the connection, or by resetting it."""
    return HangUp(how=how, retry_ms=retry_ms)


def status(
    code: int,
    body: bytes | str = b"",
    headers: dict[str, str] | None = None,
    content_type: str = "",
    *,
    chunk: int = 0,
) -> Status:
    """Answer with a whole HTTP response; a body without `content_type` has none."""
    content = body.encode() if isinstance(body, str) else body
    try:
        text, base64 = content.decode(), ""
    except UnicodeDecodeError:
        text, base64 = "", b64encode(content).decode("ascii")
    return Status(
        code=code,
        body=text,
        base64=base64,
        headers=headers or {},
        content_type=content_type,
        chunk=chunk,
    )


def empty(code: int = 202) -> Status:
    """Answer with a status and no body."""
    return Status(code=code)


def html(code: int = 502, text: str = "<html><body><h1>Bad Gateway</h1></body></html>") -> Status:
    """Answer with a page, as proxies do."""
    return Status(code=code, body=text, content_type=HTML_TYPE)


def redirect(to: str, code: int = 307) -> Status:
    """Send the client elsewhere; `to` may be relative to the endpoint."""
    return Status(code=code, headers={"Location": to})


def challenge(
    code: int = 401, header: str = 'Bearer resource_metadata="https://auth.example/metadata"'
) -> Status:
    """Ask for authorization."""
    return Status(code=code, headers={"WWW-Authenticate": header})
