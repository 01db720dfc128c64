"""The asynchronous front door: many peers, one menu, one report.

Takes:  peers, by configuration or by code
Gives:  the pipeline's verbs: connect_all, discover_tools, merge, call, report
Never:  decides anything itself; it carries values from stage to stage

Source: design sections 3 and 4; seed card "Client tasks in code".
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workbench.admission import Target, admit, terms_for
from workbench.calls import Calls, Case, Ledger, OnLog, OnProgress, OnRetry, Wishes
from workbench.configuration import load_config
from workbench.core.call import ToolResult
from workbench.core.config.allowlist import Allowed
from workbench.core.config.config import PeerConfig, WorkbenchConfig
from workbench.core.config.peer_rules import taken_by
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.inputs.handlers import NO_HANDLERS, Handlers
from workbench.core.journal.journal import Journal
from workbench.core.menu.menu import Policy
from workbench.core.menu.route import Route
from workbench.core.outcome import Outcomes
from workbench.core.pins.drift_watch import DriftPolicy, DriftWatch
from workbench.core.pins.pins import Lock
from workbench.core.recovery.restart import RecoveryPolicy
from workbench.core.report import StartupReport
from workbench.core.tool import Listing
from workbench.core.wire.keys import TOOLS_CALL
from workbench.core.wire.message import Notification, Request
from workbench.drivers.answering import Answering
from workbench.drivers.calling import Calling
from workbench.drivers.catalogue import Catalogue
from workbench.drivers.clock import SystemClock
from workbench.drivers.one_loop import OneLoop
from workbench.drivers.owner import Status
from workbench.drivers.patience import Watches
from workbench.drivers.pool import Member, Pool
from workbench.drivers.schemas import Schemas
from workbench.drivers.server_requests import ServerRequests
from workbench.drivers.shelf import Shelf
from workbench.drivers.tally import OnStep
from workbench.drivers.telemetry import owner_for
from workbench.listen_verbs import AsyncListenVerbs
from workbench.menu_verbs import MenuVerbs
from workbench.menus import Menus, checked_drift_policy
from workbench.pinning import Guard, guard_of
from workbench.read_verbs import AsyncReadVerbs
from workbench.reads import Reads
from workbench.reports import peer_report
from workbench.transports.base import Clock
from workbench.upkeep import Upkeep


class AsyncMultiServerClient(AsyncReadVerbs, AsyncListenVerbs, MenuVerbs):
    """A client for many MCP servers. Use it on one event loop, as an async context manager.

    Args:
        merge_policy: "prefix-on-collision" (default), "reject" or "prefix-always".
        clock: source of time; None means real time.
        journal: where every frame and decision goes; None makes a new one.
        handlers: who answers what peers ask back; what has a handler is declared.
        capabilities: declared besides, from the first request on, for what the
            application's own code handles; a peer that asks for it through a call is refused.
        can_declare: declared to a peer only when it says it needs them.
        allowed_commands: the only commands that may be started, as absolute executable
            paths or whole command lines; None means each `add_server` is the operator's word.
        reserved_names: names no peer may take, such as those of the application's own tools.
        drift_policy: "report" tells of a tool that changed, "pin" also refuses to call it
            until it is accepted; None means "pin" with a lock and "report" without.
        share_public: whether a list that its peer calls public may serve other
            authorization contexts of that peer; a peer's own `share_public` says so for it.
        stale_if_error_s: how long past its end, in seconds, a list or a resource may stand
            in for one that did not arrive; its `stale`, the journal, and for tools the report
            say so.
        recover: whether a ready peer that is lost is started again: True, False, or a
            `RecoveryPolicy` that says how eagerly.

    Raises:
        ConfigError: if a policy is unknown.
    """

    def __init__(
        self,
        *,
        merge_policy: Policy = "prefix-on-collision",
        clock: Clock | None = None,
        journal: Journal | None = None,
        handlers: Handlers | None = None,
        capabilities: Mapping[str, Any] | None = None,
        can_declare: Mapping[str, Any] | None = None,
        allowed_commands: Iterable[Allowed] | None = None,
        reserved_names: Iterable[str] = (),
        drift_policy: DriftPolicy | None = None,
        share_public: bool = False,
        stale_if_error_s: float = 0.0,
        recover: bool | RecoveryPolicy = True,
    ) -> None:
        self.journal = Journal() if journal is None else journal
        self.configs: dict[str, PeerConfig] = {}
        self.warnings: tuple[str, ...] = ()
        self._clock = SystemClock() if clock is None else clock
        self._capabilities = {**(handlers or NO_HANDLERS).capabilities(), **(capabilities or {})}
        self._can_declare = dict(can_declare or {})
        self._allowed = None if allowed_commands is None else tuple(allowed_commands)
        self._guard: Guard | None = None
        self._home = OneLoop()
        self._asked_drift_policy = drift_policy
        stale_ms = round(stale_if_error_s * 1_000)
        shelf = Shelf(self._clock, self.journal, share_public=share_public, stale_ms=stale_ms)
        drift = DriftWatch(checked_drift_policy(drift_policy or "report"))
        self._pool = Pool(self._clock, self.journal, shelf, drift)
        self._build(handlers or NO_HANDLERS)
        self._menus = Menus(self._pool, self._ledger, merge_policy, reserved_names)
        self._upkeep = Upkeep(
            self._pool, self._catalogue, self._menus, self._clock, self.journal, recover
        )

    def _build(self, handlers: Handlers) -> None:
        clock, journal, schemas = self._clock, self.journal, Schemas()
        answering = Answering(handlers, schemas, clock, journal)
        self._watches = Watches(journal, clock)
        self._server_requests = ServerRequests(answering, clock, journal)
        self._ledger = Ledger(clock, journal)
        calling = Calling(self._pool, answering, self._watches, clock, journal)
        catalogue = self._catalogue = Catalogue(self._pool, clock, journal)
        self._calls = Calls(calling, schemas, self._ledger, clock, self.configs)
        self._reads = Reads(self._pool, calling, catalogue, self._ledger, clock)

    @classmethod
    def from_config(
        cls,
        config: str | Path | WorkbenchConfig,
        *,
        locked: bool = False,
        lock: Lock | None = None,
        **options: Any,
    ) -> Self:
        """Build a client from an `mcp.json`; only the commands in it can be started.

        When a lock is beside the file, only what is as pinned can be reached.

        Args:
            config: path of the file, or a configuration loaded before.
            locked: demand a lock.
            lock: a lock to go by, instead of the one beside the file.
            options: what the constructor takes.

        Raises:
            ConfigError: if the file is missing or wrong, or the lock is unusable or is
                demanded and missing; names the path of the fault.
        """
        loaded = config if isinstance(config, WorkbenchConfig) else load_config(config)
        options.setdefault(
            "allowed_commands", [(p.command, *p.args) for p in loaded.peers if p.command]
        )
        if lock is not None:
            guard: Guard | None = Guard(lock, loaded.source, loaded.secrets)
        else:
            guard = guard_of(loaded, locked=locked)
        client = cls(**options)
        client._guard = guard
        client._lock_tools(guard)
        client.journal.redactor.add(*loaded.secrets)
        left = guard.warnings(peer.name for peer in loaded.peers) if guard is not None else ()
        client.warnings = (*loaded.warnings, *left)
        for peer in loaded.peers:
            client.add_server(peer.name, peer)
        return client

    def add_server(
        self,
        name: str,
        target: Target,
        *,
        allow_legacy: bool = False,
        authorization: Any = None,
        **settings: Any,
    ) -> None:
        """Register one peer; nothing is started yet.

        Args:
            name: unique among the peers; part of canonical names, so without "/".
            target: a `PeerConfig`, a command line, or an object that makes transports.
            allow_legacy: permits one bounded `initialize` to this very peer; a
                configuration that says so too is enough.
            authorization: what lets us in at a peer with a url: an `OAuth`, a provider of
                the SDK, a function that returns a bearer token, or the token.
            settings: any other `PeerConfig` field, such as discovery_timeout_ms.

        Raises:
            ConfigError: if the name is taken or a setting is wrong.
        """
        taken = taken_by(name, self.configs)
        if taken is not None:
            detail = f"a peer named {taken!r} is registered already; {name!r} is too close to it"
            hint = "Give each peer a name of its own."
            raise ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))
        if allow_legacy:
            settings["allow_legacy"] = allow_legacy
        hide = self.journal.redactor.add
        config, endpoint = admit(
            name, target, settings, self._allowed, authorization=authorization, hide=hide
        )
        if self._guard is not None:
            endpoint = self._guard.endpoint(config, endpoint)
        hide(*config.secrets())
        terms = terms_for(config, endpoint, self._capabilities, self._can_declare)
        owner = owner_for(name, endpoint, terms, self._clock, self.journal)
        owner.on_notification = self._announced
        owner.on_request = self._asked
        self._upkeep.watch(owner)
        self.configs[name] = config
        if config.share_public:
            self._pool.cache.share(name)
        self._pool.add(
            Member(
                owner,
                config.auth_context,
                config.call_timeout_s,
                config.accept_missing_result_type,
            )
        )

    async def __aenter__(self) -> Self:
        """Return the client; peers are connected by `connect_all` or the first call."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every peer."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close every peer in bounded time; safe to call twice."""
        self._home.enter()
        await self._upkeep.close()
        await self._server_requests.close()
        await self._pool.close()
        self._home.leave()

    # -- the pipeline ------------------------------------------------------------------

    async def connect_all(self, *, on_progress: OnStep | None = None) -> StartupReport:
        """Connect every peer that is not ready, list lost ones anew, and return the report.

        Args:
            on_progress: called with a `Step` each time a peer is done, on the client's loop.
        """
        self._home.enter()
        await self._upkeep.connect_all(on_progress)
        return self.report()

    async def discover_tools(self, *, on_progress: OnStep | None = None) -> dict[str, Listing]:
        """List the tools of each ready peer, from the cache where it is fresh.

        A menu that was merged before follows; owners stay as they were accepted.

        Args:
            on_progress: as for `connect_all`.
        """
        self._home.enter()
        listed = await self._pool.list_all(on_progress)
        self._menus.refresh("")
        return listed

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = None,
        max_timeout_s: float | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        on_retry: OnRetry | None = None,
        log_level: str | None = None,
        trace: Mapping[str, str] | None = None,
        check_arguments: bool = True,
    ) -> ToolResult:
        """Call a tool by its canonical name (or its model-safe alias).

        Connects, lists and merges first when that has not been done. When the peer asks for
        input, the handlers answer and the call goes on in a new round; the time they take
        is not counted against the peer.

        Args:
            name: canonical name from the menu.
            arguments: the tool's arguments, JSON values.
            timeout_s: seconds without an answer or progress, for each round; None means the
                peer's `call_timeout_s`.
            max_timeout_s: seconds of waiting for the peer altogether, whatever progress it
                makes; None means ten times `timeout_s` when `on_progress` is given.
            idempotency_key: the caller's word that repeating this call is harmless; only
                then it is sent again, once and with a new id, after a broken transport.
            on_progress: called with each `Progress` of this very call, on the client's loop,
                so it must not block; asking for progress also lets it move the deadline.
            on_log: called with each `LogMessage` of the peer while the call runs.
            on_retry: asked with the `Failure` when the outcome is unknown and there is no
                key; True, a thread or a coroutine later, sends the call again, once.
            log_level: asks the peer for log messages of this severity and above.
            trace: W3C trace context for the peer; None takes the active OpenTelemetry span's.
            check_arguments: False leaves checking the arguments to the peer.

        Raises:
            MenuError: if the name has no, more than one, or no ready owner.
            WrongArguments: if the arguments break the tool's schema; nothing was sent.
            Refused: if the peer answered with an error.
            ProtocolViolation: if the answer breaks the protocol or the tool's output schema.
            InputRefused: if a handler failed, or the policy refused what the peer asked.
            CallCancelled: if the user declined what the call cannot go on without.
            TookTooLong: if the deadline passed; the peer was told to stop.
            OutcomeUnknown: if the transport broke after sending; the call may have run.
        """
        wishes = Wishes(
            timeout_s=timeout_s,
            max_timeout_s=max_timeout_s,
            on_progress=on_progress,
            on_log=on_log,
            on_retry=on_retry,
            log_level=log_level,
            trace=trace,
        )
        case = Case(TOOLS_CALL, name)
        self._home.enter()
        work = self._call(case, arguments, wishes, idempotency_key, check_arguments)
        return await self._ledger.settle(case, work)

    @property
    def outcomes(self) -> Outcomes:
        """How the latest calls and reads ended, each in exactly one way."""
        return self._ledger.outcomes

    def report(self) -> StartupReport:
        """Return the startup report as values; it stays true when the peers are gone."""
        peers = tuple(
            peer_report(name, member, self.configs[name], self.menu, self._pool.drift)
            for name, member in self._pool.members.items()
        )
        collisions = self.menu.collisions if self.menu is not None else ()
        report = StartupReport(peers=peers, collisions=collisions, policy=self.merge_policy)
        return report.redacted(self.journal.redactor)

    # -- inside ------------------------------------------------------------------------

    async def _connected(self) -> None:
        self._home.enter()
        if all(m.owner.status is Status.IDLE for m in self._pool.members.values()):
            await self.connect_all()

    async def _call(
        self,
        case: Case,
        arguments: Mapping[str, Any] | None,
        wishes: Wishes,
        idempotency_key: str | None,
        check_arguments: bool,
    ) -> ToolResult | Failure:
        if self.menu is None:
            await self.connect_all()
            await self.discover_tools()
            self.merge()
        found = self._menus.route(case.name)
        if type(found) is Failure:
            return found
        case.peer = found.peer
        self._server_requests.refill(found.peer)
        return await self._calls.call(
            found,
            arguments,
            wishes,
            case=case,
            default_s=self._pool.members[found.peer].call_timeout_s,
            idempotency_key=idempotency_key,
            check_arguments=check_arguments,
            again=self._again,
        )

    async def _again(self, peer: str, canonical: str) -> Route | Failure:
        await self._upkeep.recovery.bring_back(peer)
        return self._menus.route(canonical, self._menus.present())

    def _announced(self, peer: str, announced: Notification) -> None:
        self._watches.hear(peer, announced)
        self._server_requests.hear(peer, announced)
        self._upkeep.hear(peer, announced)

    def _asked(self, peer: str, request: Request, reply: Callable[[dict[str, Any]], None]) -> bool:
        settled = self._pool.members[peer].owner.verdict.settled
        declared = settled.client_capabilities if settled is not None else {}
        return self._server_requests.take(peer, request, declared, reply)
