"""The smallest modern server that can answer: faster than any client, so clients are measured.

Run as a program; reads lines on stdin, answers all lines of one chunk in one write. Its two
arguments are the number of tools it lists, a thousand a page (one alone is called `echo`), and
how it reads JSON: "fast" answers in the least time, "light" starts in the least.
"""

import os
import sys

TYPE_CHECKING = False  # `typing` would take as long to load as everything else here
if TYPE_CHECKING:
    from typing import Any

PAGE = 1_000
"""Tools on one page of the list."""
HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
CALLED = {"resultType": "complete", "content": [{"type": "text", "text": "ok"}]}
DISCOVERED = {
    **HINTS,
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
}


def tool(index: int) -> "dict[str, Any]":
    """Return a tool of the usual size; the first is called `echo`."""
    name = f"tool_{index:05}" if index else "echo"
    text = {"type": "string", "description": "What to look for, in plain words."}
    count = {"type": "integer", "description": "How many results at most."}
    return {
        "name": name,
        "title": f"Tool {index}",
        "description": f"Looks for things in collection {index} and returns what it finds.",
        "inputSchema": {"type": "object", "properties": {"q": text, "limit": count}},
    }


def codec(way: str) -> "tuple[Any, Any]":
    """Return how JSON is read and written.

    Loading a JSON library takes longer than starting Python. So the light way has none: what
    clients send is Python, too, but for three words, and what is sent to them has none of these.
    """
    if way == "fast":
        import msgspec

        return msgspec.json.Decoder(dict).decode, msgspec.json.encode
    words = {"true": True, "false": False, "null": None}
    return lambda line: eval(line, words), lambda value: repr(value).replace("'", '"').encode()


def answerer(encode: "Any", tools: int = 1) -> "Any":
    """Return a function from one request to the serialized answer, b"" for a notification."""
    # Serialized once, so that the yardstick costs next to nothing.
    pages = [
        [tool(index) for index in range(start, min(start + PAGE, tools))]
        for start in range(0, tools, PAGE)
    ]
    listed = []
    for number, page in enumerate(pages, 1):
        more = {"nextCursor": str(number)} if number < len(pages) else {}
        listed.append(encode({**HINTS, "tools": page, **more}))
    fixed = {"server/discover": encode(DISCOVERED), "tools/call": encode(CALLED)}

    def answer(asked: "dict[str, Any]") -> bytes:
        if "id" not in asked:
            return b""
        if asked["method"] == "tools/list":
            result = listed[int(asked["params"].get("cursor", 0))]
        else:
            result = fixed[asked["method"]]
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode(asked["id"]), result)

    return answer


def serve(tools: int, way: str) -> None:
    """Answer until the input ends."""
    decode, encode = codec(way)
    answer = answerer(encode, tools)
    rest = b""
    while chunk := os.read(0, 262_144):
        *lines, rest = (rest + chunk).split(b"\n")
        out = b"".join([said + b"\n" for line in lines if (said := answer(decode(line)))])
        while out:
            out = out[os.write(1, out) :]


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
