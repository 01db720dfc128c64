"""An endpoint that is compared with its pin each time, immediately before it is opened.

Takes:  an endpoint, and a check that returns a `Failure` or None
Gives:  the endpoint's own transports, which refuse to open while the check fails
Never:  opens first and checks afterwards

Between the check and the start of the process lies the time of one system call; nothing
portable closes that gap, so a lock protects against a changed program and not against
somebody who can change it at any moment. Source: design section 5.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from workbench.core.errors import CouldNotStart, Failure
from workbench.transports.base import Clock, Endpoint, Receiver, Transport, TransportKind


class PinnedEndpoint:
    """A recipe whose every lifetime is checked.

    Args:
        endpoint: what is reached.
        check: says why it must not be reached now; may block, it is called in a thread.
    """

    def __init__(self, endpoint: Endpoint, check: Callable[[], Failure | None]) -> None:
        self.kind: TransportKind = endpoint.kind
        self.identity = endpoint.identity
        self._endpoint = endpoint
        self._check = check

    def new_transport(self, clock: Clock) -> "PinnedTransport":
        """Make a transport for one lifetime; nothing is checked or started yet."""
        return PinnedTransport(self._endpoint.new_transport(clock), self._check)


class PinnedTransport:
    """One lifetime, checked when it is opened.

    Args:
        transport: what is opened when the check finds nothing.
        check: as for `PinnedEndpoint`.
    """

    def __init__(self, transport: Transport, check: Callable[[], Failure | None]) -> None:
        self._transport = transport
        self._check = check
        # Bound once, so that a frame costs no second call.
        self.send = transport.send
        self.close = transport.close

    def __getattr__(self, name: str) -> Any:
        """Give what else the transport has, such as the id of its process."""
        return getattr(self._transport, name)

    async def open(self, receiver: Receiver) -> None:
        """Check, then start the link.

        Raises:
            CouldNotStart: if it differs from its pin; nothing was started.
        """
        failure = await asyncio.to_thread(self._check)
        if failure is not None:
            raise CouldNotStart(failure)
        await self._transport.open(receiver)
