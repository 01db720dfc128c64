"""A question with two buttons: shall a call whose outcome is unknown be repeated?

Takes:  the `Failure` that `on_retry` is asked with
Gives:  `RetryPanel`, which serves as that callback and shows itself in a notebook
Never:  takes silence for a yes, shows peer text as markup, or waits on the kernel's loop

A kernel handles no click while a cell of its own runs. So the call has to be a task, as in
`task = asyncio.create_task(client.call("write", on_retry=panel))`, and is awaited in a later
cell. In a cell that waits for the call, nobody can click, and the deadline says no.

Source: seed skill, refusal rules: a user-confirmed retry decision.
"""

import math
import threading
from collections.abc import Iterable
from typing import Final

from workbench.core.errors import Failure
from workbench.views.panels.panel import Panel

DEADLINE_S: Final = 120.0
_NOTHING: Final = "No call waits for a decision."


class RetryPanel(Panel):
    """The panel of one call at a time: while it asks, whatever else asks hears a no.

    A second question in the same place could be answered by the second half of a double
    click. So calls that run side by side take a panel each.

    Args:
        tool: what is called, to be shown instead of the name in the failure.
        deadline_s: how long a question may take, in seconds; afterwards the answer is no.

    Raises:
        ValueError: if the deadline is not a positive, finite number.
    """

    def __init__(self, tool: str = "", *, deadline_s: float = DEADLINE_S) -> None:
        if not (math.isfinite(deadline_s) and deadline_s > 0):
            raise ValueError(f"a deadline is a positive number of seconds, not {deadline_s}")
        super().__init__("Shall a call be repeated?")
        self._tool = tool
        self._deadline_s = deadline_s
        self._turn = threading.Lock()
        self._asking = threading.Event()
        self._decided = threading.Event()
        self._answer = False
        self.repeat = self.button(
            "Repeat",
            "Send the call once more; it may take effect twice",
            lambda: self._decide(True),
        )
        self.leave = self.button(
            "Do not repeat",
            "Leave it at that; the outcome stays unknown",
            lambda: self._decide(False),
        )
        self._enable(False)
        # The safe answer comes first, so that it is the first that is reached.
        self.lay_out(self.row(self.leave, self.repeat))
        self.say(_NOTHING)

    def __call__(self, lost: Failure) -> bool:
        """Ask, and wait for a click; never longer than the deadline.

        The client calls this on a thread of its own, so its loop goes on meanwhile.

        Returns:
            True only when "Repeat" was clicked in time.
        """
        if not self._turn.acquire(blocking=False):
            return False
        try:
            return self._ask(lost)
        finally:
            self._turn.release()

    def wait_for_question(self, timeout_s: float = 5.0) -> bool:
        """Wait until the panel asks, on another thread than the call's; say whether it did.

        Args:
            timeout_s: longest wait, in seconds.
        """
        return self._asking.wait(timeout_s)

    def lines(self) -> Iterable[str]:
        """Return the buttons, while they can be pressed."""
        return [] if self.repeat.disabled else ["[Do not repeat] [Repeat]"]

    def _ask(self, lost: Failure) -> bool:
        self._answer = False
        self._decided.clear()
        tool = self._tool or lost.name
        called = f", tool {tool}" if tool else ""
        self.say(
            f"Peer {lost.peer or 'unknown'}{called}: {lost.detail}. It may have been done. "
            f"Repeat the call? Without an answer within {self._deadline_s:g} s it is not repeated."
        )
        self._enable(True)
        self._asking.set()
        in_time = self._decided.wait(self._deadline_s)
        self._asking.clear()
        self._enable(False)
        answer = in_time and self._answer
        if not in_time:
            self.say(f"Nobody decided within {self._deadline_s:g} s: not repeated.")
        else:
            self.say("Decided: it is repeated once." if answer else "Decided: not repeated.")
        return answer

    def _decide(self, answer: bool) -> None:
        # The first click counts; one that comes when nothing is asked, or twice, does not.
        if not self.repeat.disabled and not self._decided.is_set():
            self._answer = answer
            self._decided.set()

    def _enable(self, on: bool) -> None:
        self.leave.disabled = not on
        self.repeat.disabled = not on
