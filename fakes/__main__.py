"""`python -m fakes NAME --stdio` or `--http PORT`: a fake as a process; `--list` names all.

`python -m fakes replay JOURNAL` plays a recorded peer instead.
"""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path

import msgspec

from fakes.errors import ScriptError
from fakes.load import is_program, load_program, load_rules
from fakes.program import Program

USAGE = 2
"""Exit status for arguments that cannot be used."""

LESSON_PORT = 8017
"""Where the lesson on transports serves its endpoint."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, or list, and return the exit status.

    Args:
        arguments: without the program's name; None takes them from the command line.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    replays = words[:1] == ["replay"]
    given = _replay_parser().parse_args(words[1:]) if replays else _parser().parse_args(words)
    if not replays and given.list:
        return _list()
    try:
        if replays:
            program = _recorded(given)
        else:
            program = _program(given.name, given.script, given.tools, given.discovery_timeout)
    except (ScriptError, OSError) as problem:
        print(f"fakes: {problem}", file=sys.stderr)  # noqa: T201
        return USAGE
    return _play(program, given)


def _play(program: Program, given: Namespace) -> int:
    from signal import SIG_DFL, SIGINT, signal

    from fakes.hosts.stdio import Files

    # Until a host handles it, Ctrl-C ends the process without a traceback.
    signal(SIGINT, SIG_DFL)
    files = Files(
        record=given.record, frames=given.frames, effects=given.effects, lives=given.lives
    )
    if given.probe:
        from fakes.hosts.http_probe import probe

        return probe(program, print)
    if given.http is not None or given.serve:
        from fakes.hosts.http_process import run_http

        return run_http(program, LESSON_PORT if given.http is None else given.http, files)
    if program.http_only:
        print(f"fakes: {program.name} works over HTTP only; add --http 0", file=sys.stderr)  # noqa: T201
        return USAGE
    from fakes.hosts.stdio import run

    return run(program, files)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m fakes",
        description="Run a fake MCP server.",
        epilog="Example: mcp-workbench fake modern --tools search,create --http 0",
    )
    add = parser.add_argument
    add("name", nargs="?", help="a ready-made fake; see --list")
    add("--list", action="store_true", help="name every ready-made fake")
    _add_hosting(parser)
    add("--serve", action="store_true", help=f"the same as --http {LESSON_PORT}")
    add("--probe", action="store_true",
        help="serve on a free port, send the requests of a probe, print each exchange")  # fmt: skip
    add("--script", metavar="FILE", help="JSON: a list of rules for NAME, or a whole fake")
    add("--tools", metavar="A,B", help="tool names, instead of the fake's own")
    add("--discovery-timeout", type=float, default=1.0, metavar="S",
        help="the client's timeout, which late fakes overrun (seconds)")  # fmt: skip
    return parser


def _replay_parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="mcp-workbench replay",
        description="Serve a peer that was recorded in a journal.",
        epilog="Example: mcp-workbench replay incident.jsonl --peer notes --stdio",
    )
    add = parser.add_argument
    add("journal", help="a file that --record or journal.to_jsonl() wrote")
    add("--peer", metavar="NAME", help="whose part to play, when several were recorded")
    add("--speed", type=float, default=0.0, metavar="N",
        help="keep the pauses, N times faster than recorded; 0 (the default) has none")  # fmt: skip
    add("--script", metavar="FILE", help="JSON: rules that go before the recording")
    _add_hosting(parser)
    parser.set_defaults(serve=False, probe=False)
    return parser


def _add_hosting(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--stdio", action="store_true", help="speak over the standard streams (the default)")
    add("--http", type=_port, metavar="PORT",
        help="serve http://127.0.0.1:PORT/mcp until interrupted; 0 takes a free port")  # fmt: skip
    add("--record", metavar="FILE", help="append every received line to FILE (JSONL)")
    add("--frames", metavar="FILE", help="append every line, both ways, to FILE (JSONL)")
    add("--effects", metavar="FILE", help="append every effect to FILE")
    add("--lives", metavar="FILE", help="count the processes of this fake in FILE")


def _recorded(given: Namespace) -> Program:
    from fakes.playback import recorded

    played = recorded(Path(given.journal), given.peer, given.speed)
    if played.dropped:
        missing = f"{played.dropped} older entries are missing from this journal"
        print(f"fakes: {missing}", file=sys.stderr)  # noqa: T201
    rules = load_rules(_read(given.script)) if given.script else ()
    return msgspec.structs.replace(played.program, rules=rules)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65_535):
        raise ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def _program(name: str | None, script: str | None, tools: str | None, timeout: float) -> Program:
    text = _read(script) if script else b""
    if text and is_program(text):
        program = load_program(text)
    else:
        program = _named(name, timeout)
        if text:
            rules = (*load_rules(text), *program.rules)
            program = msgspec.structs.replace(program, rules=rules)
    if tools is not None:
        names = tuple(name for name in tools.split(",") if name)
        server = msgspec.structs.replace(program.server, tools=names)
        program = msgspec.structs.replace(program, server=server)
    return program


def _named(name: str | None, timeout: float) -> Program:
    if not name:
        raise ScriptError("name a fake, or give a whole one with --script; --list shows them")
    from fakes.library.index import find

    return find(name, discovery_timeout_s=timeout).program


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _list() -> int:
    from fakes.library.index import names

    try:
        for name, about in names():
            print(f"{name:<40} {about}")  # noqa: T201
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough; there is nobody left to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
