"""One request and all its rounds: ask, be asked back, ask again.

Takes:  the answer to each request, and what the handlers gave
Gives:  `Post` (send this now), `Gather` (get these inputs), and at the end `Finish`
Never:  repeats an id, changes the arguments, or touches a `requestState`

::

    Post ──answer──> complete ─────────────────────────────> Finish
      ^              input_required
      │                 ├─ inputRequests ──> Gather ──given──┐
      │                 └─ state alone ──────────────────────┤
      └── same method and arguments, inputResponses, state ──┘

Spec: basic/patterns/mrtr; seed card "MRTR round for Sampling"; field cases M01, M03, M05.
The state in a value here is the peer's, in full; messages only ever say how long it is.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.call import Answer, success_value
from workbench.core.errors import Failure, Kind
from workbench.core.inputs.inputs import InputPolicy, Wanted, read_inputs
from workbench.core.rulebook.rules import RULES
from workbench.core.wire.keys import INPUT_REQUIRED
from workbench.core.wire.message import Result
from workbench.core.wire.versions import Era


class Rounds(Struct, frozen=True, kw_only=True):
    """A request in progress. Build one, then `begin`."""

    peer: str
    era: Era
    params: dict[str, Any]
    """Of the very first request, without protocol metadata."""
    declared: Mapping[str, Any] = {}
    """The client capabilities the requests declare."""
    policy: InputPolicy = InputPolicy()
    accept_missing_result_type: bool = False
    stage: str = "call"
    round: int = 0
    """How often the peer has asked back."""
    state: str | None = None
    """What the latest answer wants echoed; None when it had no `requestState`."""


class Post(Struct, frozen=True):
    """Send the request, with a new id, with these parameters."""

    params: dict[str, Any]


class Gather(Struct, frozen=True):
    """Get an answer to each of these, then `give`."""

    wanted: tuple[Wanted, ...]


class Finish(Struct, frozen=True):
    """It is over."""

    value: dict[str, Any] | Failure


Next: TypeAlias = Post | Gather | Finish


def begin(rounds: Rounds) -> Post:
    """Return the first request."""
    return Post(rounds.params)


def take(rounds: Rounds, answer: Answer | Failure) -> tuple[Rounds, Next]:
    """Take the answer to the latest request, or why there is none."""
    if type(answer) is Failure:
        return rounds, Finish(answer)
    if (
        rounds.era is Era.MODERN
        and type(answer) is Result
        and isinstance(answer.result, dict)
        and answer.result.get("resultType") == INPUT_REQUIRED
    ):
        return _asked_back(rounds, answer.result)
    value = success_value(
        answer,
        rounds.era,
        peer=rounds.peer,
        stage=rounds.stage,
        accept_missing_result_type=rounds.accept_missing_result_type,
    )
    return rounds, Finish(value)


def give(rounds: Rounds, responses: Mapping[str, Any] | Failure) -> Post | Finish:
    """Take what the handlers gave: one response for each key, or why the call ends."""
    if isinstance(responses, Failure):
        return Finish(responses)
    return _again(rounds, {"inputResponses": dict(responses)})


def _asked_back(rounds: Rounds, value: dict[str, Any]) -> tuple[Rounds, Next]:
    rounds = replace(rounds, round=rounds.round + 1, state=value.get("requestState"))
    fault = _fault(value)
    if fault is not None:
        return rounds, Finish(_failure(rounds, Kind.PROTOCOL_VIOLATION, *fault))
    if rounds.round > rounds.policy.max_rounds:
        detail = f"the peer asked for input more than {rounds.policy.max_rounds} times"
        return rounds, Finish(_failure(rounds, Kind.INPUT_REFUSED, "INPUT-03", detail))
    if "inputRequests" not in value:
        return rounds, _again(rounds, {})
    wanted = read_inputs(
        value["inputRequests"], peer=rounds.peer, declared=rounds.declared, policy=rounds.policy
    )
    return rounds, Finish(wanted) if isinstance(wanted, Failure) else Gather(wanted)


def _fault(value: dict[str, Any]) -> tuple[str, str] | None:
    if "inputRequests" in value and not isinstance(value["inputRequests"], dict):
        return "INPUT-04", "$.inputRequests is not an object"
    if "requestState" in value and not isinstance(value["requestState"], str):
        return "INPUT-02", f"$.requestState is a {type(value['requestState']).__name__}, no string"
    # An empty map asks for nothing, so it is none.
    if not value.get("inputRequests") and "requestState" not in value:
        return "INPUT-01", "the peer asks for input with neither inputRequests nor requestState"
    return None


def _again(rounds: Rounds, more: dict[str, Any]) -> Post:
    state = {} if rounds.state is None else {"requestState": rounds.state}
    return Post({**rounds.params, **more, **state})


def _failure(rounds: Rounds, kind: Kind, rule: str, detail: str) -> Failure:
    return Failure(
        kind=kind,
        peer=rounds.peer,
        stage=rounds.stage,
        rule=rule,
        detail=detail,
        hint=RULES[rule].hint,
    )
