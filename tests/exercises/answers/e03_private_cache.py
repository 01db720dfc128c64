# ruff: noqa
"""Answers to exercise 3."""

# %% right: a closure
from itertools import count

from workbench import modern_request


def make_cache():
    kept, ids = {}, count(1)

    def tools(peer, context, now_ms):
        names, ends = kept.get((peer.name, context), ([], 0))
        if now_ms < ends:
            return names
        answer = peer.ask(modern_request(next(ids), "tools/list", {}, "2026-07-28", {}))
        result = answer["result"]
        names = [tool["name"] for tool in result["tools"]]
        ttl = result.get("ttlMs")
        if type(ttl) is int and ttl > 0:
            kept[peer.name, context] = (names, now_ms + ttl)
        return names

    return tools


# %% right: a class that shares what is public
from workbench import modern_request


class Cache:
    def __init__(self):
        self.public, self.private, self.asked = {}, {}, 0

    def tools(self, peer, context, now_ms):
        for shelf, key in ((self.private, context), (self.public, "")):
            names, ends = shelf.get(key, (None, -1))
            if now_ms < ends:
                return names
        result = self.read(peer)
        names = [tool["name"] for tool in result["tools"]]
        ttl = result.get("ttlMs", 0)
        if isinstance(ttl, int) and ttl > 0:
            if result.get("cacheScope") == "public":
                self.public[""] = (names, now_ms + ttl)
            else:
                self.private[context] = (names, now_ms + ttl)
        return names

    def read(self, peer):
        self.asked += 1
        return peer.ask(modern_request(self.asked, "tools/list", {}, "2026-07-28", {}))["result"]


make_cache = Cache

# %% right: a coroutine in a closure
import itertools

from workbench import modern_request


async def make_cache():
    kept = {}
    numbers = (f"list-{n}" for n in itertools.count())

    async def tools(peer, context, now_ms):
        if context in kept and kept[context][0] > now_ms:
            return kept[context][1]
        await peer.send(modern_request(next(numbers), "tools/list", {}, "2026-07-28", {}))
        result = (await peer.receive())["result"]
        life = result["ttlMs"] if isinstance(result.get("ttlMs"), int) else 0
        kept[context] = (now_ms + max(life, 0), tuple(tool["name"] for tool in result["tools"]))
        return kept[context][1]

    return tools


# %% right: the client of the workbench does it all
from workbench import ManualClock, MultiServerClient


class Cached:
    def __init__(self):
        self.clock = ManualClock()
        self.client = MultiServerClient(clock=self.clock)
        self.known = False

    def tools(self, peer, context, now_ms):
        self.clock.advance(now_ms / 1000 - self.clock.now())
        if not self.known:
            self.client.add_server("it", peer, auth_context=context)
            self.client.connect_all()
            self.known = True
        self.client.switch_context("it", context)
        return [tool.name for tool in self.client.discover_tools()["it"].tools]


make_cache = Cached


# %% wrong: the starter -> not-started
def make_cache():
    raise NotImplementedError("write me")


# %% wrong: makes nothing -> not-started
def make_cache():
    pass


# %% wrong: makes a number -> no-call
def make_cache():
    return 7


# %% wrong: one list for everybody -> leaked CACHE-02
from workbench import modern_request


def make_cache():
    kept = {}

    def tools(peer, context, now_ms):
        if peer.name not in kept or kept[peer.name][1] <= now_ms:
            answer = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))
            names = [tool["name"] for tool in answer["result"]["tools"]]
            kept[peer.name] = (names, now_ms + answer["result"].get("ttlMs", 0))
        return kept[peer.name][0]

    return tools


# %% wrong: asks for each user and gives everybody the first list -> leaked CACHE-02
from workbench import modern_request


def make_cache():
    asked, kept = set(), []

    def tools(peer, context, now_ms):
        if context not in asked:
            answer = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))
            kept.append([tool["name"] for tool in answer["result"]["tools"]])
            asked.add(context)
        return kept[0]

    return tools


# %% wrong: what is not called private is shared -> scope-guessed CACHE-01
from workbench import modern_request


def make_cache():
    kept = {}

    def tools(peer, context, now_ms):
        for key in ("everybody", context):
            if key in kept and now_ms < kept[key][1]:
                return kept[key][0]
        result = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))["result"]
        names = [tool["name"] for tool in result["tools"]]
        key = context if result.get("cacheScope") == "private" else "everybody"
        kept[key] = (names, now_ms + max(result.get("ttlMs", 0), 0))
        return names

    return tools


# %% wrong: keeps nothing -> never-cached CACHE-03
from workbench import modern_request


def make_cache():
    def tools(peer, context, now_ms):
        answer = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))
        return [tool["name"] for tool in answer["result"]["tools"]]

    return tools


# %% wrong: keeps for ever -> too-old CACHE-03
from workbench import modern_request


def make_cache():
    kept = {}

    def tools(peer, context, now_ms):
        if context not in kept:
            answer = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))
            kept[context] = [tool["name"] for tool in answer["result"]["tools"]]
        return kept[context]

    return tools


# %% wrong: takes seconds for milliseconds -> never-cached CACHE-03
from workbench import modern_request


class Cache:
    def __init__(self):
        self.kept = {}

    def tools(self, peer, context, now_ms):
        names, ends = self.kept.get(context, ([], 0))
        if now_ms < ends:
            return names
        result = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))["result"]
        names = [tool["name"] for tool in result["tools"]]
        self.kept[context] = (names, now_ms + result.get("ttlMs", 0) / 1000)
        return names


make_cache = Cache

# %% wrong: thinks of a lifetime of its own -> no-lifetime CACHE-03
from workbench import modern_request


def make_cache():
    kept = {}

    def tools(peer, context, now_ms):
        if context in kept and now_ms < kept[context][1]:
            return kept[context][0]
        result = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))["result"]
        names = [tool["name"] for tool in result["tools"]]
        kept[context] = (names, now_ms + (result.get("ttlMs") or 60_000))
        return names

    return tools


# %% wrong: returns whole declarations -> wrong-tools CACHE-02
from workbench import modern_request


def make_cache():
    def tools(peer, context, now_ms):
        answer = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))
        return answer["result"]["tools"]

    return tools


# %% wrong: knows the tools by heart -> not-asked CACHE-02
def make_cache():
    return lambda peer, context, now_ms: ["search"]


# %% wrong: calls what it finds -> called
from workbench import modern_request


def make_cache():
    def tools(peer, context, now_ms):
        request = modern_request(2 * now_ms, "tools/list", {}, "2026-07-28", {})
        names = [tool["name"] for tool in peer.ask(request)["result"]["tools"]]
        call = {"name": "search", "arguments": {}}
        peer.ask(modern_request(2 * now_ms + 1, "tools/call", call, "2026-07-28", {}))
        return names

    return tools


# %% wrong: one id for all requests -> same-id
from workbench import modern_request


def make_cache():
    kept = {}

    def tools(peer, context, now_ms):
        if context not in kept:
            answer = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))
            kept[context] = [tool["name"] for tool in answer["result"]["tools"]]
        return kept[context]

    return tools


# %% wrong: no metadata -> no-meta WIRE-01
def make_cache():
    def tools(peer, context, now_ms):
        return peer.ask({"jsonrpc": "2.0", "id": now_ms, "method": "tools/list"})

    return tools


# %% wrong: adds a text to a number -> raised
from workbench import modern_request


def make_cache():
    kept = {}

    def tools(peer, context, now_ms):
        if context in kept and now_ms < kept[context][1]:
            return kept[context][0]
        result = peer.ask(modern_request(now_ms, "tools/list", {}, "2026-07-28", {}))["result"]
        names = [tool["name"] for tool in result["tools"]]
        kept[context] = (names, now_ms + max(0, result.get("ttlMs", 0)))
        return names

    return tools
