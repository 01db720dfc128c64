"""Much at once, without a look for garbage after every few hundred objects.

Takes:  a piece of work that makes very many objects and drops none, such as reading a list
Gives:  the same work, with Python's cycle collector put off until it is done
Never:  lets it be put off across a turn of the loop: the work may not await anything

The collector counts what is made, not what is garbage. A list of twenty thousand tools is
some hundred thousand dictionaries, and none of them is garbage: looking at them again and
again takes as long as reading them.
"""

import gc
from types import TracebackType
from typing import Final

LARGE_BYTES: Final = 32 * 1024
"""A frame of this size may hold a thousand objects."""


class Bulk:
    """A block of synchronous work in which nothing is collected."""

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        """Put the collector off, if it is on."""
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let it run again, if it did before."""
        if self._was_enabled:
            gc.enable()
