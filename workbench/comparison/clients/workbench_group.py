"""Several peers and this harness: print the menu, and where each name leads.

`workbench_group.py JOB`; JOB is a file, the same as for the other clients here. Each name is
called once, with itself as its argument `q`; the peers write down what reached them.
"""

import json
import sys
from pathlib import Path
from typing import Any

from workbench import MultiServerClient, PeerConfig, WorkbenchError


def config_of(name: str, peer: dict[str, Any]) -> PeerConfig:
    """Return what the harness is told about a peer."""
    allowed = peer.get("settings", {}).get("allow_legacy", False)
    args = tuple(peer["args"])
    return PeerConfig(name=name, command=peer["command"], args=args, allow_legacy=allowed)


def main() -> None:
    """Print one JSON object: the names, and which peer is missing and why."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with MultiServerClient() as client:
        for name, peer in job["peers"].items():
            client.add_server(name, config_of(name, peer))
        report = client.connect_all()
        client.discover_tools()
        menu = client.merge()
        names = [item.canonical for item in menu.items]
        missing = {row.peer: str(row.rule) for row in report.peers if row.status != "ready"}
        refused = [clash for clash in menu.collisions if str(clash.outcome) == "refused"]
        missing |= {peer: clash.rule for clash in refused for peer in clash.peers}
        for name in names:
            try:
                client.call(name, {"q": name})
            except WorkbenchError as problem:
                missing[name] = type(problem).__name__
    json.dump({"names": names, "missing": missing}, sys.stdout)


if __name__ == "__main__":
    main()
