"""Spans and metrics of an application that measures itself with OpenTelemetry.

Takes:  what `Owner` takes
Gives:  an owner that makes a client span of each request and each negotiation, and records
        how long they took; or a plain `Owner` when nobody is measuring
Never:  imports OpenTelemetry, costs anything where it is not set up, records an argument or
        a result, or lets a fault of the measuring end a call

An application that measures has imported the API and set a provider before it builds its
client; that is looked at once, for each peer. The span is active while the request is out, and
its context goes along in `_meta`, so that the server's span becomes its child.

Source: OpenTelemetry semantic conventions for MCP (development status), client spans and
`mcp.client.operation.duration`; Spec: basic/index, "OpenTelemetry trace context".
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from workbench.core.call import Answer
from workbench.core.errors import Failure, Kind, WorkbenchError
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms
from workbench.core.version import __version__
from workbench.core.wire.keys import DISCOVER, INITIALIZE, PROMPTS_GET, RESOURCES_READ, TOOLS_CALL
from workbench.core.wire.message import ErrorReply, Malformed
from workbench.core.wire.versions import Era
from workbench.drivers.owner import Owner, Status
from workbench.drivers.patience import Patience
from workbench.drivers.tracing import trace_context
from workbench.transports.base import Clock, Endpoint

SCOPE: Final = "mcp-client-workbench"
DURATION: Final = "mcp.client.operation.duration"
BUCKETS_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
PEER: Final = "mcp_workbench.peer"
"""Our own attribute: the configured name of the peer."""
TOOL_ERROR: Final = "tool_error"
_TIMEOUT: Final = "timeout"
_NOT_IN_METRICS: Final = ("jsonrpc.request.id", "mcp.resource.uri")
"""Attributes with too many values for a metric."""


def owner_for(name: str, endpoint: Endpoint, terms: Terms, clock: Clock, journal: Journal) -> Owner:
    """Return the owner of a peer: one that measures, when somebody wants it measured.

    Args:
        name: as for `Owner`.
        endpoint: as for `Owner`.
        terms: as for `Owner`.
        clock: as for `Owner`; durations are measured with it.
        journal: as for `Owner`; what it redacts reaches no span.
    """
    meters = _meters()
    if meters is None:
        return Owner(name, endpoint, terms, clock, journal)
    return MeasuredOwner(name, endpoint, terms, clock, journal, meters)


class Meters:
    """Where spans and durations go.

    Args:
        tracer: of OpenTelemetry's API.
        meter: of OpenTelemetry's API.
    """

    def __init__(self, tracer: Any, meter: Any) -> None:
        self.tracer = tracer
        self.durations = meter.create_histogram(
            DURATION,
            unit="s",
            description="Duration of an MCP request as seen by the client.",
            explicit_bucket_boundaries_advisory=BUCKETS_S,
        )


class MeasuredOwner(Owner):
    """An owner whose requests are measured.

    Args:
        name: as for `Owner`, and so are the next four.
        meters: where to.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        terms: Terms,
        clock: Clock,
        journal: Journal,
        meters: Meters,
    ) -> None:
        super().__init__(name, endpoint, terms, clock, journal)
        self._meters = meters
        self._negotiating: _Span | None = None
        self._where = {PEER: name, **_network(endpoint)}

    async def request(
        self,
        method: str,
        params: dict[str, Any],
        *,
        timeout_s: float,
        tool: Any = None,
        patience: Patience | None = None,
    ) -> Answer | Failure:
        """Send one request and measure it; see `Owner.request`."""
        if self.status is not Status.READY:  # nothing will be sent
            return await super().request(method, params, timeout_s=timeout_s)
        attributes = self._attributes(method, params)
        # The request gets this id: nothing else runs before it is given out.
        attributes["jsonrpc.request.id"] = str(self.next_id)
        meta = params.get("_meta") or {}
        span = _Span(self, attributes, _target(params, method), parent=meta)
        with span.current() as carrier:
            if carrier:
                params = {**params, "_meta": {**meta, **carrier}}
            try:
                answer = await super().request(
                    method, params, timeout_s=timeout_s, tool=tool, patience=patience
                )
            except asyncio.CancelledError:
                span.end("cancelled")
                raise
            except WorkbenchError as problem:
                span.end(_slug(problem.failure.kind), problem.failure.detail)
                raise
            span.end(*_ending(answer))
        return answer

    async def _own(self, decided: asyncio.Future[None]) -> None:
        self._negotiating = _Span(self, {"mcp.method.name": DISCOVER, **self._where}, "")
        try:
            await super()._own(decided)
        finally:
            if self._negotiating is not None:  # given up before there was a verdict
                self._negotiating.end("cancelled")

    def _tell_connected(self) -> None:
        span, self._negotiating = self._negotiating, None
        if span is not None:
            settled, failure = self.verdict.settled, self.verdict.failure
            if settled is not None:
                legacy = settled.era is Era.LEGACY
                span.settle(INITIALIZE if legacy else DISCOVER, settled.version)
            span.end(*("", "") if failure is None else (_slug(failure.kind), failure.detail))
        super()._tell_connected()

    def _attributes(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        attributes: dict[str, Any] = {"mcp.method.name": method, **self._where}
        settled = self.verdict.settled
        if settled is not None:
            attributes["mcp.protocol.version"] = settled.version
        clean = self.journal.redactor.clean
        if method == TOOLS_CALL:
            attributes["gen_ai.tool.name"] = clean(str(params.get("name", "")))
            attributes["gen_ai.operation.name"] = "execute_tool"
        elif method == PROMPTS_GET:
            attributes["gen_ai.prompt.name"] = clean(str(params.get("name", "")))
        elif method == RESOURCES_READ:
            attributes["mcp.resource.uri"] = clean(str(params.get("uri", "")))
        return attributes


class _Span:
    """One operation that is being measured; nothing in here raises."""

    def __init__(
        self,
        owner: MeasuredOwner,
        attributes: dict[str, Any],
        target: str,
        parent: Mapping[str, Any] | None = None,
    ) -> None:
        self._owner = owner
        self._meters = owner._meters
        self._attributes = attributes
        self._began_at = owner.clock.now()
        clean = owner.journal.redactor.clean
        name = f"{attributes['mcp.method.name']} {clean(target)}".rstrip()
        self._span = _started(self._meters.tracer, name, attributes, parent or {})

    @contextmanager
    def current(self) -> Iterator[dict[str, str]]:
        """Make this the active span, and give its context for `_meta`."""
        if self._span is None:
            yield {}
            return
        from opentelemetry import propagate, trace

        with trace.use_span(self._span, record_exception=False, set_status_on_exception=False):
            carrier: dict[str, str] = {}
            try:
                propagate.inject(carrier)
            except Exception:  # a propagator that is set up wrongly must not stop a call
                carrier = {}
            yield trace_context(carrier)

    def settle(self, method: str, version: str) -> None:
        """Say which handshake it was, now that it is known."""
        self._attributes |= {"mcp.method.name": method, "mcp.protocol.version": version}
        if self._span is not None:
            self._span.update_name(method)
            self._span.set_attributes(self._attributes)

    def end(self, error: str = "", said: str = "", code: str = "") -> None:
        """End it.

        Args:
            error: class of the error; "" for success.
            said: the error in words.
            code: the JSON-RPC error code, when there was one.
        """
        if error:
            self._attributes["error.type"] = error
        if code:
            self._attributes["rpc.response.status_code"] = code
        try:
            self._record(error, self._owner.journal.redactor.clean(said))
        except Exception:  # measuring must not end a call
            return

    def _record(self, error: str, said: str) -> None:
        took_s = self._owner.clock.now() - self._began_at
        measured = {k: v for k, v in self._attributes.items() if k not in _NOT_IN_METRICS}
        if self._span is None:
            self._meters.durations.record(took_s, measured)
            return
        from opentelemetry import trace

        context = trace.set_span_in_context(self._span)
        self._meters.durations.record(took_s, measured, context=context)
        self._span.set_attributes(self._attributes)
        if error:
            self._span.set_status(trace.StatusCode.ERROR, said or None)
        self._span.end()


def _meters() -> Meters | None:
    """Return where to measure to, when OpenTelemetry is set up in this process."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    metrics: Any = sys.modules.get("opentelemetry.metrics")
    if trace is None and metrics is None:
        return None
    try:
        from opentelemetry import metrics, trace

        tracers, meters = trace.get_tracer_provider(), metrics.get_meter_provider()
        if not (_is_real(tracers) or _is_real(meters)):
            return None
        return Meters(tracers.get_tracer(SCOPE, __version__), meters.get_meter(SCOPE, __version__))
    except Exception:  # measuring that is set up wrongly must not stop a client
        return None


def _is_real(provider: Any) -> bool:
    # What the API gives before anybody has set a provider: a stand-in, or nothing at all.
    name = type(provider).__name__.lstrip("_")
    return not name.startswith(("Proxy", "NoOp"))


def _started(tracer: Any, name: str, attributes: Any, parent: Mapping[str, Any]) -> Any:
    """Start a client span; None when that failed."""
    try:
        from opentelemetry import propagate, trace

        given = trace_context(parent)
        context = propagate.extract(given) if "traceparent" in given else None
        return tracer.start_span(
            name, context=context, kind=trace.SpanKind.CLIENT, attributes=attributes
        )
    except Exception:  # measuring must not stop a call
        return None


def _network(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.kind == "stdio":
        return {"network.transport": "pipe"}
    if endpoint.kind != "http":
        return {}
    found: dict[str, Any] = {"network.transport": "tcp", "network.protocol.name": "http"}
    try:
        address = urlsplit(endpoint.identity)
        host, port = address.hostname, address.port
    except ValueError:
        return found
    if host:
        found["server.address"] = host
        found["server.port"] = port or (443 if address.scheme == "https" else 80)
    return found


def _target(params: Mapping[str, Any], method: str) -> str:
    return str(params.get("name", "")) if method in (TOOLS_CALL, PROMPTS_GET) else ""


def _ending(answer: Answer | Failure) -> tuple[str, str, str]:
    if isinstance(answer, Failure):
        return _slug(answer.kind), answer.detail, ""
    if isinstance(answer, ErrorReply):
        return str(answer.code), answer.message, str(answer.code)
    if isinstance(answer, Malformed):
        return "malformed", answer.detail, ""
    failed = isinstance(answer.result, dict) and answer.result.get("isError") is True
    return (TOOL_ERROR if failed else ""), "", ""


def _slug(kind: Kind) -> str:
    return _TIMEOUT if kind is Kind.TOOK_TOO_LONG else str(kind).replace(" ", "_")
