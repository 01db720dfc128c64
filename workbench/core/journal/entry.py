"""One line of the record: a frame that crossed, or a decision that was made.

Takes:  the small tuples the journal holds
Gives:  `Entry` values: decoded, matched to the request they answer, and redacted
Never:  keeps a secret the redactor knows, in any field

Source: design sections 3 and 5.
"""

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from workbench.core.journal.facts import Facts
from workbench.core.text.redact import Redactor
from workbench.core.text.visible import visible
from workbench.core.wire.codec import decode
from workbench.core.wire.keys import COMPLETE
from workbench.core.wire.message import (
    ErrorReply,
    Incoming,
    Malformed,
    Notification,
    Request,
    RequestId,
    Result,
)

EntryKind: TypeAlias = Literal["sent", "received", "decision", "stray", "opened", "closed"]
Shape: TypeAlias = Literal["", "request", "notification", "result", "error", "malformed"]

Noted: TypeAlias = tuple[str, str, str | None, str | None, str]
"""What was said beside a frame: stage, what, rule, evidence, detail."""
Raw: TypeAlias = tuple[
    int, float, str, EntryKind, bytes | None, str | None, Noted | None, Facts | None
]
"""Number, at, peer, kind, frame, method, note, facts: all the journal stores for one entry."""

NOTHING_NOTED: Final[Noted] = ("", "", None, None, "")
_TEXT_LIMIT: Final = 200


class Entry(Struct, frozen=True, kw_only=True):
    """One entry, ready to show; every text is redacted, and untrusted unless stated."""

    number: int
    """Position in the whole record, from 1; goes on counting when old entries fall out."""
    at: float
    """Clock seconds, from the clock's own origin."""
    peer: str
    """The configured name of the peer; "" for the whole client."""
    kind: EntryKind
    frame: bytes | None = None
    """The frame as it crossed, redacted; None for anything but a frame."""
    shape: Shape = ""
    """What the frame is; "" when there is none."""
    method: str | None = None
    """The method asked for; for an answer, that of the request it answers when known."""
    request_id: RequestId | None = None
    code: int | None = None
    """The code of an error answer."""
    stage: str = ""
    """The pipeline stage that decided."""
    what: str = ""
    """What was decided, or why a frame is a stray."""
    rule: str | None = None
    evidence: str | None = None
    detail: str = ""
    summary: str = ""
    """One line, safe to show."""
    facts: Facts | None = None
    """What else is known, such as HTTP status and headers, or an exit status."""


def entries_of(raws: Iterable[Raw], redactor: Redactor) -> tuple[Entry, ...]:
    """Decode stored tuples, oldest first, matching each answer to its request."""
    asked: dict[tuple[str, bool, RequestId, bool], str] = {}
    return tuple(_entry(raw, redactor, asked) for raw in raws)


def id_text(request_id: RequestId | None) -> str:
    """Return an id as it stands in JSON, safe to show: `1` and `"1"` stay different."""
    if request_id is None:
        return ""
    return f'"{visible(request_id, 60)}"' if isinstance(request_id, str) else str(request_id)


def _entry(
    raw: Raw, redactor: Redactor, asked: dict[tuple[str, bool, RequestId, bool], str]
) -> Entry:
    number, at, peer, kind, frame, method, noted, facts = raw
    clean = redactor.clean
    stage, what, rule, evidence, detail = noted or NOTHING_NOTED
    what, detail = clean(what), clean(detail)
    shape: Shape = ""
    request_id: RequestId | None = None
    code: int | None = None
    said = ""
    if frame is not None:
        message = decode(frame)
        shape, known, request_id, code = _parts(message)
        ours = kind == "sent"
        if request_id is not None:
            key = (peer, ours, request_id, isinstance(request_id, str))
            if shape == "request":
                asked[key] = known or ""
            elif shape != "malformed" and kind != "stray":
                known = asked.get((peer, not ours, *key[2:]))
        method = known or method
        said = _said(message, frame, redactor)
    return Entry(
        number=number,
        at=at,
        peer=peer,
        kind=kind,
        frame=None if frame is None else clean(frame),
        shape=shape,
        method=None if method is None else clean(method),
        request_id=clean(request_id) if isinstance(request_id, str) else request_id,
        code=code,
        stage=stage,
        what=what,
        rule=rule,
        evidence=None if evidence is None else clean(evidence),
        detail=detail,
        summary=_summary(kind, said, visible(what, _TEXT_LIMIT)),
        facts=redactor.tree(facts),
    )


def _summary(kind: EntryKind, said: str, what: str) -> str:
    if kind == "stray":
        return f"stray: {what}" + (f" ({said})" if said else "")
    if kind in ("opened", "closed"):
        return kind
    return said or what


def _parts(message: Incoming) -> tuple[Shape, str | None, RequestId | None, int | None]:
    if isinstance(message, Request):
        return "request", message.method, message.id, None
    if isinstance(message, Notification):
        return "notification", message.method, None, None
    if isinstance(message, Result):
        return "result", None, message.id, None
    if isinstance(message, ErrorReply):
        return "error", None, message.id, message.code
    return "malformed", None, message.id, None


def _said(message: Incoming, frame: bytes, redactor: Redactor) -> str:
    if isinstance(message, Malformed):
        # The message's own sample may end in the middle of a secret: cut it here instead.
        return f"{message.fault.value}: {redactor.sample(frame, 80)}".rstrip(": ")
    if isinstance(message, (Request, Notification)):
        text = message.method + _target(message.params)
    elif isinstance(message, Result):
        text = "result" + _result_type(message.result)
    else:
        text = f"error {message.code} {message.message}"
    return visible(redactor.clean(text), _TEXT_LIMIT)


def _target(params: dict[str, Any]) -> str:
    for key in ("name", "uri"):
        value = params.get(key)
        if isinstance(value, str):
            return f" {value}"
    return ""


def _result_type(result: Any) -> str:
    kind = result.get("resultType") if isinstance(result, dict) else None
    return f" {kind}" if isinstance(kind, str) and kind != COMPLETE else ""
