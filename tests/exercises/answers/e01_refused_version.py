# ruff: noqa
"""Answers to exercise 1."""

# %% right: a plain function
from workbench import modern_request
from workbench.exercises import Unavailable


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, versions[0], {}))
    if reply is None:
        raise Unavailable("no answer")
    if "result" in reply:
        return versions[0]
    supported = (reply["error"].get("data") or {}).get("supported", [])
    mutual = [v for v in versions[1:] if v in supported]
    if reply["error"]["code"] != -32022 or not mutual:
        raise Unavailable("no version in common")
    reply = peer.ask(modern_request(2, "server/discover", {}, mutual[0], {}))
    return mutual[0] if reply and "result" in reply else None


# %% right: a loop over what is left
from itertools import count

from workbench import modern_request


def negotiate(peer, versions):
    left, ids = list(versions), count(100)
    while left:
        version = left.pop(0)
        reply = peer.ask(modern_request(f"probe-{next(ids)}", "server/discover", {}, version, {}))
        if reply is not None and "result" in reply:
            return version
        error = (reply or {}).get("error", {})
        supported = (error.get("data") or {}).get("supported", [])
        left = [v for v in left if v in supported]
    return None


# %% right: a coroutine with messages by hand
META = "io.modelcontextprotocol/"


async def negotiate(peer, versions):
    version, tried = versions[0], []
    while version and len(tried) < len(versions):
        tried.append(version)
        meta = {META + "protocolVersion": version, META + "clientCapabilities": {}}
        await peer.send(
            {
                "jsonrpc": "2.0",
                "id": len(tried),
                "method": "server/discover",
                "params": {"_meta": meta},
            }
        )
        reply = await peer.receive(timeout_ms=500)
        if reply is None:
            return None
        if "result" in reply and reply["id"] == len(tried):
            return version
        data = reply["error"].get("data")
        named = data["supported"] if data else []
        version = next((v for v in versions if v in named and v not in tried), None)
    return None


# %% right: a class with a state
from workbench import modern_request
from workbench.exercises import Unavailable


class Negotiation:
    def __init__(self):
        self.refused = set()

    def probe(self, peer, version):
        number = len(self.refused) + 1
        return peer.ask(modern_request(number, "server/discover", {}, version, {}))

    def negotiate(self, peer, versions):
        supported = versions[:1]
        while choice := [v for v in versions if v in supported and v not in self.refused]:
            reply = self.probe(peer, choice[0]) or {"error": {}}
            if "result" in reply:
                return choice[0]
            self.refused.add(choice[0])
            supported = (reply["error"].get("data") or {}).get("supported", [])
        raise Unavailable("nothing in common")


negotiate = Negotiation


# %% wrong: the starter -> not-started
def negotiate(peer, versions):
    raise NotImplementedError("write me")


# %% wrong: nothing at all -> not-started
negotiate = ...

# %% wrong: hands over a text -> no-call
negotiate = "2026-07-28"


# %% wrong: takes the wrong arguments -> raised
def negotiate(peer):
    return "2026-07-28"


# %% wrong: downgrades after the refusal -> initialize ERA-03
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, versions[0], {}))
    if reply and "result" in reply:
        return versions[0]
    params = {"protocolVersion": "2025-11-25", "capabilities": {}}
    peer.ask({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": params})
    return "2025-11-25"


# %% wrong: retries under the same id -> same-id ERA-02
from workbench import modern_request


def negotiate(peer, versions):
    for version in versions:
        reply = peer.ask(modern_request(1, "server/discover", {}, version, {}))
        if reply and "result" in reply:
            return version


# %% wrong: leaves out the metadata -> no-meta WIRE-01
def negotiate(peer, versions):
    reply = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}})
    return reply["result"]["supportedVersions"][0]


# %% wrong: forgets jsonrpc -> no-message
def negotiate(peer, versions):
    return peer.ask({"id": 1, "method": "server/discover"})


# %% wrong: lists tools first -> no-probe ERA-00
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "tools/list", {}, versions[0], {}))
    return versions[0] if "result" in reply else None


# %% wrong: never sends anything -> no-probe ERA-00
def negotiate(peer, versions):
    return versions[0]


# %% wrong: plays safe and begins with the older one -> not-preferred ERA-01
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, versions[-1], {}))
    return versions[-1] if "result" in reply else None


# %% wrong: gives up at the refusal -> no-retry ERA-02
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, versions[0], {}))
    return versions[0] if "result" in reply else None


# %% wrong: takes whatever the server names first -> wrong-version ERA-02
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, versions[0], {}))
    if "result" in reply:
        return versions[0]
    version = reply["error"]["data"]["supported"][0]
    reply = peer.ask(modern_request(2, "server/discover", {}, version, {}))
    return version if "result" in reply else None


# %% wrong: tries every version it knows -> wrong-version ERA-03
from workbench import modern_request


def negotiate(peer, versions):
    for number, version in enumerate(versions):
        reply = peer.ask(modern_request(number, "server/discover", {}, version, {}))
        if reply and "result" in reply:
            return version


# %% wrong: asks again for what was refused -> too-often ERA-02
from workbench import modern_request


def negotiate(peer, versions):
    version = versions[0]
    for number in range(5):
        reply = peer.ask(modern_request(number, "server/discover", {}, version, {}))
        if reply is None:
            return None
        if "result" in reply:
            return version
        supported = (reply["error"].get("data") or {}).get("supported", [])
        version = next((v for v in versions if v in supported), None)
        if version is None:
            return None


# %% wrong: returns its favourite anyway -> not-unavailable ERA-03
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, versions[0], {}))
    if "result" in reply:
        return versions[0]
    mutual = [v for v in versions[1:] if v in reply["error"]["data"]["supported"]]
    if not mutual:
        return versions[0]
    reply = peer.ask(modern_request(2, "server/discover", {}, mutual[0], {}))
    return mutual[0] if "result" in reply else None


# %% wrong: returns the whole answer -> wrong-result ERA-01
from workbench import modern_request


def negotiate(peer, versions):
    return peer.ask(modern_request(1, "server/discover", {}, versions[0], {}))


# %% wrong: expects a reason every time -> raised
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, versions[0], {}))
    if "result" in reply:
        return versions[0]
    mutual = [v for v in versions[1:] if v in reply["error"]["data"]["supported"]]
    if not mutual:
        return None
    reply = peer.ask(modern_request(2, "server/discover", {}, mutual[0], {}))
    return mutual[0] if "result" in reply else None


# %% wrong: waits for an answer for ever -> late
from workbench import modern_request


def negotiate(peer, versions):
    reply = peer.ask(modern_request(1, "server/discover", {}, "1999-01-01", {}))
    while reply is None or "result" not in reply:
        reply = peer.receive()
    return versions[0]


# %% wrong: a coroutine that waits for ever -> late
import asyncio


async def negotiate(peer, versions):
    await asyncio.Event().wait()


# %% wrong: exits -> exited
import sys


def negotiate(peer, versions):
    sys.exit("no version in common")


# %% wrong: sends without end -> flooded
from workbench import modern_request


def negotiate(peer, versions):
    number = 0
    while True:
        peer.send(modern_request(number, "server/discover", {}, versions[0], {}))
        number += 1
