# ruff: noqa
"""Answers to exercise 2."""

# %% right: a plain function
from workbench.exercises import PeerGone, Unavailable

ME = {"name": "me", "version": "1.0"}


def text(value):
    return isinstance(value, str) and value != ""


def handshake(peer, revisions):
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": ME}
    peer.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    try:
        answer = peer.receive()
        while answer is not None and "method" in answer:
            answer = peer.receive()
    except PeerGone:
        answer = None
    if answer is None or answer.get("jsonrpc") != "2.0" or "error" in answer:
        raise Unavailable("no valid answer")
    if type(answer.get("id")) is not int or answer["id"] != 1:
        raise Unavailable("somebody else's answer")
    result = answer.get("result", {})
    info = result.get("serverInfo")
    if not isinstance(info, dict) or not text(info.get("name")) or not text(info.get("version")):
        raise Unavailable("no serverInfo")
    if not isinstance(result.get("capabilities"), dict):
        raise Unavailable("no capabilities")
    if result["protocolVersion"] not in revisions:
        raise Unavailable(f"revision {result['protocolVersion']}")
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return result["protocolVersion"]


# %% right: a coroutine that returns None
async def handshake(peer, revisions):
    asked = {
        "jsonrpc": "2.0",
        "id": "hello",
        "method": "initialize",
        "params": {
            "protocolVersion": revisions[-1],
            "capabilities": {},
            "clientInfo": {"name": "me", "version": "2"},
        },
    }
    await peer.send(asked)
    for _ in range(20):
        try:
            answer = await peer.receive(timeout_ms=100)
        except ConnectionError:
            return None
        if answer is None or answer.get("id") == "hello":
            break
    match answer:
        case {"jsonrpc": "2.0", "error": _}:
            return None
        case {
            "jsonrpc": "2.0",
            "result": {
                "protocolVersion": str(revision),
                "capabilities": dict(),
                "serverInfo": {"name": str(name), "version": str(version)},
            },
        } if revision in revisions and name and version:
            await peer.send({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}})
            return revision
    return None


# %% right: a class, one check a method
from workbench.exercises import PeerGone, Unavailable


class Handshake:
    def __init__(self):
        self.id = 42

    def handshake(self, peer, revisions):
        self.knock(peer, revisions)
        try:
            result = self.result(self.answer(peer))
        except PeerGone as gone:
            raise Unavailable(str(gone))
        self.check(result, revisions)
        peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result["protocolVersion"]

    def knock(self, peer, revisions):
        me = {"name": "handshake", "version": "0"}
        params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
        peer.send({"jsonrpc": "2.0", "id": self.id, "method": "initialize", "params": params})

    def answer(self, peer):
        while answer := peer.receive():
            if answer.get("id") is not None:
                return answer
        raise Unavailable("silence")

    def result(self, answer):
        if answer.get("jsonrpc") != "2.0" or set(answer) != {"jsonrpc", "id", "result"}:
            raise Unavailable("no plain result")
        if repr(answer["id"]) != repr(self.id):
            raise Unavailable("wrong id")
        return answer["result"]

    def check(self, result, revisions):
        info = result.get("serverInfo") or {}
        fine = (
            result.get("protocolVersion") in revisions
            and type(result.get("capabilities")) is dict
            and all(type(info.get(key)) is str and info[key] for key in ("name", "version"))
        )
        if not fine:
            raise Unavailable("no valid InitializeResult")


handshake = Handshake()


# %% wrong: the starter -> not-started
def handshake(peer, revisions):
    raise NotImplementedError("write me")


# %% wrong: probes instead -> no-initialize LEG-01
from workbench import modern_request


def handshake(peer, revisions):
    peer.ask(modern_request(1, "server/discover", {}, "2026-07-28", {}))
    return revisions[0]


# %% wrong: says hello without a name -> incomplete LEG-01
def handshake(peer, revisions):
    params = {"protocolVersion": revisions[0]}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    return answer["result"]["protocolVersion"]


# %% wrong: offers a modern revision -> incomplete LEG-01
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": "2026-07-28", "capabilities": {}, "clientInfo": me}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    return answer["result"]["protocolVersion"]


# %% wrong: tries every revision -> twice LEG-01
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    for number, revision in enumerate(revisions):
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": me}
        answer = peer.ask(
            {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}
        )
        if answer and answer["result"]["protocolVersion"] == revision:
            peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            return revision


# %% wrong: takes any revision -> accepted-revision LEG-08
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return answer["result"]["protocolVersion"]


# %% wrong: says initialized before it looks -> accepted-revision LEG-08
from workbench.exercises import Unavailable


def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    if answer["result"]["protocolVersion"] not in revisions:
        raise Unavailable("another revision")
    return answer["result"]["protocolVersion"]


# %% wrong: takes everybody's answer -> accepted-id LEG-04
from workbench.exercises import Unavailable


def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    try:
        answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        result = answer["result"]
        fine = answer["jsonrpc"] == "2.0" and "error" not in answer
        fine = fine and isinstance(result["capabilities"], dict)
        fine = fine and result["serverInfo"]["name"] and result["protocolVersion"] in revisions
    except Exception:
        return None
    if not fine:
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return result["protocolVersion"]


# %% wrong: compares ids as text -> accepted-id LEG-04
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    try:
        answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        result = answer["result"]
        fine = answer["jsonrpc"] == "2.0" and "error" not in answer and str(answer["id"]) == "1"
        fine = fine and isinstance(result["capabilities"], dict)
        fine = fine and result["serverInfo"]["name"] and result["protocolVersion"] in revisions
    except Exception:
        return None
    if not fine:
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return result["protocolVersion"]


# %% wrong: looks at the result alone -> accepted-error LEG-06
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    try:
        answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        result = answer["result"]
        fine = answer["jsonrpc"] == "2.0" and type(answer["id"]) is int and answer["id"] == 1
        fine = fine and isinstance(result["capabilities"], dict)
        fine = fine and result["serverInfo"]["name"] and result["protocolVersion"] in revisions
    except Exception:
        return None
    if not fine:
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return result["protocolVersion"]


# %% wrong: takes an error for a yes -> accepted-error LEG-05
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    try:
        answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    except ConnectionError:
        return None
    if answer is None or answer["jsonrpc"] != "2.0" or answer["id"] != 1:
        return None
    if "result" not in answer:
        return revisions[0]
    result = answer["result"]
    if "error" in answer or not isinstance(result["capabilities"], dict):
        return None
    info = result.get("serverInfo", {})
    if not info.get("name") or result["protocolVersion"] not in revisions:
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return result["protocolVersion"]


# %% wrong: looks at the revision alone -> accepted-shape LEG-07
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    try:
        answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    except ConnectionError:
        return None
    if answer is None or answer.get("jsonrpc") != "2.0" or answer.get("id") != 1:
        return None
    if "error" in answer or answer["result"]["protocolVersion"] not in revisions:
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return answer["result"]["protocolVersion"]


# %% wrong: takes silence for an agreement -> accepted-silence LEG-03
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    peer.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    try:
        answer = peer.receive()
        if answer is None:
            return revisions[0]
        result = answer["result"]
        fine = answer["jsonrpc"] == "2.0" and "error" not in answer and answer["id"] == 1
        fine = fine and isinstance(result["capabilities"], dict)
        fine = fine and result["serverInfo"]["name"] and result["protocolVersion"] in revisions
    except Exception:
        return None
    if not fine:
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return result["protocolVersion"]


# %% wrong: wants its favourite or nothing -> refused-valid LEG-00
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    if answer["result"]["protocolVersion"] != revisions[0]:
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return revisions[0]


# %% wrong: keeps the agreement to itself -> no-initialized LEG-00
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    return answer["result"]["protocolVersion"]


# %% wrong: sends initialized as a request -> no-initialized LEG-00
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    peer.send({"jsonrpc": "2.0", "id": 2, "method": "notifications/initialized"})
    return answer["result"]["protocolVersion"]


# %% wrong: does not expect a closed connection -> raised
def handshake(peer, revisions):
    me = {"name": "me", "version": "1"}
    params = {"protocolVersion": revisions[0], "capabilities": {}, "clientInfo": me}
    answer = peer.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    if answer is None or answer.get("jsonrpc") != "2.0" or answer.get("id") != 1:
        return None
    result, info = answer.get("result", {}), answer.get("result", {}).get("serverInfo", {})
    fine = "error" not in answer and type(result.get("capabilities")) is dict
    if not fine or result["protocolVersion"] not in revisions or not info.get("name"):
        return None
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return result["protocolVersion"]
