"""The merged menu of every peer's tools, as one frozen value.

Takes:  nothing; `merge` builds it
Gives:  `Menu`, its `MenuItem` rows, and a `Collision` for each name that was contested
Never:  two items with one canonical name or with one alias

A canonical name is what people and programs call a tool; the local name is what its peer
calls it; the alias is what a model may call it. All three are kept, none is ever parsed.
Source: seed lesson, "Combinação de espaços de nomes seguros de colisão"; design
sections 7.5 and 7.6.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Protocol, Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.menu.alias import shown_alias
from workbench.core.menu.model_tools import ModelApi, tool_definitions
from workbench.core.menu.shortlist import Shortlist, shortlist, without_alias
from workbench.core.text.redact import Redactor
from workbench.core.text.shown import Shown, shown_by
from workbench.core.text.veiled import Veiled
from workbench.core.text.visible import visible
from workbench.core.tool import Tool

Policy: TypeAlias = Literal["prefix-on-collision", "reject", "prefix-always"]
"""What happens to a name that several peers offer; see `workbench.core.menu.merge`."""

Outcome: TypeAlias = Literal["prefixed", "refused", "rejected"]
"""How a contest ended.

"prefixed": everybody has a name. "refused": a tool of at least one peer has none.
"rejected": nobody has it (policy "reject").
"""


class MenuItem(Struct, frozen=True, gc=False):
    """One tool that can be called.

    Outside the cycle collector: an item refers to strings and a tool, never back to itself,
    and a menu may hold very many.
    """

    canonical: str
    """Unique in the menu; any text a peer chose, so escape it before showing it."""
    peer: str
    """The owner."""
    local: str
    """The owner's own name for it, the one `tools/call` carries."""
    alias: str
    """Unique in the menu and safe for model interfaces: 1 to 64 of `A-Z a-z 0-9 _ -`, a
    letter or `_` first."""
    tool: Tool


class Collision(Struct, frozen=True):
    """One contested name: who wanted it and what became of it."""

    name: str
    """The contested name, as its peers wrote it."""
    peers: tuple[str, ...]
    """Everybody who wanted it, sorted; one peer alone if it contests its own name."""
    outcome: Outcome
    canonical: tuple[str, ...]
    """The canonical names that were given for it, in the order of the peers that got one."""
    reason: str
    """One line, already safe to show."""
    rule: str


class Collisions(Shown, tuple[Collision, ...]):
    """Every contested name: a tuple of the names as they are, and a table without secrets."""

    hides: Redactor | None = None
    """Knows the secrets of the client; no part of the value."""

    def __repr__(self) -> str:
        return tuple.__repr__(self.veiled())

    def __str__(self) -> str:
        return self.to_text()

    def veiled_by(self, hides: Redactor | None) -> "Collisions":
        """Return the same, to be shown without the secrets that are known here."""
        made = Collisions(self)
        made.hides = hides
        return made

    def veiled(self) -> "Collisions":
        """Return it with every known secret in it replaced, to be shown."""
        if self.hides is None:
            return self
        return Collisions(self.hides.tree(tuple(self)))

    def to_text(self) -> str:
        """Return one line a collision."""
        return "\n".join(visible(_line(one)) for one in self.veiled()) or "no name is contested"


class Menu(Veiled, frozen=True, dict=True, eq=False):
    """Every callable tool under its canonical name.

    Two menus are equal when their fields are; the look-up tables are built on first use,
    belong to no field and show in no output.

    A peer may write a key of ours into a name or a description. The items keep it, so that
    a call reaches its tool and a model gets what was declared; every view goes without.
    """

    policy: Policy = "prefix-on-collision"
    items: tuple[MenuItem, ...] = ()
    """Sorted by canonical name."""
    collisions: Collisions = Collisions()
    """Sorted by name, then by peers."""
    refused: tuple[str, ...] = ()
    """Sorted names that a tool would have had and did not get, so it cannot be called.

    The name itself may still belong to another peer: then it is an item as well.
    """

    def get(self, canonical: str) -> MenuItem | None:
        """Return the item with exactly this canonical name, or None."""
        return self._by_canonical.get(canonical)

    def by_alias(self, alias: str) -> MenuItem | None:
        """Return the item with exactly this alias, or None."""
        return self._by_alias.get(alias)

    def items_of(self, peer: str) -> tuple[MenuItem, ...]:
        """Return one peer's items, sorted by canonical name; empty for an unknown peer."""
        return self._by_peer.get(peer, ())

    def offers(self, local: str) -> tuple[MenuItem, ...]:
        """Return every item whose own peer calls it `local`, sorted by canonical name."""
        return self._by_local.get(local, ())

    def for_model(self, api: ModelApi) -> list[dict[str, Any]]:
        """Return the tools as a model interface takes them, in the order of the menu.

        Args:
            api: "openai" (Chat Completions), "openai-responses", "anthropic" or "gemini".

        Returns:
            The value of the request's `tools`; the names in it are aliases, and `call`
            takes an alias. Treat the schemas as read-only.

        Raises:
            MisuseError: if the interface is unknown.
        """
        return tool_definitions(self.items, api)

    def search(
        self, query: str, *, max_chars: int | None = None, limit: int | None = None
    ) -> Shortlist:
        """Find the tools that answer a query best, and of them those a budget has room for.

        The index is built by the first search and serves this menu ever after; a menu never
        changes, so a list that changed means another menu and another index.

        Args:
            query: words of any kind: of the name, of what is wanted, of a parameter.
            max_chars: longest `Shortlist.text`, in characters; None means no budget.
            limit: most tools that are chosen; None means no limit.

        Returns:
            At most the hundred best matches, each in, or out with the reason; never a
            declaration that was cut.

        Raises:
            MisuseError: if the budget has no room for an empty answer, the limit is not
                positive, or this Python's SQLite has no full-text search.
        """
        ranking = self._index.rank(query)
        found = shortlist(query, self.items, ranking, max_chars=max_chars, limit=limit)
        return found if self.hides is None else replace(found, hides=self.hides)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict a tool, in the order of the menu, without known secrets."""
        return [self.cleaned(_row(item, self.cleaned(item.canonical))) for item in self.items]

    def veiled(self) -> Self:
        """Return it with every known secret in it replaced, to be shown."""
        clean = super().veiled()
        items = tuple(map(without_alias, clean.items, self.items))
        return clean if clean is self else replace(clean, items=items)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row a tool.

        Raises:
            MisuseError: if no front door has registered a renderer.
        """
        return shown_by("frame", self)

    def contest(self, name: str) -> Collision | None:
        """Return the first collision about exactly this name, or None."""
        return self._contests.get(name)

    @cached_property
    def _index(self) -> "Ranking":
        found: Ranking = shown_by("index", self)
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every canonical name, sorted."""
        return tuple(item.canonical for item in self.items)

    @cached_property
    def owners(self) -> Mapping[str, str]:
        """The owner of every canonical name and of every alias.

        Keep this table when a person accepts the menu and hand it to `route` later: a name
        or an alias that then leads to another peer is refused. Treat as read-only.
        """
        return {item.alias: item.peer for item in self.items} | {
            item.canonical: item.peer for item in self.items
        }

    @cached_property
    def _by_canonical(self) -> dict[str, MenuItem]:
        return {item.canonical: item for item in self.items}

    @cached_property
    def _by_alias(self) -> dict[str, MenuItem]:
        return {item.alias: item for item in self.items}

    @cached_property
    def _by_peer(self) -> dict[str, tuple[MenuItem, ...]]:
        return _grouped((item.peer, item) for item in self.items)

    @cached_property
    def _by_local(self) -> dict[str, tuple[MenuItem, ...]]:
        return _grouped((item.local, item) for item in self.items)

    @cached_property
    def _contests(self) -> dict[str, Collision]:
        # Reversed, so that the first of several collisions about one name wins.
        return {collision.name: collision for collision in reversed(self.collisions)}


class Ranking(Protocol):
    """What a menu needs of an index of its tools."""

    def rank(self, query: str) -> Sequence[tuple[int, float]]:
        """Return positions among the items and scores, best first."""


def _row(item: MenuItem, shown: str) -> dict[str, Any]:
    return {
        "canonical": item.canonical,
        "peer": item.peer,
        "local": item.local,
        "alias": shown_alias(item.alias, item.canonical, shown),
        "description": item.tool.description,
    }


def _line(one: Collision) -> str:
    peers = ", ".join(visible(peer) for peer in one.peers)
    name, reason = visible(one.name, 128), visible(one.reason)
    return f"{name} of {peers}: {one.outcome}. {reason} [{one.rule}]"


def _grouped(pairs: Iterable[tuple[str, MenuItem]]) -> dict[str, tuple[MenuItem, ...]]:
    groups: dict[str, list[MenuItem]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return {key: tuple(group) for key, group in groups.items()}
