"""Header lines, log lines and file names: whatever a server says stays inside its own line."""

import logging

import pytest

from fakes import error, modern, on
from workbench import MultiServerClient, PeerConfig
from workbench.core.errors import ConfigError, WorkbenchError
from workbench.core.text.visible import visible
from workbench.core.wire.headers import decode_header_value, encode_header_value, http_headers_for

BREAKS = ("a\r\nX-Evil: 1", "a\nb", "a\rb", "a\x00b", "\r\n\r\n{}", "a\x0bb", "a\x85b", "a\u2028b")
TOOL = {
    "name": "look",
    "inputSchema": {
        "type": "object",
        "properties": {"q": {"type": "string", "x-mcp-header": "Query"}},
    },
}


@pytest.mark.parametrize("text", BREAKS)
def test_no_text_of_a_body_leaves_its_header_line(text: str) -> None:
    """Spec: basic/transports/streamable-http; method, name and mirrored arguments."""
    call = {"method": "tools/call", "params": {"name": text, "arguments": {"q": text}}}
    headers = http_headers_for(call, TOOL)
    assert len(headers) == 3
    for value in headers.values():
        assert value.isascii()
        assert value.isprintable()
    assert decode_header_value(encode_header_value(text)) == text


@pytest.mark.parametrize("text", [one for one in BREAKS if one.isascii()])
def test_a_configured_header_cannot_hold_a_line_break(text: str) -> None:
    """Ours: refused when it is read, name and value."""
    for headers in ({"X-Key": text}, {text: "1"}):
        with pytest.raises(ConfigError):
            MultiServerClient().add_server(
                "peer", PeerConfig(name="peer", url="http://127.0.0.1:1/mcp", headers=headers)
            )


@pytest.mark.parametrize(
    "text", ["x\r\nCRITICAL forged line", "\x1b[2Jgone", "a\u202eb", "a\u2028b"]
)
def test_a_server_writes_no_log_line_of_its_own(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Ours: one event, one line, and nothing in it that a terminal would act on."""
    caplog.set_level(logging.DEBUG, "workbench")
    peer = modern("peer", tools=["look"]).script(on("tools/call").then(error(-32000, text)))
    rude = modern("rude").script(on("server/discover").then(error(-32601, text)))
    with MultiServerClient() as client:
        client.add_server("peer", peer)
        client.add_server("rude", rude)
        client.connect_all()
        client.discover_tools()
        with pytest.raises(WorkbenchError):
            client.call("look")
    said = [record.getMessage() for record in caplog.records if record.name.startswith("workbench")]
    assert any(visible(text) in line for line in said), "the text is there, made harmless"
    assert [line for line in said if visible(line) != line] == []
