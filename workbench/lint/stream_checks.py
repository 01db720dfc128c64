"""Checks of what is said without being an answer: rules LINT-14 to LINT-18.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  blames a peer for what may have crossed on the way: an order counts only where the
        record shows that the other side had read what came before
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.journal.entry import id_text
from workbench.core.subscription import FILTER_KEYS, LIST_CHANGED, RESOURCE_UPDATED, URIS_KEY
from workbench.core.text.visible import visible
from workbench.core.wire.keys import (
    CANCELLED,
    INITIALIZE,
    LOG_LEVEL_KEY,
    LOG_MESSAGE,
    PROGRESS,
    SUBSCRIPTION_ID_KEY,
)
from workbench.lint.envelope_checks import Seen
from workbench.lint.findings import Side
from workbench.lint.record import Asked, Frame, Life

LISTEN: Final = "subscriptions/listen"
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"


def check_subscriptions(life: Life) -> Seen:
    """LINT-14: acknowledged first, under the right id, and nothing that was not agreed to."""
    agreed: dict[int, Mapping[str, Any]] = {}
    for frame in life.notifications("server"):
        stream = frame.meta.get(SUBSCRIPTION_ID_KEY)
        listen = life.find("client", stream)
        if listen is not None and listen.request.method != LISTEN:
            listen = None
        if frame.method == ACKNOWLEDGED:
            yield from _acknowledged(life, frame, listen, agreed)
        elif stream is not None and listen is None:
            if life.whole:
                yield frame, f"it belongs to the subscription {_id(stream)}, which is not open"
        elif listen is not None:
            granted = agreed.get(listen.frame.place)
            if granted is not None and not _covers(granted, frame):
                yield frame, f"{_name(frame)} was not agreed to"
            elif granted is None and life.whole:
                yield frame, f"{_name(frame)} comes before the acknowledgment"
        elif _is_news(frame) and life.era == "modern":
            yield frame, f"{_name(frame)} carries no subscription id"


def _acknowledged(
    life: Life, frame: Frame, listen: Asked | None, agreed: dict[int, Mapping[str, Any]]
) -> Seen:
    stream = frame.meta.get(SUBSCRIPTION_ID_KEY)
    if listen is None:
        if life.whole:
            yield frame, f"it acknowledges the subscription {_id(stream)}, which is not open"
        return
    if listen.frame.place in agreed:
        yield frame, f"the subscription {_id(stream)} is acknowledged again"
    granted = frame.params.get("notifications")
    agreed[listen.frame.place] = granted if isinstance(granted, dict) else {}
    yield from _too_much(frame, listen)


def check_progress(life: Life) -> Seen:
    """LINT-15: progress with the token of an open request, rising."""
    reached: dict[tuple[str, str], float] = {}
    for frame in life.frames:
        if frame.method != PROGRESS:
            continue
        token, other = frame.params.get("progressToken"), _other(frame)
        asked = _with_token(life, other, token, frame)
        if asked is None:
            if life.whole:
                yield frame, f"no request has the progress token {visible(repr(token), 60)}"
            continue
        if asked.answered_at is not None and asked.answered_at < frame.place:
            yield frame, f"the request {_id(asked.request.id)} had been answered"
        now = frame.params.get("progress")
        key = (other, repr(token))
        if isinstance(now, int | float) and now <= reached.get(key, float("-inf")):
            yield frame, f"progress is {now:g} after {reached[key]:g}"
        if isinstance(now, int | float):
            reached[key] = float(now)


def check_logs(life: Life) -> Seen:
    """LINT-16: log messages only where they were asked for."""
    if life.era != "modern" or not life.whole:
        return
    wanted = [asked for asked in life.of("client") if LOG_LEVEL_KEY in asked.frame.meta]
    for frame in life.notifications("server"):
        exchange = frame.facts.exchange
        if frame.method == LOG_MESSAGE and not any(
            asked.frame.place < frame.place
            and (asked.answered_at is None or asked.answered_at > frame.place)
            and (exchange is None or asked.request.id == exchange)
            for asked in wanted
        ):
            yield frame, "no open request asks for log messages"


def check_cancellations(life: Life) -> Seen:
    """LINT-17: each side cancels its own requests, and only what may be cancelled."""
    for frame in life.frames:
        if frame.method != CANCELLED:
            continue
        named = frame.params.get("requestId")
        if frame.by == "server" and life.era == "modern":
            ended = life.find("client", named)
            if ended is None or ended.request.method != LISTEN:
                yield frame, f"a modern server cancels {_id(named)}, which is no subscription"
            continue
        asked = life.find(frame.by, named)
        if asked is None or asked.frame.place > frame.place:
            if life.whole:
                yield frame, f"the {frame.by} has sent no request {_id(named)}"
        elif asked.request.method == INITIALIZE:
            yield frame, "it cancels initialize"


def check_silence(life: Life) -> Seen:
    """LINT-18: nothing about a request whose cancellation was certainly read."""
    for asked in life.asked:
        if asked.cancelled is None:
            continue
        for frame in _about(life, asked):
            if frame.place > asked.cancelled.place and _had_read(life, asked, frame):
                yield frame, f"the request {_id(asked.request.id)} had been cancelled"


def _about(life: Life, asked: Asked) -> Iterator[Frame]:
    """Yield what the other side said about a request: progress, and the news of a stream."""
    token = asked.frame.meta.get("progressToken")
    for frame in life.frames:
        if frame.by == asked.frame.by:
            continue
        if frame.method == PROGRESS and token is not None:
            if frame.params.get("progressToken") == token:
                yield frame
        elif asked.request.method == LISTEN and frame.method:
            if frame.meta.get(SUBSCRIPTION_ID_KEY) == asked.request.id:
                yield frame


def _had_read(life: Life, asked: Asked, frame: Frame) -> bool:
    """Say whether, before `frame`, the other side had answered what was sent later."""
    assert asked.cancelled is not None
    sent = asked.cancelled.place
    return not life.is_http and any(
        later.frame.place > sent and later.answered_at is not None
        and later.answered_at < frame.place
        for later in life.of(asked.frame.by)
    )  # fmt: skip


def _too_much(frame: Frame, listen: Asked) -> Seen:
    granted, wanted = frame.params.get("notifications"), listen.request.params.get("notifications")
    if not isinstance(granted, dict) or not isinstance(wanted, dict):
        return
    for kind, value in granted.items():
        if value and not wanted.get(kind):
            yield frame, f"{visible(kind, 60)} is granted and was not asked for"


def _covers(agreed: Mapping[str, Any], frame: Frame) -> bool:
    kind = LIST_CHANGED.get(frame.method)
    if kind is not None:
        return agreed.get(FILTER_KEYS[kind]) is True
    if frame.method == RESOURCE_UPDATED:
        return bool(agreed.get(URIS_KEY))
    return True


def _is_news(frame: Frame) -> bool:
    return frame.method in LIST_CHANGED or frame.method == RESOURCE_UPDATED


def _with_token(life: Life, side: Side, token: Any, frame: Frame) -> Asked | None:
    if not isinstance(token, int | str):
        return None
    same = life.by_token.get((side, type(token), token), ())
    fits = [asked for asked in same if asked.frame.place < frame.place]
    still = [asked for asked in fits if not asked.answers or asked.answers[0].place > frame.place]
    chosen = still or fits
    return chosen[-1] if chosen else None


def _other(frame: Frame) -> Side:
    return "client" if frame.by == "server" else "server"


def _name(frame: Frame) -> str:
    return visible(frame.method, 60)


def _id(value: Any) -> str:
    return id_text(value) if isinstance(value, int | str) else visible(repr(value), 40)
