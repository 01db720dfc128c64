"""What reads bytes that others wrote, and valid samples of each.

Each target goes as far as the product goes with such bytes before a person decides anything: a
frame is decoded and shown, a list is judged, merged, pinned and mirrored into headers.
"""

import json
from typing import Any, Final

from fuzzing.running import Target
from workbench.core.config.config import read_config
from workbench.core.config.jsonc import read_jsonc
from workbench.core.errors import ConfigError
from workbench.core.journal.journal import Journal
from workbench.core.menu.listing import listing_of
from workbench.core.menu.merge import merge
from workbench.core.negotiate.results import read_discover_result, read_initialize_result
from workbench.core.pins.definition_change import differences
from workbench.core.pins.drift import pin_tools
from workbench.core.pins.lock_text import lock_text, read_lock_text
from workbench.core.pins.pins import FilePin, Lock, PeerPin
from workbench.core.results.pages import Collected, Pages, step
from workbench.core.text.redact import Redactor
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.framing import LineFramer, Oversized
from workbench.core.wire.headers import (
    annotation_fault,
    decode_header_value,
    encode_header_value,
    http_headers_for,
)
from workbench.core.wire.message import Malformed, Request, Result
from workbench.core.wire.sse import SseEvent, SseParser
from workbench.discovery.inventory import read_inventory
from workbench.drivers.schemas import compiled
from workbench.lint import lint_journal, read_record
from workbench.transports.http_challenge import challenge_text

_CAPS: Final = (1, 7, 100, 5_000)
_CUTS: Final = (1, 2, 3, 17, 4_096)
_ENVIRON: Final = {"KEY": "sk-1234", "EMPTY": ""}
_LONGEST_KEPT: Final = 2_000
"""Bytes of the frames that are also kept and shown; a longer one is no other case."""
_MOST_TOOLS: Final = 20
"""Tools of one list that are taken further; what holds for twenty holds for each."""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _chunks(data: bytes) -> tuple[int, list[bytes]]:
    """Return a cap and the data in pieces, both chosen by the data themselves."""
    size = _CUTS[len(data) % len(_CUTS)]
    size = max(size, len(data) // 2_000)
    cap = _CAPS[sum(data[:8]) % len(_CAPS)]
    return cap, [data[at : at + size] for at in range(0, len(data), size)]


def _framed(data: bytes) -> None:
    cap, chunks = _chunks(data)
    framer = LineFramer(cap)
    frames = [frame for chunk in chunks for frame in framer.feed(chunk)]
    for frame in [*frames, *framer.end()]:
        assert not isinstance(frame, bytes) or (len(frame) <= cap and b"\n" not in frame)
    whole = LineFramer(cap)
    assert [*frames, *framer.end()] == [*whole.feed(data)], "the cuts made a difference"


def _streamed(data: bytes) -> None:
    cap, chunks = _chunks(data)
    parser, whole = SseParser(cap), SseParser(cap)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    assert events == whole.feed(data), "the cuts made a difference"
    assert parser.last_event_id == whole.last_event_id
    for event in events:
        assert isinstance(event, Oversized) or len(event.data) <= cap
        if isinstance(event, SseEvent):
            decode(event.data)


def _decoded(data: bytes) -> None:
    message = decode(data)
    if isinstance(message, Malformed):
        assert message.sample.isprintable()
        assert message.detail.isprintable()
    elif isinstance(message, Request):
        # What we answer carries the id back, whatever it is.
        encode({"jsonrpc": "2.0", "id": message.id, "error": {"code": -32601, "message": "?"}})
    if len(data) > _LONGEST_KEPT:
        return
    journal = Journal(redactor=Redactor(["sk-1234"]))
    journal.received(0.0, "peer", data)
    assert len(journal.to_text(frames=True).splitlines()) <= 12
    Journal.from_jsonl(journal.to_jsonl())


def _result(data: bytes) -> Any:
    message = decode(data)
    return message.result if isinstance(message, Result) else None


def _discovered(data: bytes) -> None:
    for accept in (False, True):
        repr(read_discover_result(_result(data), accept))


def _initialized(data: bytes) -> None:
    repr(read_initialize_result(_result(data)))


def _listed(data: bytes) -> None:
    pages = Pages(peer="peer", era="modern", method="tools/list", member="tools")
    message = decode(data)
    if isinstance(message, Request) or not hasattr(message, "id"):
        return
    _, after = step(pages, message, 0.0)  # type: ignore[arg-type]
    if not isinstance(after, Collected):
        return
    for mirrored in (False, True):
        listing = listing_of("peer", after, mirrored=mirrored)
        menu = merge([listing, listing_of("other", after)])
        menu.collisions.to_text()
        pin_tools(listing, Redactor(["sk-1234"]))
        for one in listing.tools[:_MOST_TOOLS]:
            differences(_TOOLS[0], one.declared)
        for tool in listing.tools[:_MOST_TOOLS]:
            assert isinstance(tool.description, str)
            assert isinstance(tool.input_schema, dict)
            assert isinstance(tool.output_schema, dict | None)
            call = {"name": tool.name, "arguments": {"q": "é", "n": 1}}
            if mirrored:
                http_headers_for({"method": "tools/call", "params": call}, tool)


def _schema(data: bytes) -> None:
    schema = _result(data)
    if isinstance(schema, dict):
        annotation_fault(schema)
        check = compiled(schema)
        for value in ({}, {"q": "x" * 50, "n": 1, "deep": {"a": {"a": [1]}}}):
            check(value)


def _header(data: bytes) -> None:
    text = data.decode("latin-1")
    decode_header_value(text)
    challenge_text([text])
    for value in (text, data.decode("utf-8", "replace")):
        header = encode_header_value(value)
        assert header.isascii()
        assert header.isprintable(), "a header line could be left"
        assert decode_header_value(header) == value


def _comments(data: bytes) -> None:
    read_jsonc(_text(data), "file.jsonc")


def _configured(data: bytes) -> None:
    config = read_config(_text(data), _ENVIRON, "mcp.json")
    assert "sk-1234" not in repr(config)


def _locked(data: bytes) -> None:
    lock = read_lock_text(_text(data), "mcp.lock.json", "pin")
    assert read_lock_text(lock_text(lock), "again", "pin") == lock


def _kept(data: bytes) -> None:
    journal = Journal.from_jsonl(_text(data))
    journal.to_text(frames=True)
    journal.to_mermaid()
    lint_journal(journal).to_text()
    again = Journal.from_jsonl(journal.to_jsonl())
    assert again.to_jsonl() == journal.to_jsonl()


def _recorded(data: bytes) -> None:
    journal, _ = read_record(_text(data))
    lint_journal(journal).to_text()


def _inventory(data: bytes) -> None:
    read_inventory(data, "tools.json").collisions.to_text()


def _answer(result: Any) -> bytes:
    return encode({"jsonrpc": "2.0", "id": 1, "result": result})


def _indented(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "q": {"type": "string", "x-mcp-header": "Q", "pattern": "^[a-z]+$"},
        "n": {"type": ["integer", "null"], "enum": [1, 2], "minimum": 0},
        "deep": {"allOf": [{"$ref": "#/$defs/one"}, {"not": {"const": 1}}]},
    },
    "required": ["q"],
    "additionalProperties": False,
    "$defs": {"one": {"type": "object", "properties": {"a": {"$ref": "#/$defs/one"}}}},
}
_TOOLS: Final = [
    {"name": "search", "description": "Finds.", "inputSchema": _SCHEMA},
    {"name": "plain", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}},
    {"name": "gives", "inputSchema": {"type": "object"}, "outputSchema": _SCHEMA},
]
_DISCOVER: Final = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {"listChanged": True}},
    "instructions": "Be kind.",
    "ttlMs": 3_600_000,
    "cacheScope": "public",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "notes", "version": "1"}},
}
_INITIALIZE: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "notes", "version": "1"},
    "instructions": "Be kind.",
}
_PAGE: Final = {"resultType": "complete", "ttlMs": 1000, "cacheScope": "public", "tools": _TOOLS}
_MESSAGES: Final = (
    _answer({"content": [{"type": "text", "text": "é€"}]}),
    encode({"jsonrpc": "2.0", "id": "a", "method": "roots/list", "params": {"_meta": {"k": 1}}}),
    encode({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 0.5}}),
    encode({"jsonrpc": "2.0", "id": 7, "error": {"code": -32022, "message": "no", "data": [1]}}),
)
_EVENTS: Final = b": hello\r\nevent: message\nid: 7\nretry: 10\ndata: %s\ndata: 1\n\ndata\n\n"
_CONFIG: Final = (
    b'\xef\xbb\xbf// servers\n{"mcpServers": {"notes": {"command": "notes", "args": ["--key",'
    b' "${KEY}", "${env:NONE:-x}"], /* why */ "env": {"A": "${KEY}"}, "cwd": "/", '
    b'"allow_legacy": true, "legacy_revisions": ["2025-11-25"], "call_timeout_s": 1.5,},\n'
    b' "far": {"type": "http", "url": "https://u:p@h.example:1/mcp?k=${KEY}#f", "headers": '
    b'{"Authorization": "Bearer ${KEY}"}, "discovery_timeout_ms": 1000, "disabled": false}}}'
)


def _lock_sample() -> bytes:
    pages = Pages(peer="peer", era="modern", method="tools/list", member="tools")
    _, after = step(pages, Result(1, _PAGE), 0.0)
    assert isinstance(after, Collected)
    tools = pin_tools(listing_of("peer", after), Redactor())
    files = {"executable": FilePin(path="/bin/notes", sha256="0" * 64)}
    pin = PeerPin(kind="stdio", allow_legacy=False, command="/bin/notes", files=files, tools=tools)
    far = PeerPin(kind="http", allow_legacy=True, endpoint="https://h/mcp", headers=("A",))
    return lock_text(Lock({"notes": pin, "far": far})).encode()


def _journal_sample() -> bytes:
    journal = Journal()
    journal.opened(0.0, "notes", "memory")
    ask = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {}}}
    journal.sent(0.0, "notes", encode(ask))
    journal.received(0.1, "notes", _answer(_DISCOVER))
    journal.decided(0.1, "notes", "negotiate", "asked → modern", "ERA-01", "opened", "why")
    journal.stray(0.2, "notes", "not UTF-8", b"\xff\xfe")
    journal.received(0.3, "notes", _answer(_PAGE))
    journal.closed(0.4, "notes", "end")
    return journal.to_jsonl().encode()


_EXPORT: Final = [
    {"message": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "direction": "request"},
    {"message": {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}, "direction": "response"},
]

TARGETS: Final = (
    Target("line framer", _framed, (b"\n".join(_MESSAGES) + b"\r\n\n", b"abc\r\n\r\r\n" * 9)),
    Target("SSE parser", _streamed, tuple(_EVENTS % one for one in _MESSAGES)),
    Target("codec", _decoded, _MESSAGES),
    Target("DiscoverResult", _discovered, (_answer(_DISCOVER),)),
    Target("InitializeResult", _initialized, (_answer(_INITIALIZE),)),
    Target("tool list", _listed, (_answer(_PAGE), _answer({"tools": _TOOLS})), (ValueError,)),
    Target("schema", _schema, (_answer(_SCHEMA),)),
    Target(
        "header",
        _header,
        (b"notes/search", b"=?base64?w6k=?=", "é".encode(), b'Bearer realm="x", error=y'),
    ),
    Target("jsonc", _comments, (_CONFIG, b'{"a": [1, 2e3, {"b": null}], // c\n}'), (ConfigError,)),
    Target("mcp.json", _configured, (_CONFIG,), (ConfigError,)),
    Target("lock", _locked, (_lock_sample(),), (ConfigError,)),
    Target("journal", _kept, (_journal_sample(),), (ConfigError,)),
    Target("record", _recorded, (_journal_sample(), b"\n".join(_MESSAGES), _indented(_EXPORT)),
           (ConfigError,)),
    Target("inventory", _inventory, (_indented({"notes": {"tools": _TOOLS}}), _indented(_TOOLS)),
           (ConfigError,)),
)  # fmt: skip
