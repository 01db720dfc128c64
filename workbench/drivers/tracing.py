"""The trace context of the running span, where the application traces itself.

Takes:  nothing
Gives:  `traceparent` and its companions for a request's `_meta`, or nothing
Never:  imports OpenTelemetry: an application that has an active span has imported it

Spec: basic/index, "OpenTelemetry trace context".
"""

import sys
from collections.abc import Mapping
from typing import Any, Final

TRACE_KEYS: Final = ("traceparent", "tracestate", "baggage")


def active_trace() -> dict[str, str]:
    """Return the W3C trace context of the active span; `{}` without one. Never raises."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return {}
    try:
        if not trace.get_current_span().get_span_context().is_valid:
            return {}
        from opentelemetry import propagate

        carrier: dict[str, str] = {}
        propagate.inject(carrier)
    except Exception:  # tracing that is set up wrongly must not stop a call
        return {}
    return trace_context(carrier)


def trace_context(carrier: Mapping[str, str]) -> dict[str, str]:
    """Return the entries of a carrier that belong into `_meta`."""
    return {key: carrier[key] for key in TRACE_KEYS if isinstance(carrier.get(key), str)}
