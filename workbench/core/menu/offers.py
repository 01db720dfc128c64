"""One peer's prompts, resources or resource templates, as values.

Takes:  what a walk over the pages collected
Gives:  `Offers`: the declarations that can be used, and why the others cannot
Never:  merges peers: a prompt or a resource is addressed together with its peer, or by a
        name that only one peer has

Spec: server/prompts "Prompt", server/resources "Resource" and "Resource Templates".
"""

from collections import Counter
from typing import Any, Final

from msgspec import Struct

from workbench.core.errors import Failure
from workbench.core.results.pages import Collected
from workbench.core.text.veiled import Veiled
from workbench.core.text.visible import visible
from workbench.core.tool import CacheScope, Dropped
from workbench.core.wire.keys import PROMPTS_LIST, RESOURCES_LIST, TEMPLATES_LIST


class Sort(Struct, frozen=True):
    """One sort of thing a peer lists."""

    method: str
    """The list method."""
    member: str
    """The member of a page that holds the items."""
    key: str
    """The member of an item that identifies it."""
    capability: str
    """What a server declares when it has the method."""


PROMPTS: Final = Sort(PROMPTS_LIST, "prompts", "name", "prompts")
RESOURCES: Final = Sort(RESOURCES_LIST, "resources", "uri", "resources")
TEMPLATES: Final = Sort(TEMPLATES_LIST, "resourceTemplates", "uriTemplate", "resources")


class Offer(Struct, frozen=True, kw_only=True):
    """One prompt, resource or template. Everything in it is the peer's, untrusted."""

    peer: str
    key: str
    """The prompt's name, the resource's URI, or the template's URI template."""
    definition: dict[str, Any]
    """The whole declaration as received; treat as read-only."""

    @property
    def name(self) -> str:
        """The declared name, or ""."""
        return self._text("name")

    @property
    def title(self) -> str:
        """The title for people, or the name."""
        return self._text("title") or self.name

    @property
    def description(self) -> str:
        """The description, or ""."""
        return self._text("description")

    @property
    def mime_type(self) -> str:
        """The media type a resource declares, or ""."""
        return self._text("mimeType")

    @property
    def arguments(self) -> list[dict[str, Any]]:
        """The arguments a prompt takes, in order; [] when it takes none."""
        given = self.definition.get("arguments")
        return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []

    def _text(self, member: str) -> str:
        value = self.definition.get(member)
        return value if isinstance(value, str) else ""


class Offers(Veiled, frozen=True, kw_only=True, eq=False):
    """What one peer lists of one sort, after every check; order is the peer's own.

    It is shown without the secrets of its client; the items are as they were declared.
    """

    peer: str
    items: tuple[Offer, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    cache_scope: CacheScope = "private"
    ttl_ms: int | None = None
    """The shortest lifetime of a page; None or 0 means that a page is asked for each time."""
    received_at: float = 0.0
    """Clock seconds when the oldest page arrived."""
    complete: bool = True
    """False when the walk over the pages was cut; such a list is never cached."""
    failure: Failure | None = None
    """Why there is no list at all; `items` is then empty."""
    stale: str = ""
    """Why an old list stands in for one that failed; "" for a list as it was received."""

    @property
    def keys(self) -> tuple[str, ...]:
        """What identifies the items, in order."""
        return tuple(item.key for item in self.items)


def offers_of(sort: Sort, peer: str, collected: Collected) -> Offers:
    """Judge what a walk collected; one bad item never takes the others down."""
    if collected.failure is not None:
        return Offers(
            peer=peer,
            received_at=collected.received_at,
            complete=False,
            failure=collected.failure,
        )
    read = [_read(sort, peer, item, index) for index, item in enumerate(collected.items)]
    counted = Counter(one.key for one in read if isinstance(one, Offer))
    return Offers(
        peer=peer,
        items=tuple(one for one in read if isinstance(one, Offer) and counted[one.key] == 1),
        dropped=(
            *(one for one in read if isinstance(one, Dropped)),
            *collected.cut,
            *(_twice(key, times) for key, times in sorted(counted.items()) if times > 1),
        ),
        cache_scope=collected.cache_scope,
        ttl_ms=collected.ttl_ms,
        received_at=collected.received_at,
        complete=collected.complete,
        stale=collected.stale,
    )


def _read(sort: Sort, peer: str, item: Any, index: int) -> Offer | Dropped:
    if item is None:
        why = "the declaration is null or nested too deeply"
        return _dropped(f"({sort.member} {index})", why)
    if not isinstance(item, dict):
        return _dropped(f"({sort.member} {index})", "the declaration is not an object")
    key = item.get(sort.key)
    if not isinstance(key, str) or not key:
        return _dropped(f"({sort.member} {index})", f"{sort.key} is missing or not a string")
    if not isinstance(item.get("name"), str):
        return _dropped(key, "the name is missing or not a string")
    return Offer(peer=peer, key=key, definition=item)


def _dropped(name: str, reason: str) -> Dropped:
    return Dropped(name=visible(name, 120), reason=reason, rule="LIST-03")


def _twice(key: str, times: int) -> Dropped:
    return Dropped(name=visible(key, 120), reason=f"declared {times} times", rule="LIST-04")
