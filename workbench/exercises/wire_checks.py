"""Mistakes that every exercise knows, with their hints.

Takes:  what was seen in a trial
Gives:  a `Finding` for the first frame that is no message, carries no metadata, uses an id
        again; or for a call that ended as none should
Never:  looks at anything but frames and outcomes

Spec: 2026-07-28 basic/index; seed lesson, every modern request is built from scratch.
"""

from collections.abc import Collection, Iterable
from typing import Final

from workbench.core.text.visible import visible
from workbench.core.wire.keys import CAPABILITIES_KEY, INITIALIZE, VERSION_KEY
from workbench.core.wire.message import Malformed, Request
from workbench.exercises.exercise import Finding, Heard, Hints, Outcome, Seen

HINTS: Final[dict[str, Hints]] = {
    "not-started": (
        "The answer cell still holds the starter.",
        "Read the task above the cell, then replace the line that raises.",
        "Write the simplest case first, run the check, and let it tell you what is missing.",
    ),
    "no-call": (
        "What did you hand to check()?",
        "It takes a function, or an object with a method of the name the task gives.",
        "Pass the function itself, without calling it: check(1, negotiate), not negotiate().",
    ),
    "late": (
        "Which loop, or which wait, has no end when the peer stays silent?",
        "Every loop over receive() needs a way out: receive() gives None when time is up.",
        "Leave the loop when receive() returns None, and count how often you ask again.",
    ),
    "exited": (
        "Your code asked for the end of the whole program.",
        "A library never calls sys.exit(): it returns something, or raises.",
        "Replace sys.exit(...) with raise Unavailable(...) or with return.",
    ),
    "flooded": (
        "How often do you send, and what makes you stop?",
        "More than five thousand frames went out: a loop sends without reading the answers.",
        "Send once, read the answer, decide; send again only if the answer asks for it.",
    ),
    "raised": (
        "The error above comes from your own code: which value was not what you expected?",
        "An answer may lack members: use .get() for what a peer can leave out.",
        "Look at the line named above; print what arrived just before it, then handle it.",
    ),
    "no-message": (
        "The frame below went out as it is. Is it JSON-RPC?",
        'A message is one JSON object with "jsonrpc": "2.0" and a method.',
        'Send {"jsonrpc": "2.0", "id": …, "method": …, "params": {…}}: modern_request makes it.',
    ),
    "no-meta": (
        "What does every modern request say about itself?",
        "params._meta carries the version and the client's capabilities, every time anew.",
        "Build each request with modern_request(id, method, params, version, capabilities).",
    ),
    "same-id": (
        "How would you tell the two answers apart?",
        "Every request has an id of its own, also one that says almost the same again.",
        "Count: the first request has id 1, the next one id 2; itertools.count(1) does it.",
    ),
    "initialize": (
        "Which era did the answer prove before you sent initialize?",
        "A recognized modern error is spoken by modern servers only: it never leads back.",
        "Remove initialize from this path; with no version in common the peer is unavailable.",
    ),
}
"""For the keys used here."""

UNAVAILABLE: Final = ("Unavailable", "WorkbenchError")
"""What an answer raises, by name, to say that a peer cannot be used."""


def ended_badly(outcome: Outcome) -> Finding | None:
    """Say what is wrong with how a call ended, whatever the exercise; None when nothing is."""
    match outcome.ended:
        case "raised" if "NotImplementedError" in outcome.bases:
            return Finding(key="not-started", seen="The answer is not written yet.")
        case "empty":
            return Finding(key="not-started", seen="There is no answer yet.")
        case "late":
            left = (
                " It cannot be stopped and still waits; restart the kernel to be rid of it."
                if outcome.stuck
                else ""
            )
            return Finding(key="late", seen=f"Your code did not end in time and was stopped.{left}")
        case "exited":
            where = f" ({outcome.line})" if outcome.line else ""
            return Finding(key="exited", seen=f"Your code asked to exit the program{where}.")
        case "no call":
            return Finding(key="no-call", seen=f"The answer cannot be called: {outcome.text}.")
        case "flooded":
            return Finding(key="flooded", seen="Your code sent frames without end.")
        case "gone":
            return Finding(key="exited", seen="The process of the answer ended in the middle.")
    return None


def crashed(outcomes: Iterable[Outcome], allowed: Collection[str] = UNAVAILABLE) -> Finding | None:
    """Say that a call raised what it should not have raised, or None.

    Args:
        outcomes: to look through.
        allowed: names of types that may be raised.
    """
    for one in outcomes:
        if one.ended == "raised" and not set(one.bases) & set(allowed):
            where = f" at {one.line}" if one.line else ""
            said = f"{one.error}: {one.text}" if one.text else one.error
            return Finding(key="raised", seen=f"Your code ended in {said}{where}.")
    return None


def broken_frames(frames: Iterable[Heard]) -> Finding | None:
    """Say which frame is no JSON-RPC message, or None."""
    for one in frames:
        if isinstance(one.message, Malformed):
            return Finding(
                key="no-message",
                seen=f"A frame to {one.peer} is no JSON-RPC message: {one.message.detail}.",
                frame=one.frame,
            )
    return None


def unstamped(frames: Iterable[Heard]) -> Finding | None:
    """Say which modern request lacks its metadata (WIRE-01), or None."""
    for one in frames:
        if not one.is_request or one.method == INITIALIZE:
            continue
        meta = one.params.get("_meta")
        given = meta if isinstance(meta, dict) else {}
        if not isinstance(given.get(VERSION_KEY), str):
            lacks = VERSION_KEY
        elif not isinstance(given.get(CAPABILITIES_KEY), dict):
            lacks = CAPABILITIES_KEY
        else:
            continue
        return Finding(
            key="no-meta",
            rule="WIRE-01",
            seen=f"The request {visible(one.method, 60)} lacks {lacks} in params._meta.",
            frame=one.frame,
        )
    return None


def repeated_id(frames: Iterable[Heard], rule: str | None = None) -> Finding | None:
    """Say which request uses an id for the second time on one connection, or None.

    Args:
        frames: to look through.
        rule: the rule of the exercise that says so, where it has one.
    """
    seen: set[tuple[str, int, str]] = set()
    for one in frames:
        if not isinstance(one.message, Request):
            continue
        key = (one.peer, one.lifetime, repr(one.message.id))
        if key in seen:
            return Finding(
                key="same-id",
                rule=rule,
                seen=f"{visible(one.method, 60)} was sent with an id that was used before: "
                f"{visible(repr(one.message.id), 60)}.",
                frame=one.frame,
            )
        seen.add(key)
    return None


def initialized(seen: Seen, rule: str) -> Finding | None:
    """Say that an `initialize` was sent where none may be, or None."""
    for one in seen.frames(INITIALIZE):
        return Finding(
            key="initialize",
            rule=rule,
            seen=f"initialize was sent to {one.peer}.",
            frame=one.frame,
        )
    return None


def envelope(frames: Iterable[Heard], rule: str | None = None) -> Finding | None:
    """Return the first of: a frame that is no message, no metadata, an id used again."""
    kept = tuple(frames)
    return broken_frames(kept) or unstamped(kept) or repeated_id(kept, rule)


def unavailable(outcome: Outcome) -> bool:
    """Tell whether a call said that the peer cannot be used: None, or raised to say so."""
    if outcome.ended == "raised":
        return bool(set(outcome.bases) & set(UNAVAILABLE))
    return outcome.ended == "returned" and outcome.value is None
