"""What the catalogue answers, message by message, in both eras."""

import json
from typing import Any

import pytest
from jsonschema import validate

from workbench.core.menu.menu import Menu
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.envelope import legacy_request, modern_request, notification
from workbench.core.wire.keys import SERVER_INFO_KEY, VERSION_KEY
from workbench.discovery.catalogue import CATALOG_SEARCH, PAGE, SEARCH_TOOL, Catalogue
from workbench.discovery.inventory import read_inventory

NOW = "2026-07-28"


def inventory(count: int) -> Menu:
    schema = {"type": "object"}
    tools = [{"name": f"tool_{n:03}", "inputSchema": schema} for n in range(count)]
    return read_inventory(json.dumps(tools), reserved={CATALOG_SEARCH})


def ask(server: Catalogue, body: dict[str, Any]) -> dict[str, Any]:
    answer = server.answer(decode(encode(body)))
    assert answer is not None and answer["id"] == body["id"]
    return answer


def modern(server: Catalogue, method: str, **params: Any) -> dict[str, Any]:
    return ask(server, modern_request(7, method, params, NOW))


def greeted(menu: Menu) -> Catalogue:
    server = Catalogue(menu)
    ask(server, legacy_request(1, "initialize", {"protocolVersion": "2025-06-18"}))
    assert server.answer(decode(encode(notification("notifications/initialized")))) is None
    return server


def search(server: Catalogue, **arguments: Any) -> dict[str, Any]:
    called = modern(server, "tools/call", name=CATALOG_SEARCH, arguments=arguments)
    result = called["result"]
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "server/discover", "x"])
def test_before_initialize_a_legacy_request_gets_32002(method: str) -> None:
    """Seed card: "Before initialize: -32002"."""
    server = Catalogue(inventory(3))
    assert ask(server, legacy_request(1, method, {"name": "x"}))["error"]["code"] == -32002
    assert ask(server, legacy_request(2, "ping"))["result"] == {}


def test_a_legacy_handshake_agrees_on_a_revision_once() -> None:
    """Spec: 2025-11-25 basic/lifecycle, "Version Negotiation"."""
    server = Catalogue(inventory(3))
    asked = legacy_request(1, "initialize", {"protocolVersion": "2025-03-26"})
    result = ask(server, asked)["result"]
    assert result["protocolVersion"] == "2025-03-26"
    assert result["serverInfo"]["name"] and result["capabilities"] == {"tools": {}}
    assert ask(server, asked)["error"]["code"] == -32600
    other = Catalogue(inventory(3))
    unknown = legacy_request(1, "initialize", {"protocolVersion": "1999-01-01"})
    assert ask(other, unknown)["result"]["protocolVersion"] == "2025-11-25"
    assert ask(Catalogue(inventory(1)), legacy_request(1, "initialize"))["error"]["code"] == -32602


def test_a_modern_request_is_answered_by_itself_whatever_came_before() -> None:
    """Spec: 2026-07-28 basic/index: a request carries what it needs."""
    for server in (Catalogue(inventory(3)), greeted(inventory(3))):
        discovered = modern(server, "server/discover")["result"]
        assert discovered["supportedVersions"][0] == NOW
        assert discovered["resultType"] == "complete"
        assert discovered["_meta"][SERVER_INFO_KEY]["name"]
        listed = modern(server, "tools/list")["result"]
        assert (listed["resultType"], listed["cacheScope"]) == ("complete", "public")
        assert listed["ttlMs"] > 0


def test_a_modern_request_that_is_not_whole_is_refused() -> None:
    """Spec: 2026-07-28 basic/index, "`_meta`"; basic/versioning."""
    server = Catalogue(inventory(3))
    old = ask(server, modern_request(1, "tools/list", {}, "2025-11-25"))["error"]
    assert (old["code"], old["data"]) == (
        -32022,
        {"supported": [NOW], "requested": "2025-11-25"},
    )
    bare = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    lacking = ask(server, {**bare, "params": {"_meta": {VERSION_KEY: NOW}}})
    odd = ask(server, {**bare, "params": {"_meta": {VERSION_KEY: 7}}})
    assert lacking["error"]["code"] == odd["error"]["code"] == -32602
    assert modern(server, "initialize")["error"]["code"] == -32601


def test_250_names_come_on_8_pages_of_32() -> None:
    """Seed card: "Pages of 32 tools. 250 names across 8 pages"; the search is on the first."""
    for server, ask_for in (
        (Catalogue(inventory(250)), modern),
        (greeted(inventory(250)), lambda s, m, **p: ask(s, legacy_request(3, m, p))),
    ):
        pages: list[list[str]] = []
        cursor: dict[str, str] = {}
        while True:
            result = ask_for(server, "tools/list", **cursor)["result"]
            pages.append([tool["name"] for tool in result["tools"]])
            if "nextCursor" not in result:
                break
            cursor = {"cursor": result["nextCursor"]}
        assert [len(page) for page in pages] == [PAGE] * 7 + [27]
        names = [name for page in pages for name in page]
        assert names == [CATALOG_SEARCH, *(f"tool_{n:03}" for n in range(250))]


@pytest.mark.parametrize("cursor", ["", "page-1", "page-99", 7, "x"])
def test_a_cursor_it_never_gave_is_refused(cursor: Any) -> None:
    """Spec: server/utilities/pagination, "Error Handling"."""
    assert modern(Catalogue(inventory(40)), "tools/list", cursor=cursor)["error"]["code"] == -32602


def test_a_search_answers_with_whole_definitions_inside_the_budget() -> None:
    """Seed card: "stdio server with `catalog_search`"."""
    server = Catalogue(inventory(40))
    result = search(server, query="tool_017", max_chars=200)
    text = result["content"][0]["text"]
    assert len(text) <= 200 and result["isError"] is False
    assert json.loads(text) == result["structuredContent"]["tools"]
    assert json.loads(text)[0]["name"] == "tool_017"
    validate(result["structuredContent"], SEARCH_TOOL["outputSchema"])
    assert len(search(server, query="tool", limit=3)["structuredContent"]["tools"]) == 3
    assert search(server, query="zeppelin")["content"][0]["text"] == "[]"
    assert search(Catalogue(inventory(40), 40), query="tool")["content"][0]["text"] == "[]"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": 7}, "query"),
        ({"query": "x" * 2_001}, "query"),
        ({"query": "x", "max_chars": 1}, "max_chars"),
        ({"query": "x", "max_chars": True}, "max_chars"),
        ({"query": "x", "max_chars": 1.5}, "max_chars"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "max_char": 9}, "max_char"),
    ],
)
def test_a_model_is_told_what_to_correct(arguments: dict[str, Any], part: str) -> None:
    """Spec: 2025-11-25 and later, server/tools "Error Handling": input errors are results."""
    result = search(Catalogue(inventory(3)), **arguments)
    assert result["isError"] is True and part in result["content"][0]["text"]


def test_a_tool_of_the_inventory_is_listed_and_not_run() -> None:
    """Ours: a catalogue says whose a tool is; it is not a proxy."""
    text = '{"servers": {"notes": [{"name": "search", "inputSchema": {"type": "object"}}]}}'
    server = Catalogue(read_inventory(text))
    called = modern(server, "tools/call", name="search")["result"]
    assert called["isError"] is True and "notes" in called["content"][0]["text"]
    assert modern(server, "tools/call", name="nope")["error"]["code"] == -32602
    assert modern(server, "tools/call", name=7)["error"]["code"] == -32602
    wrong = modern(server, "tools/call", name=CATALOG_SEARCH, arguments=[])
    assert wrong["error"]["code"] == -32602


def test_what_needs_no_answer_gets_none_and_nonsense_gets_an_error() -> None:
    """Spec: JSON-RPC 2.0."""
    server = Catalogue(inventory(3))
    for frame in (b"", b'{"jsonrpc":"2.0","method":"x"}', b'{"jsonrpc":"2.0","id":1,"result":1}'):
        assert server.answer(decode(frame)) is None
    for frame, code in ((b"{", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":1}', -32600)):
        answer = server.answer(decode(frame))
        assert answer is not None and answer["error"]["code"] == code
    assert ask(greeted(inventory(1)), legacy_request(5, "x"))["error"]["code"] == -32601
