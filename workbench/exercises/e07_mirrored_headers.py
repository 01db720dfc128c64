"""Exercise 7: headers that say what the body says, whatever the body says.

Source: spec: basic/transports/streamable-http, request metadata; seed card, mirror body
fields into headers; rules HTTP-07, LINT-07.
"""

import json
from random import Random
from typing import Any, Final

from msgspec import Struct

from workbench.core.text.visible import visible
from workbench.core.wire.envelope import modern_request
from workbench.core.wire.headers import (
    PARAM_PREFIX,
    SAFE_INTEGER,
    decode_header_value,
    http_headers_for,
)
from workbench.core.wire.keys import TOOLS_CALL
from workbench.exercises import wire_checks
from workbench.exercises.exercise import Call, Exercise, Finding, Hints, Outcome, Seen, Trial

MIRRORS: Final = "mcp-"
"""How the names begin that mirror something, in lower case."""
SENTINEL: Final = "=?base64?"

HINTS: Final[dict[str, Hints]] = {
    "no-dict": (
        "What does the task ask you to return?",
        "A dict: name of the header to its value, and both are texts.",
        "headers = {'Mcp-Method': message['method']}; then add the others, and return headers.",
    ),
    "not-text": (
        "What can stand in a header?",
        "A header is text: numbers are written in decimal digits, and null is no header.",
        "headers[name] = str(value) for an integer, and nothing for None.",
    ),
    "no-version": (
        "Which version is this request written in?",
        "MCP-Protocol-Version mirrors the version in params._meta of this very body.",
        "message['params']['_meta']['io.modelcontextprotocol/protocolVersion']",
    ),
    "no-method": (
        "By what would a gateway route this request?",
        "Every request has Mcp-Method, which mirrors the method.",
        "headers['Mcp-Method'] = message['method']",
    ),
    "no-name": (
        "What does this request want: which tool, which prompt, which resource?",
        "Mcp-Name mirrors name of tools/call and prompts/get, and uri of resources/read.",
        "key = {'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri'}.get(method)",
    ),
    "name-without": (
        "Whose name would that be?",
        "Only tools/call, prompts/get and resources/read have Mcp-Name.",
        "Look the method up in a dict of the three; no entry, no header.",
    ),
    "no-param": (
        "Which arguments does the tool want to see in a header?",
        "A property with x-mcp-header: N is mirrored in Mcp-Param-N, where it has a value.",
        "for key, schema in tool['inputSchema']['properties'].items(): schema.get('x-mcp-header')",
    ),
    "nested": (
        "Is an argument always at the top?",
        "A property may have properties of its own, and these may be annotated as well.",
        "Write a function of (properties, arguments) that calls itself for inner properties.",
    ),
    "no-value": (
        "Is there anything to mirror?",
        "An argument that is null or left out has no header; an empty text has an empty one.",
        "if value is None: continue, and not: if not value.",
    ),
    "not-asked": (
        "Who asked for this header?",
        "Only a property with x-mcp-header is mirrored; the others stay in the body.",
        "Go through the schema's properties, not through the arguments.",
    ),
    "wrong-value": (
        "What does the body say at this place?",
        "A header has exactly the value of the body; a server refuses any other (rule HTTP-07).",
        "Take each value from the message at the moment you build the headers.",
    ),
    "boolean": (
        "How does JSON write this value?",
        "Booleans are true and false in small letters.",
        "if value is True or value is False: text = str(value).lower(), before any int.",
    ),
    "not-encoded": (
        "May these characters stand in a header?",
        "What is not printable ASCII, or has a space at an end, goes as =?base64?…?=.",
        "'=?base64?' + base64.b64encode(text.encode()).decode() + '?='",
    ),
    "sentinel": (
        "How would the reader tell this text from an encoded one?",
        "A text that itself begins with =?base64? and ends with ?= has to be encoded as well.",
        "if text.startswith('=?base64?') and text.endswith('?='): encode it.",
    ),
    "wrong-encoding": (
        "What does your encoded value decode to?",
        "It is the standard Base64, with padding, of the text in UTF-8.",
        "base64.b64encode(text.encode('utf-8')).decode('ascii'): not urlsafe, not latin-1.",
    ),
    "needless": (
        "Could this text have gone as it is?",
        "Printable ASCII without spaces at its ends is not encoded; spaces inside are fine.",
        "plain = all(' ' <= c <= '~' for c in text) and text == text.strip(' ')",
    ),
    "too-large": (
        "Does every reader of JSON see the same number here?",
        "Integers beyond 2**53-1, in either direction, have no header form (rule HTTP-07).",
        "if abs(value) > 2**53 - 1: raise ValueError('the integer is too large for a header')",
    ),
}


class Right(Struct, frozen=True):
    """What has to come out of one call."""

    headers: dict[str, str] | None
    """None if the request must be refused."""
    body: bytes
    miss: str = "no-param"
    """The mistake of who leaves out a parameter's header."""


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make requests and declarations of tools; names, texts and versions vary."""
    city = chance.choice(["Porto", "Oslo", "Lima"])
    accented = chance.choice(["São Tomé", "Kraków", "Zürich", "東京"])
    version = f"20{chance.randint(31, 59)}-{chance.randint(1, 12):02d}-01"
    number = chance.randint(2, 99_999)
    text, count, flag = _tool(city="string"), _tool(count="integer"), _tool(dry="boolean")
    many = _tool(city="string", count="integer", dry="boolean")
    some = {"city": city, "count": number, "dry": False}
    inner = {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}
    deep: dict[str, Any] = {
        "name": "book",
        "inputSchema": {"type": "object", "properties": {"place": inner, "note": {}}},
    }
    void = {"city": None, "note": city}
    texts = (
        ("ends in a space", f"{city} "),
        ("has a line break", f"{city}\r\nX-Admin: yes"),
        ("has a tab", f"{city}\there"),
        ("looks encoded", f"{SENTINEL}{city}?="),
        ("is not ASCII", f"{accented} ÿ~?>"),
        ("has spaces inside", f"{city} by  night ~ 5"),
        ("is empty", ""),
    )
    numbers = (SAFE_INTEGER, -SAFE_INTEGER, 0)
    return (
        _trial("a call of a tool", "tools/call", {"name": "search", "arguments": {}}, _tool()),
        _trial("a request for the list of tools", "tools/list", {}, None),
        _trial("a resource", "resources/read", {"uri": f"file:///{city}.txt"}, None),
        _trial("a prompt whose name is not ASCII", "prompts/get", {"name": accented}, None),
        _trial("another version", "tools/list", {"cursor": city}, None, version),
        _called("a text, an integer and a boolean", many, some),
        _called("a boolean that is true", flag, {"dry": True}),
        _called("an argument inside another", deep, {"place": {"city": city}}, miss="nested"),
        _called("a null, and a text nobody asked for", text, void),
        _called("arguments that are left out", many, {"count": number}),
        *(_called(f"a text that {what}", text, {"city": one}) for what, one in texts),
        *(_called(f"the integer {one}", count, {"count": one}) for one in numbers),
        _called("an integer that is too large", count, {"count": 2**53}),
        _called("an integer that is too far below 0", count, {"count": -(2**53)}),
    )


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Compare the headers with the body, one by one."""
    right: Right = trial.right
    if right.headers is None:
        return _refused(right, seen.last)
    bad = wire_checks.crashed(seen.outcomes, ())
    if bad is not None:
        return bad
    if not isinstance(seen.last.value, dict) or seen.last.type in ("str", "bytes"):
        said = f"What was returned is no dict but of type {visible(seen.last.type, 40)}."
        return Finding(key="no-dict", seen=said, frame=right.body)
    for name, value in seen.last.value.items():
        if not isinstance(value, str):
            shown = f"{visible(name, 60)} is {visible(repr(value), 60)}, and not a text."
            return Finding(key="not-text", rule="HTTP-07", seen=shown, frame=right.body)
    return _compared(right, right.headers, _mirrors(seen.last.value))


def _mirrors(value: dict[str, str]) -> dict[str, str]:
    """Return the headers that mirror something: names in lower case, all others left out."""
    return {n.lower(): text for n, text in value.items() if n.lower().startswith(MIRRORS)}


def _compared(right: Right, wanted: dict[str, str], given: dict[str, str]) -> Finding | None:
    for name, text in wanted.items():
        got = given.pop(name.lower(), None)
        if got is None:
            key = {"MCP-Protocol-Version": "no-version", "Mcp-Method": "no-method"}.get(name)
            key = key or ("no-name" if name == "Mcp-Name" else right.miss)
            key = "no-value" if text == "" else key
            return _finding(right, key, f"{name} is missing; the body wants {text!r} there.")
        if got != text:
            said = f"{name} is {got!r}; the body wants {text!r}."
            return _finding(right, _difference(text, got), said)
    for name, text in given.items():
        key = "name-without" if name == "mcp-name" else "not-asked"
        asked = name.startswith(PARAM_PREFIX.lower()) and name.endswith("city")
        key = "no-value" if asked else key
        return _finding(right, key, f"{name} is {text!r}, and the body has nothing for it.")
    return None


def _difference(wanted: str, got: str) -> str:
    """Say which mistake makes one value of the other."""
    meant, read = decode_header_value(wanted), decode_header_value(got)
    looks_encoded = got.startswith(SENTINEL) and got.endswith("?=")
    if wanted in ("true", "false"):
        return "boolean"
    if wanted.startswith(SENTINEL):
        if got == meant:
            return "sentinel" if looks_encoded else "not-encoded"
        return "wrong-encoding" if looks_encoded else "not-encoded"
    return "needless" if looks_encoded and read == wanted else "wrong-value"


def _refused(right: Right, outcome: Outcome) -> Finding | None:
    if outcome.ended == "raised":
        return wire_checks.crashed([outcome], ("ValueError",))
    shown = visible(repr(outcome.value), 120)
    said = f"A header cannot hold this integer safely, and {shown} was returned."
    return Finding(key="too-large", rule="HTTP-07", seen=said, frame=right.body)


def _finding(right: Right, key: str, said: str) -> Finding:
    rule = "LINT-07" if key in ("no-version", "no-method", "no-name") else "HTTP-07"
    return Finding(key=key, rule=rule, seen=visible(said, 300), frame=right.body)


def _tool(**annotated: str) -> dict[str, Any]:
    """Return a tool whose parameters of these types are mirrored, and one that is not."""
    properties: dict[str, Any] = {
        name: {"type": kind, "x-mcp-header": name.title()} for name, kind in annotated.items()
    }
    schema = {"type": "object", "properties": {**properties, "note": {"type": "string"}}}
    return {"name": "search", "inputSchema": schema}


def _called(
    about: str, tool: dict[str, Any], arguments: dict[str, Any], *, miss: str = "no-param"
) -> Trial:
    params = {"name": tool["name"], "arguments": arguments}
    return _trial(about, TOOLS_CALL, params, tool, miss=miss)


def _trial(
    about: str,
    method: str,
    params: dict[str, Any],
    tool: dict[str, Any] | None,
    version: str = "2026-07-28",
    miss: str = "no-param",
) -> Trial:
    message = modern_request(1, method, params, version, {})
    try:
        headers = http_headers_for(message, tool)
    except ValueError:
        headers = None
    right = Right(headers, json.dumps(message, ensure_ascii=False).encode(), miss)
    return Trial(name=about, about=about, calls=(Call(args=(message, tool)),), right=right)


EXERCISE: Final = Exercise(
    number=7,
    name="mirrored-headers",
    title="Headers that mirror the body",
    answer="headers_for",
    task="Make the HTTP headers of a modern request from its final body.",
    rules=("HTTP-07", "LINT-07"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
