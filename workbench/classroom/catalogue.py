"""What an instructor can choose from: three functions that any library of fakes can offer.

Takes:  nothing
Gives:  the protocols `Catalogue`, `Cast` and `Peer`; `fakes.library` is such a catalogue
Never:  imports a fake: the harness does not know what it is tried with

Source: design section 3, "workbench never imports fakes".
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from workbench.transports.base import Clock, Transport, TransportKind


class Peer(Protocol):
    """A server that can be reached in memory, as a process, and over HTTP."""

    @property
    def kind(self) -> TransportKind:
        """Which sort of transport `new_transport` makes."""

    @property
    def identity(self) -> str:
        """Text that changes whenever the peer does."""

    def new_transport(self, clock: Clock) -> Transport:
        """Make a transport in memory, for one lifetime."""

    def over_stdio(self) -> AbstractContextManager[list[str]]:
        """Give a command that runs it, while the block lasts."""

    def over_http(self) -> AbstractContextManager[str]:
        """Serve it, while the block lasts; give the URL."""


class Cast(Protocol):
    """Some peers that play a situation together."""

    @property
    def about(self) -> str:
        """One line that says what is wrong."""

    @property
    def peers(self) -> Mapping[str, Peer]:
        """By the name a client knows each by; the first is the one it is about."""

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """Per peer, settings without which its part would mean nothing."""

    @property
    def then(self) -> str:
        """What comes after the first calls: "", "again" or "listen"."""

    @property
    def ways(self) -> Sequence[str]:
        """On which of "memory", "stdio" and "http" it can be played."""


class Catalogue(Protocol):
    """Situations by name. A module with these functions is one."""

    def casts(self) -> Sequence[tuple[str, str]]:
        """Return every name with one line about it."""

    def cast(self, name: str, *, discovery_timeout_s: float = 1.0) -> Cast:
        """Return a new cast; peers that are late are so for this timeout, in seconds."""

    def beside(self, era: str) -> Peer:
        """Return a good peer of an era ("modern", "legacy"), to stand beside a cast."""
