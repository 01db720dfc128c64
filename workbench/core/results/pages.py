"""A list of anything, page by page, as a conversation.

Takes:  each page of one list method, fetched or kept from before
Gives:  `Ask` for the next page, and at the end `Collected`: the raw items and their hints
Never:  walks a cursor twice, judges an item, or mixes two states of a list it can tell apart

Every page is an answer of its own, with its own lifetime and scope, so a list may come
together from pages that are still fresh and pages that were fetched again. When such a page
says something else than it did before, or its cursor is refused, or two pages hold the same
thing, the list has changed under its pages: it is then read anew from its first page.

Spec: server/utilities/pagination ("" is a cursor; only an absent or null one ends the
walk), server/utilities/caching "Interaction with Pagination". Ours: every loop is bounded,
and a partial list is flagged so that nobody caches it.
"""

from itertools import chain
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.call import Answer, success_value
from workbench.core.errors import Failure, Kind
from workbench.core.rulebook.rules import RULES
from workbench.core.text.frozen import read_only
from workbench.core.text.visible import visible
from workbench.core.tool import CacheScope, Dropped
from workbench.core.wire.message import Malformed, Result
from workbench.core.wire.versions import Era

MAX_PAGES: Final = 1_000
"""Longest walk; 1,000 pages of 20 items is far more than any menu can use."""
MAX_ITEMS: Final = 100_000
_HINTS: Final = frozenset({"ttlMs", "cacheScope", "resultType", "_meta"})
"""Members of a page that say nothing about the list."""


class Ask(Struct, frozen=True):
    """Get the next page with these parameters."""

    params: dict[str, Any]
    kept_will_do: bool = True
    """Whether a page that was kept may be used; not when the list is read anew."""


class Page(Struct, frozen=True, kw_only=True):
    """One page of a list."""

    params: dict[str, Any]
    """What was asked, without metadata."""
    value: dict[str, Any]
    """The whole result, read-only where it has such a form; see `Pages.copied_late`."""
    received_at: float
    """Clock seconds."""
    kept: bool = False
    """Whether it was kept from before, and not fetched in this walk."""
    generation: int = 0
    """Of the cache, when it was asked for."""


class Collected(Struct, frozen=True, kw_only=True):
    """The end of a walk: everything the pages held, unjudged."""

    items: tuple[Any, ...] = ()
    cut: tuple[Dropped, ...] = ()
    """What was not fetched, when the walk was cut."""
    cache_scope: CacheScope = "private"
    """Public only when every page is; each page is kept by its own."""
    ttl_ms: int | None = None
    """The shortest lifetime of a page; each page is kept by its own."""
    received_at: float = 0.0
    """Clock seconds when the oldest page arrived."""
    complete: bool = True
    failure: Failure | None = None
    """Why there is no list at all; the items are then those before the fault."""
    stale: str = ""
    """Why an old page stands in for one that failed; "" when none does."""
    pages: tuple[Page, ...] = ()
    """What a whole list was made of, in order."""


class Pages(Struct, frozen=True, kw_only=True):
    """A walk in progress."""

    peer: str
    era: Era
    method: str
    member: str
    """The member of each page that holds the items, such as "tools"."""
    key: str = "name"
    """The member of an item that identifies it."""
    accept_missing_result_type: bool = False
    copied_late: bool = False
    """Whether whoever judges the items makes them read-only, when somebody looks at them. A
    page that may be kept is read-only from the start, because the next reader gets it too."""
    before: tuple[Page, ...] = ()
    """The pages of this list as it was seen last; () when nothing is known of it."""
    pages: tuple[Page, ...] = ()
    cursors: tuple[str, ...] = ()
    count: int = 0
    """Items so far."""
    anew: str = ""
    """Why the list is read anew; from then on no page is taken that was kept."""
    lost: Failure | None = None
    """Why the peer is not asked any more in this walk."""
    stale: str = ""


Next: TypeAlias = Ask | Collected


def begin(pages: Pages) -> tuple[Pages, Ask]:
    """Return the first request of a walk."""
    return pages, Ask({})


def reuse(
    pages: Pages, value: dict[str, Any], received_at: float, lost: Failure | None = None
) -> tuple[Pages, Next]:
    """Take a page that was kept.

    Args:
        pages: the walk so far; not changed.
        value: the page.
        received_at: clock seconds when it arrived.
        lost: why it stands in for the page that was asked for; None for a fresh one. The
            peer is not asked for what follows either.
    """
    page = Page(params=_params(pages), value=value, received_at=received_at, kept=True)
    return _compared(replace(pages, lost=pages.lost or lost), page)


def stood_in(pages: Pages, why: str) -> Pages:
    """Note why an old page stands in; the first reason is the one that is told."""
    return replace(pages, stale=pages.stale or why)


def step(
    pages: Pages, answer: Answer | Failure, now: float, generation: int = 0
) -> tuple[Pages, Next]:
    """Take the answer to the latest request.

    Args:
        pages: the walk so far; not changed.
        answer: what came back, or why nothing did (deadline, broken transport).
        now: clock time in seconds; the page's freshness counts from here.
        generation: of the cache, when the page was asked for.
    """
    if isinstance(answer, Failure):
        return pages, _failed(pages, answer, now)
    if type(answer) is Malformed and answer.id is not None and isinstance(answer.rest, dict):
        # One item that nobody can read is null in here, and left out like any other null.
        answer = Result(answer.id, answer.rest)
    value = success_value(
        answer,
        pages.era,
        peer=pages.peer,
        stage="listing",
        accept_missing_result_type=pages.accept_missing_result_type,
    )
    if isinstance(value, Failure):
        if value.kind is Kind.REFUSED and pages.pages and _mixed(pages):
            why = f"page {len(pages.pages) + 1} cannot be fetched again: {value.detail}"
            return _begin_anew(pages, why)
        return pages, _failed(pages, value, now)
    fault = _page_fault(pages, value)
    if fault:
        return pages, _failed(pages, _violation(pages, fault), now)
    page = Page(
        params=_params(pages),
        value=_kept_form(pages, value),
        received_at=now,
        generation=generation,
    )
    return _compared(pages, page)


def _compared(pages: Pages, page: Page) -> tuple[Pages, Next]:
    index, known = len(pages.pages), len(pages.before)
    settled = pages.anew or pages.lost is not None or index >= known
    if not settled and _differs(pages.before[index], page):
        why = f"page {index + 1} has changed"
        if _mixed(pages) or (page.kept and known > 1):
            return _begin_anew(pages, why)
        if known > 1:  # what follows belongs to the list as it was
            pages = replace(pages, anew=why)
    return _onward(pages, page)


def _onward(pages: Pages, page: Page) -> tuple[Pages, Next]:
    pages = replace(
        pages, pages=(*pages.pages, page), count=pages.count + len(page.value[pages.member])
    )
    cursor = page.value.get("nextCursor")
    if cursor is None:
        if _mixed(pages) and _overlap(pages):
            return _begin_anew(pages, "two of its pages hold the same thing")
        return pages, _collected(pages)
    reason = None
    if cursor in pages.cursors:
        reason = f"the cursor “{visible(cursor, 60)}” came twice"
    elif len(pages.cursors) + 1 >= MAX_PAGES:
        reason = f"more than {MAX_PAGES} pages"
    elif pages.count > MAX_ITEMS:
        reason = f"more than {MAX_ITEMS} items"
    if reason and _mixed(pages):
        return _begin_anew(pages, reason)
    if reason:
        return pages, _collected(pages, reason)
    pages = replace(pages, cursors=(*pages.cursors, cursor))
    return pages, Ask(_params(pages), kept_will_do=not pages.anew)


def _params(pages: Pages) -> dict[str, Any]:
    return {"cursor": pages.cursors[-1]} if pages.cursors else {}


def _mixed(pages: Pages) -> bool:
    """Say whether pages of different times have come together; old ones at a loss stay so."""
    return not pages.anew and pages.lost is None and any(page.kept for page in pages.pages)


def _differs(old: Page, page: Page) -> bool:
    if old.value is page.value:
        return False
    return any(
        old.value.get(one) != page.value.get(one) for one in {*old.value, *page.value} - _HINTS
    )


def _overlap(pages: Pages) -> bool:
    if all(page.kept for page in pages.pages):
        return False
    seen: set[str] = set()
    for page in pages.pages:
        items = page.value[pages.member]
        keys = {item.get(pages.key) for item in items if isinstance(item, dict)}
        here = {key for key in keys if isinstance(key, str)}
        if seen & here:
            return True
        seen |= here
    return False


def _begin_anew(pages: Pages, why: str) -> tuple[Pages, Ask]:
    return replace(pages, pages=(), cursors=(), count=0, anew=why), Ask({}, kept_will_do=False)


def _kept_form(pages: Pages, value: dict[str, Any]) -> dict[str, Any]:
    """Return a page as it is kept: read-only, unless nobody else will ever hold it."""
    ttl = value.get("ttlMs")
    if pages.copied_late and (type(ttl) is not int or ttl <= 0):
        return value
    return read_only(value)  # nested too deeply, it will not be kept either


def _page_fault(pages: Pages, value: dict[str, Any]) -> str | None:
    if not isinstance(value.get(pages.member), list):
        return f"$.{pages.member} is missing or not an array"
    cursor = value.get("nextCursor")
    if cursor is not None and not isinstance(cursor, str):
        return "$.nextCursor is not a string"
    return None


def _collected(pages: Pages, cut: str | None = None) -> Collected:
    missing = Dropped(name="(further pages)", reason=cut or "", rule="LIST-05")
    values = [page.value for page in pages.pages]
    items = tuple(chain.from_iterable([value[pages.member] for value in values]))
    return Collected(
        items=_distinct(items) if cut else items,
        cut=(missing,) if cut else (),
        cache_scope=_scope([value.get("cacheScope") for value in values]),
        ttl_ms=_ttl([value.get("ttlMs") for value in values]),
        received_at=min(page.received_at for page in pages.pages),
        complete=cut is None,
        stale=pages.stale,
        pages=pages.pages,
    )


def _distinct(items: tuple[Any, ...]) -> tuple[Any, ...]:
    # A walk in a circle brings the same page again. That is no second declaration of
    # everything on it, so what is equal to the letter counts once.
    return tuple({repr(item): item for item in items}.values())


def _scope(scopes: list[Any]) -> CacheScope:
    # One page that is private, or says nothing we know, makes the whole list private.
    return "public" if scopes and all(scope == "public" for scope in scopes) else "private"


def _ttl(ttls: list[Any]) -> int | None:
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
    items = tuple(item for page in pages.pages for item in page.value[pages.member])
    return Collected(items=items, received_at=now, complete=False, failure=failure)
