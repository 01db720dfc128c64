"""When a rule applies: which message, with which content, the how-many-eth time.

Takes:  a request or notification (or the start, or the end of input), and a count
Gives:  whether the rule is concerned, and whether this time is its turn
Never:  looks at anything outside the message and the numbers it is given
"""

from typing import Any, Literal

from msgspec import Struct

from fakes.errors import ScriptError
from workbench.core.wire.keys import CAPABILITIES_KEY

Moment = Literal["message", "start", "input end", "get"]


class Match(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A condition on one moment in a fake's life."""

    moment: Moment = "message"
    method: str = "*"
    """Exact method of a request or notification; "*" is any."""
    params: dict[str, Any] = {}
    """Must be contained in the params: objects by member, everything else by equality."""
    absent: tuple[str, ...] = ()
    """Params members that must not be there."""
    meta: dict[str, Any] = {}
    """Must be contained in `params._meta`."""
    lacks_meta: tuple[str, ...] = ()
    """`params._meta` members that must not be there."""
    lacks_capability: str | None = None
    """A client capability the request must not declare."""
    lifetime: int | None = None
    """Only in this process or link, counted from 1; None is every one."""
    first: int = 1
    """The first turn, counted per lifetime over all moments that fit the rest."""
    last: int | None = None
    """The last turn; None is no end."""

    def __post_init__(self) -> None:
        """Check the turns.

        Raises:
            ScriptError: if no moment can ever fit.
        """
        if self.first < 1:
            raise ScriptError(f"turns count from 1, not from {self.first}")
        if self.last is not None and self.last < self.first:
            raise ScriptError(f"turn {self.last} comes before turn {self.first}")
        if self.lifetime is not None and self.lifetime < 1:
            raise ScriptError(f"lifetimes count from 1, not from {self.lifetime}")

    def concerns(self, method: str, params: dict[str, Any], lifetime: int) -> bool:
        """Say whether a message fits, whatever its turn."""
        return (
            self.moment == "message"
            and self.method in ("*", method)
            and self.lifetime in (None, lifetime)
            and contains(params, self.params)
            and not any(name in params for name in self.absent)
            and self._meta_fits(params.get("_meta"))
        )

    def concerns_moment(self, moment: Moment, lifetime: int) -> bool:
        """Say whether a moment without a message fits, whatever its turn."""
        return self.moment == moment and self.lifetime in (None, lifetime)

    def is_turn(self, count: int) -> bool:
        """Say whether the `count`-th fitting moment (from 1) is one of this rule's."""
        return self.first <= count and (self.last is None or count <= self.last)

    def is_broader(self, other: "Match") -> bool:
        """Say whether everything that fits `other` surely fits this, at every turn."""
        if self.moment != other.moment or self.first != 1 or self.last is not None:
            return False
        if self.lifetime not in (None, other.lifetime):
            return False
        if self.method not in ("*", other.method):
            return False
        conditions = (self.params, self.absent, self.meta, self.lacks_meta, self.lacks_capability)
        return conditions == ({}, (), {}, (), None) or conditions == (
            other.params,
            other.absent,
            other.meta,
            other.lacks_meta,
            other.lacks_capability,
        )

    def _meta_fits(self, given: Any) -> bool:
        meta = given if isinstance(given, dict) else {}
        if not contains(meta, self.meta) or any(name in meta for name in self.lacks_meta):
            return False
        if self.lacks_capability is None:
            return True
        declared = meta.get(CAPABILITIES_KEY)
        return not isinstance(declared, dict) or self.lacks_capability not in declared


def contains(whole: Any, part: Any) -> bool:
    """Say whether `part` is in `whole`: objects member by member, the rest equal in type too."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            name in whole and contains(whole[name], wanted) for name, wanted in part.items()
        )
    return type(whole) is type(part) and bool(whole == part)
