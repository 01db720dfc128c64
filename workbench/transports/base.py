"""The seam between the drivers and every way to reach a peer.

An `Endpoint` is a recipe (a pinned command, an address, a fake); it makes one-use
`Transport` objects. A transport pushes what it hears into a `Receiver`. All three are
protocols: anything with these members fits, without importing this file.

All methods are called on one event loop; none may block.
Source: design sections 3 and 7.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from workbench.core.wire.exchange import ExchangeEnd
from workbench.core.wire.message import RequestId

TransportKind: TypeAlias = Literal["memory", "stdio", "http"]


class Ending(Struct, frozen=True, kw_only=True):
    """How a transport ended: what a report needs to say why a peer went away."""

    reason: str
    """One clause: "exited with status 3", "closed its output", "closed by us"."""
    exit_status: int | None = None
    """Exit status of the process; None when there is none or it was killed by a signal."""
    signal: str | None = None
    """Name of the signal that ended the process, such as "SIGKILL"."""
    stderr_tail: str = ""
    """The last lines the process wrote to stderr, safe to show."""
    by_us: bool = False
    """True when this side asked for the end."""


class Timer(Protocol):
    """A pending callback."""

    def cancel(self) -> None:
        """Forget the callback; harmless when it already ran."""


class Clock(Protocol):
    """The only source of time; seconds from an arbitrary origin, never going back."""

    def now(self) -> float:
        """Return the present time in seconds."""

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Run `callback` on the running event loop once `now()` reaches `when` (seconds)."""


class Receiver(Protocol):
    """What a transport tells its driver."""

    def frame_received(self, frame: bytes, exchange: RequestId | None = None) -> None:
        """One whole frame arrived, without its line end; it may be blank or garbage.

        `exchange` is the request whose own stream or body it came in, where there is one.
        """

    def frame_dropped(self, size: int, head: bytes, cap: int) -> None:
        """A frame of `size` bytes passed `cap` and was dropped; `head` is its start."""

    def exchange_seen(self, exchange: RequestId, status: int, headers: Mapping[str, str]) -> None:
        """The head of a response arrived, before anything of its body; never from a pipe."""

    def exchange_ended(self, end: ExchangeEnd) -> None:
        """One exchange is over and brought no answer; never called by a pipe."""

    def life_seen(self) -> None:
        """The first byte arrived on any stream; called at most once."""

    def transport_closed(self, ending: Ending) -> None:
        """The transport ended; called exactly once after `open` succeeded, always last."""


class Transport(Protocol):
    """One lifetime of a link to a peer; opened once, closed once."""

    async def open(self, receiver: Receiver) -> None:
        """Start the link.

        Raises:
            CouldNotStart: if there is nothing to talk to; nothing is left behind.
        """

    def send(self, frame: bytes) -> Mapping[str, str] | None:
        """Queue one frame (without line end) for writing.

        Returns:
            The headers of the protocol it goes with; None where there are none.

        Raises:
            PipeClosed: if the link has ended or the peer stopped reading.
        """

    async def close(self) -> Ending:
        """End the link in bounded time, leaving nothing behind; safe to call twice."""


class ExchangeTransport(Transport, Protocol):
    """A transport on which each request is an exchange of its own, with an end of its own."""

    def send(self, frame: bytes, tool: Any = None) -> Mapping[str, str] | None:
        """Send one frame; `tool` is the declaration whose annotations ask for headers.

        Returns:
            The headers of the protocol it goes with, without the operator's own.

        Raises:
            PipeClosed: if the link has ended.
            MisuseError: if an argument that must be mirrored has no header form.
        """

    def give_up(self, request_id: RequestId) -> bool:
        """End one exchange from our side; True when that itself tells the peer to stop."""


class Endpoint(Protocol):
    """A recipe for reaching one peer."""

    @property
    def kind(self) -> TransportKind:
        """Which sort of transport this makes."""

    @property
    def identity(self) -> str:
        """Text that changes whenever the thing reached changes; holds no secret."""

    def new_transport(self, clock: Clock) -> Transport:
        """Make a transport for one lifetime; nothing is started yet."""
