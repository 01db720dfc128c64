"""One scene of the fault matrix: some peers, a story with them, and peers it must not pass with.

A scene is told on each way to a peer. What it asserts is the row's verdict.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from places import Story, Way, tell

from fakes import Fake, modern

LONG_S: Final = 15.0
"""Deadline of a call that ends by itself."""
LATE_S: Final = 0.4
"""Deadline of calls that end by it; nothing asserts how long it took."""
PATIENT: Final = {"discovery_timeout_ms": 10_000}


class Cast(Struct, frozen=True, kw_only=True):
    """Who plays; fakes remember what they saw, so every telling has a new cast."""

    fakes: Mapping[str, Fake]
    """By the name of the peer, in the order of registration."""
    settings: Mapping[str, Mapping[str, Any]] = {}
    options: Mapping[str, Any] = {}
    """Of the client."""


class Scene(Struct, frozen=True, kw_only=True):
    """One scene; its id begins with its row's."""

    id: str
    play: Callable[[Way, Path], None]
    fool: Callable[[Path], None] | None = None
    """Tells the story with peers that do not do what the row is about; it must fail."""
    not_on: Mapping[str, str] = {}
    """Ways on which the scene means nothing, each with the reason."""

    @property
    def row(self) -> str:
        """The id of its row."""
        return self.id[:3]


def scene(
    id: str,
    story: Story,
    cast: Callable[[], Cast],
    fools: Callable[[], Cast] | None = None,
    not_on: Mapping[str, str] | None = None,
) -> Scene:
    """Return a scene whose story is told once with its cast.

    Args:
        id: begins with the row's.
        story: what happens, with all assertions.
        cast: makes the peers.
        fools: makes peers the story must fail with; None where the row is about honest ones.
        not_on: ways on which it means nothing.
    """

    def play(way: Way, folder: Path) -> None:
        perform(story, cast(), way, folder)

    def fool(folder: Path) -> None:
        assert fools is not None
        perform(story, fools(), "memory", folder)

    return Scene(id=id, play=play, fool=None if fools is None else fool, not_on=not_on or {})


def perform(story: Story, cast: Cast, way: Way, folder: Path) -> None:
    """Tell a story with a cast."""
    tell(story, way, cast.fakes, folder, cast.settings, **cast.options)


def with_a_good_one(peer: Fake, **settings: Any) -> Cast:
    """Return a cast of a bad peer and an honest one beside it, which has the tool `fine`."""
    fakes = {"peer": peer, "good": modern("good", tools=["fine"])}
    return Cast(fakes=fakes, settings={"peer": {**PATIENT, **settings}, "good": PATIENT})
