"""Every protocol revision, its era, and how a mutual one is chosen.

Takes:  revision strings as peers send them
Gives:  an `Era`, or the best mutual revision
Never:  compares revision strings by their text; order comes from the tables alone

Spec: 2026-07-28 basic/versioning.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final


class Era(StrEnum):
    """Which family of lifecycle a peer speaks."""

    MODERN = "modern"
    """Stateless: each request carries its version and capabilities in `_meta`."""
    LEGACY = "legacy"
    """Session based: an `initialize` handshake fixes version and capabilities."""


MODERN_REVISIONS: Final[tuple[str, ...]] = ("2026-07-28",)
"""Modern revisions this client implements, oldest first."""

LEGACY_REVISIONS: Final[tuple[str, ...]] = (
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
)
"""Legacy revisions this client implements, oldest first."""

LATEST_MODERN: Final = MODERN_REVISIONS[-1]
LATEST_LEGACY: Final = LEGACY_REVISIONS[-1]


def highest_mutual(
    ours: Sequence[str], theirs: Iterable[str], *, excluding: Iterable[str] = ()
) -> str | None:
    """Return our newest revision that the peer also names, or None.

    Args:
        ours: our revisions, oldest first; the position is the order.
        theirs: what the peer says it supports, in any order.
        excluding: revisions already refused by this peer, never chosen again.
    """
    offered = set(theirs) - set(excluding)
    return next((revision for revision in reversed(ours) if revision in offered), None)
