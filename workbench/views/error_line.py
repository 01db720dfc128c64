"""An exception as one line that is safe to show.

Takes:  any exception
Gives:  its type, and what was seen, with the rule and the advice where it has them
Never:  emits a character that a terminal or a page would act on
"""

from workbench.core.errors import WorkbenchError
from workbench.core.text.visible import visible


def error_line(error: BaseException) -> str:
    """Return the type and the message of an exception, on one safe line."""
    said = error.failure.line() if isinstance(error, WorkbenchError) else str(error)
    return f"{type(error).__name__}: {visible(said)}" if said else type(error).__name__
