"""`mcp-workbench compare`: what other clients make of the same peers, side by side.

Takes:  the arguments of the command
Gives:  a table on stdout; exit status 0, 2 for bad input, 3 when a client is not ready at some
        peer of a configuration
Never:  installs into the user's own environment, or starts what a lock beside the
        configuration does not allow

Source: design section 6.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from workbench.comparison.kept import joined, kept, text_of
from workbench.comparison.known import CLIENTS, in_order
from workbench.comparison.values import Comparison
from workbench.configuration import load_config
from workbench.core.config.config import PeerConfig
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.text.visible import visible

OK: Final = 0
NOT_READY: Final = 3
LONGEST_LIMIT_S: Final = 600.0
_AS_CONFIGURED: Final = ("workbench", "mcp", "fastmcp")
_SETTINGS: Final = (
    "allow_legacy",
    "legacy_revisions",
    "modern_revisions",
    "env_allowlist",
    "discovery_timeout_ms",
    "legacy_probe_timeout_ms",
    "startup_grace_ms",
    "accept_missing_result_type",
)
Verb = Callable[..., argparse.ArgumentParser]


def add_compare(verbs: Any, verb: Verb) -> None:
    """Add the command to a parser.

    Args:
        verbs: where commands are added.
        verb: adds one, as the other commands are added.
    """
    compare = verb(verbs, "compare", run, "Show what other clients make of the same peers.")
    compare.epilog = "Example: mcp-workbench compare --kept --faults P11,P12"
    compare.add_argument(
        "config", nargs="?", help="an mcp.json whose peers are visited; without, the fault matrix"
    )
    add = compare.add_argument
    add("--clients", metavar="A,B", help=f"some of {', '.join(CLIENTS)}")
    add("--faults", metavar="P11,M", help="only rows whose names start so (P, L, H, M)")
    form = compare.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print Markdown")
    form.add_argument("--html", action="store_true", help="print an HTML fragment")
    source = compare.add_mutually_exclusive_group()
    source.add_argument(
        "--kept", action="store_true", help="show what was measured last; needs no network"
    )
    source.add_argument(
        "--refresh", action="store_true", help="install the clients anew first, newest versions"
    )
    add("--save", metavar="FILE", help="keep the measurement of the matrix in FILE")
    add("--limit", type=float, default=40.0, metavar="S",
        help="seconds until a client is ended (default 40)")  # fmt: skip
    add("--environments", metavar="FOLDER", help="where the clients are installed")
    add("--locked", action="store_true", help="demand the lock that pin writes")


def run(arguments: argparse.Namespace) -> int:
    """Compare, and return the exit status.

    Raises:
        ConfigError: if an argument or the configuration cannot be used.
        CouldNotStart: if a client cannot be installed.
    """
    clients = _clients(arguments)
    _check(arguments)
    if arguments.config is not None:
        return _visit(arguments, clients)
    value = _kept(arguments, clients) if arguments.kept else _measured(arguments, clients)
    _show(value, arguments)
    return OK


def _kept(arguments: argparse.Namespace, clients: Sequence[str]) -> Comparison:
    whole = kept()
    starts = _starts(arguments)
    if starts is not None:
        from workbench.comparison.measuring import chosen

        chosen(starts, [*(row.name for row in whole.rows), *whole.together.seen])
    return whole.only(starts, clients)


def _measured(arguments: argparse.Namespace, clients: Sequence[str]) -> Comparison:
    from workbench.comparison.fresh import measured

    def new_lab(runs: int) -> Any:
        _say(f"{runs} runs, each ended after {arguments.limit:g} s at the latest")
        return _laboratory(arguments)

    value = measured(_starts(arguments), clients, new_lab, date.today().isoformat())
    if arguments.save:
        _save(Path(arguments.save), value)
    return value


def _visit(arguments: argparse.Namespace, clients: Sequence[str]) -> int:
    from workbench.comparison.visits import visit
    from workbench.core.text.redact import Redactor

    config = load_config(arguments.config)
    for warning in config.warnings:
        _say(f"warning: {warning}")
    ways = _ways(config, arguments.locked)
    clean = Redactor(config.secrets).clean
    seen = visit(_laboratory(arguments), ways, clients, date.today().isoformat(), clean)
    _show(seen, arguments)
    return OK if seen.all_ready else NOT_READY


def _ways(config: Any, locked: bool) -> dict[str, dict[str, Any]]:
    from workbench.pinning import guard_of

    guard = guard_of(config, locked=locked)
    ways = {}
    for peer in config.peers:
        refused = guard.refusal(peer) if guard else None
        ways[peer.name] = {
            "way": _way(peer),
            "settings": {name: getattr(peer, name) for name in _SETTINGS},
            "refused": refused.line() if refused else "",
        }
    return ways


def _way(peer: PeerConfig) -> dict[str, Any]:
    from workbench.transports.launch import child_environment

    if peer.url is not None:
        return {"url": peer.url, "headers": dict(peer.headers)}
    # The same environment for every client, or they would not start the same peer.
    env = child_environment(os.environ, peer.env_allowlist, peer.env)
    return {"command": peer.command, "args": list(peer.args), "env": env, "cwd": peer.cwd}


def _laboratory(arguments: argparse.Namespace) -> Any:
    from workbench.comparison.environments import cache_folder
    from workbench.comparison.laboratory import Laboratory
    from workbench.comparison.running import Runner

    given = arguments.environments
    folder = Path(given).expanduser().absolute() if given else cache_folder(os.environ)
    if arguments.refresh:
        for client in _clients(arguments):
            if CLIENTS[client].environment:
                shutil.rmtree(folder / CLIENTS[client].environment, ignore_errors=True)
    _say(f"other clients live in {folder}; they are installed when they are missing")
    return Laboratory(folder, Runner(), arguments.limit)


def _show(value: Any, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(value.to_json())  # noqa: T201 - stdout is this command's product
    elif arguments.markdown:
        print(value.to_markdown(), end="")  # noqa: T201
    elif arguments.html:
        from workbench.views.display import html_of

        print(html_of(value))  # noqa: T201
    else:
        from workbench.views.comparison_terminal import print_comparison

        print_comparison(value, sys.stdout)


def _clients(arguments: argparse.Namespace) -> tuple[str, ...]:
    if arguments.clients is None:
        return _AS_CONFIGURED if arguments.config else tuple(CLIENTS)
    return in_order(name for name in arguments.clients.split(",") if name)


def _starts(arguments: argparse.Namespace) -> tuple[str, ...] | None:
    if arguments.faults is None:
        return None
    starts = tuple(start for start in arguments.faults.split(",") if start)
    if not starts:
        raise _wrong("--faults names nothing", "Give the starts of names, such as P11,M.")
    return starts


def _check(arguments: argparse.Namespace) -> None:
    if not 0 < arguments.limit <= LONGEST_LIMIT_S:
        raise _wrong(f"--limit {arguments.limit:g} is not above 0 and at most 600", "Give seconds.")
    if arguments.config and (arguments.faults or arguments.kept or arguments.save):
        raise _wrong(
            "--faults, --kept and --save are about the fault matrix",
            "Leave them out, or leave out the configuration.",
        )
    if arguments.kept and arguments.save:
        raise _wrong("--kept measures nothing that could be saved", "Leave one of them out.")


def _save(file: Path, value: Comparison) -> None:
    try:
        whole = joined(kept(file), value) if file.exists() else value
        file.write_text(text_of(whole), encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise _wrong(f"{visible(str(file))} cannot be written: {visible(str(problem), 200)}",
                     "Give a file in a folder that exists.") from None  # fmt: skip


def _wrong(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="compare", detail=detail, hint=hint))


def _say(line: str) -> None:
    print(visible(line), file=sys.stderr)  # noqa: T201
