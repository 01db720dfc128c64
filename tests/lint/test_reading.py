"""Whatever people have recorded becomes a journal, or one clear error."""

import json
from typing import Any

import pytest

from fakes import Fake, modern
from workbench import MultiServerClient
from workbench.core.errors import ConfigError
from workbench.core.wire.envelope import modern_request
from workbench.lint.reading import read_record

ASK = modern_request(1, "tools/list", {}, "2026-07-28")
UNTYPED = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "ttlMs": 0, "cacheScope": "public"}}
ORIGIN = "2026-08-01T10:00:00.000Z"


def found(text: str) -> tuple[str, list[str]]:
    journal, form = read_record(text)
    return form, [one.rule for one in journal.lint()]


def protocol(**more: Any) -> dict[str, Any]:
    return {"id": "a", "timestamp": ORIGIN, "direction": "request", "message": ASK, **more}


def network(**more: Any) -> dict[str, Any]:
    return {
        "id": "a",
        "timestamp": ORIGIN,
        "method": "POST",
        "url": "http://127.0.0.1/mcp",
        "requestHeaders": {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/list",
        },
        "requestBody": json.dumps(ASK),
        "responseStatus": 200,
        "responseHeaders": {"content-type": "application/json"},
        "responseBody": json.dumps(UNTYPED),
        "duration": 12.5,
        "category": "transport",
        **more,
    }


def test_the_same_fault_is_found_in_every_form() -> None:
    """Ours: people lint what they have, not what we would like."""
    raw = f"{json.dumps(ASK)}\n\n{json.dumps(UNTYPED)}\n"
    wrapped = "\n".join(
        json.dumps({"direction": word, "message": message})
        for word, message in (("out", ASK), ("in", UNTYPED))
    )
    streamed = network(
        responseHeaders={"Content-Type": "text/event-stream"},
        responseBody=f"event: message\ndata: {json.dumps(UNTYPED)}\n\n",
    )
    forms = {
        raw: "raw lines",
        "\ufeff" + raw: "raw lines",
        wrapped: "raw lines",
        json.dumps([ASK, UNTYPED]): "raw lines",
        json.dumps([protocol(response=UNTYPED, duration=4)]): "Inspector protocol export",
        json.dumps([network()]): "Inspector network export",
        json.dumps([streamed]): "Inspector network export",
    }
    assert {text: found(text) for text in forms} == {
        text: (form, ["LINT-08"]) for text, form in forms.items()
    }


def test_a_journal_is_recognized_by_its_first_line() -> None:
    """Ours: `--record` is the form that keeps most."""
    with MultiServerClient() as client:
        client.add_server("notes", modern())
        client.connect_all()
    journal, form = read_record(client.journal.to_jsonl())
    assert (form, journal.entries()) == ("journal", client.journal.entries())
    assert not journal.lint()


def test_headers_of_the_network_export_are_judged() -> None:
    """Ours: the one export with headers."""
    lies = {**network()["requestHeaders"], "Mcp-Method": "tools/call"}
    assert found(json.dumps([network(requestHeaders=lies)]))[1] == ["LINT-07", "LINT-08"]
    refused = network(responseStatus=401, responseBody="", category="auth")
    assert found(json.dumps([refused, network()]))[1] == ["LINT-08"]


def test_old_exports_without_an_origin_are_read_by_direction() -> None:
    """Source: the Inspector calls `origin` optional for older logs."""
    news = protocol(
        direction="notification", message={"jsonrpc": "2.0", "method": "notifications/message"}
    )
    journal, _ = read_record(json.dumps([protocol(), {**news, "id": "b"}]))
    assert [entry.kind for entry in journal.entries()] == ["sent", "received"]
    journal, _ = read_record(json.dumps([{**news, "origin": "client"}]))
    assert [entry.kind for entry in journal.entries()] == ["sent"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("[1]", "neither messages nor requests"),
        ("[]", "neither messages nor requests"),
        (json.dumps([{"message": 7}]), "entry 1 has no message"),
        (json.dumps([{**protocol(), "timestamp": "noon"}]), "entry 1 has no timestamp"),
        (json.dumps([{**network(), "timestamp": None}]), "entry 1 has no timestamp"),
        ('{"direction": "sideways", "message": {}}', "sideways"),
        ('{"journal": "x"}', "journal line 1"),
        ('{"journal": "x"}\udcff', "empty"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(text: str, told: str) -> None:
    """Ours: exit 2, and what to give instead."""
    if "\udcff" in text:
        text, told = '{"journal":"mcp-client-workbench","format":1}\n\udcff', "surrogates"
    with pytest.raises(ConfigError, match=told) as caught:
        read_record(text)
    assert caught.value.failure.hint


def test_what_others_recorded_can_be_played_too() -> None:
    """Ours: an export becomes a server by way of the journal."""
    listing = {**UNTYPED["result"], "resultType": "complete"}  # type: ignore[dict-item]
    answer = {**UNTYPED, "result": {**listing, "tools": [{"name": "a", "inputSchema": {}}]}}
    journal, _ = read_record(json.dumps([protocol(response=answer)]), "notes")
    fake = Fake.from_journal(journal.to_jsonl())
    assert (fake.name, fake.program.server.definitions()[0]["name"]) == ("notes", "a")
