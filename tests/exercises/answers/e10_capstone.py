# ruff: noqa
"""Right answers to exercise 10."""

# %% right: plain functions
from itertools import count

from workbench import modern_request
from workbench.exercises import PeerGone

VERSION = "2026-07-28"
MODERN_ERRORS = (-32020, -32021, -32022)
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "student", "version": "1"},
}


def run(peers, trusted, jobs):
    ids, eras, tools, away = count(1), {}, {}, set()

    def ask(peer, era, method, params):
        message = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": params}
        if era == "modern":
            message = modern_request(message["id"], method, params, VERSION, {})
        peer.send(message)
        while (answer := peer.receive()) is not None:
            if answer.get("id") == message["id"]:
                return answer

    def connect(name):
        peer = peers[name]
        try:
            answer = ask(peer, "modern", "server/discover", {})
        except PeerGone:
            answer = None
        match answer:
            case {"result": {"supportedVersions": [*versions]}} if VERSION in versions:
                return "modern"
            case {"error": {"code": code}} if code in MODERN_ERRORS:
                return None
        if name not in trusted:
            return None
        try:
            if peer.closed:
                peer.reopen()
            if "result" not in (ask(peer, "legacy", "initialize", HELLO) or {}):
                return None
            peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        except PeerGone:
            return None
        return "legacy"

    def listed(name, era):
        found, params = [], {}
        while True:
            result = ask(peers[name], era, "tools/list", params)["result"]
            found += [tool["name"] for tool in result["tools"]]
            if "nextCursor" not in result:
                return found
            params = {"cursor": result["nextCursor"]}

    def start(name):
        era = connect(name)
        tools[name] = listed(name, era) if era else []
        return era

    def perform(canonical, arguments):
        if canonical not in menu:
            return "refused"
        name, own = menu[canonical]
        peer = peers[name]
        if peer.closed:
            peer.reopen()
            start(name)
        if own not in tools[name]:
            return "refused"
        params = {"name": own, "arguments": arguments}
        try:
            answer = ask(peer, eras[name], "tools/call", params)
        except PeerGone:
            return "unknown"
        return word(eras[name], answer)

    for name in peers:
        eras[name] = start(name)
    menu = merged(tools)
    return {
        "eras": eras,
        "menu": {canonical: owner for canonical, (owner, _) in menu.items()},
        "outcomes": [perform(name, arguments) for name, arguments in jobs],
    }


def merged(tools):
    menu = {}
    for name in sorted(tools):
        for tool in tools[name]:
            canonical = f"{name}/{tool}" if tool in menu else tool
            menu[canonical] = (name, tool)
    return menu


def word(era, answer):
    if answer is None:
        return "unknown"
    result = answer.get("result")
    if result is None or result.get("isError"):
        return "failed"
    if era == "modern" and result.get("resultType") != "complete":
        return "failed"
    return "done"


# %% right: coroutines
import asyncio
import uuid

from workbench import modern_request


class Gone(Exception):
    pass


async def ask(peer, message):
    try:
        await peer.send(message)
    except ConnectionError:
        raise Gone(False) from None
    try:
        while answer := await peer.receive(timeout_ms=500):
            if answer.get("id") == message["id"]:
                return answer
    except ConnectionError:
        raise Gone(True) from None


def request(era, method, **params):
    number = uuid.uuid4().hex
    if era == "modern":
        return modern_request(number, method, params, "2026-07-28", {})
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


async def shake(peer):
    hello = request(
        "legacy",
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "me", "version": "0"},
    )
    answer = await ask(peer, hello)
    if not answer or "result" not in answer:
        return None
    await peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return "legacy"


async def open_up(peer, trusted):
    """Return the era and the tools of a peer, on the connection as it is."""
    try:
        try:
            answer = await ask(peer, request("modern", "server/discover"))
        except Gone:
            if not trusted:
                return None, []
            await peer.reopen()
            era = await shake(peer)
        else:
            era = await judged(peer, trusted, answer or {})
        return era, [tool async for tool in listed(peer, era)]
    except Gone:
        return None, []


async def judged(peer, trusted, answer):
    if "2026-07-28" in answer.get("result", {}).get("supportedVersions", []):
        return "modern"
    recognized = answer.get("error", {}).get("code") in {-32020, -32021, -32022}
    return await shake(peer) if trusted and not recognized else None


async def listed(peer, era):
    cursor = {}
    while era and cursor is not None:
        answer = await ask(peer, request(era, "tools/list", **cursor))
        for tool in answer["result"]["tools"]:
            yield tool["name"]
        more = answer["result"].get("nextCursor")
        cursor = None if more is None else {"cursor": more}


async def run(peers, trusted, jobs):
    async def up(name):
        return name, await open_up(peers[name], name in trusted)

    state = dict(await asyncio.gather(*map(up, peers)))
    eras = {name: era for name, (era, _) in state.items()}
    menu, owns = {}, {}
    for name in sorted(state):
        for tool in state[name][1]:
            key = tool if tool not in menu else "/".join((name, tool))
            menu[key], owns[key] = name, tool
    outcomes = []
    for key, arguments in jobs:
        outcomes.append(await job(peers, trusted, state, menu, owns, key, arguments))
    return {"outcomes": outcomes, "menu": menu, "eras": eras}


async def job(peers, trusted, state, menu, owns, key, arguments):
    if key not in menu:
        return "refused"
    name = menu[key]
    for _ in range(2):
        era, tools = state[name]
        if owns[key] not in tools:
            return "refused"
        try:
            message = request(era, "tools/call", name=owns[key], arguments=arguments)
            answer = await ask(peers[name], message)
        except Gone as gone:
            await peers[name].reopen()
            state[name] = await open_up(peers[name], name in trusted)
            if gone.args[0]:
                return "unknown"
            continue
        match answer:
            case None:
                return "unknown"
            case {"error": _} | {"result": {"isError": True}}:
                return "failed"
            case {"result": {"resultType": "complete"}}:
                return "done"
        return "done" if era == "legacy" else "failed"
    return "refused"


# %% right: a class for each peer
from workbench import modern_request
from workbench.exercises import PeerGone, Unavailable


class Server:
    number = 0

    def __init__(self, name, peer, trusted):
        self.name, self.peer, self.trusted = name, peer, trusted
        self.era, self.tools, self.lost = None, [], False

    def tell(self, method, params):
        Server.number += 1
        if self.era == "legacy":
            message = dict(jsonrpc="2.0", id=Server.number, method=method, params=params)
        else:
            message = modern_request(Server.number, method, params, "2026-07-28", {})
        self.peer.send(message)
        return message["id"]

    def hear(self, number):
        for _ in range(20):
            answer = self.peer.receive(timeout_ms=200)
            if answer is not None and answer.get("id") == number:
                return answer
        return {}

    def up(self):
        self.era, self.tools = None, []
        try:
            self.probe()
            self.read()
        except (PeerGone, Unavailable):
            self.era, self.tools = None, []
        return self

    def probe(self):
        try:
            answer = self.hear(self.tell("server/discover", {}))
        except PeerGone:
            answer = {}
            if self.trusted:
                self.peer.reopen()
        result, error = answer.get("result", {}), answer.get("error", {})
        if "2026-07-28" in result.get("supportedVersions", ()):
            self.era = "modern"
        elif self.trusted and error.get("code", 0) not in range(-32022, -32019):
            self.greet()
        else:
            raise Unavailable(self.name)

    def greet(self):
        self.era = "legacy"
        me = {"name": "s", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me}
        answer = self.hear(self.tell("initialize", params))
        if answer.get("result", {}).get("protocolVersion") != "2025-11-25":
            raise Unavailable("no handshake")
        self.peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self, params=None):
        result = self.hear(self.tell("tools/list", params or {}))["result"]
        self.tools += [tool["name"] for tool in result["tools"]]
        if result.get("nextCursor"):
            self.read({"cursor": result["nextCursor"]})

    def call(self, own, arguments):
        if self.peer.closed:
            self.peer.reopen()
            self.up()
        if own not in self.tools:
            return "refused"
        number = self.tell("tools/call", {"name": own, "arguments": arguments})
        try:
            answer = self.hear(number)
        except PeerGone:
            return "unknown"
        if not answer:
            return "unknown"
        result = answer.get("result") or {"isError": True}
        whole = self.era == "legacy" or result.get("resultType") == "complete"
        return "done" if whole and result.get("isError") is not True else "failed"


class Client:
    def run(self, peers, trusted, jobs):
        servers = [Server(name, peers[name], name in trusted).up() for name in sorted(peers)]
        eras = {server.name: server.era for server in servers}
        menu = {}
        for server in servers:
            for tool in server.tools:
                menu[f"{server.name}/{tool}" if tool in menu else tool] = (server, tool)
        outcomes = []
        for name, arguments in jobs:
            server, own = menu.get(name, (None, None))
            outcomes.append(server.call(own, arguments) if server else "refused")
        owners = {name: server.name for name, (server, _) in menu.items()}
        return {"menu": owners, "eras": eras, "outcomes": tuple(outcomes)}


run = Client
