"""The asynchronous front door: many peers, one menu, one report.

Takes:  peers, by configuration or by code
Gives:  the pipeline's verbs: connect_all, discover_tools, merge, call, report
Never:  decides anything itself; it carries values from stage to stage

Source: design sections 3 and 4; seed card "Client tasks in code".
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workbench.admission import Target, admit, terms_for
from workbench.configuration import load_config
from workbench.core.actions import Settled
from workbench.core.allowlist import Allowed
from workbench.core.call import Answer, ToolResult, success_value, tool_result
from workbench.core.config import PeerConfig, WorkbenchConfig
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.journal import Journal
from workbench.core.menu import Menu, Policy
from workbench.core.merge import collision_failure, merge
from workbench.core.pins import Lock
from workbench.core.recover import Decision, Lost, may_repeat
from workbench.core.report import PeerReport, StartupReport, ToolName
from workbench.core.route import Route, route
from workbench.core.tool import Listing
from workbench.core.wire.keys import TOOLS_CALL
from workbench.core.wire.message import Notification
from workbench.drivers.clock import SystemClock
from workbench.drivers.owner import Owner, Status, Verdict
from workbench.drivers.pool import Member, Pool
from workbench.pinning import Guard, guard_of
from workbench.transports.base import Clock


class AsyncMultiServerClient:
    """A client for many MCP servers. Use it on one event loop, as an async context manager.

    Args:
        merge_policy: "prefix-on-collision" (default), "reject" or "prefix-always".
        clock: source of time; None means real time.
        journal: where every frame and decision goes; None makes a new one.
        capabilities: declared to every peer from the first request on.
        can_declare: declared to a peer only when it says it needs them.
        allowed_commands: the only commands that may be started, as absolute executable
            paths or whole command lines; None means each `add_server` is the operator's word.

    Raises:
        ConfigError: if the merge policy is unknown.
    """

    def __init__(
        self,
        *,
        merge_policy: Policy = "prefix-on-collision",
        clock: Clock | None = None,
        journal: Journal | None = None,
        capabilities: Mapping[str, Any] | None = None,
        can_declare: Mapping[str, Any] | None = None,
        allowed_commands: Iterable[Allowed] | None = None,
    ) -> None:
        self.merge_policy = merge_policy
        self.journal = Journal() if journal is None else journal
        self.configs: dict[str, PeerConfig] = {}
        self.warnings: tuple[str, ...] = ()
        self._clock = SystemClock() if clock is None else clock
        self._capabilities = dict(capabilities or {})
        self._can_declare = dict(can_declare or {})
        self._allowed = None if allowed_commands is None else tuple(allowed_commands)
        self._guard: Guard | None = None
        self._pool = Pool(self._clock, self.journal)
        self._menu: Menu | None = None
        self._owners: Mapping[str, str] = {}
        merge([], merge_policy)  # an unknown policy is refused here, not at the first merge

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
        client.journal.redactor.add(*loaded.secrets)
        left = guard.warnings(peer.name for peer in loaded.peers) if guard is not None else ()
        client.warnings = (*loaded.warnings, *left)
        for peer in loaded.peers:
            client.add_server(peer.name, peer)
        return client

    def add_server(
        self, name: str, target: Target, *, allow_legacy: bool = False, **settings: Any
    ) -> None:
        """Register one peer; nothing is started yet.

        Args:
            name: unique among the peers; part of canonical names, so without "/".
            target: a `PeerConfig`, a command line, or an object that makes transports.
            allow_legacy: permits one bounded `initialize` to this very peer; a
                configuration that says so too is enough.
            settings: any other `PeerConfig` field, such as discovery_timeout_ms.

        Raises:
            ConfigError: if the name is taken or a setting is wrong.
        """
        taken = next((n for n in self.configs if n.casefold() == name.casefold()), None)
        if taken is not None:
            detail = f"a peer named {taken!r} is registered already; {name!r} is too close to it"
            hint = "Give each peer a name of its own."
            raise ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))
        if allow_legacy:
            settings["allow_legacy"] = allow_legacy
        config, endpoint = admit(name, target, settings, self._allowed)
        if self._guard is not None:
            endpoint = self._guard.endpoint(config, endpoint)
        self.journal.redactor.add(*config.secrets())
        terms = terms_for(config, endpoint, self._capabilities, self._can_declare)
        owner = Owner(name, endpoint, terms, self._clock, self.journal)
        owner.on_notification = self._announced
        self.configs[name] = config
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
        await self._pool.close()

    # -- the pipeline ------------------------------------------------------------------

    async def connect_all(self) -> StartupReport:
        """Negotiate with every peer that is not ready, concurrently, and return the report."""
        before = set(self._pool.ready)
        await self._pool.connect_all()
        for name in set(self._pool.ready) - before:
            self._pool.forget(name)
        return self.report()

    async def discover_tools(self) -> dict[str, Listing]:
        """List the tools of each ready peer, from the cache where it is fresh."""
        return await self._pool.list_all()

    def merge(self, policy: Policy | None = None) -> Menu:
        """Merge what the ready peers offer into one menu, and accept its owners.

        Args:
            policy: overrides the client's policy from now on.

        Raises:
            NameCollision: under "reject", when two peers offer one name; names both.
        """
        if policy is not None:
            self.merge_policy = policy
        self._menu = merge(self._listings(), self.merge_policy)
        self._owners = self._menu.owners
        for collision in self._menu.collisions:
            self._note(
                "",
                "merge",
                f"{collision.outcome}: {collision.name}",
                collision.rule,
                collision.reason,
            )
        failure = collision_failure(self._menu)
        if failure is not None:
            raise failure.as_error()
        return self._menu

    @property
    def menu(self) -> Menu | None:
        """The menu accepted last, or None before the first merge."""
        return self._menu

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
    ) -> ToolResult:
        """Call a tool by its canonical name (or its model-safe alias).

        Connects, lists and merges first when that has not been done.

        Args:
            name: canonical name from the menu.
            arguments: the tool's arguments, JSON values.
            timeout_s: seconds for this call; None means the peer's `call_timeout_s`.
            idempotency_key: the caller's word that repeating this call is harmless; only
                then it is sent again, once and with a new id, after a broken transport.

        Raises:
            MenuError: if the name has no, more than one, or no ready owner.
            Refused: if the peer answered with an error.
            ProtocolViolation: if the answer breaks the protocol.
            TookTooLong: if the deadline passed; the peer was told to stop.
            OutcomeUnknown: if the transport broke after sending; the call may have run.
        """
        if self._menu is None:
            await self.connect_all()
            await self.discover_tools()
            self.merge()
        found = self._route(name)
        outcome = await self._call_once(found, arguments, timeout_s)
        if isinstance(outcome, Failure) and outcome.kind is Kind.OUTCOME_UNKNOWN:
            decision = may_repeat(TOOLS_CALL, Lost.AFTER_SENDING, idempotency_key=idempotency_key)
            outcome = await self._after_loss(decision, outcome, found, arguments, timeout_s)
        if isinstance(outcome, Failure):
            raise self._ended(outcome)
        return outcome

    def report(self) -> StartupReport:
        """Return the startup report as values; it stays true when the peers are gone."""
        peers = tuple(self._peer_report(name, m) for name, m in self._pool.members.items())
        collisions = self._menu.collisions if self._menu is not None else ()
        report = StartupReport(peers=peers, collisions=collisions, policy=self.merge_policy)
        return report.redacted(self.journal.redactor)

    # -- inside ------------------------------------------------------------------------

    def _listings(self) -> list[Listing]:
        ready = set(self._pool.ready)
        return [
            member.listing
            for name, member in self._pool.members.items()
            if member.listing is not None and name in ready
        ]

    def _route(self, name: str) -> Route:
        assert self._menu is not None
        found = route(self._menu, name, ready=self._pool.ready, owners=self._owners)
        if isinstance(found, Failure):
            if found.kind is Kind.PEER_AWAY and found.peer in self._pool.members:
                found = self._pool.members[found.peer].owner.away()
            raise self._ended(found)
        return found

    async def _call_once(
        self, found: Route, arguments: Mapping[str, Any] | None, timeout_s: float | None
    ) -> ToolResult | Failure:
        member = self._pool.members[found.peer]
        params = {"name": found.local, "arguments": dict(arguments or {})}
        wait_s = member.call_timeout_s if timeout_s is None else timeout_s
        # Read now: a peer may answer and end in one go, and the answer counts (case S08).
        settled = member.owner.verdict.settled
        answer = await self._pool.call_tool(found.peer, params, found.tool, wait_s)
        return self._judged(answer, settled, member, found)

    def _judged(
        self, answer: Answer | Failure, settled: Settled | None, member: Member, found: Route
    ) -> ToolResult | Failure:
        if isinstance(answer, Failure):
            return answer
        if settled is None:
            return member.owner.away()
        value = success_value(
            answer,
            settled.era,
            peer=found.peer,
            stage="call",
            accept_missing_result_type=member.accept_missing_result_type,
        )
        if isinstance(value, Failure):
            return value
        return tool_result(value, peer=found.peer, tool=found.local)

    async def _after_loss(
        self,
        decision: Decision,
        lost: Failure,
        found: Route,
        arguments: Mapping[str, Any] | None,
        timeout_s: float | None,
    ) -> ToolResult | Failure:
        verb = "repeat once" if decision.repeat else "do not repeat"
        self._note(found.peer, "recover", verb, decision.rule, decision.why)
        if not decision.repeat:
            return lost
        self._pool.forget(found.peer)
        await self._pool.connect_all([found.peer])
        if found.peer in self._pool.ready:
            await self._pool.list_one(found.peer)
        menu = merge(self._listings(), self.merge_policy)
        again = route(menu, found.canonical, ready=self._pool.ready, owners=self._owners)
        if isinstance(again, Failure):
            return again
        return await self._call_once(again, arguments, timeout_s)

    def _ended(self, failure: Failure) -> Exception:
        clean: Failure = self.journal.redactor.tree(failure)
        self._note(clean.peer or "", clean.stage, str(clean.kind), clean.rule, clean.detail)
        return clean.as_error()

    def _announced(self, peer: str, announced: Notification) -> None:
        if announced.method.endswith("/list_changed"):
            self._pool.forget(peer)

    def _peer_report(self, name: str, member: Member) -> PeerReport:
        verdict, listed = member.owner.verdict, member.listing
        settled = verdict.settled
        ready = member.owner.status is Status.READY
        items = self._menu.items if self._menu is not None and ready else ()
        failure = listed.failure if ready and listed is not None else verdict.failure
        info = settled.server_info if settled else {}
        return PeerReport(
            peer=name,
            transport=member.owner.endpoint.kind,
            status="ready" if ready else "unavailable",
            era=settled.era if settled and ready else None,
            version=settled.version if settled and ready else None,
            cache_scope=listed.cache_scope if listed and ready and not listed.failure else None,
            tools=tuple(ToolName(i.canonical, i.local) for i in items if i.peer == name),
            allow_legacy=self.configs[name].allow_legacy,
            ready_ms=verdict.ready_ms if ready else None,
            reason=_reason(verdict, failure, member.owner.status),
            evidence=verdict.evidence or None,
            rule=failure.rule if failure else settled.rule if settled else None,
            hint=failure.hint if failure else "",
            deviations=(*(settled.deviations if settled else ()), *self._drift(member)),
            dropped=listed.dropped if listed else (),
            server=" ".join(str(info[k]) for k in ("name", "version") if k in info),
        )

    def _drift(self, member: Member) -> tuple[str, ...]:
        if self._guard is None or member.listing is None:
            return ()
        return tuple(drift.line() for drift in self._guard.drift(member.listing))

    def _note(self, peer: str, stage: str, what: str, rule: str | None, detail: str = "") -> None:
        self.journal.decided(self._clock.now(), peer, stage, what, rule=rule, detail=detail)


def _reason(verdict: Verdict, failure: Failure | None, status: Status) -> str:
    if failure is not None:
        return failure.detail
    return verdict.settled.seen if verdict.settled else f"the peer is {status}"
