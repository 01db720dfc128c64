# ruff: noqa
"""Answers to exercise 5."""

# %% right: a plain function
from itertools import count

from workbench import modern_request
from workbench.exercises import PeerGone

CHANGED = "notifications/tools/list_changed"


def follow(peer, losses):
    ids = count(1)

    def request(method, params):
        message = modern_request(next(ids), method, params, "2026-07-28", {})
        peer.send(message)
        return message["id"]

    def read():
        asked = request("tools/list", {})
        while True:
            answer = peer.receive()
            if answer is not None and answer.get("id") == asked:
                return [tool["name"] for tool in answer["result"]["tools"]]

    def listen():
        stream = request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        first = peer.receive()
        return stream, "error" in first

    stream, refused = listen()
    names = read()
    while losses and not refused:
        try:
            message = peer.receive(timeout_ms=60_000)
        except PeerGone:
            peer.reopen()
            message = {"id": stream}
        if message is None:
            continue
        if message.get("method") == CHANGED:
            names = read()
        elif message.get("id") == stream:
            losses -= 1
            stream, refused = listen()
            names = read()
    return names


# %% right: a coroutine
from workbench import modern_request


async def follow(peer, losses):
    number, wanted = 100, {"notifications": {"toolsListChanged": True}}
    names = []
    for left in range(losses, -1, -1):
        number += 2
        stream = number
        await peer.send(modern_request(stream, "subscriptions/listen", wanted, "2026-07-28", {}))
        answered = await peer.receive()
        await peer.send(modern_request(number + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in (await peer.receive())["result"]["tools"]]
        if left == 0 or "error" in answered:
            return names
        while True:
            try:
                news = await peer.receive()
            except ConnectionError:
                await peer.reopen()
                break
            if news is None:
                continue
            if "id" in news:
                break
            number += 2
            await peer.send(modern_request(number + 1, "tools/list", {}, "2026-07-28", {}))
            names = [tool["name"] for tool in (await peer.receive())["result"]["tools"]]
    return names


# %% right: a class that reads before and after
import uuid

from workbench import modern_request
from workbench.exercises import PeerGone


class Follower:
    def ask(self, method, params=None):
        number = str(uuid.uuid4())
        self.peer.send(modern_request(number, method, params or {}, "2026-07-28", {}))
        return number

    def read(self):
        asked = self.ask("tools/list")
        answer = self.peer.receive()
        while answer is None or answer.get("id") != asked:
            answer = self.peer.receive()
        self.names = [tool["name"] for tool in answer["result"]["tools"]]

    def stream(self):
        """Listen once, until the end; False when there are no subscriptions."""
        stream = self.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        first = self.peer.receive()
        self.read()
        if first.get("id") == stream:
            return False
        while self.losses:
            news = self.peer.receive()
            if news and news.get("id") == stream:
                return True
            if news and news["method"].endswith("/list_changed"):
                self.read()
        return False

    def follow(self, peer, losses):
        self.peer, self.losses, self.names = peer, losses, []
        self.read()
        while True:
            try:
                if not self.stream():
                    return self.names
            except PeerGone:
                peer.reopen()
            self.losses -= 1


follow = Follower


# %% wrong: the starter -> not-started
def follow(peer, losses):
    raise NotImplementedError("write me")


# %% wrong: just reads -> no-listen SUB-03
from workbench import modern_request


def follow(peer, losses):
    answer = peer.ask(modern_request(1, "tools/list", {}, "2026-07-28", {}))
    return [tool["name"] for tool in answer["result"]["tools"]]


# %% wrong: wants nothing in particular -> no-filter SUB-01
from workbench import modern_request


def follow(peer, losses):
    peer.ask(modern_request(1, "subscriptions/listen", {"notifications": {}}, "2026-07-28", {}))
    answer = peer.ask(modern_request(2, "tools/list", {}, "2026-07-28", {}))
    return [tool["name"] for tool in answer["result"]["tools"]]


# %% wrong: listens once -> not-again SUB-03
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    peer.ask(modern_request(1, "subscriptions/listen", WANTED, "2026-07-28", {}))
    answer = peer.ask(modern_request(2, "tools/list", {}, "2026-07-28", {}))
    peer.receive()
    return [tool["name"] for tool in answer["result"]["tools"]]


# %% wrong: the same id for the new stream -> old-id SUB-03
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    for turn in range(losses + 1):
        peer.ask(modern_request(1, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(turn + 2, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        if turn < losses:
            peer.receive()
    return names


# %% wrong: counts ids anew on a new connection -> old-id SUB-03
from workbench import modern_request
from workbench.exercises import PeerGone

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    number = 0
    for left in range(losses, -1, -1):
        number += 2
        peer.ask(modern_request(number, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(number + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        try:
            while left and peer.receive() is None:
                pass
        except PeerGone:
            peer.reopen()
            number = 0
    return names


# %% wrong: listens again and does not read again -> not-refetched SUB-03
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    answer = peer.ask(modern_request("list", "tools/list", {}, "2026-07-28", {}))
    names = [tool["name"] for tool in answer["result"]["tools"]]
    for turn in range(losses + 1):
        peer.ask(modern_request(turn, "subscriptions/listen", WANTED, "2026-07-28", {}))
        if turn < losses:
            peer.receive()
    return names


# %% wrong: reads before it listens again -> not-refetched SUB-03
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    for turn in range(losses + 1):
        answer = peer.ask(modern_request(f"list-{turn}", "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        peer.ask(modern_request(turn, "subscriptions/listen", WANTED, "2026-07-28", {}))
        if turn < losses:
            peer.receive()
    return names


# %% wrong: takes an announcement for the end -> missed-change
from workbench import modern_request
from workbench.exercises import PeerGone

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    number = 0
    for left in range(losses, -1, -1):
        number += 2
        peer.ask(modern_request(number, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(number + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        try:
            if left and peer.receive() is None:
                return names
        except PeerGone:
            peer.reopen()
    return names


# %% wrong: does not care for announcements -> missed-change
from workbench import modern_request
from workbench.exercises import PeerGone

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    number = 0
    for left in range(losses, -1, -1):
        number += 2
        peer.ask(modern_request(number, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(number + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        try:
            while left and "id" not in (peer.receive() or {}):
                pass
        except PeerGone:
            peer.reopen()
    return names


# %% wrong: listens once too often -> too-often SUB-03
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    for turn in range(0, 2 * losses + 4, 2):
        peer.ask(modern_request(turn, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(turn + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        peer.receive()
    return names


# %% wrong: returns what it read first -> stale SUB-03
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    names = []
    for turn in range(0, 2 * losses + 2, 2):
        peer.ask(modern_request(turn, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(turn + 1, "tools/list", {}, "2026-07-28", {}))
        names = names or [tool["name"] for tool in answer["result"]["tools"]]
        if turn < 2 * losses:
            peer.receive()
    return names


# %% wrong: insists on subscriptions -> not-refused SUB-04
from workbench import modern_request
from workbench.exercises import PeerGone


def follow(peer, losses):
    number, wanted = 100, {"notifications": {"toolsListChanged": True}}
    names = []
    for left in range(losses, -1, -1):
        number += 2
        peer.ask(modern_request(number, "subscriptions/listen", wanted, "2026-07-28", {}))
        answer = peer.ask(modern_request(number + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        for _ in range(100 if left else 0):
            try:
                news = peer.receive()
            except PeerGone:
                peer.reopen()
                break
            if news and "id" in news:
                break
            if news:
                number += 2
                answer = peer.ask(modern_request(number + 1, "tools/list", {}, "2026-07-28", {}))
                names = [tool["name"] for tool in answer["result"]["tools"]]
    return names


# %% wrong: does not expect a lost connection -> raised
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    for turn in range(0, 2 * losses + 2, 2):
        peer.ask(modern_request(turn, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(turn + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        if turn < 2 * losses:
            peer.receive()
    return names


# %% wrong: waits for the end of the last stream too -> late
from workbench import modern_request

WANTED = {"notifications": {"toolsListChanged": True}}


def follow(peer, losses):
    for turn in range(0, 2 * losses + 2, 2):
        peer.ask(modern_request(turn, "subscriptions/listen", WANTED, "2026-07-28", {}))
        answer = peer.ask(modern_request(turn + 1, "tools/list", {}, "2026-07-28", {}))
        names = [tool["name"] for tool in answer["result"]["tools"]]
        while peer.receive() is None:
            pass
    return names
