"""Exercise 6: a loop that answers every line, and that no line can end.

Source: seed card, serve JSON-RPC lines until EOF; spec: basic/index, messages;
basic/transports/stdio; rules LINT-01 to LINT-03.
"""

import json
from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.exercises import wire_checks
from workbench.exercises.exercise import Exercise, Finding, Hints, Seen, Trial
from workbench.exercises.loop_lines import LONGEST, Right, Wanted, trials

HINTS: Final[dict[str, Hints]] = {
    "no-answer": (
        "Who waits for what you have not written?",
        "Every request, that is every message with an id, gets one answer line (rule LINT-03).",
        "After handler(...): stdout.write(json.dumps(answer).encode() + b'\\n'), for each line.",
    ),
    "not-a-line": (
        "Where does your answer end, for somebody who reads lines?",
        "An answer is one JSON object on one line, in UTF-8, with a line feed at its end.",
        "stdout.write(json.dumps(answer).encode() + b'\\n'); json.dumps without indent.",
    ),
    "envelope": (
        "Which members does every answer have?",
        'It has "jsonrpc": "2.0", an id, and either result or error, never both (rule LINT-01).',
        "{'jsonrpc': '2.0', 'id': id, 'error': {'code': -32601, 'message': 'Method not found'}}",
    ),
    "wrong-id": (
        "Will the client find its question again?",
        "The id goes back as it came, of the same type; null where none could be read (LINT-02).",
        "answer = {'jsonrpc': '2.0', 'id': message['id'], ...}: no str(), no counting.",
    ),
    "notification": (
        "Who asked for this answer?",
        "A message without an id is a notification: handle it, and write nothing (rule LINT-03).",
        "if 'id' not in message: call the handler, whatever comes of it, and go on.",
    ),
    "blank": (
        "What did the empty line ask?",
        "A line of nothing but white space is no message; pass it over.",
        "if not line.strip(): continue",
    ),
    "stopped": (
        "One line was bad. And the next one?",
        "No line and no failure of the handler ends the loop; only the end of the input does.",
        "Put try and except inside the loop; json.loads can raise RecursionError as well.",
    ),
    "no-parse-error": (
        "What do you answer when you cannot read a line?",
        "A line that is no JSON in UTF-8 is answered with -32700 and the id null.",
        "except (ValueError, RecursionError): write the error -32700 with 'id': None.",
    ),
    "not-invalid": (
        "It is JSON. Is it a request?",
        "JSON that is no valid message is answered with -32600; a list of messages, too (LINT-01).",
        "Check dict, jsonrpc == '2.0', method a str, params a dict, id a str or int (no bool).",
    ),
    "unknown-method": (
        "What did the handler say about this method?",
        "None from the handler means that there is no such method: -32601.",
        "if result is None: error = {'code': -32601, 'message': 'Method not found'}",
    ),
    "no-internal": (
        "Your handler broke. What does the client hear?",
        "A handler that raises is answered with -32603, under the id of the request.",
        "except Exception: error = {'code': -32603, 'message': 'Internal error'}",
    ),
    "leaked": (
        "What does the client learn about your insides?",
        "The text of an exception may hold a path or a password; it stays with you.",
        "Write a fixed message, 'Internal error', without str(error).",
    ),
    "wrong-result": (
        "What did the handler return for this request?",
        "handler(method, params) gives the result; params is {} where the message has none.",
        "result = handler(message['method'], message.get('params', {}))",
    ),
    "not-handed": (
        "Did the handler hear of it?",
        "A notification is handed to the handler as well; only the answer is left out.",
        "Call handler(method, params) before you ask whether there is an id.",
    ),
    "too-long": (
        "How long may a line be?",
        f"A line of more than {LONGEST} bytes is answered with -32700, and the next one is read.",
        "if len(line) > 1_048_576: write the error -32700 with 'id': None, and continue.",
    ),
    "split": (
        "Which characters end a line here?",
        "A line feed alone ends a line; U+2028 or a form feed inside a text does not.",
        "Read bytes: for line in stdin. str.splitlines() splits at too many characters.",
    ),
}


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Read what was written line by line; then look at how the loop ended."""
    right: Right = trial.right
    lines = seen.last.written.split(b"\n")
    answers: list[dict[str, Any]] = []
    for line in lines[:-1]:
        answer = _read(line)
        if not isinstance(answer, dict):
            return Finding(key="not-a-line", rule="LINT-01", seen=_shown(line), frame=line)
        answers.append(answer)
    if lines[-1]:
        said = "What was written last does not end in a line feed."
        return Finding(key="not-a-line", rule="LINT-01", seen=said, frame=lines[-1])
    return (
        _envelopes(answers)
        or _secret(right, seen)
        or _answers(right, answers, seen)
        or wire_checks.crashed(seen.outcomes, ())
        or _handed(right, seen)
    )


def _read(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def _shown(line: bytes) -> str:
    return f"A line that was written is no JSON object: {visible(repr(line), 80)}."


def _envelopes(answers: list[dict[str, Any]]) -> Finding | None:
    for one in answers:
        error = one.get("error")
        sound = error is None or (
            isinstance(error, dict)
            and type(error.get("code")) is int
            and isinstance(error.get("message"), str)
        )
        # An "error": null beside a result is an old habit, and still a broken envelope.
        if one.get("jsonrpc") != "2.0" or ("result" in one) == ("error" in one) or not sound:
            said = "An answer is not jsonrpc 2.0 with either a result or a whole error."
            return Finding(key="envelope", rule="LINT-01", seen=said, frame=_frame(one))
        if "id" not in one:
            said = "An answer has no id."
            return Finding(key="wrong-id", rule="LINT-02", seen=said, frame=_frame(one))
    return None


def _answers(right: Right, answers: list[dict[str, Any]], seen: Seen) -> Finding | None:
    left = list(answers)
    for place, wanted in enumerate(right.wanted):
        found = next((one for one in left if _fits(wanted, one)), None)
        if found is not None:
            left.remove(found)
            continue
        return _missed(right, wanted, place, left, seen)
    if left:
        said = f"{len(right.wanted)} answers were due, and {len(answers)} were written."
        rule = "LINT-03" if right.extra == "notification" else "LINT-01"
        return Finding(key=right.extra, rule=rule, seen=said, frame=_frame(left[0]))
    return None


def _missed(
    right: Right, wanted: Wanted, place: int, left: list[dict[str, Any]], seen: Seen
) -> Finding:
    under = [one for one in left if any(_same(one["id"], mine) for mine in wanted.ids)]
    asked = visible(json.dumps(wanted.ids[0]), 40)
    silent = not seen.last.written and seen.last.ended != "raised"
    if right.bad and not silent and (not left or seen.last.ended == "raised"):
        how = f" It ended in {seen.last.error}: {seen.last.text}." if seen.last.error else ""
        said = f"Only {place + len(left)} of {len(right.wanted)} answers were written.{how}"
        return Finding(key="stopped", rule="LINT-03", seen=said)
    if not left:
        bad = wire_checks.crashed(seen.outcomes, ())
        said = f"Nobody answered the request with the id {asked}."
        return bad or Finding(key=_key(wanted, "no-answer"), rule="LINT-03", seen=said)
    due = "a result" if wanted.code is None else f"error {wanted.code}"
    one = under[0] if under else left[0]
    told = one.get("error", {}).get("code", "a result") if "error" in one else "a result"
    said = f"Due was {due} under the id {asked}; written was {told} under {_id(one)}."
    alone = not under and _fits(wanted, {**one, "id": wanted.ids[0]})
    key = "wrong-id" if alone else _key(wanted, "wrong-result" if wanted.code is None else "")
    return Finding(key=key, rule=_RULES.get(key), seen=said, frame=_frame(one))


_RULES: Final = {
    "wrong-id": "LINT-02",
    "not-invalid": "LINT-01",
    "no-parse-error": "LINT-01",
    "too-long": "LINT-01",
    "split": "LINT-01",
}


def _key(wanted: Wanted, otherwise: str) -> str:
    return otherwise if otherwise and wanted.miss in ("no-answer", "wrong-id") else wanted.miss


def _fits(wanted: Wanted, answer: dict[str, Any]) -> bool:
    if not any(_same(answer["id"], mine) for mine in wanted.ids):
        return False
    if wanted.code is None:
        return "result" in answer and answer["result"] == wanted.result
    return "error" in answer and answer["error"]["code"] == wanted.code


def _same(mine: Any, theirs: Any) -> bool:
    return type(mine) is type(theirs) and bool(mine == theirs)


def _secret(right: Right, seen: Seen) -> Finding | None:
    if not right.secret or right.secret.encode() not in seen.last.written:
        return None
    line = next(one for one in seen.last.written.split(b"\n") if right.secret.encode() in one)
    said = "The text of the handler's error was sent to the client."
    return Finding(key="leaked", seen=said, frame=line)


def _handed(right: Right, seen: Seen) -> Finding | None:
    given = [args for name, args in seen.invoked if name == "handler"]
    for method, params in right.handed:
        if (method, params) not in [tuple(args) for args in given]:
            said = f"The handler was not called with {method} and {visible(repr(params), 60)}."
            return Finding(key="not-handed", seen=said)
    return None


def _id(answer: dict[str, Any]) -> str:
    return visible(json.dumps(answer["id"]), 40)


def _frame(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode()


EXERCISE: Final = Exercise(
    number=6,
    name="stdio-loop",
    title="A loop that nothing ends",
    answer="serve",
    task="Answer JSON-RPC requests line by line, and let no line end the loop.",
    rules=("LINT-01", "LINT-02", "LINT-03"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
