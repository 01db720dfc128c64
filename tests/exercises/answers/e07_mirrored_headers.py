# ruff: noqa
"""Answers to exercise 7."""

# %% right: a plain function
import base64

VERSION = "io.modelcontextprotocol/protocolVersion"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def headers_for(message, tool):
    method, params = message["method"], message["params"]
    headers = {"MCP-Protocol-Version": params["_meta"][VERSION], "Mcp-Method": method}
    if method in NAMED:
        headers["Mcp-Name"] = encoded(params[NAMED[method]])
    if tool is not None:
        mirror(tool["inputSchema"], params.get("arguments", {}), headers)
    return headers


def mirror(schema, arguments, headers):
    for key, inner in schema.get("properties", {}).items():
        value = arguments.get(key)
        if "x-mcp-header" in inner and value is not None:
            headers["Mcp-Param-" + inner["x-mcp-header"]] = encoded(text_of(value))
        if isinstance(value, dict):
            mirror(inner, value, headers)


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) > 2**53 - 1:
        raise ValueError("too large for a header")
    return str(value)


def encoded(text):
    plain = all(" " <= letter <= "~" for letter in text) and text == text.strip(" ")
    if plain and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    return "=?base64?" + base64.b64encode(text.encode("utf-8")).decode() + "?="


# %% right: a coroutine that also sends Accept
import json
import re
from base64 import standard_b64encode


async def headers_for(message, tool):
    found = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": message["params"]["_meta"][
            "io.modelcontextprotocol/protocolVersion"
        ],
        "mcp-method": message["method"],
    }
    match message:
        case {"method": "tools/call" | "prompts/get", "params": {"name": name}}:
            found["mcp-name"] = safe(name)
        case {"method": "resources/read", "params": {"uri": uri}}:
            found["mcp-name"] = safe(uri)
    waiting = [((tool or {}).get("inputSchema", {}), message["params"].get("arguments", {}))]
    while waiting:
        schema, values = waiting.pop()
        for name, inner in schema.get("properties", {}).items():
            match values.get(name):
                case None:
                    continue
                case dict() as deeper:
                    waiting.append((inner, deeper))
                case value if "x-mcp-header" in inner:
                    found["mcp-param-" + inner["x-mcp-header"].lower()] = safe(written(value))
    return found


def written(value):
    if isinstance(value, str):
        return value
    if not -(2**53) < value < 2**53:
        raise ValueError(value)
    return json.dumps(value)


def safe(text):
    if re.fullmatch(r"(?!=\?base64\?.*\?=$)([!-~]([ -~]*[!-~])?)?", text):
        return text
    return f"=?base64?{standard_b64encode(text.encode()).decode('ascii')}?="


# %% right: a class
from base64 import b64encode


class Mirror:
    named = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

    def headers_for(self, message, tool):
        self.headers = {}
        self.params = message["params"]
        self.put(
            "MCP-Protocol-Version", self.params["_meta"]["io.modelcontextprotocol/protocolVersion"]
        )
        self.put("Mcp-Method", message["method"])
        self.put("Mcp-Name", self.params.get(self.named.get(message["method"])))
        self.walk((tool or {}).get("inputSchema"), self.params.get("arguments"))
        return self.headers

    def walk(self, schema, value):
        header = schema and schema.get("x-mcp-header")
        if header:
            self.put(f"Mcp-Param-{header}", value)
        elif schema and isinstance(value, dict):
            for name, inner in schema.get("properties", {}).items():
                self.walk(inner, value.get(name))

    def put(self, name, value):
        if value is True or value is False:
            value = ("false", "true")[value]
        elif type(value) is int:
            if value.bit_length() > 53:
                raise OverflowingHeader(value)
            value = format(value, "d")
        if value is not None:
            odd = (
                value != value.strip() or not value.isascii() or (value and not value.isprintable())
            )
            if odd or (value[:9], value[-2:]) == ("=?base64?", "?="):
                value = f"=?base64?{str(b64encode(bytes(value, 'utf-8')), 'ascii')}?="
            self.headers[name] = value


class OverflowingHeader(ValueError):
    pass


headers_for = Mirror


# %% right: the function of the package
from workbench import http_headers_for as headers_for


# %% wrong: the starter -> not-started
def headers_for(message, tool):
    raise NotImplementedError("write me")


# %% wrong: returns the lines of a request -> no-dict
# -     return headers
# +     return "\r\n".join(f"{k}: {v}" for k, v in headers.items())


# %% wrong: keeps numbers as numbers -> not-text HTTP-07
# - encoded(text_of(value))
# + value


# %% wrong: forgets the version -> no-version LINT-07
# - "MCP-Protocol-Version": params["_meta"][VERSION],
# +


# %% wrong: forgets the method -> no-method LINT-07
# - , "Mcp-Method": method
# +


# %% wrong: forgets resources -> no-name LINT-07
# - , "resources/read": "uri"
# +


# %% wrong: has a name for everything -> name-without HTTP-07
# -     if method in NAMED:
# -         headers["Mcp-Name"] = encoded(params[NAMED[method]])
# +     name = params.get("name") or params.get("uri") or ""
# +     headers["Mcp-Name"] = encoded(name)


# %% wrong: ignores the tool -> no-param HTTP-07
# -     if tool is not None:
# +     if tool is None and method == "tools/call":


# %% wrong: looks at the top only -> nested HTTP-07
# -         if isinstance(value, dict):
# -             mirror(inner, value, headers)
# +


# %% wrong: writes a null as a word -> no-value HTTP-07
# -  and value is not None
# +


# %% wrong: leaves out empty texts -> no-value HTTP-07
# - value is not None:
# + value not in (None, ""):


# %% wrong: mirrors every argument -> not-asked HTTP-07
# - if "x-mcp-header" in inner and value
# + if value
# - inner["x-mcp-header"]
# + inner.get("x-mcp-header", key)


# %% wrong: always says the same version -> wrong-value HTTP-07
# - params["_meta"][VERSION]
# + "2026-07-28"


# %% wrong: writes True -> boolean HTTP-07
# - isinstance(value, bool)
# + value is None


# %% wrong: sends everything as it is -> not-encoded HTTP-07
# -     plain = all
# +     return text
# +     plain = all


# %% wrong: forgets the space at the end -> not-encoded HTTP-07
# -  and text == text.strip(" ")
# +


# %% wrong: lets a line break through -> not-encoded HTTP-07
# - all(" " <= letter <= "~" for letter in text)
# + text.isascii()


# %% wrong: does not think of the sentinel -> sentinel HTTP-07
# - plain and not (text.startswith("=?base64?") and text.endswith("?="))
# + plain


# %% wrong: uses the alphabet for addresses -> wrong-encoding HTTP-07
# - b64encode(
# + urlsafe_b64encode(


# %% wrong: encodes in UTF-16 -> wrong-encoding HTTP-07
# - "utf-8"
# + "utf-16"


# %% wrong: leaves the padding out -> wrong-encoding HTTP-07
# - ).decode()
# + ).decode().rstrip("=")


# %% wrong: encodes everything -> needless HTTP-07
# - if plain and
# + if text.startswith("tools/") and plain and


# %% wrong: takes any integer -> too-large HTTP-07
# - 2**53 - 1
# + 2**63


# %% wrong: is one off -> too-large HTTP-07
# - 2**53 - 1
# + 2**53


# %% wrong: forgets the numbers below 0 -> too-large HTTP-07
# - abs(value)
# + value


# %% wrong: expects a tool always -> raised
# -     if tool is not None:
# -         mirror
# +     if tool["name"]:
# +         mirror
