"""Rules LINT-05 to LINT-07 and LINT-12, one fault at a time."""

import pytest
from told import DISCOVERED, HEADERS, VERSION, Told

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT = "io.modelcontextprotocol/clientInfo"
MIRRORED = {**HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"}
NAMED = {**MIRRORED, "mcp-name": "x"}


@pytest.mark.parametrize(
    ("dropped", "rule"),
    [(VERSION, "LINT-05"), (CAPABILITIES, "LINT-05"), (CLIENT, "LINT-06")],
)
def test_a_missing_entry_of_the_metadata_is_found_and_said_once(dropped: str, rule: str) -> None:
    """Rules LINT-05 and LINT-06; the models would say it again."""
    told = Told().modern()
    told.ask(2, "tools/call", {"name": "x"}, drop=(dropped,))
    assert told.found() == [(3, rule)]


@pytest.mark.parametrize(
    "changes",
    [
        {"mcp-method": "tools/list"},
        {"mcp-protocol-version": "2025-11-25"},
        {"mcp-name": "y"},
        {"mcp-name": None},
        {"accept": "application/json"},
        {"content-type": "text/plain"},
    ],
)
def test_headers_that_say_something_else_are_found(changes: dict[str, str | None]) -> None:
    """Rule LINT-07."""
    headers = {name: value for name, value in {**NAMED, **changes}.items() if value is not None}
    told = Told()
    told.ask(1, "tools/call", {"name": "x"}, headers=headers)
    assert told.found() == [(1, "LINT-07")]


def test_headers_that_fit_are_fine_encoded_or_not() -> None:
    """Rule LINT-07; a name may travel in Base64."""
    told = Told()
    told.ask(1, "tools/call", {"name": "x"}, headers=NAMED)
    encoded = {**NAMED, "mcp-name": "=?base64?c8O4aw==?="}
    told.ask(2, "tools/call", {"name": "søk"}, headers={**encoded, "accept": "*/*"})
    told.ask(3, "tools/call", {"name": "x"})
    assert told.found() == []


def test_a_request_of_a_modern_server_is_found_and_one_of_a_legacy_server_is_not() -> None:
    """Rule LINT-12."""
    told = Told().modern()
    told.hear({"id": "a", "method": "ping"})
    assert told.found() == [(3, "LINT-12")]
    told = Told().legacy()
    told.hear({"id": "a", "method": "ping"})
    assert told.found() == []


def test_arguments_that_a_tool_wants_in_headers_are_there_or_found() -> None:
    """Rule LINT-07: Mcp-Param-*, from the declaration that was listed before."""
    annotated = {"type": "string", "x-mcp-header": "Region"}
    schema = {"type": "object", "properties": {"region": annotated}}
    listing = {**DISCOVERED, "tools": [{"name": "x", "inputSchema": schema}]}
    told = Told()
    told.ask(1, "tools/list")
    told.answer(1, listing)
    call = {"name": "x", "arguments": {"region": "Tromsø"}}
    encoded = {"mcp-param-region": "=?base64?VHJvbXPDuA==?="}
    told.ask(2, "tools/call", call, headers={**NAMED, **encoded})
    told.ask(3, "tools/call", {"name": "x", "arguments": {}}, headers=NAMED)
    assert told.found() == []
    told.ask(4, "tools/call", call, headers=NAMED)
    told.ask(5, "tools/call", call, headers={**NAMED, "mcp-param-region": "Oslo"})
    assert told.found() == [(5, "LINT-07"), (6, "LINT-07")]
