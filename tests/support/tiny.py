"""Servers of a few lines, for what no script of a fake can say."""

import sys
from collections.abc import Mapping
from typing import Any

from workbench import PeerConfig

PRELUDE = r"""
import json, os, sys, time
out = sys.stdout.buffer

def say(body):
    out.write(json.dumps(body).encode() + b"\n")
    out.flush()

def result(id, value):
    say({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", **value}})

def echo(message, text=None):
    said = message["params"]["arguments"].get("q") if text is None else text
    result(message["id"], {"content": [{"type": "text", "text": said}], "isError": False})

def answer(message):
    method, id = message["method"], message.get("id")
    if method == "server/discover":
        result(id, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                    "ttlMs": 3600000, "cacheScope": "public"})
    elif method == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
        result(id, {"tools": tools, "ttlMs": 3600000, "cacheScope": "public"})
    elif method == "tools/call":
        echo(message)

def messages():
    for line in sys.stdin.buffer:
        yield json.loads(line)

TOOLS = ["echo"]
"""
"""What every tiny server starts with: `messages()` in, `answer(message)` out."""


def tiny(code: str, name: str = "peer", env: Mapping[str, str] | None = None) -> PeerConfig:
    """Return the configuration of a modern server that is `PRELUDE` and `code`."""
    source = PRELUDE + code
    return PeerConfig(
        name=name, command=sys.executable, args=("-I", "-S", "-c", source), env=dict(env or {})
    )


def command(argv: list[str], **settings: Any) -> PeerConfig:
    """Return the configuration of any command line."""
    return PeerConfig(name="peer", command=argv[0], args=tuple(argv[1:]), **settings)
