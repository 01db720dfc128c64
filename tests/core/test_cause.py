"""One cause, however deep it sits."""

import pytest

from workbench.core.cause import LONGEST, cause, first_cause

WET = ValueError("the socket\x1b[2J is wet")


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (WET, "ValueError: the socket\\x1b[2J is wet"),
        (ExceptionGroup("tasks", [WET]), "ValueError: the socket\\x1b[2J is wet"),
        (
            ExceptionGroup("out", [ExceptionGroup("in", [WET, KeyError("k")]), OSError()]),
            "ValueError: the socket\\x1b[2J is wet (and 2 more)",
        ),
        (BaseExceptionGroup("stop", [KeyboardInterrupt()]), "KeyboardInterrupt: "),
    ],
)
def test_a_group_is_told_as_its_first_cause(problem: BaseException, told: str) -> None:
    """Ours: a reader acts on one failure."""
    assert cause(problem) == told
    assert "Group" not in cause(problem)


def test_a_cause_is_bounded_and_keeps_its_place() -> None:
    """Design 7.9: whatever a library says."""
    assert len(cause(ValueError("x" * 10_000))) <= LONGEST + len("ValueError: ")
    assert first_cause(ExceptionGroup("a", [ExceptionGroup("b", [WET])])) is WET
