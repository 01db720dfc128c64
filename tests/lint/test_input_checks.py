"""Rules LINT-10 and LINT-11, one fault at a time."""

from typing import Any

import pytest
from told import DONE, Told

FORM = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {}},
    },
}
ASKS = {"resultType": "input_required", "inputRequests": {"sure": FORM}, "requestState": " s "}
CALL = {"name": "x", "arguments": {"q": 1}}
GIVEN = {"inputResponses": {"sure": {"action": "accept", "content": {}}}, "requestState": " s "}


def asked_back(result: Any = ASKS, method: str = "tools/call", **how: Any) -> Told:
    told = Told()
    params = CALL if method == "tools/call" else {}
    told.ask(1, method, params, declared=how.get("declared", {"elicitation": {}}))
    told.answer(1, result)
    return told


def test_a_round_that_is_right_is_fine() -> None:
    """Spec: basic/patterns/mrtr."""
    told = asked_back()
    told.ask(2, "tools/call", {**CALL, **GIVEN}, declared={"elicitation": {}})
    told.answer(2, DONE)
    assert told.found() == []


@pytest.mark.parametrize(
    "told",
    [
        asked_back({"resultType": "input_required"}),
        asked_back({**ASKS, "inputRequests": {"x": {"method": "mind/read", "params": {}}}}),
        asked_back(declared={}),
        asked_back(method="tools/list"),
    ],
    ids=["nothing", "unknown kind", "undeclared", "not to be continued"],
)
def test_a_question_nobody_can_answer_is_found(told: Told) -> None:
    """Rule LINT-10."""
    assert set(told.found()) >= {(2, "LINT-10")}
    assert {rule for _, rule in told.found()} <= {"LINT-10", "LINT-32"}


@pytest.mark.parametrize(
    "changes",
    [
        {"requestState": "s"},
        {"requestState": None},
        {"inputResponses": {}},
        {"inputResponses": {**GIVEN["inputResponses"], "more": {"action": "decline"}}},  # type: ignore[dict-item]
        {"arguments": {"q": 2}},
        {"name": "y"},
    ],
)
def test_a_continuation_that_is_not_exact_is_found(changes: dict[str, Any]) -> None:
    """Rule LINT-11."""
    params = {k: v for k, v in {**CALL, **GIVEN, **changes}.items() if v is not None}
    told = asked_back()
    told.ask(2, "tools/call", params, declared={"elicitation": {}})
    assert told.found() == [(3, "LINT-11")]


def test_a_state_may_be_all_there_is_and_each_round_is_continued_once() -> None:
    """Rule LINT-11."""
    told = asked_back({"resultType": "input_required", "requestState": "a"})
    told.ask(2, "tools/call", {**CALL, "requestState": "a"})
    told.answer(2, DONE)
    assert told.found() == []
    told.ask(3, "tools/call", {**CALL, "requestState": "a"})
    assert told.found() == [(5, "LINT-11")]
