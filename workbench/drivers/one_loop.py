"""The one event loop an asynchronous client lives on.

Takes:  every use of the client
Gives:  a clear refusal at once where it is used on another loop than before
Never:  waits there: what belongs to another loop would hang, or answer from beside it

Tasks, timers and pipes belong to the loop they were made on. A loop that has ended takes
them along, without a word to whoever holds the client.

Source: design section 9; field case J19.
"""

import asyncio

from workbench.core.errors import Failure, Kind, MisuseError


class OneLoop:
    """Remembers the loop of the first use until `leave`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def enter(self) -> None:
        """Take note of a use on the running loop.

        Raises:
            MisuseError: if the client lives on another one.
        """
        running = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = running
        elif self._loop is not running:
            ended = "has ended" if self._loop.is_closed() else "still runs or is kept"
            raise MisuseError(
                Failure(
                    kind=Kind.MISUSE,
                    stage="call",
                    detail="this client was first used on another event loop, which " + ended,
                    hint="Use it and close it (aclose) on one loop, make one for each loop, "
                    "or take MultiServerClient, which works from everywhere.",
                )
            )

    def leave(self) -> None:
        """Forget the loop: the client is closed, and may be used on another one."""
        self._loop = None
