"""Several peers at once, measured: each client told of them in two orders.

Takes:  situations, names of clients, a laboratory
Gives:  a `Together`
Never:  believes a menu: each name is called, and the peer that got the call says so
"""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from workbench.comparison.gatherings import DEAD, SITUATIONS, Gathered, Peer, Situation
from workbench.comparison.known import GROUPS
from workbench.comparison.laboratory import Laboratory, Said
from workbench.comparison.together import Together


def gather(
    lab: Laboratory, clients: Sequence[str], situations: Iterable[Situation] = SITUATIONS
) -> Together:
    """Run clients in situations, several at a time.

    Args:
        lab: what runs clients.
        clients: names of `GROUPS`.
        situations: which.

    Raises:
        CouldNotStart: if the environment of a client cannot be made.
    """
    told = list(situations)
    commands = {client: lab.command(GROUPS[client]) for client in clients}
    pairs = [(one, client) for one in told for client in clients]
    found = lab.runner.each(lambda pair: both_ways(lab, *pair, commands[pair[1]]), pairs)
    seen: dict[str, dict[str, Gathered]] = {one.name: {} for one in told}
    for (one, client), came in zip(pairs, found, strict=True):
        seen[one.name][client] = came
    return Together(seen=seen, clients=tuple(clients))


def both_ways(
    lab: Laboratory, situation: Situation, client: str, command: Sequence[str]
) -> Gathered:
    """Run one client in one situation, told of the peers in one order and in the other."""
    there = once(lab, situation.peers, client, command)
    if there.ended in ("hang", "crash"):
        return there
    back = once(lab, situation.peers[::-1], client, command)
    same = (there.ended, there.reaches) == (back.ended, back.reaches)
    return replace(there, same_in_reverse=same)


def once(lab: Laboratory, peers: Sequence[Peer], client: str, command: Sequence[str]) -> Gathered:
    """Run one client at some peers in the order given."""
    with TemporaryDirectory(prefix="compare-") as place:
        folder = Path(place)
        job = {
            "peers": {peer.name: _way(peer, folder / peer.name) for peer in peers},
            "how": "group" if client.endswith("-group") else "config",
        }
        return gathered(lab.said(command, job, folder), calls_in(folder, peers))


def gathered(said: Said, calls: dict[str, str]) -> Gathered:
    """Return what a client said, and where its calls arrived, as one value."""
    if (ended := said.get("ended")) is not None:
        return Gathered(ended=ended, why=said.get("why"))
    names, missing, why = said.get("names"), said.get("missing") or {}, said.get("why")
    reaches = {name: calls.get(name, "") for name in names or ()}
    return Gathered(
        ended="refused" if names is None else "menu", why=why, reaches=reaches, missing=missing
    )


def calls_in(folder: Path, peers: Sequence[Peer]) -> dict[str, str]:
    """Return name as it was called -> "peer: tool" that got the call, from the fakes' records."""
    calls = {}
    for peer in peers:
        record = folder / peer.name
        for line in record.read_text(encoding="utf-8").splitlines() if record.exists() else ():
            body = json.loads(line)
            if isinstance(body, dict) and body.get("method") == "tools/call":
                params = body["params"]
                calls[str(params["arguments"]["q"])] = f"{peer.name}: {params['name']}"
    return calls


def _way(peer: Peer, record: Path) -> dict[str, Any]:
    if not peer.fake:
        return {"command": sys.executable, "args": list(DEAD)}
    args = ["-m", "fakes", peer.fake, "--record", str(record), "--stdio"]
    args += ["--tools", ",".join(peer.tools)]
    settings = {"allow_legacy": peer.fake == "legacy"}
    return {"command": sys.executable, "args": args, "settings": settings}
