"""`mcp-workbench discover`: the best tool definitions of an inventory within a budget.

Takes:  the arguments of the command
Gives:  a JSON array on stdout, never longer than the budget, its line end included; or, with
        `--serve`, an MCP server on the standard streams
Never:  cuts a definition, and never starts or calls a server of the inventory

Source: design section 6; seed card, "Project: MCP Tool Discovery Workbench".
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any, Final

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.menu.menu import Menu
from workbench.core.menu.shortlist import SMALLEST, Shortlist
from workbench.core.text.visible import visible
from workbench.discovery.inventory import load_inventory

OK: Final = 0
DEFAULT_CHARS: Final = 4_000

Verb = Callable[..., argparse.ArgumentParser]


def add_discover(verbs: Any, verb: Verb) -> None:
    """Add the command to a parser.

    Args:
        verbs: where commands are added.
        verb: adds one, as the other commands are added.
    """
    help = "Print the tools of an inventory that answer a query best, within a budget."
    discover = verb(verbs, "discover", run, help)
    discover.add_argument("inventory", help="JSON: a list of tools, or of servers; - reads stdin")
    discover.add_argument("--query", metavar="TEXT", help="what the tool should do")
    discover.add_argument(
        "--max-chars",
        type=int,
        metavar="N",
        default=DEFAULT_CHARS,
        help=f"characters printed at most, line end included (default {DEFAULT_CHARS})",
    )
    discover.add_argument("--limit", type=int, metavar="N", help="most tools printed")
    discover.add_argument(
        "--explain", action="store_true", help="show the whole ranking on stderr as well"
    )
    discover.add_argument(
        "--serve",
        action="store_true",
        help="be an MCP server on the standard streams, with the tool catalog_search",
    )


def run(arguments: argparse.Namespace) -> int:
    """Search or serve, and return the exit status.

    Raises:
        ConfigError: if the inventory or an argument is wrong.
    """
    _check(arguments)
    if arguments.serve:
        return _serve(arguments)
    menu = load_inventory(arguments.inventory)
    _warn(menu)
    found = menu.search(arguments.query, max_chars=arguments.max_chars - 1, limit=arguments.limit)
    print(found.text)  # noqa: T201 - stdout is this command's product
    if arguments.explain:
        _say(str(found))
    elif not found.chosen:
        _say(_why_empty(found))
    return OK


def _serve(arguments: argparse.Namespace) -> int:
    from workbench.discovery.catalogue import CATALOG_SEARCH, Catalogue
    from workbench.discovery.serving import serve

    menu = load_inventory(arguments.inventory, reserved={CATALOG_SEARCH})
    _warn(menu)
    serve(Catalogue(menu, arguments.max_chars), sys.stdin.buffer, sys.stdout.buffer)
    return OK


def _check(arguments: argparse.Namespace) -> None:
    if arguments.serve == (arguments.query is not None):
        raise _wrong("give either --query TEXT or --serve.", "A server is asked by its clients.")
    if arguments.serve and arguments.inventory == "-":
        raise _wrong("--serve needs the standard input for itself.", "Name a file.")
    if arguments.max_chars <= SMALLEST:
        said = f"--max-chars {arguments.max_chars} has no room for an empty answer."
        raise _wrong(said, f"Give at least {SMALLEST + 1}.")
    if arguments.limit is not None and arguments.limit < 1:
        raise _wrong(f"--limit {arguments.limit} is not positive.", "Give at least 1.")


def _warn(menu: Menu) -> None:
    for collision in menu.collisions:
        if collision.outcome != "prefixed":
            _say(f"warning: {collision.reason}")


def _why_empty(found: Shortlist) -> str:
    if not found.matches:
        return f"nothing matches “{visible(found.query, 80)}”"
    best = found.matches[0]
    needed = best.chars + SMALLEST + 1
    return f"nothing fits: the best match, {visible(best.name, 80)}, needs --max-chars {needed}"


def _say(text: str) -> None:
    for line in text.split("\n"):
        print(visible(line), file=sys.stderr)  # noqa: T201


def _wrong(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))
