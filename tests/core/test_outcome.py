"""Seven ways to end, and the record of them."""

import pytest

from workbench.core.call import ToolResult
from workbench.core.errors import Failure, Kind
from workbench.core.outcome import Ended, Outcomes, ended_as


@pytest.mark.parametrize("kind", list(Kind))
def test_every_failure_is_exactly_one_of_the_seven(kind: Kind) -> None:
    """Design section 7.7."""
    assert ended_as(Failure(kind=kind, detail="x")) in set(Ended) - {
        Ended.RESULT,
        Ended.TOOL_ERROR,
    }


@pytest.mark.parametrize(
    ("kind", "ended"),
    [
        (Kind.PROTOCOL_VIOLATION, Ended.PROTOCOL_ERROR),
        (Kind.REFUSED, Ended.PROTOCOL_ERROR),
        (Kind.CANCELLED, Ended.CANCELLED),
        (Kind.TOOK_TOO_LONG, Ended.TIMED_OUT),
        (Kind.OUTCOME_UNKNOWN, Ended.OUTCOME_UNKNOWN),
        (Kind.ARGUMENTS, Ended.REFUSED),
        (Kind.UNKNOWN_NAME, Ended.REFUSED),
        (Kind.PEER_AWAY, Ended.REFUSED),
        (Kind.INPUT_REFUSED, Ended.REFUSED),
        (Kind.PIPE_CLOSED, Ended.REFUSED),
    ],
)
def test_which_of_the_seven_a_failure_is(kind: Kind, ended: Ended) -> None:
    """Ours: "refused" is this side's no; the peer's no is a protocol error."""
    assert ended_as(Failure(kind=kind, detail="x")) is ended


def test_a_tool_error_is_no_failure_and_no_plain_result() -> None:
    """Spec: server/tools, error handling."""
    good, bad = ({"content": [], "isError": flag} for flag in (False, True))
    assert ended_as(ToolResult("p", "t", good)) is Ended.RESULT
    assert ended_as(ToolResult("p", "t", bad)) is Ended.TOOL_ERROR
    assert ended_as(object()) is Ended.RESULT


def filled(count: int, capacity: int = 1_000) -> Outcomes:
    outcomes = Outcomes(capacity)
    for number in range(count):
        outcomes.add(
            peer="p", method="tools/call", name=f"t{number}\x1b[31m", ended=Ended.TIMED_OUT,
            rule="CALL-03", detail="late",
        )  # fmt: skip
    return outcomes


def test_the_record_is_bounded_and_keeps_counting() -> None:
    """Design section 7.9."""
    outcomes = filled(5, capacity=2)
    assert [one.number for one in outcomes] == [4, 5]
    assert (len(outcomes), outcomes[-1].number) == (2, 5)
    assert "5 calls, 2 kept" in repr(outcomes)


def test_no_room_is_a_mistake() -> None:
    """Ours: a ring of nothing would hide everything."""
    with pytest.raises(ValueError, match="room"):
        Outcomes(0)


def test_it_shows_as_text_markdown_and_rows_without_control_characters() -> None:
    """Design section 7.10."""
    outcomes = filled(1)
    for text in (outcomes.to_text(), outcomes.to_markdown(), str(outcomes.to_rows())):
        assert "timed out" in text and "CALL-03" in text
        assert "\x1b" not in text
    assert outcomes.to_text().startswith("1  tools/call t0")
    assert Outcomes().to_text() == "no call has ended yet"


def test_it_shows_as_a_table() -> None:
    """Design section 4, to_frame."""
    import workbench

    assert workbench.__version__
    frame = filled(2).to_frame()
    assert list(frame["ended"]) == ["timed out", "timed out"]
    assert list(frame["number"]) == [1, 2]
    assert Outcomes().to_frame().empty
