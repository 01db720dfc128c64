# ruff: noqa
"""Answers to exercise 4."""

# %% right: the client of the workbench
from workbench import MultiServerClient


def start(peers):
    with MultiServerClient(merge_policy="reject") as client:
        for name, peer in peers.items():
            client.add_server(name, peer)
        client.connect_all()
        client.discover_tools()
        return {item.canonical: item.peer for item in client.merge().items}


# %% right: by hand
from itertools import count

from workbench import modern_request


def pages(peer, ids):
    params = {}
    while True:
        answer = peer.ask(modern_request(next(ids), "tools/list", params, "2026-07-28", {}))
        yield from (tool["name"] for tool in answer["result"]["tools"])
        if "nextCursor" not in answer["result"]:
            return
        params = {"cursor": answer["result"]["nextCursor"]}


def start(peers):
    owners = {}
    for name, peer in peers.items():
        for tool in pages(peer, count(1)):
            owners.setdefault(tool, []).append(name)
    for tool, who in owners.items():
        if len(who) > 1:
            raise ValueError(f"{tool} is offered by {', '.join(who)}")
    return {tool: who[0] for tool, who in owners.items()}


# %% right: a class of coroutines
from workbench import AsyncMultiServerClient


class Start:
    async def start(self, peers):
        async with AsyncMultiServerClient(merge_policy="reject") as client:
            for name in sorted(peers):
                client.add_server(name, peers[name])
            await client.connect_all()
            await client.discover_tools()
            menu = client.merge()
        return {item.local: item.peer for item in menu.items}


start = Start()

# %% right: an error of its own
from workbench import modern_request


class Collision(Exception):
    def __init__(self, contested):
        lines = [f"«{tool}»: {' / '.join(sorted(who))}" for tool, who in contested.items()]
        super().__init__("\n".join(lines))


async def start(peers):
    owners, asked = {}, 0
    for name, peer in sorted(peers.items()):
        cursor = {}
        while cursor is not None:
            asked += 1
            await peer.send(modern_request(asked, "tools/list", cursor, "2026-07-28", {}))
            result = (await peer.receive())["result"]
            for tool in result["tools"]:
                owners.setdefault(tool["name"], set()).add(name)
            cursor = {"cursor": result["nextCursor"]} if "nextCursor" in result else None
    contested = {tool: who for tool, who in owners.items() if len(who) > 1}
    if contested:
        raise Collision(contested)
    return {tool: name for tool, (name,) in owners.items()}


# %% wrong: the starter -> not-started
def start(peers):
    raise NotImplementedError("write me")


# %% wrong: the last one wins -> overwritten MERGE-02
from workbench import modern_request


def start(peers):
    menu = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        menu.update({tool["name"]: name for tool in result["tools"]})
    return menu


# %% wrong: the first one wins -> overwritten MERGE-02
from workbench import modern_request


def start(peers):
    menu = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        for tool in result["tools"]:
            menu.setdefault(tool["name"], name)
    return menu


# %% wrong: the default policy -> not-rejected MERGE-03
from workbench import MultiServerClient


def start(peers):
    with MultiServerClient() as client:
        for name, peer in peers.items():
            client.add_server(name, peer)
        client.connect_all()
        client.discover_tools()
        return {item.canonical: item.peer for item in client.merge().items}


# %% wrong: swallows the refusal -> not-rejected MERGE-03
from workbench import MultiServerClient


def start(peers):
    with MultiServerClient(merge_policy="reject") as client:
        for name, peer in peers.items():
            client.add_server(name, peer)
        client.connect_all()
        client.discover_tools()
        try:
            return {item.canonical: item.peer for item in client.merge().items}
        except Exception:
            return {}


# %% wrong: stops at the second owner -> one-name MERGE-03
from workbench import modern_request


def start(peers):
    menu = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        menu.update({(tool["name"], name): None for tool in result["tools"]})
    seen = {}
    for tool, name in menu:
        if tool in seen:
            raise ValueError(f"{tool}: {seen[tool]} and {name}")
        seen[tool] = name
    return seen


# %% wrong: names the tool alone -> one-name MERGE-03
from workbench import modern_request


def start(peers):
    menu = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        for tool in result["tools"]:
            if tool["name"] in menu:
                raise ValueError(f"{tool['name']} is offered twice")
            menu[tool["name"]] = name
    return menu


# %% wrong: names the peers alone -> no-tool MERGE-03
from workbench import modern_request


def start(peers):
    owners = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        for tool in result["tools"]:
            owners.setdefault(tool["name"], []).append(name)
    for who in owners.values():
        if len(who) > 1:
            raise ValueError(f"collision between {' and '.join(who)}")
    return {tool: who[0] for tool, who in owners.items()}


# %% wrong: blames everybody -> innocent MERGE-03
from workbench import modern_request


def start(peers):
    owners = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        for tool in result["tools"]:
            owners.setdefault(tool["name"], []).append(name)
    for tool, who in owners.items():
        if len(who) > 1:
            raise ValueError(f"{tool} collides among {', '.join(peers)}")
    return {tool: who[0] for tool, who in owners.items()}


# %% wrong: reads the first page only -> first-page
from workbench import modern_request


def start(peers):
    owners = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        for tool in result["tools"]:
            owners.setdefault(tool["name"], []).append(name)
    for tool, who in owners.items():
        if len(who) > 1:
            raise ValueError(f"{tool}: {', '.join(who)}")
    return {tool: who[0] for tool, who in owners.items()}


# %% wrong: compares names in lower case -> raised
from workbench import modern_request


def start(peers):
    owners = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        for tool in result["tools"]:
            owners.setdefault(tool["name"].lower(), []).append(name)
    for tool, who in owners.items():
        if len(who) > 1:
            raise ValueError(f"{tool}: {', '.join(who)}")
    return {tool: who[0] for tool, who in owners.items()}


# %% wrong: returns the tools without owners -> wrong-menu MERGE-01
from workbench import modern_request


def start(peers):
    tools = []
    for peer in peers.values():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        tools += [tool["name"] for tool in result["tools"]]
    return tools


# %% wrong: asks nobody -> not-listed
def start(peers):
    return {"search": name for name in peers}


# %% wrong: tries the tools out -> called
from workbench import MultiServerClient


def start(peers):
    with MultiServerClient(merge_policy="reject") as client:
        for name, peer in peers.items():
            client.add_server(name, peer)
        client.connect_all()
        client.discover_tools()
        menu = client.merge()
        for item in menu.items:
            client.call(item.canonical)
        return {item.canonical: item.peer for item in menu.items}


# %% wrong: an accident in the middle -> raised
from workbench import modern_request


def start(peers):
    owners = {}
    for name, peer in peers.items():
        result = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))["result"]
        for tool in result["tools"]:
            owners.setdefault(tool["name"], []).append(name)
    return {tool: (who[0] if len(who) == 1 else who["both"]) for tool, who in owners.items()}
