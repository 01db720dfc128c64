"""Exercise 3: a list that is private stays with the authorization context it was made for.

Source: seed lesson, exercise 3; spec: schema CacheableResult; rules CACHE-01 to CACHE-03.
"""

from random import Random
from typing import Any, Final

from msgspec import Struct

from fakes import Fake, answer_default, modern, on
from workbench.core.text.visible import visible
from workbench.core.wire.keys import TOOLS_CALL, TOOLS_LIST
from workbench.exercises import wire_checks
from workbench.exercises.exercise import Call, Exercise, Finding, Hints, Seen, ThePeer, Trial

PEER: Final = "notes"
TTL_MS: Final = 60_000

HINTS: Final[dict[str, Hints]] = {
    "leaked": (
        "Whose tools are these?",
        "A private list never leaves its authorization context (rule CACHE-02).",
        "Make the context a part of the key: cache[(peer.name, context)].",
    ),
    "scope-guessed": (
        "Did the server say that this list is public?",
        "Only the word public makes a list public; absent or unknown is private (CACHE-01).",
        "shared = result.get('cacheScope') == 'public', and nothing else.",
    ),
    "never-cached": (
        "Was it necessary to ask the server once more?",
        "The list lives for ttlMs after it was received, for whom it was made (rule CACHE-03).",
        "Keep (names, now_ms + ttl) under the key, and look there before you ask.",
    ),
    "too-old": (
        "How old was the list you gave out?",
        "It lives for ttlMs after it was received; now_ms is the time (rule CACHE-03).",
        "Use what is stored only while now_ms < received_at_ms + ttl_ms.",
    ),
    "no-lifetime": (
        "For how long may this list be kept?",
        "An absent, negative or meaningless ttlMs is 0, and 0 is stale at once (rule CACHE-03).",
        "ttl = result.get('ttlMs'); if it is no positive int, do not store the list.",
    ),
    "wrong-tools": (
        "Which list is the newest this context has received?",
        "Return the names of the tools in the answer, in the server's order.",
        "[tool['name'] for tool in answer['result']['tools']]",
    ),
    "not-asked": (
        "Where do the names come from?",
        "tools/list asks the server; its result has tools, ttlMs and cacheScope.",
        "peer.ask(modern_request(1, 'tools/list', {}, '2026-07-28', {}))",
    ),
    "called": (
        "What did you want to run?",
        "A list is read with tools/list; tools/call does something.",
        "Send tools/list only.",
    ),
}


class Step(Struct, frozen=True):
    """One call of a trial: who asks, when, and whether the server has to be asked."""

    who: str
    """The authorization context."""
    at_ms: int
    asks: bool | None
    """True if the server must be asked, False if it must not; None leaves it open."""
    mistake: tuple[str, str] = ("", "")
    """Key and rule for who does it the other way."""


_ASKED: Final = ("not-asked", "CACHE-02")
_LEAK: Final = ("leaked", "CACHE-02")
_GUESS: Final = ("scope-guessed", "CACHE-01")
_AGAIN: Final = ("never-cached", "CACHE-03")
_OLD: Final = ("too-old", "CACHE-03")
_ZERO: Final = ("no-lifetime", "CACHE-03")


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make servers with other hints; two users take turns."""
    ann, bob = chance.sample(["ann", "bob", "eve", "kim", "lea"], 2)
    ttl = TTL_MS + chance.randint(1, 999)
    turns = [
        Step(ann, 0, True, _ASKED),
        Step(bob, 1, True, _LEAK),
        Step(ann, 2, False, _AGAIN),
        Step(bob, 3, False, _AGAIN),
    ]
    guess = [Step(ann, 0, True, _ASKED), Step(bob, 1, True, _GUESS)]
    age = [
        Step(ann, 1_000, True, _ASKED),
        Step(ann, 1_000 + ttl - 1, False, _AGAIN),
        Step(ann, 1_000 + ttl + 1, True, _OLD),
        Step(ann, 1_000 + ttl + 2, False, _AGAIN),
    ]
    at_once = [Step(ann, 0, True, _ASKED), Step(ann, 1, True, _ZERO)]
    public = [Step(ann, 0, True, _ASKED), Step(ann, 1, False, _AGAIN), Step(bob, 2, None)]
    return (
        _trial("two users, a private list", turns, ttlMs=ttl, cacheScope="private"),
        _trial("a private list that grows old", age, ttlMs=ttl, cacheScope="private"),
        _trial("two users, no cacheScope at all", guess, ("cacheScope",), ttlMs=ttl),
        _trial("two users, a scope called shared", guess, ttlMs=ttl, cacheScope="shared"),
        _trial("a list with ttlMs 0", at_once, ttlMs=0, cacheScope="private"),
        _trial("a list without ttlMs", at_once, ("ttlMs",), cacheScope="private"),
        _trial("a list with a negative ttlMs", at_once, ttlMs=-5, cacheScope="private"),
        _trial("a list whose ttlMs is a text", at_once, ttlMs="60000", cacheScope="private"),
        _trial("a public list", public, ttlMs=ttl, cacheScope="public"),
    )


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Count who made the server be asked, call by call, and compare what came out."""
    steps: list[Step] = trial.right
    return (
        wire_checks.envelope(seen.heard)
        or _calls(seen)
        or wire_checks.crashed(seen.outcomes, ())
        or _turns(steps, seen)
    )


def _calls(seen: Seen) -> Finding | None:
    for one in seen.frames(TOOLS_CALL):
        return Finding(key="called", seen="A tool was called to read a list.", frame=one.frame)
    return None


def _turns(steps: list[Step], seen: Seen) -> Finding | None:
    last: dict[str, int] = {}
    lists = 0
    for number, step in enumerate(steps, 1):
        asked = [one for one in seen.frames(TOOLS_LIST) if one.call == number]
        if step.asks is not None and bool(asked) != step.asks:
            key, rule = step.mistake
            did = "the server was asked again" if asked else "the server was not asked"
            return Finding(
                key=key,
                rule=rule,
                seen=f"When {step.who} asked for the tools at {step.at_ms} ms, {did}.",
                frame=asked[0].frame if asked else _last_list(seen),
            )
        lists += len(asked)
        if asked:
            last[step.who] = lists
        wrong = _came_out(step, seen.outcomes[number].value, last)
        if wrong is not None:
            return wrong
    return None


def _came_out(step: Step, value: Any, last: dict[str, int]) -> Finding | None:
    allowed = {step.who: last.get(step.who)} if step.asks is not None else last
    if any(value == _tools(turn) for turn in allowed.values() if turn is not None):
        return None
    foreign = next(
        (who for who, turn in last.items() if who != step.who and value == _tools(turn)), None
    )
    if foreign is not None:
        said = f"{step.who} was given the tools of {foreign}."
        return Finding(key="leaked", rule="CACHE-02", seen=said)
    shown = visible(repr(value), 80)
    wanted = visible(repr(_tools(last.get(step.who, 1))), 80)
    said = f"{step.who} was given {shown}; the server's answer holds {wanted}."
    return Finding(key="wrong-tools", rule="CACHE-02", seen=said)


def _last_list(seen: Seen) -> bytes | None:
    """Return the answer that was kept: what the peer said last."""
    said = seen.said()
    return said[-1][0] if said else None


def _tools(turn: int) -> list[str]:
    """Return the names in the answer to the `turn`-th tools/list."""
    return ["search", f"secret-{turn}"]


def _trial(about: str, steps: list[Step], without: tuple[str, ...] = (), **hints: Any) -> Trial:
    fake: Fake = modern(PEER)
    for turn in range(1, 9):
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in _tools(turn)]
        edited = answer_default(patch={"tools": tools, **hints}, without=without)
        fake = fake.script(on(TOOLS_LIST).nth(turn).then(edited))
    calls = [Call(args=(ThePeer(PEER), one.who, one.at_ms)) for one in steps]
    return Trial(
        name=about,
        about=about,
        peers={PEER: fake},
        calls=(Call(make=True), *calls),
        right=steps,
    )


EXERCISE: Final = Exercise(
    number=3,
    name="private-cache",
    title="A private cache",
    answer="make_cache",
    method="tools",
    task="Keep lists of tools for as long as they live, each for the user it was made for.",
    rules=("CACHE-01", "CACHE-02", "CACHE-03"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
