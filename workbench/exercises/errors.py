"""What exercises raise: three words for answers, one for a notebook that must not go on.

Takes:  nothing
Gives:  `Unavailable` for an answer to raise, `PeerGone` and `Unreadable` for it to meet,
        `NotPassed` for whoever runs notebooks strictly
Never:  carries text of a peer that is not safe to show
"""

from typing import Any


class Unavailable(Exception):
    """Raised by an answer: this peer cannot be used. Say why in a few words."""


class PeerGone(ConnectionError):
    """Raised by a peer that has ended the connection; `reopen()` starts it anew."""


class Unreadable(ValueError):
    """Raised by `receive()` for a line that is no JSON object; `receive_line()` takes any."""


class NotPassed(AssertionError):
    """Raised by `check` under WORKBENCH_STRICT=1, where a verdict alone would be overlooked.

    Args:
        verdict: what was not passed.
    """

    def __init__(self, verdict: Any) -> None:
        super().__init__(verdict.line())
        self.verdict = verdict
