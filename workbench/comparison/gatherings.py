"""Several peers at once: the situations, what each client made of them, and its category.

Takes:  nothing, or what was seen
Gives:  `SITUATIONS`, `Gathered` and `kind_of`
Never:  takes a client's word for where a name leads: the peer that got the call wrote it down

The specification knows one server at a time: a tool's name is unique within its server. So
there is no right way to merge, only ways that keep every tool and ways that lose some.
"""

from typing import Final

from msgspec import Struct

from workbench.comparison.categories import Category

DEAD: Final = ("-c", "raise SystemExit(3)")
"""What the interpreter runs for a peer that ends before it says anything."""


class Peer(Struct, frozen=True):
    """One peer of a situation."""

    name: str
    fake: str
    """A ready-made fake, or "" for a program that ends at once."""
    tools: tuple[str, ...] = ()
    good: bool = True
    """Whether a client can be expected to use it."""


class Situation(Struct, frozen=True, kw_only=True):
    """Some peers at once."""

    name: str
    about: str
    peers: tuple[Peer, ...]

    def tools(self) -> frozenset[str]:
        """Return every tool that should be reachable, as "peer: tool"."""
        return frozenset(f"{p.name}: {tool}" for p in self.peers if p.good for tool in p.tools)


class Gathered(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one client made of one situation."""

    ended: str = "menu"
    """"menu", "refused" (an error, and no menu), "hang" or "crash"."""
    why: str | None = None
    """The type of the error."""
    reaches: dict[str, str] = {}
    """Name in the menu -> "peer: tool" that got its call, "" for none."""
    missing: dict[str, str] = {}
    """Peer, or name in the menu -> why the client says it is not there."""
    same_in_reverse: bool = True
    """Whether the peers in the opposite order gave the same menu."""


SITUATIONS: Final = (
    Situation(
        name="M01-same-name",
        about="two peers have a tool called search",
        peers=(
            Peer("a", "dual_era", ("search", "one")),
            Peer("b", "dual_era", ("search", "two")),
        ),
    ),
    Situation(
        name="M02-prefix-taken",
        about="a third peer's own names look like the second one's with a prefix",
        peers=(
            Peer("a", "dual_era", ("search",)),
            Peer("b", "dual_era", ("search",)),
            Peer("c", "dual_era", ("b/search", "b_search")),
        ),
    ),
    Situation(
        name="M03-joiner",
        about="peer a has b_c, peer a_b has c",
        peers=(Peer("a", "dual_era", ("b_c",)), Peer("a_b", "dual_era", ("c",))),
    ),
    Situation(
        name="M04-one-dead",
        about="one of three peers ends at once",
        peers=(
            Peer("a", "dual_era", ("one",)),
            Peer("b", "", ("two",), good=False),
            Peer("c", "dual_era", ("three",)),
        ),
    ),
    Situation(
        name="M04-one-silent",
        about="one of three peers never answers its handshake",
        peers=(
            Peer("a", "dual_era", ("one",)),
            Peer("b", "L02-silence", ("two",), good=False),
            Peer("c", "dual_era", ("three",)),
        ),
    ),
    Situation(
        name="M07-two-eras",
        about="one peer speaks the modern era only, one the legacy era only",
        peers=(Peer("a", "modern", ("one",)), Peer("b", "legacy", ("two",))),
    ),
)

_KINDS: Final = (
    Category("all", "every tool is reached", "", "Each tool of each good peer has a name."),
    Category(
        "told",
        "leaves a tool out and says so",
        "says so",
        "Tools of a good peer are missing, and the caller got an error or a report of it.",
    ),
    Category(
        "lost",
        "leaves a tool out without an error",
        "no error",
        "A tool of a good peer cannot be called by any name; nothing was raised, at most logged.",
    ),
    Category(
        "nothing",
        "one peer spoils all",
        "all or nothing",
        "The client raised an error, and nothing could be called.",
    ),
    Category("hangs", "hangs past the deadline", "", "Nothing within the limit."),
    Category("crashes", "ends without a word", "", "The client's process just ended."),
)
KINDS: Final = {one.id: one for one in _KINDS}


def kind_of(situation: Situation, seen: Gathered) -> str:
    """Return the id of the kind of `KINDS` that a client's answer is of."""
    if seen.ended in ("hang", "crash"):
        return "hangs" if seen.ended == "hang" else "crashes"
    if seen.ended == "refused":
        return "nothing"
    lost = situation.tools() - set(seen.reaches.values())
    if not lost:
        return "all"
    return "told" if {tool.partition(":")[0] for tool in lost} <= set(seen.missing) else "lost"
