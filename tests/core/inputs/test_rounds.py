"""One request and all its rounds, without a peer."""

from typing import Any

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.inputs import rounds
from workbench.core.inputs.inputs import InputPolicy
from workbench.core.inputs.rounds import Finish, Gather, Post, Rounds
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.message import ErrorReply, Result
from workbench.core.wire.versions import Era

PARAMS = {"name": "t", "arguments": {"q": "x"}}
FORM = {
    "method": "elicitation/create",
    "params": {
        "message": "?",
        "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
}


def start(**changes: Any) -> Rounds:
    settings: dict[str, Any] = {
        "peer": "p", "era": Era.MODERN, "params": PARAMS, "declared": {"elicitation": {}}
    }  # fmt: skip
    return Rounds(**{**settings, **changes})


def asking(**members: Any) -> Result:
    return Result(1, {"resultType": "input_required", **members})


def test_a_complete_answer_needs_no_round() -> None:
    """Spec: basic/index, result responses."""
    state = start()
    assert rounds.begin(state) == Post(PARAMS)
    state, step = rounds.take(state, Result(1, {"resultType": "complete", "content": []}))
    assert (step, state.round) == (Finish({"resultType": "complete", "content": []}), 0)


def test_the_retry_has_the_same_arguments_the_responses_and_the_state() -> None:
    """Spec: basic/patterns/mrtr, client requirements 1 and 2; seed card, step 4."""
    state, step = rounds.take(start(), asking(inputRequests={"sure": FORM}, requestState="s"))
    assert isinstance(step, Gather)
    assert [one.key for one in step.wanted] == ["sure"]
    response = {"action": "accept", "content": {"a": "b"}}
    assert rounds.give(state, {"sure": response}) == Post(
        {**PARAMS, "inputResponses": {"sure": response}, "requestState": "s"}
    )


@pytest.mark.parametrize(
    "state",
    ["", "  x ", "x" * 100_000, "\ud83d\ude00 \\ud83d", '{ "a" :1 }', "\u2028\x00\x7f", "null"],
)
def test_the_state_survives_the_wire_exactly(state: str) -> None:
    """Field case M03: echo byte for byte."""
    state = state.encode("utf-16", "surrogatepass").decode("utf-16")
    frame = encode({"jsonrpc": "2.0", "id": 1, "result": asking(requestState=state).result})
    answer = decode(frame)
    assert isinstance(answer, Result)
    _, step = rounds.take(start(), answer)
    assert isinstance(step, Post)
    assert step.params["requestState"] == state
    assert encode({"s": step.params["requestState"]}) == encode({"s": state})


def test_state_alone_is_sent_back_at_once_without_responses() -> None:
    """Spec: basic/patterns/mrtr: without inputRequests a client may retry immediately."""
    _, step = rounds.take(start(), asking(requestState=""))
    assert step == Post({**PARAMS, "requestState": ""})


def test_only_the_latest_state_is_sent_and_absent_stays_absent() -> None:
    """Field case M03; spec: a client must not include a state it was not given."""
    state, _ = rounds.take(start(), asking(inputRequests={"a": FORM}, requestState="one"))
    state, step = rounds.take(state, asking(inputRequests={"a": FORM}))
    assert isinstance(step, Gather)
    again = rounds.give(state, {"a": {"action": "decline"}})
    assert again == Post({**PARAMS, "inputResponses": {"a": {"action": "decline"}}})


@pytest.mark.parametrize("value", [1, None, True, {"a": 1}, ["s"], 1.5])
def test_a_state_that_is_no_string_is_a_violation(value: Any) -> None:
    """Field case M03; rule INPUT-02."""
    _, step = rounds.take(start(), asking(requestState=value, inputRequests={"a": FORM}))
    assert isinstance(step, Finish) and isinstance(step.value, Failure)
    assert (step.value.kind, step.value.rule) == (Kind.PROTOCOL_VIOLATION, "INPUT-02")


@pytest.mark.parametrize("members", [{}, {"inputRequests": {}}, {"content": []}])
def test_asking_for_nothing_is_a_violation(members: dict[str, Any]) -> None:
    """Field cases M01, M05; spec: at least one of inputRequests and requestState."""
    _, step = rounds.take(start(), asking(**members))
    assert isinstance(step, Finish) and isinstance(step.value, Failure)
    assert step.value.rule == "INPUT-01"


def test_an_empty_map_with_a_state_has_empty_responses() -> None:
    """Field case M01: `inputRequests: {}` with state asks for nothing and goes on."""
    state, step = rounds.take(start(), asking(inputRequests={}, requestState="s"))
    assert step == Gather(())
    assert rounds.give(state, {}) == Post({**PARAMS, "inputResponses": {}, "requestState": "s"})


@pytest.mark.parametrize("value", [None, [], "a", 7])
def test_requests_that_are_no_map_are_a_violation(value: Any) -> None:
    """Rule INPUT-04."""
    _, step = rounds.take(start(), asking(inputRequests=value, requestState="s"))
    assert isinstance(step, Finish) and isinstance(step.value, Failure)
    assert step.value.rule == "INPUT-04"


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_the_round_after_the_last_ends_the_call(limit: int) -> None:
    """Field case M01; rule INPUT-03."""
    state = start(policy=InputPolicy(max_rounds=limit))
    for _ in range(limit):
        state, step = rounds.take(state, asking(requestState="s"))
        assert isinstance(step, Post)
    state, step = rounds.take(state, asking(requestState="s"))
    assert isinstance(step, Finish) and isinstance(step.value, Failure)
    assert (step.value.kind, step.value.rule) == (Kind.INPUT_REFUSED, "INPUT-03")


def test_ten_rounds_are_the_default() -> None:
    """Design section 7.8."""
    assert InputPolicy().max_rounds == 10


def test_a_failure_of_the_handlers_ends_the_call() -> None:
    """Ours: nothing is sent for a round that was not answered whole."""
    failure = Failure(kind=Kind.CANCELLED, detail="no")
    assert rounds.give(start(), failure) == Finish(failure)


@pytest.mark.parametrize(
    "answer", [ErrorReply(1, -32602, "no"), Failure(kind=Kind.TOOK_TOO_LONG, detail="late")]
)
def test_an_error_or_a_lost_answer_ends_the_call(answer: Any) -> None:
    """Spec: basic/index, responses."""
    _, step = rounds.take(start(), answer)
    assert isinstance(step, Finish) and isinstance(step.value, Failure)


def test_a_legacy_peer_asks_by_requests_so_the_word_means_nothing_there() -> None:
    """Field case M05: `input_required` belongs to the modern era."""
    value = {"resultType": "input_required", "content": []}
    _, step = rounds.take(start(era=Era.LEGACY), Result(1, value))
    assert step == Finish(value)


def test_an_undeclared_kind_ends_the_call_before_anybody_is_asked() -> None:
    """Field case M04."""
    _, step = rounds.take(start(declared={}), asking(inputRequests={"a": FORM}))
    assert isinstance(step, Finish) and isinstance(step.value, Failure)
    assert step.value.rule == "CALL-05"


def test_no_message_shows_the_state() -> None:
    """Field case M03: never logged in full."""
    secret = "canary-4711"
    state, step = rounds.take(
        start(policy=InputPolicy(max_rounds=1)), asking(requestState=secret, inputRequests=[])
    )
    assert isinstance(step, Finish) and secret not in repr(step)
    for _ in range(2):
        state, step = rounds.take(state, asking(requestState=secret))
    assert isinstance(step, Finish) and secret not in repr(step)
