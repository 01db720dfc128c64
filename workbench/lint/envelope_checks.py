"""Checks of single frames and of ids: rules LINT-01 to LINT-04.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  counts a limit of our own reader, such as depth or length, as a fault of a peer
"""

from collections.abc import Iterator
from typing import Final

from workbench.core.journal.entry import id_text
from workbench.core.text.visible import sample, visible
from workbench.core.wire.codec import BOM
from workbench.core.wire.message import ErrorReply, Fault, Malformed
from workbench.lint.record import Frame, Life

Seen = Iterator[tuple[Frame, str]]
_OUR_LIMITS: Final = frozenset({Fault.TOO_DEEP, Fault.TOO_LONG, Fault.WRONG_ID})
_UNREADABLE: Final = frozenset({-32700, -32600})
"""Errors about a request whose id could not be read."""
WITH_BATCHES: Final = "2025-03-26"
"""The one revision with batches."""


def check_messages(life: Life) -> Seen:
    """LINT-01: every frame is one message."""
    for frame in life.frames:
        if frame.raw is None:
            continue
        if frame.facts.size is not None:
            if frame.raw.lstrip()[:1] not in (b"{", b"["):
                yield frame, f"{frame.facts.size} bytes that are no message: {_shown(frame)}"
            continue
        if frame.raw.startswith(BOM):
            yield frame, "a byte order mark stands before the message"
        if isinstance(frame.message, Malformed) and frame.message.fault not in _OUR_LIMITS:
            if not _batch_is_fine(life, frame):
                yield frame, _fault(frame, frame.message)


def check_answer_ids(life: Life) -> Seen:
    """LINT-02: every answer has the id of an open request."""
    for frame in life.frames:
        message = frame.message
        if isinstance(message, Malformed) and message.fault is Fault.WRONG_ID:
            yield frame, visible(message.detail, 120)
    for frame in life.strays:
        message = frame.message
        assert message is not None
        answered = getattr(message, "id", None)
        if isinstance(message, ErrorReply) and answered is None:
            if message.code in _UNREADABLE:
                continue
            yield frame, "an error has the id null, and every request had a readable one"
        elif life.whole:
            exchange = frame.facts.exchange
            within = f" in the exchange of {id_text(exchange)}" if exchange is not None else ""
            yield frame, f"an answer has the id {id_text(answered)}, which is not open{within}"


def check_single_answers(life: Life) -> Seen:
    """LINT-03: no request is answered again."""
    for frame in life.twice:
        yield frame, f"the request {id_text(getattr(frame.message, 'id', None))} has its answer"


def check_fresh_ids(life: Life) -> Seen:
    """LINT-04: no id is used for two requests."""
    for asked in life.reused:
        yield asked.frame, f"the id {id_text(asked.request.id)} was used before"


def _batch_is_fine(life: Life, frame: Frame) -> bool:
    message, greeted = frame.message, life.handshake
    result = greeted.result if greeted is not None else None
    agreed = result.get("protocolVersion") if isinstance(result, dict) else None
    batch = isinstance(message, Malformed) and message.fault is Fault.BATCH
    return batch and agreed == WITH_BATCHES


def _fault(frame: Frame, message: Malformed) -> str:
    said = visible(message.detail or message.fault.value, 120)
    return said if message.fault is Fault.BLANK else f"{said} ({_shown(frame)})"


def _shown(frame: Frame) -> str:
    return sample(frame.raw or b"", 60)
