"""A recorded negotiation as events again, so that it can be stepped through.

Takes:  the entries of one peer, from a journal
Gives:  each event with its time and its bytes, and what the record decided about it
Never:  invents an answer: what the record does not hold is an end, not a guess

Every event of a negotiation leaves one decision in the journal, with the sign it was. The
sign tells what sort of event it was; the frames are in the record beside it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.events import (
    Closed,
    DeadlinePassed,
    Event,
    ExchangeEnded,
    LifeSeen,
    Opened,
    Received,
    StartFailed,
)
from workbench.core.journal.entry import Entry
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms
from workbench.core.text.visible import visible
from workbench.core.wire.codec import decode
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.keys import VERSION_KEY
from workbench.core.wire.versions import MODERN_REVISIONS

_DEADLINES: Final = frozenset({Sign.SILENCE, Sign.EMPTY_LINES, Sign.NOT_JSON, Sign.WRONG_ID})
_TROUBLES: Final = {
    Sign.AUTH_NEEDED: Trouble.AUTH,
    Sign.SERVER_TROUBLE: Trouble.SERVER,
    Sign.REDIRECTED: Trouble.REDIRECT,
    Sign.HTTP_STATUS: Trouble.STATUS,
    Sign.NO_ANSWER: Trouble.NO_ANSWER,
    Sign.UNREACHABLE: Trouble.UNREACHABLE,
    Sign.OLD_TRANSPORT: Trouble.OLD_TRANSPORT,
}
_ENDING: Final = " before it answered; "
_LATE: Final = ", too late to matter"


class Happened(Struct, frozen=True, kw_only=True):
    """One event of a record."""

    event: Event
    at: float
    """Clock seconds, from the first entry of the peer."""
    frame: bytes | None
    decided: tuple[str, str, str, str]
    """State, sign, next state and rule, as the record has them."""


def happened(entries: Sequence[Entry]) -> tuple[Happened, ...]:
    """Return the events of the first negotiation in a record, oldest first.

    Args:
        entries: of one peer.

    Raises:
        ConfigError: if the record holds no negotiation, or its beginning has fallen out.
    """
    decisions = list(_decisions(entries))
    if not decisions or decisions[0].evidence not in (Sign.OPENED, Sign.START_FAILED):
        raise _unusable("the record does not hold the beginning of a negotiation")
    start = entries[0].at
    frames = iter([one for one in entries if one.kind == "received"])
    asked: int | str | None = None
    found = []
    for entry in decisions:
        asked = _asked_before(entries, entry, asked)
        sign = _sign(entry)
        event, frame = _event(sign, entry, frames, asked, start)
        before, _, after = entry.what.partition(" → ")
        found.append(
            Happened(
                event=event,
                at=entry.at - start,
                frame=frame,
                decided=(before, str(sign), after, entry.rule or ""),
            )
        )
    return tuple(found)


def terms_of(entries: Sequence[Entry], **known: object) -> Terms:
    """Return the terms a record shows, for what the reader does not know better.

    Args:
        entries: of one peer.
        known: fields of `Terms` that are known from elsewhere; they win.
    """
    states = [one.what.partition(" → ")[0] for one in _decisions(entries)]
    shown: dict[str, object] = {"allow_legacy": str(State.PROBING_ALLOWED) in states}
    version = next(filter(None, map(_version, entries)), None)
    if version is not None and version not in MODERN_REVISIONS:
        shown["modern_revisions"] = (*MODERN_REVISIONS, version)
    return msgspec.convert({**shown, **known}, Terms)


def _decisions(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the decisions of the first negotiation."""
    over = {str(State.MODERN), str(State.LEGACY), str(State.UNAVAILABLE)}
    for entry in entries:
        if entry.kind == "decision" and entry.stage == "negotiate" and " → " in entry.what:
            yield entry
            if entry.what.partition(" → ")[2] in over:
                return


def _event(
    sign: Sign, entry: Entry, frames: Iterator[Entry], asked: int | str | None, start: float
) -> tuple[Event, bytes | None]:
    if sign is Sign.OPENED:
        return Opened(), None
    if sign is Sign.LIFE:
        return LifeSeen(), None
    if sign is Sign.CLOSED:
        how, _, tail = entry.detail.partition(_ENDING)
        return Closed(how, tail.removeprefix("stderr ends: ") if "ends: " in tail else ""), None
    if sign is Sign.START_FAILED:
        failure = Failure(kind=Kind.COULD_NOT_START, stage="transport", detail=entry.detail)
        return StartFailed(failure), None
    if sign in _TROUBLES:
        end = ExchangeEnd(request_id=asked, trouble=_TROUBLES[sign], how=entry.detail)
        return ExchangeEnded(end), None
    if sign is Sign.STRAY and entry.detail.endswith(_LATE):
        how = entry.detail.removesuffix(_LATE)
        return ExchangeEnded(ExchangeEnd(request_id=None, trouble=Trouble.NO_ANSWER, how=how)), None
    if sign in _DEADLINES:
        return DeadlinePassed(entry.at - start), None
    heard = next(frames, None)
    if heard is None or heard.frame is None:
        raise _unusable(f"the frame behind entry {entry.number} is missing")
    return Received(decode(heard.frame), heard.number), heard.frame


def _sign(entry: Entry) -> Sign:
    try:
        return Sign(entry.evidence or "")
    except ValueError:
        shown = visible(entry.evidence or "nothing", 60)
        raise _unusable(f"entry {entry.number} names no sign we know: {shown}") from None


def _asked_before(
    entries: Sequence[Entry], decided: Entry, asked: int | str | None
) -> int | str | None:
    for entry in entries:
        if entry.number >= decided.number:
            break
        if entry.kind == "sent" and entry.request_id is not None:
            asked = entry.request_id
    return asked


def _version(entry: Entry) -> str | None:
    if entry.kind != "sent" or entry.frame is None:
        return None
    message = decode(entry.frame)
    params = getattr(message, "params", None)
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


def _unusable(detail: str) -> ConfigError:
    return ConfigError(
        Failure(
            kind=Kind.CONFIG,
            stage="journal",
            detail=detail,
            hint="Give the whole journal of a client from before it connected.",
        )
    )
