"""Connect this harness to one command and print its verdict: `ours.py SETTINGS COMMAND…`.

SETTINGS is JSON: what `add_server` takes besides the command.
"""

import json
import sys

from workbench import MultiServerClient


def main() -> None:
    """Print one JSON object: the era or null, the version, and why not."""
    settings, command = json.loads(sys.argv[1]), sys.argv[2:]
    if "modern_revisions" in settings:
        settings["modern_revisions"] = tuple(settings["modern_revisions"])
    with MultiServerClient(can_declare={"elicitation": {}}) as client:
        client.add_server("peer", command, **settings)
        row = client.connect_all().peers[0]
    json.dump({"era": row.era, "version": row.version, "why": row.rule}, sys.stdout)


if __name__ == "__main__":
    main()
