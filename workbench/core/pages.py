"""A list of anything, page by page, as a conversation.

Takes:  the answer to each request of one list method
Gives:  `Ask` for the next page, and at the end `Collected`: the raw items and their hints
Never:  walks a cursor twice, and never judges an item; `listing` and `offers` do

Spec: server/utilities/pagination ("" is a cursor; only an absent or null one ends the
walk), server/utilities/caching. Ours: every loop is bounded, and a partial list is flagged
so that nobody caches it.
"""

from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.call import Answer, success_value
from workbench.core.errors import Failure, Kind
from workbench.core.rules import RULES
from workbench.core.text import visible
from workbench.core.tool import CacheScope, Dropped
from workbench.core.wire.versions import Era

MAX_PAGES: Final = 1_000
"""Longest walk; 1,000 pages of 20 items is far more than any menu can use."""
MAX_ITEMS: Final = 100_000


class Ask(Struct, frozen=True):
    """Request the next page with these parameters."""

    params: dict[str, Any]


class Collected(Struct, frozen=True, kw_only=True):
    """The end of a walk: everything the pages held, unjudged."""

    items: tuple[Any, ...] = ()
    cut: tuple[Dropped, ...] = ()
    """What was not fetched, when the walk was cut."""
    cache_scope: CacheScope = "private"
    ttl_ms: int | None = None
    received_at: float = 0.0
    """Clock seconds when the first page arrived."""
    complete: bool = True
    failure: Failure | None = None
    """Why there is no list at all; the items are then those before the fault."""


class Pages(Struct, frozen=True, kw_only=True):
    """A walk in progress."""

    peer: str
    era: Era
    method: str
    member: str
    """The member of each page that holds the items, such as "tools"."""
    accept_missing_result_type: bool = False
    items: tuple[Any, ...] = ()
    cursors: tuple[str, ...] = ()
    scopes: tuple[Any, ...] = ()
    ttls: tuple[Any, ...] = ()
    started_at: float = 0.0


Next: TypeAlias = Ask | Collected


def begin(pages: Pages) -> tuple[Pages, Ask]:
    """Return the first request of a walk."""
    return pages, Ask({})


def step(pages: Pages, answer: Answer | Failure, now: float) -> tuple[Pages, Next]:
    """Take the answer to the latest request.

    Args:
        pages: the walk so far; not changed.
        answer: what came back, or why nothing did (deadline, broken transport).
        now: clock time in seconds; freshness counts from the first page.
    """
    if isinstance(answer, Failure):
        return pages, _failed(pages, answer, now)
    value = success_value(
        answer,
        pages.era,
        peer=pages.peer,
        stage="listing",
        accept_missing_result_type=pages.accept_missing_result_type,
    )
    if isinstance(value, Failure):
        return pages, _failed(pages, value, now)
    fault = _page_fault(pages, value)
    if fault:
        return pages, _failed(pages, _violation(pages, fault), now)
    pages = replace(
        pages,
        started_at=pages.started_at if pages.scopes else now,
        items=(*pages.items, *value[pages.member]),
        scopes=(*pages.scopes, value.get("cacheScope")),
        ttls=(*pages.ttls, value.get("ttlMs")),
    )
    return _onward(pages, value.get("nextCursor"))


def _onward(pages: Pages, cursor: str | None) -> tuple[Pages, Next]:
    if cursor is None:
        return pages, _collected(pages)
    reason = None
    if cursor in pages.cursors:
        reason = f"the cursor “{visible(cursor, 60)}” came twice"
    elif len(pages.cursors) + 1 >= MAX_PAGES:
        reason = f"more than {MAX_PAGES} pages"
    elif len(pages.items) > MAX_ITEMS:
        reason = f"more than {MAX_ITEMS} items"
    if reason:
        return pages, _collected(pages, reason)
    return replace(pages, cursors=(*pages.cursors, cursor)), Ask({"cursor": cursor})


def _page_fault(pages: Pages, value: dict[str, Any]) -> str | None:
    if not isinstance(value.get(pages.member), list):
        return f"$.{pages.member} is missing or not an array"
    cursor = value.get("nextCursor")
    if cursor is not None and not isinstance(cursor, str):
        return "$.nextCursor is not a string"
    return None


def _collected(pages: Pages, cut: str | None = None) -> Collected:
    missing = Dropped(name="(further pages)", reason=cut or "", rule="LIST-05")
    return Collected(
        items=_distinct(pages.items) if cut else pages.items,
        cut=(missing,) if cut else (),
        cache_scope=_scope(pages.scopes),
        ttl_ms=_ttl(pages.ttls),
        received_at=pages.started_at,
        complete=cut is None,
    )


def _distinct(items: tuple[Any, ...]) -> tuple[Any, ...]:
    # A walk in a circle brings the same page again. That is no second declaration of
    # everything on it, so what is equal to the letter counts once.
    return tuple({repr(item): item for item in items}.values())


def _scope(scopes: tuple[Any, ...]) -> CacheScope:
    # One page that is private, or says nothing we know, makes the whole list private.
    return "public" if scopes and all(scope == "public" for scope in scopes) else "private"


def _ttl(ttls: tuple[Any, ...]) -> int | None:
    # The list is as fresh as its shortest-lived page; a hint that is no integer is no hint.
    hints = [ttl if type(ttl) is int else 0 for ttl in ttls]
    return max(min(hints), 0) if hints else None


def _violation(pages: Pages, fault: str) -> Failure:
    return Failure(
        kind=Kind.PROTOCOL_VIOLATION,
        peer=pages.peer,
        stage="listing",
        rule="LIST-02",
        detail=f"the answer to {pages.method} is malformed: {fault}",
        hint=RULES["LIST-02"].hint,
    )


def _failed(pages: Pages, failure: Failure, now: float) -> Collected:
    # Pages that arrived before the fault are no list: nobody can tell what is missing.
    return Collected(items=pages.items, received_at=now, complete=False, failure=failure)
