"""Exports of the MCP Inspector; whole files are read in `test_reading`."""

import json
from typing import Any

from workbench.lint.inspector import from_network, from_protocol

START = "2026-08-01T10:00:00.000Z"
LATER = "2026-08-01T10:00:01.000Z"


def message(method: str, id: int | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, **({} if id is None else {"id": id})}


def test_frames_of_the_protocol_export_are_put_in_the_order_of_their_times() -> None:
    """Source: an answer is folded into its request, `duration` milliseconds later."""
    slow = {"timestamp": START, "direction": "request", "message": message("slow", 1),
            "response": {"jsonrpc": "2.0", "id": 1, "result": {}}, "duration": 2_000}  # fmt: skip
    quick = {"timestamp": LATER, "direction": "request", "message": message("quick", 2),
             "response": {"jsonrpc": "2.0", "id": 2, "result": {}}, "duration": 10}  # fmt: skip
    entries = from_protocol([slow, quick], "p").entries()
    assert [(entry.at, entry.kind, entry.method) for entry in entries] == [
        (0.0, "sent", "slow"),
        (1.0, "sent", "quick"),
        (1.01, "received", "quick"),
        (2.0, "received", "slow"),
    ]


def test_a_request_of_the_server_is_answered_by_the_client() -> None:
    """Source: `origin` says who sent the message."""
    asked = {"timestamp": START, "direction": "request", "origin": "server",
             "message": message("roots/list", 1),
             "response": {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}}  # fmt: skip
    assert [entry.kind for entry in from_protocol([asked], "p").entries()] == ["received", "sent"]


def test_an_exchange_of_the_network_export_keeps_headers_and_status() -> None:
    """Source: `FetchRequestEntry`; several events of one stream are several frames."""
    events = [message("notifications/message"), {"jsonrpc": "2.0", "id": 1, "result": {}}]
    entry = {
        "timestamp": START,
        "requestHeaders": {"Mcp-Method": "tools/list"},
        "requestBody": json.dumps(message("tools/list", 1)),
        "responseStatus": 200,
        "responseHeaders": {"content-type": "text/event-stream"},
        "responseBody": "".join(f"data: {json.dumps(event)}\n\n" for event in events),
        "category": "transport",
    }
    empty = {
        "timestamp": LATER,
        "requestHeaders": {},
        "category": "transport",
        "responseStatus": 202,
    }
    sent, first, second = from_network([entry, empty, "noise"], "p").entries()
    assert sent.facts is not None and sent.facts.headers == {"mcp-method": "tools/list"}
    assert first.facts is not None and (first.facts.status, first.facts.exchange) == (200, 1)
    assert second.facts is not None and (second.facts.status, second.facts.exchange) == (None, 1)
