"""What can happen to a fake, as plain data: the input of `engine.react`."""

from typing import TypeAlias

from msgspec import Struct

from fakes.steps import Step


class Started(Struct, frozen=True):
    """The fake has started; `lifetime` counts its processes or links from 1."""

    lifetime: int = 1


class Heard(Struct, frozen=True):
    """One frame from the client, without its line end."""

    frame: bytes
    origin: int = 0
    """Number of the exchange it came in, where a host serves several clients."""
    principal: str = ""
    """Who sent it, as far as a host can tell; "" is whoever holds the other end."""


class StreamOpened(Struct, frozen=True):
    """The client opened a stream of its own to listen on (legacy, HTTP GET)."""

    origin: int = 0


class Gone(Struct, frozen=True):
    """The client hung up on the exchange `origin`, which cancels what it asked there."""

    origin: int


class Told(Struct, frozen=True):
    """The test wants these steps done now."""

    steps: tuple[Step, ...]


class InputEnded(Struct, frozen=True):
    """The client will send nothing more."""


FakeEvent: TypeAlias = Started | Heard | StreamOpened | Gone | Told | InputEnded
