"""What went wrong in somebody else's code, as one line: one cause, never a group of them.

Takes:  an exception of a handler, a callback or a library
Gives:  the first cause inside it, and one safe line about it
Never:  shows a group of exceptions: "1 sub-exception" tells a reader nothing

Source: design section 9: one failure, what was seen, what to do.
"""

from typing import Final

from workbench.core.text.visible import visible

LONGEST: Final = 200
"""Characters of the message that are shown."""


def first_cause(problem: BaseException) -> BaseException:
    """Return the exception itself, or the first one at the bottom of a group."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem


def cause(problem: BaseException) -> str:
    """Return type and message of the first cause, and how many more there are; safe to show."""
    count = _count(problem)
    more = f" (and {count - 1} more)" if count > 1 else ""
    first = first_cause(problem)
    return f"{type(first).__name__}: {visible(str(first), LONGEST)}{more}"


def _count(problem: BaseException) -> int:
    if isinstance(problem, BaseExceptionGroup):
        return sum(_count(one) for one in problem.exceptions)
    return 1
