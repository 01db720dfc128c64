"""An inventory of tools from a file: whichever of the common shapes it has, one menu.

Takes:  JSON text
Gives:  a `Menu`, merged by the rules a client merges by
Never:  guesses what was meant: the first fault is one line with its path

Accepted are a list of tools; an object with `tools`, such as the result of a `tools/list` or
the whole answer that carries it; and an object with `servers` or `peers`, where each name
leads to either of these. Source: seed card, "Project: MCP Tool Discovery Workbench".
"""

import json
import os
import re
import sys
from collections.abc import Collection, Iterator
from typing import Any, Final, NoReturn

from workbench.core.config.place import Place, config_error
from workbench.core.errors import ConfigError
from workbench.core.menu.menu import Menu
from workbench.core.menu.merge import merge
from workbench.core.schema_shape import malformed
from workbench.core.text.visible import visible
from workbench.core.tool import Listing, Tool

MOST_BYTES: Final = 64 * 1024 * 1024
"""Longest inventory that is read."""
ONE_PEER: Final = "inventory"
"""The peer's name where a file names none."""
UNREADABLE: Final = "CONF-07"
SYNTAX: Final = "CONF-01"
TWICE: Final = "CONF-02"

_SHAPES: Final = (
    'Give a list of tools, {"tools": [...]}, {"servers": {name: [...]}}, '
    "or the result of a tools/list."
)
_GROUPS: Final = ("servers", "peers")


def load_inventory(path: str, reserved: Collection[str] = ()) -> Menu:
    """Read an inventory file; see `read_inventory`.

    Args:
        path: the file; "-" is the standard input.
        reserved: names no tool of the inventory may take.

    Raises:
        ConfigError: if it cannot be read or is no inventory.
    """
    try:
        if path == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with open(os.path.expanduser(path), "rb") as file:
                content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise _unread(path, "there is no such file", "Check the path.") from None
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        reason = getattr(problem, "strerror", None) or str(problem)
        raise _unread(path, visible(reason, 200), "Give a file you may read.") from None
    if len(content) > MOST_BYTES:
        raise _unread(path, f"longer than {MOST_BYTES} bytes", "Give a smaller inventory.")
    return read_inventory(content, path, reserved)


def read_inventory(content: str | bytes, source: str = "", reserved: Collection[str] = ()) -> Menu:
    """Return the menu of an inventory.

    Args:
        content: JSON, UTF-8 with or without a byte order mark.
        source: how errors call it.
        reserved: names no tool of the inventory may take; one that would is prefixed.

    Raises:
        ConfigError: at the first fault, with its path.
    """
    root = Place(source=source)
    value = _parsed(content, source)
    listings = [
        Listing(peer=peer, tools=tuple(_tools(tools, place)), cache_scope="public")
        for peer, tools, place in _lists(value, root)
    ]
    return merge(listings, reserved=reserved)


_MAY_BE_HALF: Final = re.compile(r"\\[uU][dD][89a-fA-F]|[\ud800-\udfff]")
_HALF: Final = re.compile(r"[\ud800-\udfff]")
"""Two halves that make a whole are gone once they were read."""


def _parsed(content: str | bytes, source: str) -> Any:
    named = f"{visible(source)}: " if source else ""
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        detail, hint = f"line {line} is not UTF-8", "Save the file as UTF-8."
        raise config_error(f"{named}{detail}", hint, UNREADABLE) from None
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
        if _MAY_BE_HALF.search(text) and _HALF.search(json.dumps(value, ensure_ascii=False)):
            raise ValueError("half of a surrogate pair, which no text can hold")
        return value
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        detail = f"{where}: {visible(problem.msg, 120)}"
        raise config_error(f"{named}{detail}", "An inventory is JSON.", SYNTAX) from None
    except RecursionError:
        raise config_error(f"{named}nested too deeply", _SHAPES, SYNTAX) from None
    except _Twice as problem:
        detail = f"{named}the key {visible(repr(str(problem)), 80)} stands twice in one object"
        raise config_error(detail, "Keep one of the two.", TWICE) from None
    except ValueError as problem:
        raise config_error(f"{named}{visible(str(problem), 160)}", _SHAPES, SYNTAX) from None


class _Twice(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _Twice(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _lists(value: Any, place: Place) -> Iterator[tuple[str, Any, Place]]:
    """Yield each peer's name and its list of tools."""
    if isinstance(value, dict):
        groups = [name for name in _GROUPS if name in value]
        if len(groups) == 2:
            raise place.fault('"servers" and "peers" are two names for one thing', _SHAPES)
        if groups:
            yield from _grouped(value[groups[0]], place.key(groups[0]))
            return
    yield ONE_PEER, *_list(value, place)


def _grouped(value: Any, place: Place) -> Iterator[tuple[str, Any, Place]]:
    if not isinstance(value, dict):
        raise place.mismatch("an object that leads from names to lists of tools", value, _SHAPES)
    for name, inner in value.items():
        if not name:
            raise place.fault("a server has an empty name", "Give each server a name.")
        yield name, *_list(inner, place.key(name))


def _list(value: Any, place: Place) -> tuple[list[Any], Place]:
    for member in ("result", "tools"):
        if isinstance(value, dict) and member in value:
            value, place = value[member], place.key(member)
    if not isinstance(value, list):
        raise place.mismatch("a list of tools", value, _SHAPES)
    return value, place


def _tools(values: list[Any], place: Place) -> Iterator[Tool]:
    places: dict[str, Place] = {}
    for index, value in enumerate(values):
        here = place.item(index)
        tool = _tool(value, here)
        if tool.name in places:
            first = places[tool.name].path
            said = f"{visible(tool.name, 80)!r} is declared a second time (first at {first})"
            raise here.key("name").fault(said, "A list names each tool once.")
        places[tool.name] = here
        yield tool


def _tool(value: Any, place: Place) -> Tool:
    if not isinstance(value, dict):
        raise place.mismatch("a tool, an object", value)
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise _missing(value, "name", "a string that is not empty", place)
    for member in ("title", "description"):
        if member in value and not isinstance(value[member], str):
            raise place.key(member).mismatch("a string", value[member])
    _check_schema(value, "inputSchema", place, required=True)
    _check_schema(value, "outputSchema", place, required=False)
    return Tool(name=name, definition=value)


def _check_schema(value: dict[str, Any], member: str, place: Place, required: bool) -> None:
    if member not in value and not required:
        return
    schema = value.get(member)
    if not isinstance(schema, dict):
        raise _missing(value, member, "a JSON Schema, an object", place)
    here = place.key(member)
    if schema.get("type") != "object" and required:
        raise here.fault('expected "type": "object"', "Arguments of a tool are an object.")
    fault = malformed(schema)
    if fault:
        raise here.fault(f"no JSON Schema: {fault}")


def _missing(value: dict[str, Any], member: str, expected: str, place: Place) -> ConfigError:
    if member in value and value[member] != "":
        return place.key(member).mismatch(expected, value[member])
    found = "an empty one" if member in value else "none"
    return place.key(member).fault(f"expected {expected}, got {found}")


def _unread(path: str, what: str, hint: str) -> ConfigError:
    return config_error(f"{visible(path)}: the inventory was not read: {what}", hint, UNREADABLE)
