"""What can still be read of a frame that is nested too deeply.

Takes:  the bytes of one frame
Gives:  the same frame with each part that is too deep replaced as a whole by null
Never:  recurses, so that no nesting can end it; never reads an endless frame

A list answer is the one place where the rest is worth something: one declaration that nobody
can read must not take forty others along. Everywhere else only the id counts, so that whoever
waits for it is told at once.

Source: design section 7.9; field cases N15, S26.
"""

import re
from typing import Final

MOST_LEVELS: Final = 200
"""Levels a part may have; far more than a schema that can be used, far less than a stack."""
LONGEST_BYTES: Final = 1_048_576
"""Frames longer than this are not looked into."""

_PARTS_AT: Final = 3
"""The envelope is level 1, its result level 2, a list in it level 3: each item is one part."""
# A string without an end is one token to the end of the frame: nothing is read twice.
_TOKENS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def shallow(frame: bytes) -> bytes | None:
    """Return the frame without the parts that are too deep; None when that cannot be done.

    Args:
        frame: one frame; it need not be valid JSON, and what comes back need not be either.
    """
    if len(frame) > LONGEST_BYTES:
        return None
    level = deepest = begun = done = 0
    kept: list[bytes] = []
    for token in _TOKENS.finditer(frame):
        sign = token[0]
        if sign in b"[{":
            level += 1
            if level == _PARTS_AT + 1:
                begun, deepest = token.start(), level
            deepest = max(deepest, level)
        elif sign in b"]}":
            level -= 1
            if level == _PARTS_AT and deepest > MOST_LEVELS:
                kept += [frame[done:begun], b"null"]
                done, deepest = token.end(), 0
    if level != 0:
        return None
    return b"".join([*kept, frame[done:]])
