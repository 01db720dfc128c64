"""Spans and metrics by the semantic conventions for MCP, where somebody measures."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from driven import turns
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from fakes import error, everything, legacy, modern, on, reply, silence
from workbench import AsyncMultiServerClient, PeerConfig
from workbench.core.errors import WorkbenchError
from workbench.drivers.owner import Owner
from workbench.drivers.telemetry import BUCKETS_S, DURATION, PEER, MeasuredOwner

ROOT: Final = Path(__file__).resolve().parents[2]
TOOL_FAILED: Final = {"resultType": "complete", "content": [], "isError": True}


class Measured:
    """What was exported."""

    def __init__(self, exporter: InMemorySpanExporter, reader: InMemoryMetricReader) -> None:
        self._exporter = exporter
        self._reader = reader

    def spans(self, method: str = "tools/call") -> list[Any]:
        return [
            span
            for span in self._exporter.get_finished_spans()
            if (span.attributes or {}).get("mcp.method.name") == method
        ]

    def points(self, method: str = "tools/call") -> list[Any]:
        data: Any = self._reader.get_metrics_data()
        found = [
            (metric, point)
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            for point in metric.data.data_points
        ]
        assert {metric.name for metric, _ in found} == {DURATION}
        assert {metric.unit for metric, _ in found} == {"s"}
        return [point for _, point in found if point.attributes["mcp.method.name"] == method]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[Measured]:
    """Set up OpenTelemetry as an application does, for one test."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    meters = MeterProvider(metric_readers=[reader])
    # The real setters work once in a process.
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: tracers)
    monkeypatch.setattr(metrics, "get_meter_provider", lambda: meters)
    yield Measured(exporter, reader)
    tracers.shutdown()
    meters.shutdown()


Story = Callable[[AsyncMultiServerClient], Awaitable[None]]


def told(peer: Any, story: Story, **settings: Any) -> None:
    async def run() -> None:
        async with AsyncMultiServerClient() as client, asyncio.timeout(20):
            client.add_server("notes", peer, **settings)
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            await story(client)

    asyncio.run(run())


async def called(client: AsyncMultiServerClient) -> None:
    await client.call("search", {"q": "secret tea"})


def refused(**wishes: Any) -> Story:
    async def story(client: AsyncMultiServerClient) -> None:
        with pytest.raises(WorkbenchError):
            await client.call("search", **wishes)

    return story


def test_a_call_is_a_client_span_with_the_attributes_of_the_conventions(
    measured: Measured,
) -> None:
    """OpenTelemetry semantic conventions for MCP, "Client"."""
    told(modern("notes", tools=["search"]), called)
    (span,) = measured.spans()
    assert (span.name, span.kind) == ("tools/call search", trace.SpanKind.CLIENT)
    assert dict(span.attributes) == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2026-07-28",
        "gen_ai.tool.name": "search",
        "gen_ai.operation.name": "execute_tool",
        "jsonrpc.request.id": "3",
        PEER: "notes",
    }
    assert span.status.status_code is trace.StatusCode.UNSET
    assert "tea" not in span.to_json()
    assert [one.name for one in measured.spans("tools/list")] == ["tools/list"]


def test_the_duration_is_a_histogram_without_what_has_too_many_values(measured: Measured) -> None:
    """OpenTelemetry semantic conventions for MCP, `mcp.client.operation.duration`."""
    told(modern("notes", tools=["search"]), called)
    (point,) = measured.points()
    assert (point.count, tuple(point.explicit_bounds)) == (1, BUCKETS_S)
    assert "jsonrpc.request.id" not in point.attributes
    assert point.attributes["gen_ai.tool.name"] == "search"


def test_the_server_gets_the_context_of_the_span_and_the_span_has_the_callers_as_its_parent(
    measured: Measured,
) -> None:
    """Spec: basic/index, "OpenTelemetry trace context": the request's span is the parent."""
    peer = modern("notes", tools=["search"])
    tracer = trace.get_tracer_provider().get_tracer("application")

    async def story(client: AsyncMultiServerClient) -> None:
        with tracer.start_as_current_span("work"):
            await client.call("search")

    told(peer, story)
    (span,) = measured.spans()
    (work,) = [one for one in measured._exporter.get_finished_spans() if one.name == "work"]
    assert span.parent.span_id == work.context.span_id
    sent = peer.received[-1]["params"]["_meta"]["traceparent"].split("-")
    assert sent[1:3] == [f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}"]


def test_a_trace_the_caller_gives_is_gone_on_with(measured: Measured) -> None:
    """Ours: `trace=` names the parent, whatever span is active."""
    given = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"

    async def story(client: AsyncMultiServerClient) -> None:
        await client.call("search", trace={"traceparent": given})

    peer = modern("notes", tools=["search"])
    told(peer, story)
    (span,) = measured.spans()
    assert f"{span.context.trace_id:032x}" == given.split("-")[1]
    assert span.parent.span_id == int(given.split("-")[2], 16)


@pytest.mark.parametrize(
    ("peer", "story", "kind", "code"),
    [
        (on("tools/call").then(error(-32000, "no tea\x1b[2J")), refused(), "-32000", "-32000"),
        (on("tools/call").then(silence()), refused(timeout_s=0.05), "timeout", None),
        (on("tools/call").then(reply(TOOL_FAILED)), called, "tool_error", None),
    ],
)
def test_a_failure_has_its_error_type(
    measured: Measured, peer: Any, story: Story, kind: str, code: str | None
) -> None:
    """OpenTelemetry semantic conventions for MCP: `error.type`, and the status is ERROR."""
    told(modern("notes", tools=["search"]).script(peer), story)
    (span,) = measured.spans()
    assert span.attributes["error.type"] == kind
    assert span.attributes.get("rpc.response.status_code") == code
    assert span.status.status_code is trace.StatusCode.ERROR
    (point,) = measured.points()
    assert point.attributes["error.type"] == kind


def test_a_cancelled_call_ends_its_span(measured: Measured) -> None:
    """Ours: no span stays open."""

    async def story(client: AsyncMultiServerClient) -> None:
        task = asyncio.ensure_future(client.call("search"))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    told(modern("notes", tools=["search"]).script(on("tools/call").then(silence())), story)
    (span,) = measured.spans()
    assert span.attributes["error.type"] == "cancelled"


def test_each_negotiation_is_a_span_of_its_handshake(measured: Measured) -> None:
    """Ours: one span an attempt, named after what settled it, or failed."""

    async def nothing(client: AsyncMultiServerClient) -> None:
        return None

    told(modern("notes"), nothing)
    told(legacy("notes"), nothing, allow_legacy=True)
    told(legacy("notes"), nothing)
    modern_one, refused_one = measured.spans("server/discover")
    (legacy_one,) = measured.spans("initialize")
    assert modern_one.attributes["mcp.protocol.version"] == "2026-07-28"
    assert (legacy_one.name, legacy_one.attributes["mcp.protocol.version"]) == (
        "initialize",
        "2025-11-25",
    )
    assert refused_one.attributes["error.type"] == "era_unknown"
    assert refused_one.status.status_code is trace.StatusCode.ERROR


def test_prompts_and_resources_say_which(measured: Measured) -> None:
    """OpenTelemetry semantic conventions for MCP: prompt name, and uri outside of metrics."""

    async def story(client: AsyncMultiServerClient) -> None:
        await client.get_prompt("test_simple_prompt")
        await client.read_resource("test://static-text")

    told(everything(), story)
    (prompt,) = measured.spans("prompts/get")
    assert prompt.name == "prompts/get test_simple_prompt"
    assert prompt.attributes["gen_ai.prompt.name"] == "test_simple_prompt"
    (read,) = measured.spans("resources/read")
    assert (read.name, read.attributes["mcp.resource.uri"]) == (
        "resources/read",
        "test://static-text",
    )
    (point,) = measured.points("resources/read")
    assert "mcp.resource.uri" not in point.attributes


def test_the_way_to_the_peer_is_named(measured: Measured) -> None:
    """OpenTelemetry semantic conventions for MCP, "Recording MCP transport"."""
    peer = modern("notes", tools=["search"])
    with peer.over_http() as url:
        told(PeerConfig(name="notes", url=url), called)
    (span,) = measured.spans()
    port = int(url.split(":")[2].split("/")[0])
    wanted = ("tcp", "http", "127.0.0.1", port)
    names = ("network.transport", "network.protocol.name", "server.address", "server.port")
    assert tuple(span.attributes[name] for name in names) == wanted
    with peer.over_stdio() as command:
        told(command, called)
    assert measured.spans()[-1].attributes["network.transport"] == "pipe"


def test_no_secret_reaches_a_span(measured: Measured) -> None:
    """Design section 5: secrets never reach what is handed on."""
    leaky = modern("notes", tools=["search"]).script(
        on("tools/call").then(error(-32000, "the key hush-hush is wrong"))
    )

    async def run() -> None:
        async with AsyncMultiServerClient() as client, asyncio.timeout(20):
            client.journal.redactor.add("hush-hush")
            client.add_server("notes", leaky)
            with pytest.raises(WorkbenchError):
                await client.call("search")

    asyncio.run(run())
    (span,) = measured.spans()
    assert "hush-hush" not in span.to_json() and "is wrong" in span.status.description


def test_a_fault_of_the_measuring_ends_no_call(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: observing must not change what is observed."""

    def broken(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("no room on the disk")

    monkeypatch.setattr("opentelemetry.sdk.trace.Tracer.start_span", broken)
    monkeypatch.setattr("opentelemetry.propagate.inject", broken)
    told(modern("notes", tools=["search"]), called)
    assert measured.spans() == [] and len(measured.points()) == 1


def owner_of(client: AsyncMultiServerClient) -> Owner:
    client.add_server("notes", modern("notes"))
    return client._pool.members["notes"].owner


def test_without_a_provider_the_owner_is_the_plain_one(measured: Measured) -> None:
    """Ours: the API alone, which the SDK imports, measures nothing and costs nothing."""
    assert type(owner_of(AsyncMultiServerClient())) is MeasuredOwner


def test_an_api_that_nobody_set_up_is_not_used() -> None:
    """Ours: the same check, with the providers the API has by itself."""
    assert type(owner_of(AsyncMultiServerClient())) is Owner


def test_a_client_imports_no_opentelemetry() -> None:
    """Ours: nothing is loaded for those who do not measure."""
    program = (
        "import sys, json\n"
        "from fakes import modern\n"
        "from workbench import MultiServerClient\n"
        "with MultiServerClient() as client:\n"
        "    client.add_server('notes', modern('notes'))\n"
        "    client.call('search', {'q': 'x'})\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('opentelemetry')]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert json.loads(done.stdout) == [], done.stderr
