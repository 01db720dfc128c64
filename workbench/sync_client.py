"""The synchronous front door: the same client, driven on one background loop.

Works in a script, in a thread, in a notebook cell with a running loop, and across cells:
peers stay open between calls, and everything is closed at interpreter exit. An interrupt
during a call cancels that call and tells the peer.

Source: design section 4; field cases J03–J08.
"""

import atexit
import weakref
from collections.abc import Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from workbench.admission import Target
from workbench.client import AsyncMultiServerClient
from workbench.core.call import ToolResult
from workbench.core.config.config import PeerConfig, WorkbenchConfig
from workbench.core.outcome import Outcomes
from workbench.core.report import StartupReport
from workbench.core.tool import Listing
from workbench.drivers.background import BackgroundLoop
from workbench.drivers.tally import OnStep
from workbench.listen_verbs import ListenVerbs
from workbench.menu_verbs import MenuVerbs
from workbench.read_verbs import ReadVerbs
from workbench.transports.groups import guard_exit

T = TypeVar("T")


class MultiServerClient(ReadVerbs, ListenVerbs, MenuVerbs):
    """A client for many MCP servers, without async and await.

    Args:
        options: exactly what `AsyncMultiServerClient` takes: merge_policy, clock, journal,
            handlers, capabilities, can_declare, allowed_commands, reserved_names,
            drift_policy, share_public, stale_if_error_s, recover.
    """

    def __init__(self, **options: Any) -> None:
        self._adopt(AsyncMultiServerClient(**options))

    @classmethod
    def from_config(cls, config: str | Path | WorkbenchConfig, **options: Any) -> Self:
        """Build a client from an `mcp.json`; see `AsyncMultiServerClient.from_config`.

        Raises:
            ConfigError: if the file is missing or wrong; names the path of the fault.
        """
        client = cls.__new__(cls)
        client._adopt(AsyncMultiServerClient.from_config(config, **options))
        return client

    def _adopt(self, inner: AsyncMultiServerClient) -> None:
        self._inner: AsyncMultiServerClient = inner
        self._menus, self._pool, self.journal = inner._menus, inner._pool, inner.journal
        self._loop = BackgroundLoop("mcp-workbench")
        self._watch()

    def _watch(self) -> None:
        # Closes the peers when the last reference goes, and at interpreter exit. Exit hooks
        # run in reverse order: the polite close must come before the last resort.
        guard_exit()
        self._finalizer = weakref.finalize(self, _shut, self._inner, self._loop)
        self._finalizer.atexit = False
        atexit.register(self._finalizer)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if not self._finalizer.alive:  # used again after it was closed: there is a thread again
            self._watch()
        return self._loop.run(work)

    def __enter__(self) -> Self:
        """Return the client; peers are connected by `connect_all` or the first call."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every peer and end the background thread."""
        self.close()

    def close(self) -> None:
        """Close every peer in bounded time and end the thread; safe to call twice.

        A client that is used again afterwards is open again, and is closed again.
        """
        self._finalizer()
        atexit.unregister(self._finalizer)

    def add_server(
        self, name: str, target: Target, *, allow_legacy: bool = False, **settings: Any
    ) -> None:
        """Register one peer; nothing is started yet. See `AsyncMultiServerClient.add_server`.

        Raises:
            ConfigError: if the name is taken or a setting is wrong.
        """
        self._inner.add_server(name, target, allow_legacy=allow_legacy, **settings)

    def connect_all(self, *, on_progress: OnStep | None = None) -> StartupReport:
        """Negotiate with every peer that is not ready, concurrently, and return the report.

        Args:
            on_progress: called with a `Step` each time a peer is done, on the client's thread.
        """
        return self._wait(self._inner.connect_all(on_progress=on_progress))

    def discover_tools(self, *, on_progress: OnStep | None = None) -> dict[str, Listing]:
        """List the tools of each ready peer, from the cache where it is fresh.

        Args:
            on_progress: as for `connect_all`.
        """
        return self._wait(self._inner.discover_tools(on_progress=on_progress))

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, **wishes: Any
    ) -> ToolResult:
        """Call a tool by its canonical name; see `AsyncMultiServerClient.call`.

        Args:
            name: canonical name from the menu.
            arguments: the tool's arguments, JSON values.
            wishes: timeout_s, max_timeout_s, idempotency_key, on_progress, on_log, on_retry,
                log_level, trace, check_arguments. The callbacks run on the client's own
                thread, and so do handlers that are coroutine functions.

        Raises:
            WorkbenchError: one subclass for each way a call can end without a result.
        """
        return self._wait(self._inner.call(name, arguments, **wishes))

    @property
    def outcomes(self) -> Outcomes:
        """How the latest calls and reads ended, each in exactly one way."""
        return self._inner.outcomes

    def report(self) -> StartupReport:
        """Return the startup report as values; it stays true when the peers are gone."""
        return self._inner.report()

    @property
    def configs(self) -> dict[str, PeerConfig]:
        """The peers' configurations by name."""
        return self._inner.configs

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the configuration file made us wonder about."""
        return self._inner.warnings


def _shut(inner: AsyncMultiServerClient, loop: BackgroundLoop) -> None:
    if loop.started:
        loop.run(inner.aclose())
    loop.stop()
