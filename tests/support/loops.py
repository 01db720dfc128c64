"""The threads that clients, steppers and graders run on."""

import threading
from typing import Final

NAMES: Final = frozenset(
    {"mcp-workbench", "mcp-stepper", "recovery-stepper", "grading", "exercise-desk"}
)
"""What such a thread is called; each ends when what it belongs to is closed."""


def loops() -> set[threading.Thread]:
    """Return those that run now."""
    return {thread for thread in threading.enumerate() if thread.name in NAMES}


def left_over(before: set[threading.Thread]) -> list[str]:
    """Return the names of those that run now and did not before."""
    return sorted(thread.name for thread in loops() - before)
