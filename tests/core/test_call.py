"""An answer, judged."""

from typing import Any

import pytest

from workbench.core.call import ToolResult, complete_value, success_value, tool_result
from workbench.core.errors import Failure, Kind
from workbench.core.wire.message import ErrorReply, Fault, Malformed, Result
from workbench.core.wire.versions import Era


def judged(answer: Any, era: Era = Era.MODERN, **options: Any) -> Any:
    return success_value(answer, era, peer="p", stage="call", **options)


@pytest.mark.parametrize("value", [{}, {"resultType": "done"}, {"resultType": None}])
def test_a_modern_success_without_a_known_result_type_is_a_violation(value: Any) -> None:
    """Fault matrix C02; seed skill, hard rejects."""
    failure = judged(Result(1, value))
    assert (failure.kind, failure.rule) == (Kind.PROTOCOL_VIOLATION, "CALL-01")


@pytest.mark.parametrize(
    "answer",
    [
        Result(1, {}),
        Result(1, {"resultType": "input_required"}),
        Result(1, {"resultType": ["complete"]}),
        Result(1, ["complete"]),
        ErrorReply(1, -32603, "complete", {"resultType": "complete"}),
        Malformed(Fault.WRONG_ID, "x", "", 1),
        Failure(kind=Kind.TOOK_TOO_LONG, detail="late", data={"resultType": "complete"}),
    ],
)
def test_only_a_result_that_says_so_is_complete_at_once(answer: Any) -> None:
    """Seed skill, hard rejects: the short way lets nothing through that the long one refuses."""
    assert complete_value(answer) is None


def test_what_is_complete_at_once_is_a_success_in_both_eras() -> None:
    """Ours: the short way and the long one give the same value."""
    answer = Result(1, {"resultType": "complete", "a": 1})
    assert complete_value(answer) == judged(answer) == judged(answer, Era.LEGACY)


def test_a_legacy_peer_owes_no_result_type() -> None:
    """Seed lesson: a missing `resultType` of a legacy server counts as complete."""
    assert judged(Result(1, {"a": 1}), Era.LEGACY) == {"a": 1}


def test_the_deviation_accepts_a_missing_but_never_an_unknown_result_type() -> None:
    """Design section 7.3."""
    assert judged(Result(1, {}), accept_missing_result_type=True) == {}
    failure = judged(Result(1, {"resultType": "x"}), accept_missing_result_type=True)
    assert failure.rule == "CALL-01"


def test_a_request_for_input_is_no_success() -> None:
    """Field case M05."""
    answer = Result(1, {"resultType": "input_required", "inputRequests": {"who": {}}})
    failure = judged(answer)
    assert (failure.rule, "who" in failure.detail) == ("CALL-05", True)


def test_an_error_answer_keeps_code_and_data() -> None:
    """Spec: basic/index, responses."""
    failure = judged(ErrorReply(1, -32602, "no \x1b[31m", {"a": 1}))
    assert (failure.kind, failure.code, failure.data) == (Kind.REFUSED, -32602, {"a": 1})
    assert "\x1b" not in failure.detail


@pytest.mark.parametrize("answer", [Result(1, []), Result(1, None)])
def test_a_result_that_is_no_object_is_a_violation(answer: Any) -> None:
    """Spec: schema Result."""
    assert judged(answer).rule == "CALL-02"


def test_a_broken_envelope_is_a_violation() -> None:
    """Field case S26: the request with that id ends at once."""
    broken = Malformed(Fault.RESULT_AND_ERROR, "both", "{}", 1)
    assert judged(broken).kind is Kind.PROTOCOL_VIOLATION


@pytest.mark.parametrize(
    "value", [{}, {"content": None}, {"content": [1]}, {"content": [], "isError": "no"}]
)
def test_a_tool_result_of_the_wrong_shape_is_a_violation(value: dict[str, Any]) -> None:
    """Spec: schema CallToolResult."""
    assert isinstance(tool_result(value, peer="p", tool="t"), Failure)


def test_a_tool_error_is_a_result_that_says_so() -> None:
    """Spec: server/tools, error handling."""
    value = {
        "content": [
            {"type": "text", "text": "a"},
            {"type": "image"},
            {"type": "text", "text": "b"},
        ],
        "isError": True,
        "structuredContent": {"n": 1},
    }
    result = tool_result(value, peer="p", tool="t")
    assert isinstance(result, ToolResult)
    assert (result.is_error, result.text, result.structured) == (True, "a\nb", {"n": 1})


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ({"requiredCapabilities": {"sampling": {}, "elicitation": {}}}, "elicitation, sampling"),
        ({"requiredCapabilities": {}}, "a capability"),
        ({"requiredCapabilities": ["sampling"]}, ""),
        (None, ""),
        ("sampling", ""),
    ],
)
def test_a_missing_capability_is_named(data: Any, hint: str) -> None:
    """Field case M04: the -32021 answer lists what is needed."""
    failure = judged(ErrorReply(1, -32021, "needs more", data))
    assert failure.kind is Kind.REFUSED
    assert bool(failure.hint) == bool(hint) and hint in failure.hint
    assert judged(ErrorReply(1, -32000, "no", data)).hint == ""
