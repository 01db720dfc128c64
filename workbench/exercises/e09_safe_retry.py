"""Exercise 9: after a loss, what may be sent again, and what is left open.

Source: seed skill, refusal rules and recovery; spec: basic/transports, requests in flight;
rules RETRY-01, RETRY-02.
"""

from random import Random
from typing import Any, Final

from msgspec import Struct

from fakes import (
    Fake,
    Rule,
    answer_default,
    close,
    effect,
    error,
    modern,
    notify,
    on,
    reply,
    silence,
)
from workbench.core.text.visible import visible
from workbench.core.wire.keys import DISCOVER, RESOURCES_READ, TOOLS_CALL, TOOLS_LIST
from workbench.core.wire.message import Request
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

DONE: Final = "done"
FAILED: Final = "failed"
UNKNOWN: Final = "unknown"
MOST: Final = 3
"""Times one request may be sent."""
STRAY: Final = "an answer to somebody else, and then the end"

HINTS: Final[dict[str, Hints]] = {
    "not-sent": (
        "Has the peer ever seen the request?",
        "Send the method with the params you were given, once, before anything can be lost.",
        "peer.send(modern_request(number, method, params, '2026-07-28', {}))",
    ),
    "changed": (
        "Is this the request you were given?",
        "Method and params go out as they came, the first time and each time after.",
        "Build every message from the same method and params; only the id is new.",
    ),
    "answered": (
        "The peer has answered. What is left to do?",
        "An answer is an answer, an error too, and even when the connection ends right after it.",
        "Return as soon as a message with the id of your request has arrived.",
    ),
    "repeated": (
        "What if the tool did run before the connection broke?",
        "A call that may have run is not repeated without a key or the user's word (RETRY-01).",
        "if not (method in READS or key or ask_user(method)): return 'unknown'",
    ),
    "by-name": (
        "What makes a request a read: its method, or what a tool calls itself?",
        "tools/call is never a read, whatever the tool's name promises (rule RETRY-01).",
        "READS holds methods; compare method with it, and do not look into params.",
    ),
    "empty-key": (
        "Does an empty text say anything?",
        "Only a key that is there and not empty is the caller's word (rule RETRY-01).",
        "if key: and not: if key is not None:",
    ),
    "not-asked": (
        "Who may decide that this is sent again?",
        "With no read and no key, the user decides; ask once for each loss (rule RETRY-01).",
        "agreed = ask_user(method), after the loss, when nothing else allows to repeat.",
    ),
    "asked-needlessly": (
        "Was there anything to decide for the user?",
        "What never left, a read, or a call with a key is sent again without a question.",
        "repeat = unsent or method in READS or bool(key) or ask_user(method), in this order.",
    ),
    "user-ignored": (
        "What did the user say?",
        "The user's yes is enough to send the call once more, with a new id (rule RETRY-01).",
        "if ask_user(method): peer.reopen(), and send again.",
    ),
    "key-ignored": (
        "What does the key stand for?",
        "With a key the caller says: sending this twice does no harm (rule RETRY-01).",
        "if key: peer.reopen(), and send again.",
    ),
    "read-lost": (
        "Can reading twice do any harm?",
        "A read is safe: after a loss it is sent again by itself (rule RETRY-02).",
        "if method in READS: peer.reopen(), and send again.",
    ),
    "never-left": (
        "Can a request have run that never left your side?",
        "If send() raises PeerGone, nothing was sent: anything may be tried again (RETRY-02).",
        "except PeerGone around send alone: peer.reopen(), and send again without asking.",
    ),
    "too-often": (
        "How often do you want to knock?",
        f"One request goes out {MOST} times at most, whatever the reason.",
        f"for attempt in range({MOST}): ... and after the loop: return 'unknown'",
    ),
    "stray": (
        "Whose answer is this?",
        "An answer counts only under the id of your own request (rule LINT-02).",
        "Go on receiving until answer.get('id') == message['id'], or nothing comes any more.",
    ),
    "not-unknown": (
        "Do you know what became of it?",
        "Lost and not repeated: it may have run or not. That is unknown (rule RETRY-01).",
        "return 'unknown', not 'failed', when no answer has come.",
    ),
    "not-failed": (
        "What did the answer say?",
        "An error, and a result with isError true, mean that the call has failed.",
        "if 'error' in answer or answer['result'].get('isError'): return 'failed'",
    ),
    "wrong-word": (
        "In which of the three ways did it end?",
        "Return one word: done, failed or unknown. A result that is no error means done.",
        "return 'done', when an answer with a result has come under your id.",
    ),
}

_WHY: Final = {
    "key": ("key-ignored", "RETRY-01"),
    "yes": ("user-ignored", "RETRY-01"),
    "read": ("read-lost", "RETRY-02"),
    "unsent": ("never-left", "RETRY-02"),
}
"""Reason for a repetition -> the mistake of who leaves it out."""


class Right(Struct, frozen=True, kw_only=True):
    """How the last call of a trial has to go."""

    words: tuple[str, ...]
    """What it may return."""
    least: int = 1
    most: int = 1
    """How often it is sent."""
    why: str = ""
    """What allows to repeat it, see `_WHY`."""
    miss: str = "repeated"
    """The mistake of who sends it more often."""
    asked: bool = False
    """Whether the user has to be asked, and may be."""
    key: Any = None
    says: bool = False
    """What the user says."""


def trials(chance: Random) -> tuple[Trial, ...]:
    """Lose requests before and after they were sent, with and without somebody's word."""
    a, b, c = chance.sample(["till", "depot", "press", "forge", "mill"], 3)
    order = f"order-{chance.randint(100, 999)}"
    pay = {"name": "pay", "arguments": {"amount": chance.randint(2, 99), "order": order}}
    read = {"name": RESOURCES_READ, "arguments": {"uri": f"file:///{order}"}}
    document = reply(
        {"resultType": "complete", "contents": [], "ttlMs": 0, "cacheScope": "private"}
    )
    uri = {"uri": f"file:///{order}.txt"}
    once = on(TOOLS_CALL).in_lifetime(1).nth(1).then
    works = once(effect("paid"), close())
    broken = reply({"resultType": "complete", "content": [], "isError": True})
    strange = once(answer_default(id="other"), close())
    news = notify("notifications/message", {"level": "info", "data": "on it"})
    first_list = on(TOOLS_LIST).in_lifetime(1).nth(1).then
    lost_read = on(RESOURCES_READ).in_lifetime(1).nth(1).then(close())
    unknown, done, failed = (UNKNOWN,), (DONE,), (FAILED,)
    no = Right(words=unknown, asked=True)
    yes = Right(words=done, least=2, most=2, why="yes", asked=True, says=True, miss="too-often")
    keyed = Right(words=done, least=2, most=2, why="key", key=order, miss="too-often")
    again = Right(words=done, least=2, most=2, why="read", miss="too-often")
    answered = Right(words=done, miss="answered", key=order)
    unsure = (UNKNOWN, FAILED)
    return (
        _trial("a call that is answered", a, pay, answered),
        _trial("news before the answer", b, pay, answered, once(news, answer_default())),
        _trial("an answer, and then the end", c, pay, answered, once(answer_default(), close())),
        _trial(
            "an error",
            a,
            pay,
            Right(words=failed, miss="answered", key=order),
            once(error(-32603, "Internal error")),
        ),
        _trial(
            "a tool that says it failed",
            b,
            pay,
            Right(words=failed, miss="answered", key=order),
            once(broken),
        ),
        _trial("a call that is lost, and a user who says no", c, pay, no, works),
        _trial("a call that is lost, and a user who says yes", a, pay, yes, works),
        _trial("a call with a key that is lost", b, pay, keyed, works),
        _trial(
            "a call with an empty key that is lost",
            c,
            pay,
            Right(words=unknown, asked=True, key="", miss="empty-key"),
            works,
        ),
        _trial(
            "a tool that calls itself a read, lost",
            a,
            read,
            Right(words=unknown, asked=True, miss="by-name"),
            works,
            tools=(RESOURCES_READ,),
        ),
        _trial("a call that is never answered", b, pay, no, on(TOOLS_CALL).then(silence())),
        _trial(STRAY, c, pay, no, strange),
        _trial("a list that is lost", a, {}, again, first_list(close()), method=TOOLS_LIST),
        _trial("a list that does not come", b, {}, again, first_list(silence()), method=TOOLS_LIST),
        _trial(
            "a resource that is lost",
            c,
            uri,
            again,
            lost_read,
            on(RESOURCES_READ).then(document),
            method=RESOURCES_READ,
        ),
        _trial(
            "a call with a key, lost each time",
            a,
            pay,
            Right(words=unknown, least=2, most=MOST, why="key", key=order, miss="too-often"),
            on(TOOLS_CALL).then(effect("paid"), close()),
        ),
        _trial(
            "a list that is lost each time",
            b,
            {},
            Right(words=unsure, least=2, most=MOST, why="read", miss="too-often"),
            on(TOOLS_LIST).then(close()),
            method=TOOLS_LIST,
        ),
        _trial(
            "a connection that has ended before the call is sent",
            c,
            pay,
            Right(words=done, why="unsent", miss="too-often"),
            first_list(answer_default(), close()),
            before=True,
        ),
    )


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Count what was sent for the last call, and hold the user and the word against it."""
    right: Right = trial.right
    last = len(trial.calls) - 1
    _, method, params, _, _ = trial.calls[last].args
    found = wire_checks.envelope(seen.heard, "LINT-04") or _ids(seen)
    if found is not None:
        return found
    if len(seen.outcomes) > 1 and seen.outcomes[0].value != DONE:
        return wire_checks.crashed(seen.outcomes, ()) or _word(DONE, seen.outcomes[0].value)
    # Whoever asks a new connection what it speaks, or cancels what is late, does well.
    polite = {DISCOVER} - {method}
    asked_for = [one for one in seen.heard if one.call == last and one.is_request]
    sent = [one for one in asked_for if one.method not in polite]
    for one in sent:
        if one.method != method or _bare(one) != params:
            said = "What was sent is not the request that was given."
            return Finding(key="changed", seen=said, frame=one.frame)
    asked = sum(name == "ask_user" for name, _ in seen.invoked)
    return (
        _none(right, sent, seen)
        or _too_many(right, sent)
        or _stray(trial, seen)
        or _user(right, asked, seen)
        or _too_few(right, sent, seen)
        or wire_checks.crashed(seen.outcomes, ())
        or (None if seen.last.value in right.words else _word(right.words[0], seen.last.value))
    )


def _ids(seen: Seen) -> Finding | None:
    used: set[str] = set()
    for one in seen.heard:
        number = repr(one.message.id) if isinstance(one.message, Request) else ""
        # Ids of one call only: the next call of the answer may count anew on a new connection.
        place = f"{one.call} {number}"
        if place in used:
            said = f"The request was sent again under the id {visible(number, 40)}."
            return Finding(key="same-id", rule="LINT-04", seen=said, frame=one.frame)
        used.add(place)
    return None


def _none(right: Right, sent: list[Heard], seen: Seen) -> Finding | None:
    if sent or right.why == "unsent":
        return None
    bad = wire_checks.crashed(seen.outcomes, ())
    return bad or Finding(key="not-sent", seen="The request was never sent.")


def _too_many(right: Right, sent: list[Heard]) -> Finding | None:
    if len(sent) <= right.most:
        return None
    rule = None if right.miss in ("answered", "too-often") else "RETRY-01"
    said = f"The request was sent {len(sent)} times."
    return Finding(key=right.miss, rule=rule, seen=said, frame=sent[right.most].frame)


def _stray(trial: Trial, seen: Seen) -> Finding | None:
    if trial.name != STRAY or seen.last.value != DONE:
        return None
    answers = seen.said()
    said = "The answer has another id, and it was taken for the answer to this request."
    return Finding(
        key="stray", rule="LINT-02", seen=said, frame=answers[-1][0] if answers else None
    )


def _user(right: Right, asked: int, seen: Seen) -> Finding | None:
    if asked and not right.asked:
        said = "The user was asked, although nothing was left to decide."
        return Finding(key="asked-needlessly", rule=_WHY.get(right.why, ("", None))[1], seen=said)
    if right.asked and not asked:
        bad = wire_checks.crashed(seen.outcomes, ())
        said = "The call was lost, and the user was not asked."
        return bad or Finding(key="not-asked", rule="RETRY-01", seen=said)
    if asked > 1:
        said = f"The user was asked {asked} times about one loss."
        return Finding(key="not-asked", rule="RETRY-01", seen=said)
    return None


def _too_few(right: Right, sent: list[Heard], seen: Seen) -> Finding | None:
    if len(sent) >= right.least:
        return None
    if seen.last.ended == "raised":
        return wire_checks.crashed(seen.outcomes, ())
    key, rule = _WHY[right.why]
    said = "The request was lost, and not sent again."
    return Finding(key=key, rule=rule, seen=said, frame=sent[0].frame if sent else None)


def _word(due: str, value: Any) -> Finding:
    said = f"It ended in {due}, and {visible(repr(value), 80)} was returned."
    if due == UNKNOWN:
        return Finding(key="not-unknown", rule="RETRY-01", seen=said)
    return Finding(key="not-failed" if due == FAILED else "wrong-word", seen=said)


def _bare(one: Heard) -> dict[str, Any]:
    return {key: value for key, value in one.params.items() if key != "_meta"}


def _trial(
    about: str,
    peer: str,
    params: dict[str, Any],
    right: Right,
    *rules: Rule,
    method: str = TOOLS_CALL,
    tools: tuple[str, ...] = ("pay",),
    before: bool = False,
) -> Trial:
    fake: Fake = modern(peer, tools=tools).script(*rules)
    user = Function("ask_user")
    call = Call(args=(ThePeer(peer), method, params, right.key, user))
    listing = Call(args=(ThePeer(peer), TOOLS_LIST, {}, None, user))
    return Trial(
        name=about,
        about=about,
        peers={peer: fake},
        calls=(listing, call) if before else (call,),
        functions={"ask_user": lambda *_: right.says},
        right=right,
    )


EXERCISE: Final = Exercise(
    number=9,
    name="safe-retry",
    title="What may be sent again",
    answer="perform",
    task="Carry out one request over a connection that breaks, and repeat only what is safe.",
    rules=("LINT-02", "LINT-04", "RETRY-01", "RETRY-02"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
