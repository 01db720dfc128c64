"""The menu of a live client is searched, and searched anew when a list has changed."""

import asyncio
from typing import Any

from driven import turns

from fakes import modern, notify, on, reply
from workbench import AsyncMultiServerClient, MultiServerClient


def listed(*names: str) -> Any:
    """Return the result of a `tools/list`."""
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return reply(
        {"resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "public"}
    )


def test_canonical_names_are_what_is_found() -> None:
    """Ours: what a search finds can be called as it stands."""
    with MultiServerClient() as client:
        client.add_server("files", modern("files", tools=["search"]))
        client.add_server("notes", modern("notes", tools=["search"]))
        client.connect_all()
        client.discover_tools()
        menu = client.merge()
        found = menu.search("search notes", max_chars=1_000)
        assert found.names[0] == "notes/search"
        assert [one["name"] for one in found.definitions] == list(found.names)
        assert client.call(found.names[0], {"q": "x"}).peer == "notes"
        alias = found.for_model("anthropic")[0]["name"]
        assert client.call(alias, {"q": "x"}).peer == "notes"
        assert client.menu is not None and client.menu.search("search").names[0] == "search"


def test_a_list_that_changed_is_searched_anew() -> None:
    """Ours: a menu is a value; another list makes another menu, with an index of its own."""
    changing = modern("notes", list_changed=True).script(
        on("tools/list").nth(1).then(listed("create_note")),
        on("tools/list").then(listed("create_note", "delete_note")),
    )

    async def story() -> None:
        async with AsyncMultiServerClient() as client, asyncio.timeout(20):
            client.add_server("notes", changing)
            await client.connect_all()
            await client.discover_tools()
            before = client.merge()
            assert before.search("remove a note").names == ("create_note",)
            changing.say(notify("notifications/tools/list_changed", {}))
            await turns()
            await client.discover_tools()
            assert client.menu is not None
            assert client.menu.search("remove a note").names[0] == "delete_note"
            assert before.search("remove a note").names == ("create_note",)

    asyncio.run(story())
