"""The smallest modern server that can answer: faster than any client, so clients are measured.

Run as a program; reads lines on stdin, answers all lines of one chunk in one write.
"""

import os
from typing import Any, Final

import msgspec

HINTS: Final = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
TOOL: Final = {"name": "echo", "inputSchema": {"type": "object"}}
ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "server/discover": {
        **HINTS,
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
    },
    "tools/list": {**HINTS, "tools": [TOOL]},
    "tools/call": {"resultType": "complete", "content": [{"type": "text", "text": "ok"}]},
}


def serve() -> None:
    """Answer until the input ends."""
    decode, encode = msgspec.json.Decoder(dict).decode, msgspec.json.encode
    rest = b""
    while chunk := os.read(0, 262_144):
        *lines, rest = (rest + chunk).split(b"\n")
        out = []
        for line in lines:
            asked = decode(line)
            if "id" in asked:
                result = ANSWERS[asked["method"]]
                out.append(encode({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
        if out:
            os.write(1, b"\n".join(out) + b"\n")


if __name__ == "__main__":
    serve()
