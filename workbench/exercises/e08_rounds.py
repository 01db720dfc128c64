"""Exercise 8: a call that is asked back goes on, with the server's signed state untouched.

Source: spec: basic/patterns/mrtr; seed card, MRTR round; rules INPUT-01 to INPUT-05, LINT-11.
"""

import os
from collections.abc import Callable
from random import Random
from typing import Any, Final

from msgspec import Struct

from fakes import Fake, Rule, error, everything, modern, on, reply
from workbench.core.text.visible import visible
from workbench.core.wire.keys import CAPABILITIES_KEY, ELICIT, INPUT_REQUIRED, SAMPLE, TOOLS_CALL
from workbench.core.wire.message import ErrorReply, Incoming, Request, Result
from workbench.exercises import wire_checks
from workbench.exercises.exercise import (
    Call,
    Exercise,
    Finding,
    Function,
    Heard,
    Hints,
    Seen,
    ThePeer,
    Trial,
)

PEER: Final = "desk"
MOST_ROUNDS: Final = 10

HINTS: Final[dict[str, Hints]] = {
    "not-called": (
        "Which request runs a tool?",
        "tools/call has a name and arguments in its params.",
        "params = {'name': name, 'arguments': arguments}; peer.ask(modern_request(...))",
    ),
    "not-declared": (
        "How does the server know that it may ask your user?",
        "Every request of the call declares the capability elicitation, also the repeated ones.",
        "modern_request(number, 'tools/call', params, '2026-07-28', {'elicitation': {}})",
    ),
    "gave-up": (
        "Is a result with resultType input_required the end?",
        "It is a question: send the same request again, with the answers (rule LINT-11).",
        "while result['resultType'] == 'input_required': ask the user, send again.",
    ),
    "changed": (
        "Is it still the same request?",
        "The repeated request has the same method, name and arguments as the first (LINT-11).",
        "params = {'name': name, 'arguments': arguments, 'inputResponses': responses}",
    ),
    "no-state": (
        "What did the server hand you to keep for it?",
        "requestState goes back with the next request, whenever there was one (rule INPUT-02).",
        "if 'requestState' in result: params['requestState'] = result['requestState']",
    ),
    "state-changed": (
        "Is every character of the state as it was?",
        "The state is signed: it is opaque to you and goes back exactly (rule INPUT-02).",
        "params['requestState'] = result['requestState']: no strip, no decoding, no str().",
    ),
    "old-state": (
        "Which of the server's answers is the latest?",
        "Only the latest answer's state counts; none there, none back (rule INPUT-02).",
        "Build new params in each round, and take the state from the answer before it.",
    ),
    "responses": (
        "Did every question get an answer, under its own key?",
        "inputResponses has the keys of the latest inputRequests, and no others (rule LINT-11).",
        "responses = {key: ask_user(one) for key, one in result['inputRequests'].items()}",
    ),
    "wrong-response": (
        "Whose words are these?",
        "What ask_user returns is the response, whole; also when the user declines (INPUT-05).",
        "responses[key] = ask_user(question), without unpacking it.",
    ),
    "empty": (
        "What did the server ask for?",
        "Neither inputRequests nor requestState: that is a broken answer (rule INPUT-01).",
        "Return None or raise Unavailable, before you send anything again.",
    ),
    "undeclared": (
        "May the server ask for this?",
        "You declared elicitation only: nothing of such a round is answered (rule INPUT-04).",
        "if any(one['method'] != 'elicitation/create' for one in wanted.values()): give up.",
    ),
    "for-ever": (
        "How often may a server ask?",
        "After ten rounds the call ends, whatever the server wants (rule INPUT-03).",
        "for _ in range(11): send; return when it is complete. After the loop: raise Unavailable.",
    ),
    "after-error": (
        "What did the server say last?",
        "An answer that is an error, or complete, ends the call; nothing is sent again.",
        "if 'error' in answer: raise Unavailable(answer['error']['message'])",
    ),
    "not-refused": (
        "What came out of a call that has no result?",
        "Such a call ends in None, or in Unavailable.",
        "Raise Unavailable('why'), and do not return what the server said last.",
    ),
    "wrong-result": (
        "Which result is the last one?",
        "The call gives the complete result, that is the object under result.",
        "return answer['result'], once its resultType is complete.",
    ),
}


class Right(Struct, frozen=True):
    """What a trial must end in, and what the user says."""

    user: Callable[[Any], Any]
    refused: str = ""
    """The mistake of who sends again after the answer that ends it; "" if there is a result."""


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make servers that ask, sign, forget, and ask too much."""
    word, nights = chance.choice(["Porto", "Oslo", "Lima"]), chance.randint(2, 60)
    arguments = {"city": word, "nights": nights}
    says = _accepting(chance.choice(["Ada", "Grace", "Edsger"]) + f" {nights}")
    state = f" {word}/é+=?\\u0041 \u2028“{nights}” "
    first, second = on(TOOLS_CALL).nth(1).then, on(TOOLS_CALL).nth(2).then
    name, colour = _question("Your name?", "name"), _question("Which colour?", "colour")
    sampling = {"method": SAMPLE, "params": {"messages": [], "maxTokens": 10}}
    signed = "test_input_required_result_request_state"

    def trial(about: str, *rules: Rule, refused: str = "") -> Trial:
        fake = modern(PEER, tools=["book"]).script(*rules)
        return _trial(about, fake, "book", arguments, Right(says, refused))

    def round_(**members: Any) -> Any:
        return reply({"resultType": INPUT_REQUIRED, **members})

    return (
        trial("a call that is complete at once"),
        _trial(
            "one question, with a signed state", everything(PEER), signed, arguments, Right(says)
        ),
        _trial(
            "two rounds, each with a signed state",
            everything(PEER),
            "test_input_required_result_multi_round",
            arguments,
            Right(says),
        ),
        _trial("a user who declines", everything(PEER), signed, arguments, Right(_declining)),
        trial(
            "two questions at once, and no state",
            first(round_(inputRequests={"who": name, "what": colour})),
        ),
        trial("a state and no question", first(round_(requestState=state))),
        trial(
            "a state in the first round only",
            first(round_(inputRequests={"who": name}, requestState=state)),
            second(round_(inputRequests={"what": colour})),
        ),
        trial("a question that asks for nothing", first(round_()), refused="empty"),
        trial(
            "a question of an unknown kind",
            first(round_(inputRequests={"who": {"method": "desk/fax", "params": {}}})),
            refused="undeclared",
        ),
        trial(
            "a question to your model, next to one to your user",
            first(round_(inputRequests={"who": name, "model": sampling}, requestState=state)),
            refused="undeclared",
        ),
        trial(
            "a server that asks for ever",
            on(TOOLS_CALL).then(round_(inputRequests={"who": name}, requestState=state)),
            refused="for-ever",
        ),
        trial(
            "a state that has expired meanwhile",
            first(round_(inputRequests={"who": name}, requestState=state)),
            second(error(-32602, "requestState has expired")),
            refused="after-error",
        ),
    )


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Hold each request against the answer before it; then look at what came out."""
    right: Right = trial.right
    calls = seen.frames(TOOLS_CALL)
    answers = _answers(seen)
    found = wire_checks.envelope(seen.heard, "LINT-11")
    if found is not None:
        return found
    if not calls:
        bad = wire_checks.crashed(seen.outcomes)
        return bad or Finding(key="not-called", seen="The tool was not called.")
    before: list[Any] = []
    for place, call in enumerate(calls):
        found = _first(trial, call) or (
            _again(right, calls[place - 1], call, answers, before) if place else None
        )
        if found is not None:
            return found
        before.append(call.params.get("requestState"))
    return _ended(right, calls[-1], seen, answers)


def _first(trial: Trial, call: Heard) -> Finding | None:
    """Check what every request of the call has to have."""
    (given,) = trial.calls
    _, name, arguments, _ = given.args
    if (call.params.get("name"), call.params.get("arguments")) != (name, arguments):
        said = "The request does not have the name and the arguments of the call."
        return Finding(key="changed", rule="LINT-11", seen=said, frame=call.frame)
    if "elicitation" not in call.params["_meta"][CAPABILITIES_KEY]:
        said = "The request does not declare elicitation."
        return Finding(key="not-declared", rule="CALL-05", seen=said, frame=call.frame)
    return None


def _again(
    right: Right, last: Heard, call: Heard, answers: dict[str, Incoming], before: list[Any]
) -> Finding | None:
    answer = answers.get(_id(last))
    result = answer.result if isinstance(answer, Result) else None
    if not isinstance(result, dict) or result.get("resultType") != INPUT_REQUIRED:
        said = "The call was over, and the request was sent again."
        return Finding(key="after-error", rule="LINT-11", seen=said, frame=call.frame)
    if right.refused in ("empty", "undeclared"):
        rule = "INPUT-01" if right.refused == "empty" else "INPUT-04"
        said = "The server may not ask this, and the request was sent again."
        return Finding(key=right.refused, rule=rule, seen=said, frame=call.frame)
    if len(before) > MOST_ROUNDS:
        said = f"The request was sent again after {MOST_ROUNDS} rounds."
        return Finding(key="for-ever", rule="INPUT-03", seen=said, frame=call.frame)
    return _state(result, call, before) or _responses(right, result, call)


def _state(result: dict[str, Any], call: Heard, before: list[Any]) -> Finding | None:
    wanted, given = result.get("requestState"), call.params.get("requestState")
    if given == wanted:
        return None
    if given is None:
        key, said = "no-state", "The server's state did not go back."
    elif given in before or wanted is None:
        key, said = "old-state", "A state went back that the latest answer does not have."
    else:
        key, said = "state-changed", f"The state was changed: {_difference(wanted, given)}."
    return Finding(key=key, rule="INPUT-02", seen=said, frame=call.frame)


def _difference(came: Any, went: Any) -> str:
    """Show the two from the first character in which they differ."""
    at = 0
    if isinstance(came, str) and isinstance(went, str):
        at = len(os.path.commonprefix([came, went]))
        came, went = came[at:], went[at:]
    return f"from character {at} on {_short(came)} came, and {_short(went)} went back"


def _short(value: Any) -> str:
    return visible(repr(value), 60)


def _responses(right: Right, result: dict[str, Any], call: Heard) -> Finding | None:
    questions = result.get("inputRequests", {})
    given = call.params.get("inputResponses", {})
    if not isinstance(given, dict) or set(given) != set(questions):
        asked, got = sorted(questions), sorted(given) if isinstance(given, dict) else given
        said = f"The server asked for {asked}, and inputResponses has {visible(repr(got), 90)}."
        return Finding(key="responses", rule="LINT-11", seen=said, frame=call.frame)
    for key, question in questions.items():
        if given[key] != right.user(question):
            said = f"The response to {key} is not what the user said."
            return Finding(key="wrong-response", rule="INPUT-05", seen=said, frame=call.frame)
    return None


def _ended(right: Right, last: Heard, seen: Seen, answers: dict[str, Incoming]) -> Finding | None:
    answer = answers.get(_id(last))
    bad = wire_checks.crashed(seen.outcomes)
    if bad is not None:
        return bad
    shown = seen.last.error or visible(repr(seen.last.value), 120)
    if right.refused:
        if wire_checks.unavailable(seen.last):
            return None
        return Finding(key="not-refused", seen=f"The call has no result, and {shown} came out.")
    result = answer.result if isinstance(answer, Result) else None
    if isinstance(result, dict) and result.get("resultType") == INPUT_REQUIRED:
        said = f"The server asked, and the call ended in {shown}."
        return Finding(key="gave-up", rule="LINT-11", seen=said, frame=last.frame)
    if seen.last.value != result:
        said = f"The call ended in {shown}, and not in the server's result."
        return Finding(key="wrong-result", seen=said, frame=last.frame)
    return None


def _answers(seen: Seen) -> dict[str, Incoming]:
    return {repr(one.id): one for _, one in seen.said() if isinstance(one, Result | ErrorReply)}


def _id(call: Heard) -> str:
    return repr(call.message.id) if isinstance(call.message, Request) else ""


def _accepting(name: str) -> Callable[[Any], Any]:
    def user(question: Any) -> Any:
        fields = question["params"].get("requestedSchema", {}).get("properties", {})
        values = {key: name if one.get("type") == "string" else True for key, one in fields.items()}
        return {"action": "accept", "content": values}

    return user


def _declining(question: Any) -> Any:
    return {"action": "decline"}


def _question(message: str, field: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {field: {"type": "string"}}}
    return {"method": ELICIT, "params": {"message": message, "requestedSchema": schema}}


def _trial(about: str, fake: Fake, tool: str, arguments: dict[str, Any], right: Right) -> Trial:
    call = Call(args=(ThePeer(PEER), tool, arguments, Function("ask_user")))
    functions = {"ask_user": right.user}
    return Trial(
        name=about, about=about, peers={PEER: fake}, calls=(call,), functions=functions, right=right
    )


EXERCISE: Final = Exercise(
    number=8,
    name="rounds",
    title="A call that is asked back",
    answer="call_tool",
    task="Call a tool that asks your user first, and hand back the server's signed state.",
    rules=("CALL-05", "INPUT-01", "INPUT-02", "INPUT-03", "INPUT-04", "INPUT-05", "LINT-11"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
