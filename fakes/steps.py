r"""What a fake can do, one frozen value per deed; this is also the JSON form of a script.

Takes:  nothing; these are the words of the script language
Gives:  `Step` values, each with a lower-case function that makes it
Never:  acts; `engine` turns steps into bytes with a time

Every malformed answer is an edit of an honest one: `answer_default(without=("resultType",))`
is what the server would have said, minus one member. The two marks `REQUEST_ID` and
`PROGRESS_TOKEN`, given as a whole string anywhere in a value, become the id and the
progress token of the request being answered.
"""

import math
from base64 import b64decode, b64encode
from typing import Any, Final, TypeAlias

from msgspec import Struct

from fakes.errors import ScriptError
from fakes.http_steps import As, Deliver, HangUp, Status

REQUEST_ID: Final = "<<id>>"
"""Becomes the id of the request being answered (in `raw` text: its JSON form)."""
PROGRESS_TOKEN: Final = "<<progressToken>>"
"""Becomes the progress token of the request being answered, null when it has none."""

ID_WORDS: Final = frozenset({"same", "other", "string", "float", "missing"})
"""Values of `id` that are made from the request's id; any other value is sent as it is."""


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What all answers share: how the envelope and its line differ from the honest ones."""

    id: Any = "same"
    """"same", "other" (another of that type), "string" ("1" for 1), "float" (1.0 for 1),
    "missing", or any JSON value, None meaning null."""
    envelope: dict[str, Any] = {}
    """Members put into the envelope, over the honest ones: `{"jsonrpc": "1.0"}`."""
    envelope_without: tuple[str, ...] = ()
    """Envelope members left out: `("jsonrpc",)`."""
    before: str = ""
    r"""Text in front of the JSON: `"\ufeff"` for a byte order mark, `"["` for a batch."""
    after: str = "\n"
    r"""Text behind the JSON: `"\r\n"`, `"]\n"`, or "" to forget the line end."""
    pad: int = 0
    """Spaces inside the JSON object, to make a valid line of any length (bytes)."""
    chunk: int = 0
    """Bytes per write; 0 writes the line at once."""
    times: int = 1
    """How often the same answer is sent."""

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ScriptError: if one is out of range.
        """
        check_repeat(self.times, self.chunk)
        if self.pad < 0:
            raise ScriptError(f"pad must be 0 or more bytes, not {self.pad}")


class Reply(Answer, frozen=True, tag_field="do", tag="reply"):
    """Answer with a result, sent exactly as given."""

    result: Any = None


class Error(Answer, frozen=True, tag_field="do", tag="error"):
    """Answer with a JSON-RPC error; `data` is left out when None."""

    code: int
    message: str = "scripted error"
    data: Any = None


class Default(Answer, frozen=True, tag_field="do", tag="default"):
    """Do what the server does without a script, with edits of its result."""

    patch: dict[str, Any] = {}
    """Members put into the result, each replacing the honest one as a whole."""
    without: tuple[str, ...] = ()
    """Result members left out."""


class Silence(Struct, frozen=True, tag_field="do", tag="silence", forbid_unknown_fields=True):
    """Say nothing."""


class Close(Struct, frozen=True, tag_field="do", tag="close", forbid_unknown_fields=True):
    """Close the output and exit with status 0."""

    stays: bool = False
    """True keeps the process alive until its input ends (in memory the link just ends)."""


class Exit(Struct, frozen=True, tag_field="do", tag="exit", forbid_unknown_fields=True):
    """Exit at once with a status; nothing that is still pending gets said."""

    status: int = 1

    def __post_init__(self) -> None:
        """Check the status.

        Raises:
            ScriptError: if no process can have it.
        """
        if not 0 <= self.status <= 255:
            raise ScriptError(f"an exit status is between 0 and 255, not {self.status}")


class Delay(Struct, frozen=True, tag_field="do", tag="delay", forbid_unknown_fields=True):
    """Do the steps that follow later; other requests are answered meanwhile."""

    seconds: float
    cancellable: bool = False
    """True drops what follows when the client cancels the request; False says it anyway."""

    def __post_init__(self) -> None:
        """Check the length.

        Raises:
            ScriptError: if it is negative or not a finite number.
        """
        if not math.isfinite(self.seconds) or self.seconds < 0:
            raise ScriptError(f"a delay is 0 or more seconds, not {self.seconds}")


class Raw(Struct, frozen=True, omit_defaults=True, tag_field="do", tag="raw",
          forbid_unknown_fields=True):  # fmt: skip
    """Write bytes to the client, whatever they are."""

    text: str = ""
    """Written as UTF-8; `REQUEST_ID` inside it becomes the JSON of the request's id."""
    base64: str = ""
    """The same for bytes that are not UTF-8; never both."""
    newline: bool = True
    """Whether each repetition ends in a line feed."""
    times: int = 1
    chunk: int = 0
    """Bytes per write; 0 leaves it to the host."""

    def __post_init__(self) -> None:
        """Check the fields together.

        Raises:
            ScriptError: if they contradict one another or cannot be decoded.
        """
        check_repeat(self.times, self.chunk)
        if self.text and self.base64:
            raise ScriptError("raw takes text or base64, not both")
        try:
            b64decode(self.base64, validate=True)
        except ValueError as problem:
            raise ScriptError(f"raw.base64 cannot be decoded: {problem}") from None

    def content(self) -> bytes:
        """Return one repetition, with its line feed if it has one."""
        body = b64decode(self.base64) if self.base64 else self.text.encode()
        return body + b"\n" if self.newline else body


class Stderr(Struct, frozen=True, omit_defaults=True, tag_field="do", tag="stderr",
             forbid_unknown_fields=True):  # fmt: skip
    """Write text to stderr."""

    text: str
    times: int = 1
    newline: bool = True

    def __post_init__(self) -> None:
        """Check the count.

        Raises:
            ScriptError: if it is not positive.
        """
        check_repeat(self.times)


class Notify(Struct, frozen=True, omit_defaults=True, tag_field="do", tag="notify",
             forbid_unknown_fields=True):  # fmt: skip
    """Send a notification."""

    method: str
    params: dict[str, Any] = {}
    listeners: bool = False
    """True sends it on every open listen stream that asked for this kind, stamped with the
    stream's id; a legacy session gets it once and plain."""
    times: int = 1

    def __post_init__(self) -> None:
        """Check the count.

        Raises:
            ScriptError: if it is not positive.
        """
        check_repeat(self.times)


class Ask(Struct, frozen=True, omit_defaults=True, tag_field="do", tag="ask",
          forbid_unknown_fields=True):  # fmt: skip
    """Send a request from the server to the client."""

    method: str
    params: dict[str, Any] = {}
    id: int | str = "ask-1"
    wait: bool = False
    """True holds back the steps that follow until the client has answered."""


class Effect(Struct, frozen=True, tag_field="do", tag="effect", forbid_unknown_fields=True):
    """Do something that cannot be undone: a note in `fake.effects` or the effects file."""

    text: str


class Stubborn(Struct, frozen=True, tag_field="do", tag="stubborn", forbid_unknown_fields=True):
    """Ignore SIGTERM from now on (stdio only; nothing in memory)."""


class Grandchild(Struct, frozen=True, tag_field="do", tag="grandchild",
                 forbid_unknown_fields=True):  # fmt: skip
    """Start a process that keeps the output open (stdio only; nothing in memory)."""

    seconds: float = 60.0
    """How long it lives if nobody kills it."""


Step: TypeAlias = (
    Reply
    | Error
    | Default
    | Silence
    | Close
    | Exit
    | Delay
    | Raw
    | Stderr
    | Notify
    | Ask
    | Effect
    | Stubborn
    | Grandchild
    | As
    | Deliver
    | HangUp
    | Status
)


def check_repeat(times: int, chunk: int = 0) -> None:
    """Check a repeat count and a chunk size (bytes).

    Raises:
        ScriptError: if the count is not positive or the size is negative.
    """
    if times < 1:
        raise ScriptError(f"times must be 1 or more, not {times}")
    if chunk < 0:
        raise ScriptError(f"chunk must be 0 or more bytes, not {chunk}")


def reply(result: Any, **edits: Any) -> Reply:
    """Answer with `result` as it is; `edits` are the fields of `Answer`."""
    return Reply(result=result, **edits)


def error(code: int, message: str = "scripted error", data: Any = None, **edits: Any) -> Error:
    """Answer with a JSON-RPC error; `edits` are the fields of `Answer`."""
    return Error(code=code, message=message, data=data, **edits)


def answer_default(**edits: Any) -> Default:
    """Go on with the normal behaviour; `edits` are the fields of `Default` and `Answer`."""
    return Default(**edits)


def silence() -> Silence:
    """Never answer."""
    return Silence()


def close(*, stays: bool = False) -> Close:
    """Close the output; exit too unless `stays`."""
    return Close(stays)


def exit_(status: int = 1) -> Exit:
    """Exit at once with `status`."""
    return Exit(status)


def delay(seconds: float, *, cancellable: bool = False) -> Delay:
    """Do the following steps `seconds` later without holding up other requests."""
    return Delay(seconds, cancellable)


def raw(data: bytes | str, *, newline: bool = True, times: int = 1, chunk: int = 0) -> Raw:
    """Write `data` (text as UTF-8), each of `times` repetitions with a line feed or not."""
    content = data.encode() if isinstance(data, str) else data
    try:
        return Raw(text=content.decode(), newline=newline, times=times, chunk=chunk)
    except UnicodeDecodeError:
        encoded = b64encode(content).decode("ascii")
        return Raw(base64=encoded, newline=newline, times=times, chunk=chunk)


def lines(*texts: str) -> Raw:
    """Write several lines of text in one piece."""
    return raw("\n".join(texts))


def stderr(text: str, *, times: int = 1, newline: bool = True) -> Stderr:
    """Write `text` to stderr, `times` over."""
    return Stderr(text, times, newline)


def notify(
    method: str,
    params: dict[str, Any] | None = None,
    *,
    listeners: bool = False,
    times: int = 1,
) -> Notify:
    """Send a notification; with `listeners`, on every open listen stream that wants it."""
    return Notify(method, params or {}, listeners, times)


def ask(
    method: str,
    params: dict[str, Any] | None = None,
    *,
    id: int | str = "ask-1",
    wait: bool = False,
) -> Ask:
    """Send a request to the client; with `wait`, go on only after its answer."""
    return Ask(method, params or {}, id, wait)


def effect(text: str) -> Effect:
    """Leave a trace that the work was done; calls answered by default leave the tool's name."""
    return Effect(text)


def stubborn() -> Stubborn:
    """Ignore SIGTERM from now on."""
    return Stubborn()


def grandchild(seconds: float = 60.0) -> Grandchild:
    """Start a process that holds stdout open for `seconds`."""
    return Grandchild(seconds)
