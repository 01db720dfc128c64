"""Every ready-made situation as a cast: who plays, how each is set up, what comes after.

Takes:  a name such as "P11-silence" or "M01-same-name"
Gives:  a `Cast`: new fakes by the name a client knows them by; and good neighbours
Never:  gives a fake a name that tells what is wrong with it: a class may have to find out

One peer is called "peer", whatever its fault. The rows M need several.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from fakes.errors import ScriptError
from fakes.fake import Fake
from fakes.library.honest import dual_era, legacy, modern
from fakes.library.index import find, names
from fakes.script import on
from fakes.server import define
from fakes.steps import answer_default, close, exit_, silence
from workbench.core.wire.keys import DISCOVER, TOOLS_CALL, TOOLS_LIST

Then = Literal["", "again", "listen"]
Way = Literal["memory", "stdio", "http"]

ALONE: Final = "peer"
"""What a peer is called that plays alone."""
NEWER: Final = ("2026-07-28", "2099-12-31")
"""What a client speaks that has something to fall back to."""


class Cast(Struct, frozen=True, kw_only=True):
    """Some fakes that play together. Fakes remember what they saw, so each cast is new."""

    name: str
    about: str
    """One line that says what is wrong, or that nothing is."""
    peers: Mapping[str, Fake]
    """By the name that a client knows each by."""
    settings: Mapping[str, Mapping[str, Any]] = {}
    """Per peer, settings without which its part would mean nothing."""
    then: Then = ""
    """What brings the fault to light after a first call: "again" lists and calls again,
    "listen" listens for changes."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways to a peer on which every member can play."""
        if any(fake.program.http_only for fake in self.peers.values()):
            return ("http",)
        if self.name[:3] in _PROCESSES:
            return ("stdio",)
        return ("memory", "stdio", "http")


def casts() -> list[tuple[str, str]]:
    """Return every name with one line about it: the honest ones, the faults, several peers."""
    return [*names(), *((name, about) for name, (about, _) in _SEVERAL.items())]


def cast(name: str, *, discovery_timeout_s: float = 1.0) -> Cast:
    """Return a new cast.

    Args:
        name: see `casts`.
        discovery_timeout_s: the client's discovery timeout in seconds, for late fakes.

    Raises:
        ScriptError: if there is none.
    """
    if name in _SEVERAL:
        about, make = _SEVERAL[name]
        peers, settings, then = make()
        return Cast(name=name, about=about, peers=peers, settings=settings, then=then)
    fake = find(name, discovery_timeout_s=discovery_timeout_s)
    newer = {"modern_revisions": NEWER} if name[:3] in ("P07", "H05") else {}
    return Cast(
        name=name,
        about=fake.program.about,
        peers={ALONE: fake.named(ALONE)},
        settings={ALONE: newer},
        then=_THEN.get(name[:3], ""),
    )


def beside(era: str) -> Fake:
    """Return a good peer to stand beside a cast, with a tool that nobody else has.

    Raises:
        ScriptError: if there is no such era.
    """
    if era not in _BESIDE:
        raise ScriptError(f"there is no neighbour of the era {era!r}; there are: modern, legacy")
    return _BESIDE[era]()


_THEN: Final[dict[str, Then]] = {
    "C04": "again", "C08": "listen", "C12": "listen", "C13": "again",
}  # fmt: skip
_PROCESSES: Final = frozenset({"C14"})
"""Rows whose fault shows only where a process has to be ended."""
_BESIDE: Final[dict[str, Callable[[], Fake]]] = {
    "modern": lambda: modern("museum", tools=["find_painting"]),
    "legacy": lambda: legacy("archive", tools=["find_letter"]),
}
_Made = tuple[dict[str, Fake], dict[str, dict[str, Any]], Then]


def _same_name() -> _Made:
    return _offering(files=["search", "open"], notes=["search"])


def _taken_prefix() -> _Made:
    return _offering(a=["search"], b=["search"], c=["b/search"])


def _joiners() -> _Made:
    return _offering(a=["b_c", "b/c"], a_b=["c", "_c"])


def _dead_and_slow() -> _Made:
    peers, _, then = _offering(files=["open"], notes=["write"], web=["fetch"])
    peers["files"] = peers["files"].script(on(DISCOVER).then(close()))
    peers["web"] = peers["web"].script(on(DISCOVER).then(silence()))
    return peers, {}, then


def _odd_names() -> _Made:
    return _offering(odd=["n" * 70, "größe", "検索 する", "with space", "db.query"])


def _two_eras() -> _Made:
    peers = {
        "north": modern("north", tools=["search"]),
        "south": legacy("south", tools=["ask"]),
        "west": dual_era("west", tools=["walk"]),
    }
    return peers, {"south": {"allow_legacy": True}}, ""


def _owner_changes() -> _Made:
    before, after = [define("delete"), define("search")], [define("open")]
    first = modern("first", tools=["delete", "open", "search"]).script(
        on(TOOLS_CALL).where(name="delete").then(exit_(1)),
        on(TOOLS_LIST).in_lifetime(1).then(answer_default(patch={"tools": before})),
        on(TOOLS_LIST).in_lifetime(2).then(answer_default(patch={"tools": after})),
    )
    return {"first": first, "second": modern("second", tools=["search"])}, {}, "again"


def _two_contexts() -> _Made:
    one = modern("notes", tools=["search"], list_scope="private")
    people = ("ann", "bob")
    settings = {f"{who}-notes": {"auth_context": who} for who in people}
    return dict.fromkeys(settings, one), settings, "again"


def _offering(**offers: list[str]) -> _Made:
    return {name: modern(name, tools=tools) for name, tools in offers.items()}, {}, ""


_SEVERAL: Final[dict[str, tuple[str, Callable[[], _Made]]]] = {
    "M01-same-name": ("two peers offer a tool of the same name", _same_name),
    "M02-taken-prefix": ("a prefixed name is a real name of a third peer", _taken_prefix),
    "M03-joiners": ("names that differ only in where they are joined", _joiners),
    "M04-dead-and-slow": ("one peer dead and one silent, beside one that works", _dead_and_slow),
    "M06-odd-names": ("names that are long, spaced, or not ASCII", _odd_names),
    "M07-two-eras": ("a modern, a legacy and a dual peer side by side", _two_eras),
    "M08-owner-changes": ("a peer dies, and comes back without its tool", _owner_changes),
    "M09-two-contexts": ("two authorization contexts at one peer, with private lists",
                         _two_contexts),
}  # fmt: skip
