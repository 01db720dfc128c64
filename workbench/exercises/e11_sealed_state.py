"""Exercise 11: the server's side of a round: a state nobody can forge, and nothing remembered.

Source: spec: basic/patterns/mrtr, server requirements; seed card, MRTR round (HMAC,
principal, digest of the arguments, expiry of 300 s); rules INPUT-02, LINT-10, LINT-11.
"""

import json
from base64 import b64encode, urlsafe_b64encode
from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.core.wire.keys import COMPLETE, ELICIT, INPUT_REQUIRED, INVALID_PARAMS
from workbench.exercises import wire_checks
from workbench.exercises.exercise import Exercise, Finding, Hints, Outcome, Seen, Trial
from workbench.exercises.state_scripts import Right, Step, trials

HINTS: Final[dict[str, Hints]] = {
    "no-answer": (
        "Which request has no answer yet?",
        "Every request that take() gives is answered by one give(), until take() gives None.",
        "while (request := take()) is not None: give(answer(request))",
    ),
    "no-question": (
        "What does the first round bring?",
        "input_required, inputRequests with an elicitation/create, requestState as text (LINT-10).",
        "give({'result': {'resultType': 'input_required', 'inputRequests': {...}, ...}})",
    ),
    "leaks": (
        "Who can read the state?",
        "The client holds it in its hands: the secret must not be in there, in no form.",
        "hmac.new(secret, body, 'sha256').hexdigest() needs the secret and does not show it.",
    ),
    "unsigned": (
        "Could somebody have made this state who does not know the secret?",
        "The state carries a signature over all it says, made with the secret (rule INPUT-02).",
        "signature = hmac.new(secret, body, 'sha256').hexdigest(); compare it before you trust.",
    ),
    "tampered": (
        "Is this the state you handed out?",
        "A state that was changed or cut short in any place is refused with -32602 (INPUT-02).",
        "if not hmac.compare_digest(signature, expected): give an error",
    ),
    "expiry-unsigned": (
        "Who decides how long a state lives?",
        "The time stands under the signature, like all the rest; else the client moves it.",
        "body = json.dumps([who, digest, expires_at]); sign the body as a whole.",
    ),
    "expired": (
        "How old is this state?",
        "A state lives for 300 seconds after it was handed out; now_s is the time.",
        "Put now_s + 300 into the signed body; refuse when now_s is beyond it.",
    ),
    "too-early": (
        "Was it really too old?",
        "Within its 300 seconds a state is good; now_s of the request is the only clock.",
        "Compare request['now_s'] with the time in the state; do not ask time.time().",
    ),
    "other-person": (
        "Who was asked, and who answers?",
        "A state belongs to the one it was made for; who stands in every request.",
        "Put request['who'] into the signed body, and compare it when the state comes back.",
    ),
    "other-request": (
        "What did the user agree to?",
        "The tool and the arguments are those of the first round, or it is refused (LINT-11).",
        "Put a digest of name and arguments into the signed body, and compare it.",
    ),
    "order": (
        "Are these other arguments?",
        "An object is the same, in whatever order its members come.",
        "json.dumps(arguments, sort_keys=True) before you make a digest.",
    ),
    "remembers": (
        "Where was this process when the first round took place?",
        "A server is restarted, or is one of many: what it needs comes with the state.",
        "Keep nothing between two requests; make the key from secret alone.",
    ),
    "refused-valid": (
        "What was wrong with this state?",
        "A state that comes back as it was, for the same request and person, completes the call.",
        "give({'result': {'resultType': 'complete', 'content': [...]}})",
    ),
    "wrong-code": (
        "How does a server say that it does not take a parameter?",
        "A bad requestState is answered with error -32602, and not with another question.",
        "give({'error': {'code': -32602, 'message': 'requestState is not valid'}})",
    ),
    "broke": (
        "What can come back instead of your state?",
        "Anything at all: an empty text, a number, letters of other alphabets.",
        "Put reading the state into try, and let every failure mean: not valid.",
    ),
}

_RULES: Final = {
    "unsigned": "INPUT-02",
    "tampered": "INPUT-02",
    "expiry-unsigned": "INPUT-02",
    "other-request": "LINT-11",
    "order": "LINT-11",
}


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Hold each answer against the request it was given for."""
    right: Right = trial.right
    given = [args for name, args in seen.invoked if name == "give"]
    for place, step in enumerate(right.steps):
        if place >= len(given) or len(given[place]) != 1:
            return _missing(step, place, seen)
        answer = given[place][0]
        wrong = _first(right, answer) if step.of is None else _again(step, answer)
        if wrong is not None:
            return wrong
    if len(given) > len(right.steps):
        said = f"{len(right.steps)} requests came, and {len(given)} answers were given."
        return Finding(key="no-answer", seen=said)
    return wire_checks.crashed(seen.outcomes, ())


def _missing(step: Step, place: int, seen: Seen) -> Finding:
    outcome: Outcome = seen.last
    if outcome.ended == "raised" and step.of is not None and not step.good:
        said = f"Your code ended in {outcome.error} over {step.about}."
        return Finding(key="broke", rule="INPUT-02", seen=said)
    bad = wire_checks.crashed(seen.outcomes, ())
    said = f"Request {place + 1}, {step.about}, was not answered."
    return bad or Finding(key="no-answer", seen=said)


def _first(right: Right, answer: Any) -> Finding | None:
    result = answer.get("result") if isinstance(answer, dict) else None
    result = result if isinstance(result, dict) else {}
    wanted, state = result.get("inputRequests"), result.get("requestState")
    asks = isinstance(wanted, dict) and any(
        isinstance(one, dict) and one.get("method") == ELICIT for one in wanted.values()
    )
    if result.get("resultType") != INPUT_REQUIRED or not asks or not isinstance(state, str):
        said = f"The first round was answered with {_shown(answer)}."
        return Finding(key="no-question", rule="LINT-10", seen=said, frame=_frame(answer))
    secret = right.secret
    forms = (b64encode(secret), urlsafe_b64encode(secret), secret.hex().encode(), secret)
    if any(one.rstrip(b"=") in state.encode("utf-8", "replace") for one in forms):
        said = "The secret stands in the state."
        return Finding(key="leaks", seen=said, frame=_frame(answer))
    return None


def _again(step: Step, answer: Any) -> Finding | None:
    body = answer if isinstance(answer, dict) else {}
    result, error = body.get("result"), body.get("error")
    done = isinstance(result, dict) and result.get("resultType") == COMPLETE
    if step.good:
        if done and "error" not in body:
            return None
        said = f"It was to be completed: {step.about}; the answer is {_shown(answer)}."
        return _finding(step.miss or "refused-valid", said, answer)
    if done:
        return _finding(step.miss, f"It was completed: {step.about}.", answer)
    if isinstance(error, dict) and error.get("code") == INVALID_PARAMS and "result" not in body:
        return None
    said = f"It was to be refused with -32602: {step.about}; the answer is {_shown(answer)}."
    return _finding("wrong-code", said, answer)


def _finding(key: str, said: str, answer: Any) -> Finding:
    return Finding(key=key, rule=_RULES.get(key), seen=said, frame=_frame(answer))


def _shown(value: Any) -> str:
    return visible(repr(value), 160)


def _frame(answer: Any) -> bytes:
    # What was given may hold bytes, which have no JSON form.
    return json.dumps(answer, default=repr).encode("utf-8", "replace")


EXERCISE: Final = Exercise(
    number=11,
    name="sealed-state",
    title="A state nobody can forge",
    answer="serve",
    task="Answer in rounds without remembering anything: hand out a signed state and check it.",
    rules=("INPUT-02", "LINT-10", "LINT-11"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
