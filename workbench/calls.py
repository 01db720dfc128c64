"""One call from its first check to its recorded end.

Takes:  a route (or why there is none), arguments, and the caller's wishes
Gives:  a result, or one exception; and one `Outcome` either way
Never:  sends arguments that break the tool's own schema, and never repeats a call on its
        own word, or on the word of a peer that nobody said is to be believed

Source: design sections 7.6 to 7.8; seed skill, items 7 and 8.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from workbench.core.call import ToolResult, tool_result
from workbench.core.cause import cause
from workbench.core.config.config import PeerConfig
from workbench.core.errors import Failure, Kind, MisuseError, WorkbenchError
from workbench.core.journal.journal import Journal
from workbench.core.menu.route import Route
from workbench.core.outcome import Outcomes, ended_as
from workbench.core.recovery.recover import Lost, declared_safe, may_repeat, undecided
from workbench.core.rulebook.rules import RULES
from workbench.core.text.veiled import Veiled
from workbench.core.text.visible import visible
from workbench.core.wire.keys import LOG_LEVEL_KEY, TOOLS_CALL
from workbench.drivers import log
from workbench.drivers.calling import Asked, Calling
from workbench.drivers.patience import LogMessage, Patience, Progress, Waits
from workbench.drivers.schemas import Check, Mismatch, Schemas
from workbench.drivers.tracing import active_trace, trace_context
from workbench.transports.base import Clock
from workbench.transports.own_thread import in_own_thread

LOG_LEVELS: Final = (
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
)  # fmt: skip

OnProgress: TypeAlias = Callable[[Progress], object]
OnLog: TypeAlias = Callable[[LogMessage], object]
OnRetry: TypeAlias = Callable[[Failure], Any]
"""Asked whether a call whose outcome is unknown is repeated; True, or an awaitable of it."""

T = TypeVar("T")


class Wishes(Struct, frozen=True, kw_only=True):
    """What a caller may say about one request; None leaves it to the defaults."""

    timeout_s: float | None = None
    """Seconds without an answer or progress; None is the peer's `call_timeout_s`."""
    max_timeout_s: float | None = None
    """Seconds of waiting altogether, however much progress there is."""
    on_progress: OnProgress | None = None
    on_log: OnLog | None = None
    on_retry: OnRetry | None = None
    """For calls of tools: decides about a repeat when the outcome is unknown."""
    log_level: str | None = None
    """Least severe log message the peer should send about this request."""
    trace: Mapping[str, str] | None = None
    """W3C trace context; None is that of the active OpenTelemetry span, if there is one."""

    def patience(self, clock: Clock, default_s: float) -> Waits:
        """Return how long the request waits."""
        timeout_s = default_s if self.timeout_s is None else self.timeout_s
        if self.max_timeout_s is None and self.on_progress is None and self.on_log is None:
            return timeout_s
        return Patience(clock, timeout_s, self.max_timeout_s, self.on_progress, self.on_log)

    def meta(self) -> dict[str, Any]:
        """Return the request's entries for `_meta`.

        Raises:
            MisuseError: if the log level is none.
        """
        found: dict[str, Any] = dict(
            active_trace() if self.trace is None else trace_context(self.trace)
        )
        if self.log_level is not None:
            if self.log_level not in LOG_LEVELS:
                detail = f"{self.log_level!r} is no log level"
                raise misuse(detail, f"Use one of {', '.join(LOG_LEVELS)}.")
            found[LOG_LEVEL_KEY] = self.log_level
        return found


class Case(Struct):
    """A call that has not ended yet."""

    method: str
    name: str
    """What the caller asked for."""
    peer: str = ""
    """Who it goes to, as far as that is known."""
    rounds: int = 0
    sent: int = 0

    def took(self, asked: Asked) -> dict[str, Any] | Failure:
        """Count what a request took and return what it ended in."""
        self.rounds += asked.rounds
        self.sent += asked.sent
        return asked.value


class Ledger:
    """Ends each case in exactly one way, and writes down which.

    Args:
        clock: source of time.
        journal: where failures are noted; knows the secrets.
    """

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self.outcomes = Outcomes()
        self._clock = clock
        self._journal = journal

    async def settle(self, case: Case, work: Awaitable[T | Failure]) -> T:
        """Wait for a case and record how it ended.

        Raises:
            WorkbenchError: for a failure.
            asyncio.CancelledError: if the caller was cancelled.
        """
        started_at = self._clock.now()
        try:
            end = await work
        except asyncio.CancelledError:
            gone = Failure(kind=Kind.CANCELLED, peer=case.peer, detail="the caller cancelled it")
            self._record(case, gone, started_at)
            raise
        except WorkbenchError as raised:
            told = self._failed(case, raised.failure, started_at)
            # A traceback with the first one in it would show what the second leaves out.
            raise told from raised if told.failure is raised.failure else None
        if type(end) is Failure:
            raise self._failed(case, end, started_at)
        self._record(case, end, started_at)
        if isinstance(end, Veiled):  # made for this caller a moment ago, and not handed out yet
            force_setattr(end, "hides", self._journal.redactor)
        return end

    def note(self, peer: str, stage: str, what: str, rule: str | None, detail: str = "") -> None:
        """Write a decision into the journal."""
        self._journal.decided(self._clock.now(), peer, stage, what, rule=rule, detail=detail)

    def _failed(self, case: Case, failure: Failure, started_at: float) -> WorkbenchError:
        clean: Failure = self._journal.redactor.tree(failure)
        self.note(clean.peer or "", clean.stage, str(clean.kind), clean.rule, clean.detail)
        self._record(case, clean, started_at)
        log.failed(case.method, clean, self._journal.redactor)
        return clean.as_error()

    def _record(self, case: Case, end: Any, started_at: float) -> None:
        peer, rule, detail = case.peer, None, ""
        if type(end) is Failure:
            peer, rule, detail = end.peer or peer, end.rule, end.detail
        elif type(end) is not ToolResult and (stale := getattr(end, "stale", "")):
            rule, detail = "CACHE-07", stale  # of a read: an old answer stood in
        self.outcomes.add(
            peer=peer,
            method=case.method,
            name=self._journal.redactor.clean(case.name),
            ended=ended_as(end),
            rounds=case.rounds,
            sent=case.sent,
            started_at=started_at,
            took_ms=(self._clock.now() - started_at) * 1_000,
            rule=rule,
            detail=detail,
        )


class Calls:
    """Calls tools.

    Args:
        calling: sends requests.
        schemas: checks arguments and structured results.
        ledger: where each call ends.
        clock: source of time.
        configs: of the peers, by name; says whose annotations are believed.
    """

    def __init__(
        self,
        calling: Calling,
        schemas: Schemas,
        ledger: Ledger,
        clock: Clock,
        configs: Mapping[str, PeerConfig],
    ) -> None:
        self._configs = configs
        self._calling = calling
        self._schemas = schemas
        self._ledger = ledger
        self._clock = clock

    async def call(
        self,
        found: Route,
        arguments: Mapping[str, Any] | None,
        wishes: Wishes,
        *,
        case: Case,
        default_s: float,
        idempotency_key: str | None,
        check_arguments: bool,
        again: Callable[[str, str], Awaitable[Route | Failure]],
    ) -> ToolResult | Failure:
        """Call a tool; see `AsyncMultiServerClient.call`.

        Args:
            found: where it goes.
            arguments: of the caller.
            wishes: of the caller.
            case: counts what it takes.
            default_s: the peer's deadline.
            idempotency_key: the caller's word that repeating is harmless.
            check_arguments: whether the tool's schema is applied here.
            again: brings the peer back and finds the route anew, by peer and canonical name.
        """
        given = dict(arguments or {})
        checks = self._schemas.of(found.tool)
        if check_arguments:
            mismatch = checks.arguments(given)
            if mismatch is not None:
                return _argument_fault(found, given, mismatch)
        patience = wishes.patience(self._clock, default_s)
        value = case.took(await self._ask(found, given, wishes, patience, case))
        if type(value) is not Failure:
            return self._judged(value, found, checks.result)
        if value.kind is not Kind.OUTCOME_UNKNOWN:
            return value
        end = undecided(value, found.canonical)
        declared = self._declared_safe(found)
        sure = idempotency_key or declared
        agreed = not sure and await self._agreed(wishes.on_retry, end)
        decision = may_repeat(
            TOOLS_CALL,
            Lost.AFTER_SENDING,
            idempotency_key=idempotency_key,
            user_agreed=agreed,
            declared=declared,
        )
        verb = "repeat once" if decision.repeat else "do not repeat"
        self._ledger.note(found.peer, "recover", verb, decision.rule, decision.why)
        if not decision.repeat:
            return end
        anew = await again(found.peer, found.canonical)
        if isinstance(anew, Failure):
            return anew
        if decision.rule == "RETRY-03" and not self._declared_safe(anew):
            why = "it came back with another declaration"
            self._ledger.note(found.peer, "recover", "do not repeat", "RETRY-03", why)
            return end
        value = case.took(await self._ask(anew, given, wishes, patience, case))
        if type(value) is Failure:
            return value
        return self._judged(value, anew, self._schemas.of(anew.tool).result)

    async def _agreed(self, on_retry: OnRetry | None, lost: Failure) -> bool:
        """Ask whoever called; only True is a yes, and a callback that fails is a no."""
        if on_retry is None:
            return False
        try:
            if inspect.iscoroutinefunction(on_retry):
                given = await on_retry(lost)
            else:
                # On a thread of its own: a person may take minutes, and the reader goes on.
                given = await in_own_thread(on_retry, lost)
                given = await given if inspect.isawaitable(given) else given
        except Exception as problem:
            what = f"on_retry failed: {cause(problem)}"
            self._ledger.note(lost.peer or "", "recover", what, "RETRY-01")
            return False
        return given is True

    def _declared_safe(self, found: Route) -> str:
        """Return the annotation that says repeating is harmless, if this peer is believed."""
        trusted = self._configs[found.peer].trust_annotations
        return declared_safe(found.tool.declared) if trusted else ""

    def _ask(
        self, found: Route, arguments: dict[str, Any], wishes: Wishes, patience: Waits, case: Case
    ) -> Awaitable[Asked]:
        params = {"name": found.local, "arguments": arguments}
        meta, tool = wishes.meta(), found.tool
        return self._calling.ask(
            found.peer, TOOLS_CALL, params, patience, meta=meta, tool=tool, counts=case
        )

    def _judged(
        self, value: dict[str, Any], found: Route, check: Check | None
    ) -> ToolResult | Failure:
        result = tool_result(value, peer=found.peer, tool=found.local)
        if check is None or type(result) is Failure or result.is_error:
            return result
        if "structuredContent" not in value:
            return _broken(found, "$.structuredContent is missing", value)
        mismatch = check(result.structured)
        if mismatch is None:
            return result
        if mismatch.unusable:
            what = "structured result not checked"
            self._ledger.note(found.peer, "call", what, "CALL-08", mismatch.detail)
            return result
        return _broken(found, f"structuredContent: {mismatch.detail}", value)


def misuse(detail: str, hint: str, peer: str | None = None) -> MisuseError:
    """Return the exception for an argument of ours that cannot be meant."""
    return MisuseError(Failure(kind=Kind.MISUSE, peer=peer, stage="call", detail=detail, hint=hint))


def _argument_fault(found: Route, arguments: dict[str, Any], mismatch: Mismatch) -> Failure:
    try:
        msgspec.json.encode(arguments)
    except (TypeError, ValueError, OverflowError, RecursionError) as problem:
        hint = "Pass dicts, lists, strings, numbers, booleans and None only."
        return misuse(f"the arguments have no JSON form: {problem}", hint, found.peer).failure
    rule = "CALL-08" if mismatch.unusable else "CALL-06"
    name = visible(found.canonical, 128)
    return Failure(
        kind=Kind.ARGUMENTS,
        peer=found.peer,
        stage="call",
        rule=rule,
        detail=f"{name} was not called: {mismatch.detail}",
        hint=RULES[rule].hint,
    )


def _broken(found: Route, fault: str, value: dict[str, Any]) -> Failure:
    return Failure(
        kind=Kind.PROTOCOL_VIOLATION,
        peer=found.peer,
        stage="call",
        rule="CALL-07",
        detail=f"the result of {visible(found.local, 128)} breaks its output schema: {fault}",
        hint=RULES["CALL-07"].hint,
        data=value,
    )
