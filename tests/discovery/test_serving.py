"""The catalogue as a process: lines in and out, the official client, and ours."""

import asyncio
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from workbench import MultiServerClient
from workbench.core.wire.envelope import modern_request
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN
from workbench.discovery.catalogue import CATALOG_SEARCH, Catalogue
from workbench.discovery.inventory import load_inventory
from workbench.discovery.serving import MAX_REQUEST_BYTES, serve

INVENTORY = str(Path(__file__).with_name("tools.json"))
ARGUMENTS = ("-m", "workbench.cli", "discover", INVENTORY, "--serve")


def spoken(*lines: bytes) -> list[Any]:
    outgoing = io.BytesIO()
    serve(Catalogue(load_inventory(INVENTORY)), io.BytesIO(b"\n".join(lines)), outgoing)
    return [json.loads(line) for line in outgoing.getvalue().splitlines()]


def test_each_line_is_answered_and_a_bad_one_ends_nothing() -> None:
    """Spec: basic/transports/stdio."""
    request = json.dumps(modern_request(1, "tools/list", {}, LATEST_MODERN)).encode()
    long = b'"' + b"x" * MAX_REQUEST_BYTES + b'"'
    answers = spoken(request, b"", b"no", long, request)
    assert [answer.get("id") for answer in answers] == [1, None, None, 1]
    assert [answer["error"]["code"] for answer in answers[1:3]] == [-32700, -32700]
    assert answers[0] == answers[3]


async def visited(mode: str) -> tuple[str, int, str, list[str]]:
    parameters = StdioServerParameters(command=sys.executable, args=list(ARGUMENTS))
    async with asyncio.timeout(30), Client(parameters, mode=mode) as client:  # type: ignore[arg-type]
        names: list[str] = []
        pages, cursor = 0, None
        while pages == 0 or cursor:
            listed = await client.list_tools(cursor=cursor)
            pages, cursor = pages + 1, listed.next_cursor
            names += [tool.name for tool in listed.tools]
        asked = {"query": "pods count", "max_chars": 500}
        result = await client.call_tool(CATALOG_SEARCH, asked)
        text = result.content[0].text  # type: ignore[union-attr]
        return str(client.protocol_version), pages, text, names


@pytest.mark.parametrize(("mode", "version"), [("auto", LATEST_MODERN), ("legacy", LATEST_LEGACY)])
def test_the_official_client_lists_and_searches_in_both_eras(mode: str, version: str) -> None:
    """Ours: a server nobody else can talk to would prove nothing."""
    seen, pages, text, names = asyncio.run(visited(mode))
    menu = load_inventory(INVENTORY)
    assert (seen, pages) == (version, -(-(len(menu.items) + 1) // 32))
    assert names == [CATALOG_SEARCH, *menu.names]
    assert len(text) <= 500 and json.loads(text)[0]["name"] == "pods_count"


def test_our_own_client_reads_all_pages_and_validates_the_answer() -> None:
    """Ours: the strict client is satisfied with our own server."""
    with MultiServerClient() as client:
        client.add_server("catalogue", [sys.executable, *ARGUMENTS])
        client.connect_all()
        client.discover_tools()
        client.merge()
        (row,) = client.report().peers
        assert (row.status, row.era, len(row.tools)) == ("ready", "modern", 338)
        result = client.call(CATALOG_SEARCH, {"query": "send an email", "limit": 2})
        assert result.structured["tools"] == json.loads(result.text)
        assert client.menu is not None
        assert client.menu.search("catalog search").names[0] == CATALOG_SEARCH
