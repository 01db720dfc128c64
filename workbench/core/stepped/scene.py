"""What a person sees of one moment: heard, decided, about to be done, and the core's clock.

Takes:  a `Moment`
Gives:  a `Scene`: the same facts for a terminal and for a page, each text safe to show
Never:  shortens a frame that is about to be sent: these are the exact bytes

Source: design section 3; design section 9, "which rule applied (rule id)".
"""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from workbench.core.actions import Fail, Reopen, Settle
from workbench.core.events import (
    Closed,
    DeadlinePassed,
    ExchangeEnded,
    LifeSeen,
    Opened,
    StartFailed,
)
from workbench.core.negotiate.moment import Moment, Origin
from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import sample, visible
from workbench.core.wire.codec import encode

MARKS: Final = ("⟦", "⟧")
"""Around `_meta` in a frame that is shown as text."""
HEARD_LIMIT: Final = 2_000
"""Longest frame of a peer that is shown, in characters."""


class Frame(Struct, frozen=True, kw_only=True):
    """One frame of ours in three parts: before its `_meta`, the `_meta`, and after."""

    method: str
    size: int
    """Bytes."""
    before: str
    meta: str
    after: str

    def __str__(self) -> str:
        marked = f"{MARKS[0]}{self.meta}{MARKS[1]}" if self.meta else ""
        return f"{self.before}{marked}{self.after}"


class Scene(Struct, frozen=True, kw_only=True):
    """One moment, in words."""

    state: str
    supposed: str
    """What was supposed here; "" for what really happened."""
    clock: str
    heard: str
    """What happened, as a sentence."""
    bytes_heard: str
    """The frame; "" when it was none."""
    evidence: str
    rule: Rule | None
    edited: bool
    performed: bool
    """Whether what follows has been done already."""
    doing: tuple[str, ...]
    """What is done besides sending, a sentence each."""
    sending: tuple[Frame, ...]
    """What is sent, in this order."""

    def to_text(self) -> str:
        """Return the scene for a terminal."""
        lines = [f"State: {self.state}"]
        if self.supposed:
            lines.append(f"What if: the peer {self.supposed}. Nothing of this was sent.")
        lines += [f"Clock: {self.clock}", f"Heard: {self.heard}"]
        if self.bytes_heard:
            lines.append(f"  {self.bytes_heard}")
        if self.rule is not None:
            edited = " (edited row)" if self.edited else ""
            lines.append(f"Decided: {self.evidence} [{self.rule.id}]{edited}")
            lines.append(f"  {self.rule.id}: {self.rule.sentence}")
        when, send = ("Done", "sent") if self.performed else ("Next", "send")
        for frame in self.sending:
            lines.append(f"{when}: {send} {frame.method}, {frame.size} bytes")
            lines.append(f"  {frame}")
        lines += [f"{when}: {sentence}" for sentence in self.doing]
        return "\n".join(lines)


def scene_of(
    moment: Moment, *, performed: bool = False, clean: Callable[[str], str] = str
) -> Scene:
    """Return what there is to see of a moment.

    Args:
        moment: what is shown.
        performed: whether what it decided has been done already.
        clean: hides secrets in a text.
    """
    decided = moment.decision
    return Scene(
        state=str(moment.snapshot.state),
        supposed=moment.words if moment.origin is Origin.WHAT_IF else "",
        clock=_clock(moment),
        heard=clean(_heard(moment)),
        bytes_heard="" if moment.frame is None else sample(moment.frame, HEARD_LIMIT),
        evidence=decided.evidence if decided else "",
        rule=RULES.get(decided.rule) if decided else None,
        edited=moment.edited,
        performed=performed,
        doing=tuple(map(clean, _doing(moment, performed))),
        sending=tuple(frame_of(method, frame) for method, frame in moment.sends),
    )


def frame_of(method: str, frame: bytes) -> Frame:
    """Return a frame of ours with its `_meta` apart."""
    start, end = meta_span(frame)
    return Frame(
        method=visible(method),
        size=len(frame),
        before=_text(frame[:start]),
        meta=_text(frame[start:end]),
        after=_text(frame[end:]),
    )


def meta_span(frame: bytes) -> tuple[int, int]:
    """Return where the member `_meta` of a request's `params` stands; the end, if nowhere."""
    try:
        params = msgspec.json.decode(frame).get("params")
        needle = b'"_meta":' + encode(params["_meta"])
    except (msgspec.MsgspecError, AttributeError, KeyError, TypeError):
        return len(frame), len(frame)
    start = frame.find(needle)
    return (start, start + len(needle)) if start >= 0 else (len(frame), len(frame))


def _text(part: bytes) -> str:
    return visible(part.decode("utf-8", "backslashreplace"))


def _clock(moment: Moment) -> str:
    now = f"{moment.at:.3f} s"
    due = moment.snapshot.deadline_at
    if due is None or moment.over:
        return f"{now}; no deadline"
    return f"{now}; the deadline is at {due:.3f} s, {max(0.0, due - moment.at):.3f} s from now"


def _heard(moment: Moment) -> str:
    decided = moment.decision
    seen = f" It {decided.seen}." if decided is not None else ""
    match moment.event:
        case None:
            return "nothing yet; the first step opens the transport."
        case Opened():
            return "the transport is open."
        case LifeSeen():
            return "the peer wrote its first byte."
        case DeadlinePassed(at):
            return f"the deadline at {at:.3f} s has passed.{seen}"
        case Closed():
            return f"the transport has ended.{seen}"
        case StartFailed(failure):
            return f"the peer could not be started: {failure.detail}"
        case ExchangeEnded():
            return f"the HTTP exchange ended without an answer.{seen}"
        case _:
            return f"one frame.{seen}"


def _doing(moment: Moment, performed: bool) -> tuple[str, ...]:
    found = []
    for action in moment.actions:
        match action:
            case Reopen():
                found.append("end this transport and open a fresh one to the same peer.")
            case Settle(settled):
                found.append(
                    f"the peer is {settled.era}, revision {visible(settled.version, 60)}; "
                    "the negotiation is over."
                )
            case Fail(failure):
                found.append(f"the peer is unavailable: {failure.detail} {failure.hint}".rstrip())
            case _:
                continue
    if not found and not moment.sends and not performed:
        found.append("wait for the peer." if moment.event is not None else "open the transport.")
    return tuple(found)
