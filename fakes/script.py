"""Rules: a condition and what to do then; checked when they are built.

Takes:  `on("tools/call").nth(2).then(close())`
Gives:  `Rule` values, plain data with a JSON form
Never:  lets a rule pass that cannot do what it says
"""

from typing import Any, Final

import msgspec
from msgspec import Struct

from fakes.errors import ScriptError
from fakes.http_steps import HTTP_ONLY, Status
from fakes.match import Match
from fakes.steps import Answer, Close, Delay, Exit, Raw, Silence, Step

_FINAL: Final = (Close, Exit, Silence, Status)


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When `on` fits, `then` is done instead of the normal behaviour."""

    on: Match
    then: tuple[Step, ...]

    def __post_init__(self) -> None:
        """Check that the steps make sense together and for this moment.

        Raises:
            ScriptError: if a step can never be reached or has nothing to answer.
        """
        where = describe(self.on)
        if not self.then:
            raise ScriptError(f"{where}: a rule needs a step; silence() says nothing on purpose")
        for step, following in zip(self.then, self.then[1:], strict=False):
            if isinstance(step, _FINAL):
                raise ScriptError(f"{where}: {_word(following)} comes after {_word(step)}")
        if isinstance(self.then[-1], Delay):
            raise ScriptError(
                f"{where}: a delay at the end does nothing; add answer_default() to answer late"
            )
        whole = next((step for step in self.then if isinstance(step, Status)), None)
        if whole is not None and any(isinstance(step, Answer | Raw) for step in self.then):
            raise ScriptError(f"{where}: {_word(whole)} is the whole answer; nothing goes with it")
        answers = [step for step in self.then if isinstance(step, Answer)]
        if answers and self.on.moment != "message":
            raise ScriptError(f"{where}: {_word(answers[0])} has no request to answer")
        if answers and self.on.method.startswith("notifications/"):
            raise ScriptError(f"{where}: {_word(answers[0])} would answer a notification")

    @property
    def http_only(self) -> bool:
        """Whether it holds something that only an HTTP host can do."""
        return self.on.moment == "get" or any(isinstance(step, HTTP_ONLY) for step in self.then)


class When:
    """A condition under construction; every method returns a new one.

    Args:
        match: what has been said so far.
    """

    __slots__ = ("_match",)

    def __init__(self, match: Match) -> None:
        self._match = match

    def nth(self, turn: int) -> "When":
        """Only the `turn`-th fitting message of a lifetime, counted from 1."""
        return self._with(first=turn, last=turn)

    def from_nth(self, turn: int) -> "When":
        """The `turn`-th fitting message of a lifetime and every later one."""
        return self._with(first=turn, last=None)

    def up_to(self, turn: int) -> "When":
        """The first `turn` fitting messages of a lifetime."""
        return self._with(first=1, last=turn)

    def in_lifetime(self, number: int) -> "When":
        """Only in the `number`-th process or link of this fake, counted from 1."""
        return self._with(lifetime=number)

    def where(self, params: dict[str, Any] | None = None, /, **members: Any) -> "When":
        """Only when the params contain these members (objects by member, else equal)."""
        return self._with(params={**self._match.params, **(params or {}), **members})

    def where_absent(self, *members: str) -> "When":
        """Only when the params do not have these members."""
        return self._with(absent=(*self._match.absent, *members))

    def where_meta(self, meta: dict[str, Any]) -> "When":
        """Only when `params._meta` contains these members."""
        return self._with(meta={**self._match.meta, **meta})

    def where_meta_absent(self, *members: str) -> "When":
        """Only when `params._meta` is missing or does not have these members."""
        return self._with(lacks_meta=(*self._match.lacks_meta, *members))

    def where_capability_missing(self, capability: str) -> "When":
        """Only when the request does not declare this client capability."""
        return self._with(lacks_capability=capability)

    def then(self, *steps: Step) -> Rule:
        """Finish the rule.

        Raises:
            ScriptError: if the steps cannot be done.
        """
        return Rule(on=self._match, then=steps)

    def _with(self, **changes: Any) -> "When":
        match = msgspec.structs.replace(self._match, **changes)
        return When(match)


def on(method: str) -> When:
    """Begin a rule for a request or notification; "*" is any method."""
    if not method:
        raise ScriptError('on() needs a method; "*" is any')
    return When(Match(method=method))


def on_start() -> When:
    """Begin a rule for the moment the fake starts, before any message."""
    return When(Match(moment="start"))


def on_input_end() -> When:
    """Begin a rule for the end of input; without one a fake exits with status 0."""
    return When(Match(moment="input end"))


def on_get() -> When:
    """Begin a rule for an HTTP GET, with which a legacy client opens a stream of its own."""
    return When(Match(moment="get"))


def check_rules(rules: tuple[Rule, ...]) -> None:
    """Check that no rule hides another.

    Raises:
        ScriptError: if a rule can never have its turn because of one before it.
    """
    for index, rule in enumerate(rules):
        for earlier in range(index):
            if rules[earlier].on.is_broader(rule.on):
                raise ScriptError(
                    f"rule {index + 1} ({describe(rule.on)}) can never have its turn: "
                    f"rule {earlier + 1} ({describe(rules[earlier].on)}) takes all"
                )


def describe(match: Match) -> str:
    """Return a condition as a short clause for messages."""
    clause = f"on {match.method!r}" if match.moment == "message" else f"on {match.moment}"
    if match.lifetime is not None:
        clause += f" in lifetime {match.lifetime}"
    if match.last == match.first:
        return f"{clause}, turn {match.first}"
    if match.last is not None or match.first > 1:
        return f"{clause}, turns {match.first} to {match.last or 'the end'}"
    return clause


def _word(step: Step) -> str:
    return str(step.__struct_config__.tag)
