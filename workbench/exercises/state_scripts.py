"""The clients of exercise 11: honest ones, and such that change what they were handed.

Takes:  chance
Gives:  trials; in each a client plays steps through two functions, `take` and `give`
Never:  judges; `e11_sealed_state` does
"""

import re
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable
from random import Random
from typing import Any, Final

from msgspec import Struct

from workbench.exercises.exercise import Call, Function, Trial

LIFE_S: Final = 300
"""Seconds a state lives."""
_ACCEPTED: Final = {"confirm": {"action": "accept", "content": {"sure": True}}}

Edit = Callable[[str], Any]


class Step(Struct, frozen=True, kw_only=True):
    """One request."""

    about: str
    """What is special about it, in a few words."""
    who: str
    now_s: int
    params: dict[str, Any]
    of: int | None = None
    """Number of the first round whose state it brings, counted from 0; None is a first round."""
    edit: Edit | None = None
    """What the client makes of that state."""
    good: bool = True
    """Whether it has to be completed."""
    miss: str = ""
    """The mistake of who treats it otherwise."""


class Right(Struct, frozen=True):
    """What a trial consists of."""

    steps: tuple[Step, ...]
    secret: bytes
    """Of the first server."""


class _Client:
    """Plays the steps; the two functions of a trial are its methods.

    Args:
        steps: the requests.
        stops: how many requests each server gets before its input ends.
    """

    def __init__(self, steps: tuple[Step, ...], stops: tuple[int, ...]) -> None:
        self._waiting = list(steps)
        self._stops = list(stops)
        self._given: list[Any] = []
        self._taken = 0

    def take(self) -> dict[str, Any] | None:
        """Return the next request, or None when there is none for this server."""
        if self._taken in self._stops or not self._waiting:
            if self._taken in self._stops:
                self._stops.remove(self._taken)
            return None
        self._taken += 1
        step = self._waiting.pop(0)
        params = dict(step.params)
        if step.of is not None:
            state = self._state(step.of)
            params["requestState"] = state if step.edit is None else step.edit(state)
            params["inputResponses"] = _ACCEPTED
        return {"who": step.who, "now_s": step.now_s, "params": params}

    def give(self, answer: Any, *_: Any) -> None:
        """Take an answer."""
        self._given.append(answer)

    def _state(self, place: int) -> str:
        given = self._given[place] if place < len(self._given) else None
        result = given.get("result") if isinstance(given, dict) else None
        state = result.get("requestState") if isinstance(result, dict) else None
        return state if isinstance(state, str) else ""


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make clients; people, amounts, times and secrets vary."""
    ann, bob = chance.sample(["ann", "bob", "eve", "kim", "lea"], 2)
    start, amount = chance.randint(1_000, 9_000) * 1_000, chance.randint(20, 900)
    secret, other = chance.randbytes(32), chance.randbytes(32)
    pay = {"name": "pay", "arguments": {"to": bob, "amount": amount}}
    more = {"name": "pay", "arguments": {"to": bob, "amount": amount + 1}}
    lend = {**pay, "name": "lend"}
    turned = {"name": "pay", "arguments": {"amount": amount, "to": bob}}
    first = Step(about="a first round", who=ann, now_s=start, params=pay)

    def again(about: str, miss: str = "", edit: Edit | None = None, **changes: Any) -> Step:
        values: dict[str, Any] = {"who": ann, "now_s": start + 7, "params": pay, "of": 0}
        good = miss in ("", "order", "too-early", "remembers")
        return Step(about=about, miss=miss, edit=edit, good=good, **{**values, **changes})

    def trial(about: str, *steps: Step, stop: int = 0, second: bytes = secret) -> Trial:
        return _trial(about, (first, *steps), secret, second, stop)

    whole = again("the state as it was")
    theirs = Step(about="a first round", who=bob, now_s=start + 1, params=more)
    parts = [again(f"a state changed at {n} of 5", "tampered", _changed(n)) for n in range(5)]
    odd = ("", "x", "é.ß", "a.b.c", "{}", 7, ["x"], {"a": 1})
    junk = [again(f"the state {one!r}", "tampered", _instead(one)) for one in odd]
    shorter = again("a shorter state", "tampered", lambda state: state[:-4])
    late = again("a state after 301 s", "expired", now_s=start + LIFE_S + 1)
    moved = again("a later time in it", "expiry-unsigned", _later(start), now_s=start + 900)
    restart = again("after a restart", "remembers")
    foreign = again("another secret", "unsigned")
    return (
        trial("a call in two rounds", whole),
        trial("the server is started anew between the rounds", restart, stop=1),
        trial(
            "two people at the same time",
            theirs,
            again("the state of the first"),
            again("the state of the second", who=bob, params=more, of=1),
        ),
        trial("the arguments in another order", again("another order", "order", params=turned)),
        trial("a user who thinks for 299 s", again("after 299 s", "too-early", now_s=start + 299)),
        trial("a user who thinks for too long", late, whole),
        trial("another person", again("the state of another person", "other-person", who=bob)),
        trial("another amount", again("another amount", "other-request", params=more)),
        trial("another tool", again("another tool", "other-request", params=lend)),
        trial("a state that was changed", *parts, whole),
        trial("a state that is cut short", shorter, whole),
        trial("something that is no state", *junk, whole),
        trial("a state made with another secret", foreign, stop=1, second=other),
        trial("a client that moves the time", moved),
    )


def _instead(other: Any) -> Edit:
    return lambda _: other


def _changed(part: int) -> Edit:
    """Change three characters in a row: the last of a Base64 text may carry no meaning."""

    def edit(state: str) -> str:
        at = max(0, (len(state) - 3) * part // 5)
        changed = "".join("B" if letter == "A" else "A" for letter in state[at : at + 3])
        return state[:at] + changed + state[at + 3 :]

    return edit


def _later(start: int) -> Edit:
    """Move every time in the state, plain or in Base64, a day ahead."""

    def moved(found: re.Match[str]) -> str:
        number = int(found[0])
        return str(number + 86_400) if start <= number <= start + LIFE_S else found[0]

    def edit(state: str) -> str:
        return re.sub(r"[^.:|]+", lambda part: _inside(part[0]), state)

    def _inside(part: str) -> str:
        plain = re.sub(r"\d+", moved, part)
        if plain != part:
            return plain
        try:
            text = b64decode(part + "=" * (-len(part) % 4), b"-_").decode()
        except ValueError:
            return part
        again = urlsafe_b64encode(re.sub(r"\d+", moved, text).encode()).decode()
        return again if part.endswith("=") else again.rstrip("=")

    return edit


def _trial(about: str, steps: tuple[Step, ...], secret: bytes, second: bytes, stop: int) -> Trial:
    client = _Client(steps, (stop,) if stop else ())
    functions = (Function("take"), Function("give"))
    calls = [Call(args=(one, *functions)) for one in (secret, second)[: 2 if stop else 1]]
    return Trial(
        name=about,
        about=about,
        calls=tuple(calls),
        functions={"take": client.take, "give": client.give},
        right=Right(steps, secret),
    )
