"""Requests that need input: which rounds they have, and where a retry stands.

Takes:  a request, the rounds of what it asks for
Gives:  the result that asks for the next inputs, an error, or None when all are there
Never:  remembers a round: the state, or the answers themselves, say which one it is

Spec: 2026-07-28 basic/patterns/mrtr.
"""

from typing import Any, Final, TypeAlias

from msgspec import Struct

from fakes.eras.everything.sealed import digest, seal, unseal
from fakes.eras.session import Scene
from fakes.steps import Error
from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    INPUT_REQUIRED,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
)
from workbench.core.wire.message import Request

Inputs: TypeAlias = dict[str, dict[str, Any]]

NEEDS: Final = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""Kind of input -> the client capability it needs."""


class Rounds(Struct, frozen=True, kw_only=True):
    """What has to be asked, round by round."""

    asked: tuple[Inputs, ...]
    stateful: bool = False
    """Whether a retry must bring the state back."""
    whatever_fits: bool = False
    """Whether inputs the client cannot give are left out, instead of refused."""


def form(message: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """Build an elicitation whose fields are all required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def sample(text: str) -> dict[str, Any]:
    """Build a sampling request."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 400}}


NAME: Final = form("What is your name?", name={"type": "string"})
ROOTS: Final = {"method": "roots/list", "params": {}}

TOOLS: Final[dict[str, Rounds]] = {
    "test_streaming_elicitation": Rounds(asked=({"user_name": NAME},)),
    "test_input_required_result_elicitation": Rounds(asked=({"user_name": NAME},)),
    "test_input_required_result_sampling": Rounds(
        asked=({"capital_question": sample("What is the capital of France?")},)
    ),
    "test_input_required_result_list_roots": Rounds(asked=({"client_roots": ROOTS},)),
    "test_input_required_result_request_state": Rounds(
        asked=({"confirm": form("Go on?", ok={"type": "boolean"})},), stateful=True
    ),
    "test_input_required_result_multiple_inputs": Rounds(
        asked=({"user_name": NAME, "greeting": sample("Greet me."), "client_roots": ROOTS},),
        stateful=True,
    ),
    "test_input_required_result_multi_round": Rounds(
        asked=(
            {"step1": form("Step 1: what is your name?", name={"type": "string"})},
            {"step2": form("Step 2: which colour do you like?", color={"type": "string"})},
        ),
        stateful=True,
    ),
    "test_input_required_result_tampered_state": Rounds(
        asked=({"confirm": form("Go on?", ok={"type": "boolean"})},), stateful=True
    ),
    "test_input_required_result_capabilities": Rounds(
        asked=({"user_name": NAME, "greeting": sample("Greet me.")},), whatever_fits=True
    ),
}
"""Tools by name."""

PROMPT: Final = Rounds(
    asked=({"user_context": form("Which context?", context={"type": "string"})},)
)
"""The prompt that needs input."""


def next_round(rounds: Rounds, request: Request, scene: Scene) -> dict[str, Any] | Error | None:
    """Return the result that asks for more, an error, or None when nothing is missing."""
    answers = request.params.get("inputResponses", {})
    if not isinstance(answers, dict) or not all(isinstance(one, dict) for one in answers.values()):
        return Error(code=INVALID_PARAMS, message="inputResponses must be an object of objects")
    done = _done(rounds, request, scene)
    if done is None:
        return Error(code=INVALID_PARAMS, message="requestState is not valid for this request")
    proven = not rounds.stateful or "requestState" in request.params
    wanted = _possible(rounds, done, request)
    if isinstance(wanted, Error):
        return wanted
    if proven and set(wanted) <= set(answers):
        done += 1
        if done == len(rounds.asked):
            return None
        wanted = _possible(rounds, done, request)
        if isinstance(wanted, Error):
            return wanted
    result: dict[str, Any] = {"resultType": INPUT_REQUIRED, "inputRequests": wanted}
    if rounds.stateful:
        result["requestState"] = seal(scene, digest(request.method, request.params), done)
    return result


def _done(rounds: Rounds, request: Request, scene: Scene) -> int | None:
    """Return how many rounds are over, or None for a state that was not ours."""
    if "requestState" not in request.params:
        return 0
    asked = digest(request.method, request.params)
    done = unseal(scene, asked, request.params["requestState"]) if rounds.stateful else None
    return done if done is not None and done < len(rounds.asked) else None


def _possible(rounds: Rounds, done: int, request: Request) -> Inputs | Error:
    """Return the inputs of a round, or what the client would have to declare for them."""
    declared = request.params["_meta"][CAPABILITIES_KEY]
    asked = rounds.asked[done]
    possible = {key: one for key, one in asked.items() if NEEDS[one["method"]] in declared}
    if possible and (rounds.whatever_fits or len(possible) == len(asked)):
        return possible
    needed: dict[str, Any] = {
        NEEDS[one["method"]]: {} for key, one in asked.items() if key not in possible
    }
    return lacking(needed)


def lacking(needed: dict[str, Any]) -> Error:
    """Return the refusal of a client that cannot give what is needed."""
    data = {"requiredCapabilities": needed}
    text = "Missing required client capability"
    return Error(code=MISSING_CAPABILITY, message=text, data=data)
