"""What was seen of one client at one peer.

Takes:  nothing
Gives:  `Seen`
Never:  holds what a client says about what it sent; the peer wrote that down
"""

from typing import Literal

from msgspec import Struct

Verdict = Literal["modern", "legacy", "refused", "hang", "crash"]


class Seen(Struct, frozen=True, kw_only=True):
    """One client at one peer."""

    verdict: Verdict
    """The era of the session; "refused" is an error that the caller sees, "hang" nothing
    within the limit (the process was ended), "crash" a process that ended without a word."""
    version: str | None = None
    """The revision of the session."""
    why: str | None = None
    """A rule, or the type of the error."""
    sent: tuple[str, ...] = ()
    """The methods the peer received, in order."""

    @property
    def initialize(self) -> int:
        """How many `initialize` requests the peer received."""
        return self.sent.count("initialize")
