"""An exercise as data: what an answer is tried with, what was seen then, what was wrong.

Takes:  nothing; these are the words exercises are written in
Gives:  `Exercise`, `Trial`, `Call`, `Outcome`, `Heard`, `Seen`, `Finding`
Never:  runs anything; `stage` plays a trial, and a judge is a pure function of `Seen`
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from fakes import Fake
from workbench.core.journal.journal import Journal
from workbench.core.wire.codec import decode
from workbench.core.wire.message import Incoming, Request

Ending: TypeAlias = Literal[
    "returned", "raised", "late", "exited", "empty", "no call", "flooded", "gone"
]
"""How one call of an answer ended: "late" passed the deadline, "exited" asked for the end of
the program, "empty" is no answer yet, "no call" was nothing to call, "flooded" sent without
end, "gone" took the process with it."""

Hints: TypeAlias = tuple[str, str, str]
"""A nudge, a pointer, and almost the solution."""


class ThePeer(Struct, frozen=True, tag="peer"):
    """An argument: the handle of one of the trial's peers."""

    name: str


class ThePeers(Struct, frozen=True, tag="peers"):
    """An argument: a dict, name to handle, of these peers in this order."""

    names: tuple[str, ...]


class Input(Struct, frozen=True, tag="input"):
    """An argument: a binary stream that holds these bytes and ends."""

    data: bytes


class Output(Struct, frozen=True, tag="output"):
    """An argument: a binary stream to write to; what is in it is `Outcome.written`."""


class Function(Struct, frozen=True, tag="function"):
    """An argument: a function of the trial, by its name in `Trial.functions`."""

    name: str


Argument: TypeAlias = ThePeer | ThePeers | Input | Output | Function
"""Everything that is no plain value; plain values are passed as they are."""


class Call(Struct, frozen=True, kw_only=True):
    """One call of the answer, or of what it made."""

    args: tuple[Any, ...] = ()
    """Plain values and `Argument`s."""
    make: bool = False
    """Calls the answer without arguments; the calls that follow go to what it returns."""


class Trial(Struct, frozen=True, kw_only=True):
    """One situation an answer is put into."""

    name: str
    """What the judge knows it by."""
    about: str
    """The situation in a few words: "a server that has only 2031-01-01"."""
    peers: Mapping[str, Fake] = {}
    calls: tuple[Call, ...] = ()
    functions: Mapping[str, Callable[..., Any]] = {}
    """What a `Function` argument calls; takes and gives plain values, may raise."""
    right: Any = None
    """What the judge compares with, whatever it needs."""


class Outcome(Struct, frozen=True, kw_only=True):
    """How one call ended, in plain values: an object of the answer never gets to a judge."""

    ended: Ending
    value: Any = None
    """What was returned: JSON values and bytes; anything else by its fields or its text."""
    type: str = "NoneType"
    """Name of the returned value's type."""
    held: int | None = None
    """Number under which a returned callable or object can be called."""
    error: str = ""
    """Name of the type of what was raised."""
    bases: tuple[str, ...] = ()
    """Names of that type and of all it derives from."""
    text: str = ""
    """Text of what was raised, safe to show."""
    line: str = ""
    """Where in the answer, safe to show: "line 3"."""
    printed: str = ""
    """The start of what was printed."""
    written: bytes = b""
    """What is in the `Output` argument afterwards."""
    stuck: bool = False
    """Whether the call still runs, because nothing could stop it."""


class Heard(Struct, frozen=True, kw_only=True):
    """One frame that a peer of the trial received from the answer."""

    peer: str
    lifetime: int
    """Which connection to that peer, counted from 1."""
    call: int
    """During which call of the trial, counted from 0."""
    frame: bytes
    message: Incoming

    @property
    def method(self) -> str:
        """The method of a request or notification; "" for everything else."""
        return getattr(self.message, "method", "")

    @property
    def params(self) -> dict[str, Any]:
        """The params of a request or notification."""
        params = getattr(self.message, "params", None)
        return params if isinstance(params, dict) else {}

    @property
    def is_request(self) -> bool:
        """Whether it wants an answer."""
        return isinstance(self.message, Request)


def heard(peer: str, lifetime: int, call: int, frame: bytes) -> Heard:
    """Decode one frame."""
    return Heard(peer=peer, lifetime=lifetime, call=call, frame=frame, message=decode(frame))


class Seen(Struct, frozen=True, kw_only=True):
    """Everything a judge may look at."""

    outcomes: tuple[Outcome, ...]
    """One for each call that was made, in order; the last one may have ended badly."""
    heard: tuple[Heard, ...]
    """Every frame the peers received, in order."""
    effects: Mapping[str, tuple[str, ...]]
    """What each peer has done that cannot be undone."""
    lifetimes: Mapping[str, int]
    """How many connections each peer has had."""
    invoked: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    """Every call of one of the trial's functions: its name and arguments."""
    journal: Journal = msgspec.field(default_factory=Journal)
    """Both directions, for the diagram."""

    def frames(self, method: str | None = None, peer: str | None = None) -> tuple[Heard, ...]:
        """Return the frames with this method, sent to this peer; None is any."""
        return tuple(
            one
            for one in self.heard
            if method in (None, one.method) and (peer is None or one.peer == peer)
        )

    def said(self, peer: str | None = None) -> tuple[tuple[bytes, Incoming], ...]:
        """Return the frames the peers sent, in order, with what each of them is."""
        entries = self.journal.entries(peer, "received")
        return tuple((one.frame, decode(one.frame)) for one in entries if one.frame is not None)

    @property
    def last(self) -> Outcome:
        """How the last call ended."""
        return self.outcomes[-1]


class Finding(Struct, frozen=True, kw_only=True):
    """What is wrong with an answer."""

    key: str
    """Which mistake it is: the exercise has three hints for each."""
    seen: str
    """One sentence: what was seen. Plain text; may quote a peer or an answer."""
    rule: str | None = None
    """Id of the rule of the rulebook, where there is one."""
    frame: bytes | None = None
    """The frame that shows it."""


class Exercise(Struct, frozen=True, kw_only=True):
    """One exercise."""

    number: int
    name: str
    """Stands in the tag of the answer cell, `ex:<name>`, and in the notebook's file name."""
    title: str
    answer: str
    """The name the answer cell defines."""
    method: str = ""
    """What is called on an object that cannot be called itself; "" is the name above."""
    task: str
    """One sentence."""
    rules: tuple[str, ...]
    """The rules it teaches."""
    trials: Callable[[Random], tuple[Trial, ...]]
    """Makes the situations; ids, names and versions may differ from time to time."""
    judge: Callable[[Trial, Seen], Finding | None]
    """Says what is wrong, or None; pure."""
    hints: Mapping[str, Hints]
    """For every key the judge gives; the keys of `wire_checks` have hints of their own."""

    @property
    def verb(self) -> str:
        """The method to call on an object that cannot be called itself."""
        return self.method or self.answer
