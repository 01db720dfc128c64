"""What a cache holds, as a table.

Takes:  the entries of a cache, and the time
Gives:  `CacheContent`: one row an entry, without the values
Never:  holds a credential; an authorization context is a name

Source: seed skill, "Tool cache".
"""

from collections.abc import Iterable
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict

from workbench.core.results.cache import Entry
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible


class CachedAnswer(Struct, frozen=True, kw_only=True):
    """One stored answer."""

    peer: str
    method: str
    params: str
    """The parameters that matter, as JSON text."""
    scope: str
    auth_context: str
    """Who fetched it; "" when no context was named."""
    shared: bool
    """Whether other authorization contexts are served from it."""
    age_ms: int
    ttl_ms: int
    fresh: bool


class CacheContent(Shown, Struct, frozen=True):
    """Everything stored, sorted by peer, method, parameters and context."""

    answers: tuple[CachedAnswer, ...] = ()

    def __str__(self) -> str:
        return self.to_text()

    def __len__(self) -> int:
        return len(self.answers)

    @classmethod
    def of(cls, entries: Iterable[tuple[Entry, bool]], now: float) -> Self:
        """Make the table from entries, each with whether it is shared.

        Args:
            entries: of a cache.
            now: clock seconds.
        """
        rows = [_answer(entry, shared, now) for entry, shared in entries]
        rows.sort(key=lambda one: (one.peer, one.method, one.params, one.auth_context))
        return cls(tuple(rows))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict an answer, with texts that are safe to show."""
        return [
            {name: visible(v) if isinstance(v, str) else v for name, v in asdict(one).items()}
            for one in self.answers
        ]

    def to_text(self) -> str:
        """Return one line an answer."""
        return "\n".join(map(_line, self.to_rows())) or "nothing is cached"


def _answer(entry: Entry, shared: bool, now: float) -> CachedAnswer:
    age_ms = round((now - entry.received_at) * 1_000)
    return CachedAnswer(
        peer=entry.key.peer,
        method=entry.key.method,
        params=entry.key.params,
        scope=entry.scope,
        auth_context=entry.auth_context,
        shared=shared,
        age_ms=age_ms,
        ttl_ms=entry.ttl_ms,
        fresh=0 <= age_ms < entry.ttl_ms,
    )


def _line(row: dict[str, Any]) -> str:
    context = f" of {row['auth_context']}" if row["auth_context"] else ""
    who = "shared" if row["shared"] else row["scope"]
    state = "fresh" if row["fresh"] else "stale"
    params = "" if row["params"] == "{}" else f" {row['params']}"
    life = f"{row['age_ms']} of {row['ttl_ms']} ms"
    return f"{row['peer']}: {row['method']}{params}, {who}{context}, {state}, {life}"
