"""Trace context of an application that traces itself."""

from opentelemetry import trace

from workbench.drivers.tracing import TRACE_KEYS, active_trace, trace_context

CONTEXT = trace.SpanContext(
    trace_id=0x0AF7651916CD43DD8448EB211C80319C,
    span_id=0x00F067AA0BA902B7,
    is_remote=False,
    trace_flags=trace.TraceFlags(1),
)


def test_without_a_span_nothing_is_added() -> None:
    """Ours: no tracing, no trace."""
    assert active_trace() == {}


def test_the_active_span_is_passed_on_in_the_w3c_form() -> None:
    """Spec: basic/index, OpenTelemetry trace context."""
    with trace.use_span(trace.NonRecordingSpan(CONTEXT)):
        assert active_trace() == {
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
        }


def test_only_the_reserved_keys_are_passed_on() -> None:
    """Spec: the three keys are the exception to the prefix rule; nothing else is."""
    carrier = {"traceparent": "a", "tracestate": "b", "baggage": "c", "x-secret": "d"}
    assert set(trace_context(carrier)) == set(TRACE_KEYS)
    assert trace_context({"traceparent": 7}) == {}  # type: ignore[dict-item]
