"""A recorded server as data: what it said to each message, life by life.

Takes:  what a journal held, cut into takes by `fakes.cutting`
Gives:  a `Tape`, part of the JSON form of a fake, and the take that answers a message
Never:  looks at ids, or at `_meta`: both belong to one sending, not to the question

Two messages are the same when method and params are; a notification and an `initialize`
are known by their method alone, because their params name the sender. The n-th of several
equal messages in one life gets the n-th recorded answer, and every later one the last.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from fakes.http_steps import HTTP_ONLY, Deliver
from fakes.steps import Close, Exit, Step
from workbench.core.wire.keys import INITIALIZE

_BY_METHOD: Final = "notifications/"


class Take(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One message of the client, and all that came of it."""

    method: str
    params: dict[str, Any] = {}
    """Without `_meta`."""
    steps: tuple[Step, ...] = ()
    """None is silence."""

    @property
    def key(self) -> str:
        """What another message must have in common with this one."""
        return key_of(self.method, self.params)

    @property
    def ends(self) -> bool:
        """Whether the server ended over it."""
        return any(isinstance(step, Close | Exit) for step in self.steps)


class Life(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One process, or one link."""

    start: tuple[Step, ...] = ()
    """What was said before the client had said anything."""
    takes: tuple[Take, ...] = ()


class Tape(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Every life of a recorded server, in order."""

    lives: tuple[Life, ...] = ()

    @property
    def http_only(self) -> bool:
        """Whether an answer is an HTTP response without a message in it."""
        steps = (step for life in self.lives for take in life.takes for step in take.steps)
        return any(isinstance(step, HTTP_ONLY) and not isinstance(step, Deliver) for step in steps)

    def life(self, number: int) -> Life:
        """Return the `number`-th life, counted from 1; after the last one, the last one again."""
        return self.lives[min(number, len(self.lives)) - 1] if self.lives else Life()

    def find(self, method: str, params: Mapping[str, Any], life: int, before: int) -> Take | None:
        """Return the take for a message, or None when nothing like it was recorded.

        Args:
            method: of the message.
            params: of the message; `_meta` does not count.
            life: in which life it came, from 1.
            before: how many equal ones came before it in this life.
        """
        wanted = key_of(method, params)
        here = self.life(life)
        found = [take for take in here.takes if take.key == wanted]
        if not found:
            # What another life heard still shows how the server answers; how it died does not.
            others = (take for one in self.lives if one is not here for take in one.takes)
            found = [take for take in others if take.key == wanted and not take.ends]
        return found[min(before, len(found) - 1)] if found else None

    def knows(self, method: str) -> bool:
        """Say whether a message of this method was recorded at all."""
        return any(take.method == method for life in self.lives for take in life.takes)


def key_of(method: str, params: Mapping[str, Any]) -> str:
    """Return what two messages have in common that are the same question."""
    if method == INITIALIZE or method.startswith(_BY_METHOD):
        return method
    asked = {name: value for name, value in params.items() if name != "_meta"}
    return f"{method} {msgspec.json.encode(asked, order='sorted').decode()}"
