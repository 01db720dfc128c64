"""Connect this harness to one peer and print its verdict: `workbench_client.py JOB`.

JOB is a file, the same as for the other clients here; `settings` of a peer are what
`add_server` takes besides the way to it.
"""

import json
import sys
import time
from typing import Any

from workbench import MultiServerClient, PeerConfig


def config_of(name: str, peer: dict[str, Any]) -> PeerConfig:
    """Return what the harness is told about a peer."""
    settings = dict(peer.pop("settings", {}))
    for key in ("modern_revisions", "legacy_revisions"):
        if key in settings:
            settings[key] = tuple(settings[key])
    if "args" in peer:
        peer = {**peer, "args": tuple(peer["args"]), "env": peer["env"] or {}}
    return PeerConfig(name=name, **peer, **settings)


def main() -> None:
    """Print one JSON object: the version or null, and the rule that says why."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    ((name, peer),) = job["peers"].items()
    with MultiServerClient(can_declare={"elicitation": {}}) as client:
        client.add_server(name, config_of(name, peer))
        started = time.monotonic()
        row = client.connect_all().peers[0]
        took_s = time.monotonic() - started
        came: dict[str, Any] = {"version": row.version, "why": row.rule, "took_s": took_s}
        if job["list"] and row.status == "ready":
            listed = client.discover_tools()[name]
            came["tools"] = [tool.name for tool in listed.tools]
            came["said"] = listed.failure.line() if listed.failure else ""
        elif row.status != "ready":
            came["said"] = row.reason
    json.dump(came, sys.stdout)


if __name__ == "__main__":
    main()
