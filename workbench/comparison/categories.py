"""What can be said of a client's answer to a fault: a few words, and what they mean.

Takes:  nothing
Gives:  `CATEGORIES`, in the order of a legend
Never:  ranks clients; "stricter" is no praise and "as the specification says" no blame
"""

from typing import Final

from msgspec import Struct


class Category(Struct, frozen=True):
    """One way to answer a fault."""

    id: str
    words: str
    """For a heading or a legend."""
    short: str
    """Behind a verdict in a narrow table; empty where nothing needs to be said."""
    meaning: str
    """One sentence."""


_ALL: Final = (
    Category(
        "as-specified",
        "as the specification says",
        "",
        "The verdict is one that the specification gives, or leaves open, for such a peer.",
    ),
    Category(
        "stricter",
        "stricter",
        "stricter",
        "The client refuses where the specification lets it go on; that is a policy, and no error.",
    ),
    Category(
        "downgrades",
        "downgrades after modern proof",
        "downgrade",
        "The peer's first answer proved it to be modern, and the client sent an initialize all "
        "the same.",
    ),
    Category(
        "accepts-malformed",
        "accepts what is malformed",
        "malformed",
        "The client takes an answer for good that the specification or JSON-RPC rules out.",
    ),
    Category(
        "refuses-valid",
        "refuses what is valid",
        "refuses valid",
        "The client gives up a peer that the specification says it can speak with.",
    ),
    Category(
        "hangs",
        "hangs past the deadline",
        "",
        "The client, as it comes, said nothing within the limit and was ended.",
    ),
    Category(
        "crashes",
        "ends without a word",
        "",
        "The client's process ended without a verdict.",
    ),
    Category(
        "differs",
        "differs otherwise",
        "differs",
        "None of the above: a verdict that the specification does not give for such a peer.",
    ),
)
CATEGORIES: Final = {one.id: one for one in _ALL}
