"""Counts what is over while many peers work side by side, for who wants to watch.

Takes:  the work of each peer, and a callback
Gives:  one `Step` each time a peer is done; how many are, of how many
Never:  lets a callback that fails stop a peer: it is told no more, and the journal says why
"""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct

T = TypeVar("T")


class Step(Struct, frozen=True, kw_only=True):
    """One peer is done."""

    stage: Literal["connect", "list"]
    peer: str
    outcome: str
    """A few words of ours: "ready", "unavailable", "3 tools", "no list"."""
    done: int
    """Peers that are done, this one included."""
    total: int

    def line(self) -> str:
        """Return the step as one line: `connect 2 of 4: notes ready`."""
        return f"{self.stage} {self.done} of {self.total}: {self.peer} {self.outcome}"


OnStep: TypeAlias = Callable[[Step], object]
"""Called on the client's loop, so it must not block."""


class Tally:
    """Counts one operation over many peers.

    Args:
        stage: which one.
        total: how many peers.
        tell: called with each step; None counts in silence.
        note: told, once, why `tell` failed.
    """

    def __init__(
        self,
        stage: Literal["connect", "list"],
        total: int,
        tell: OnStep | None,
        note: Callable[[str], object],
    ) -> None:
        self._stage: Literal["connect", "list"] = stage
        self._total = total
        self._tell = tell
        self._note = note
        self._done = 0

    async def counted(self, peer: str, work: Awaitable[T], words: Callable[[T], str]) -> T:
        """Wait for one peer's work, tell that it is over, and return what came of it.

        Args:
            peer: its name.
            work: what is waited for.
            words: says in a few words what came of it.
        """
        result = await work
        self._done += 1
        if self._tell is not None:
            step = Step(
                stage=self._stage,
                peer=peer,
                outcome=words(result),
                done=self._done,
                total=self._total,
            )
            try:
                self._tell(step)
            except Exception as problem:
                self._tell = None
                self._note(f"on_progress failed: {type(problem).__name__}: {problem}")
        return result
