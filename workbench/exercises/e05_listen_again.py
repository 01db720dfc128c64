"""Exercise 5: a stream that is lost is asked for again, and what it covers is read anew.

Source: seed lesson, exercise 5; spec: basic/patterns/subscriptions; rules SUB-01, SUB-03,
SUB-04.
"""

from random import Random
from typing import Any, Final

from fakes import (
    REQUEST_ID,
    Fake,
    Rule,
    answer_default,
    close,
    delay,
    error,
    modern,
    notify,
    on,
    reply,
)
from fakes.steps import Step
from workbench.core.text.visible import visible
from workbench.core.wire.keys import SUBSCRIPTION_ID_KEY, TOOLS_LIST
from workbench.core.wire.message import Request, Result
from workbench.exercises import wire_checks
from workbench.exercises.exercise import Call, Exercise, Finding, Heard, Hints, Seen, ThePeer, Trial

LISTEN: Final = "subscriptions/listen"
FILTER: Final = "toolsListChanged"
CHANGED: Final = "notifications/tools/list_changed"
_END: Final = {"resultType": "complete", "_meta": {SUBSCRIPTION_ID_KEY: REQUEST_ID}}

HINTS: Final[dict[str, Hints]] = {
    "no-listen": (
        "How does a modern server know that you want to hear of changes?",
        "subscriptions/listen opens a stream; nothing comes without it.",
        "modern_request(1, 'subscriptions/listen', {'notifications': "
        "{'toolsListChanged': True}}, '2026-07-28', {})",
    ),
    "no-filter": (
        "What exactly did you ask to hear of?",
        "params.notifications says what: toolsListChanged is true, each time (rule SUB-01).",
        "Build the params of the listen request in one function, and call it each time.",
    ),
    "not-again": (
        "The stream is over. Who listens now?",
        "A stream that ends, with a result or with the connection, is opened again (SUB-03).",
        "It ends with an answer under the id of your listen request, or with PeerGone.",
    ),
    "old-id": (
        "How do you tell the new stream from the lost one?",
        "A new listen request has a new id, also on a new connection (rule SUB-03).",
        "Take every id of the whole function from one itertools.count(1).",
    ),
    "not-refetched": (
        "What happened while nobody listened?",
        "Nothing is replayed: after listening again, tools/list is read anew (rule SUB-03).",
        "Order: listen, wait for the acknowledgment, then tools/list; after each loss again.",
    ),
    "missed-change": (
        "What did the server announce?",
        "notifications/tools/list_changed means that the list you have is old.",
        "When that notification arrives, send tools/list and keep the answer.",
    ),
    "too-often": (
        "When do you stop?",
        "After losses losses the last listen and the last reading end it (rule SUB-03).",
        "Count the losses; return the names when the list was read after the last one.",
    ),
    "stale": (
        "Which list did you return?",
        "The newest answer to tools/list counts, in the server's order.",
        "names = [tool['name'] for tool in answer['result']['tools']], after every reading.",
    ),
    "not-refused": (
        "The server does not know subscriptions. What is left?",
        "The peer stays usable; read its tools and leave it at that (rule SUB-04).",
        "If the answer to listen is an error, read tools/list once and return the names.",
    ),
}


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make streams that end in every way, sooner or later."""
    names = ["museum", "weather", "library", "kitchen"]
    one, two, three = (chance.choice(names) for _ in range(3))
    soon = delay(0.1 + chance.random() / 10)
    ends: tuple[Step, ...] = (answer_default(), soon, reply(_END))
    closes: tuple[Step, ...] = (answer_default(), soon, close())
    change = notify(CHANGED, listeners=True)
    changes: tuple[Step, ...] = (answer_default(), soon, change, soon, reply(_END))
    late: tuple[Step, ...] = (answer_default(), delay(45 + chance.randint(0, 9)), reply(_END))
    first = on(LISTEN).nth(1).then
    second = on(LISTEN).nth(2).then
    refuses = on(LISTEN).then(error(-32601, "Method not found"))
    return (
        _trial("ends", "the stream ends with a result", one, 1, first(*ends)),
        _trial("closes", "the connection breaks off", two, 1, _once(*closes)),
        _trial("changes", "a change is announced, then the stream ends", three, 1, first(*changes)),
        _trial("twice", "the stream ends twice", one, 2, first(*ends), second(*ends)),
        _trial(
            "both", "the stream ends, then the connection", two, 2, first(*ends), _second(*closes)
        ),
        _trial("late", "the stream ends after a long silence", three, 1, first(*late)),
        _trial("refused", "the server has no subscriptions", one, 1, refuses),
    )


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Follow the listen requests in their order; then compare what came out."""
    listens = seen.frames(LISTEN)
    found = (
        wire_checks.broken_frames(seen.heard)
        or wire_checks.unstamped(seen.heard)
        or _ids(listens)
        or wire_checks.repeated_id(seen.heard)
    )
    if found is not None:
        return found
    if trial.name == "refused":
        return _refused(listens, seen)
    wanted: int = trial.right
    return (
        _filters(listens)
        or _too_often(listens, wanted)
        or wire_checks.crashed(seen.outcomes, ())
        or _again(listens, wanted)
        or _readings(trial, seen, listens)
        or _came_out(seen)
    )


def _ids(listens: tuple[Heard, ...]) -> Finding | None:
    used: set[str] = set()
    for one in listens:
        number = repr(one.message.id) if isinstance(one.message, Request) else "none"
        if number in used:
            said = f"The stream was asked for again under the id {visible(number, 40)}."
            return Finding(key="old-id", rule="SUB-03", seen=said, frame=one.frame)
        used.add(number)
    return None


def _filters(listens: tuple[Heard, ...]) -> Finding | None:
    for one in listens:
        wanted: Any = one.params.get("notifications")
        if not isinstance(wanted, dict) or wanted.get(FILTER) is not True:
            said = f"The listen request does not ask for {FILTER}."
            return Finding(key="no-filter", rule="SUB-01", seen=said, frame=one.frame)
    return None


def _too_often(listens: tuple[Heard, ...], wanted: int) -> Finding | None:
    if len(listens) <= wanted + 1:
        return None
    said = f"The stream was lost {_times(wanted)} and asked for {_times(len(listens))}."
    return Finding(key="too-often", rule="SUB-03", seen=said, frame=listens[-1].frame)


def _again(listens: tuple[Heard, ...], wanted: int) -> Finding | None:
    if not listens:
        return Finding(key="no-listen", rule="SUB-03", seen="No stream was asked for.")
    if len(listens) == wanted + 1:
        return None
    said = f"The stream was lost {_times(wanted)} and asked for {_times(len(listens))}."
    return Finding(key="not-again", rule="SUB-03", seen=said, frame=listens[-1].frame)


def _readings(trial: Trial, seen: Seen, listens: tuple[Heard, ...]) -> Finding | None:
    places = [place for place, one in enumerate(seen.heard) if one.method == LISTEN]
    for place, after in zip(places[1:], [*places[2:], len(seen.heard)], strict=True):
        if not any(one.method == TOOLS_LIST for one in seen.heard[place:after]):
            said = "After listening again the tools were not read again."
            return Finding(
                key="not-refetched", rule="SUB-03", seen=said, frame=seen.heard[place].frame
            )
    before = [one for one in seen.heard[: places[1]] if one.method == TOOLS_LIST]
    if trial.name == "changes" and len(before) < 2:
        news = [frame for frame, _ in seen.said() if CHANGED.encode() in frame]
        said = "A change was announced, and the tools were not read before listening again."
        return Finding(key="missed-change", seen=said, frame=news[0])
    return None


def _refused(listens: tuple[Heard, ...], seen: Seen) -> Finding | None:
    if len(listens) > 1:
        said = f"The server refused the stream, and it was asked for {_times(len(listens))}."
        return Finding(key="not-refused", rule="SUB-04", seen=said, frame=listens[1].frame)
    bad = wire_checks.crashed(seen.outcomes, ())
    if bad is not None:
        return bad
    if not seen.frames(TOOLS_LIST):
        return Finding(key="not-refused", rule="SUB-04", seen="The tools were not read at all.")
    return _came_out(seen)


def _came_out(seen: Seen) -> Finding | None:
    lists = [
        (frame, [tool["name"] for tool in answer.result["tools"]])
        for frame, answer in seen.said()
        if isinstance(answer, Result) and "tools" in answer.result
    ]
    if not lists:
        said = "No request for the tools was answered with a list."
        return Finding(key="stale", rule="SUB-03", seen=said)
    frame, names = lists[-1]
    if seen.last.value == names:
        return None
    shown = visible(repr(seen.last.value), 100)
    said = f"{shown} was returned; the newest list holds {visible(repr(names), 100)}."
    return Finding(key="stale", rule="SUB-03", seen=said, frame=frame)


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _once(*steps: Step) -> Rule:
    return on(LISTEN).in_lifetime(1).then(*steps)


def _second(*steps: Step) -> Rule:
    return on(LISTEN).in_lifetime(1).nth(2).then(*steps)


def _trial(name: str, about: str, peer: str, losses: int, *rules: Rule) -> Trial:
    fake: Fake = modern(peer, list_changed=True).script(*rules)
    # Each reading of the list finds one tool more, also on the next connection.
    for lifetime in (1, 2):
        for turn in range(1, 7):
            number = turn + 10 * (lifetime - 1)
            tools = [_tool(f"tool-{place}") for place in range(number + 1)]
            again = on(TOOLS_LIST).in_lifetime(lifetime).nth(turn)
            fake = fake.script(again.then(answer_default(patch={"tools": tools})))
    calls = (Call(args=(ThePeer(peer), losses)),)
    return Trial(name=name, about=about, peers={peer: fake}, calls=calls, right=losses)


def _tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


EXERCISE: Final = Exercise(
    number=5,
    name="listen-again",
    title="A stream that is lost",
    answer="follow",
    task="Follow a server's list of tools over streams that end.",
    rules=("SUB-01", "SUB-03", "SUB-04"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
