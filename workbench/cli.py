"""The command line: one verb a question.

Takes:  arguments, and an `mcp.json`
Gives:  a report, a trace or a call's result on stdout; one line on stderr when it fails
Never:  a traceback without --debug

Exit status: 0 fine; 1 the call failed; 2 bad input (configuration, name, arguments);
3 some peer is not ready; 130 interrupted.

Source: design section 6.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from workbench.cli_compare import add_compare
from workbench.cli_discover import add_discover
from workbench.cli_grade import add_grade
from workbench.cli_lab import add_lab
from workbench.cli_lint import add_lint
from workbench.cli_pin import add_pin
from workbench.cli_record import add_record, add_replay, recording
from workbench.configuration import load_config
from workbench.core.config.config import WorkbenchConfig
from workbench.core.errors import (
    ConfigError,
    Failure,
    Kind,
    MenuError,
    MisuseError,
    NameCollision,
    PeerAway,
    WorkbenchError,
)
from workbench.core.text.visible import visible
from workbench.core.version import __version__
from workbench.sync_client import MultiServerClient

OK: Final = 0
CALL_FAILED: Final = 1
BAD_INPUT: Final = 2
NOT_READY: Final = 3
INTERRUPTED: Final = 130
_POLICIES: Final = ("prefix-on-collision", "reject", "prefix-always")
_EXAMPLES: Final = {
    "report": "report mcp.json --markdown",
    "call": """call mcp.json search '{"q": "tea"}'""",
    "trace": "trace mcp.json notes --frames",
    "pin": "pin mcp.json",
    "discover": 'discover tools.json --query "pods count" --max-chars 500',
    "grade": "grade solved.ipynb",
    "lab": "lab --folder course --no-browser",
}
"""One for each command that does not bring its own."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status.

    Args:
        argv: the arguments after the program name; None means the process's own.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    # What follows these belongs to another program, options and all.
    rest = given[1:] if given[:1] in (["fake"], ["lab"], ["replay"]) else []
    if given[:1] == ["lab"] and rest in (["-h"], ["--help"]):
        rest = []  # ours is one page, theirs is ten
    arguments = _parser().parse_args(given[: len(given) - len(rest)])
    arguments.rest = rest
    if arguments.verb is None:
        _parser().print_help()
        return BAD_INPUT
    try:
        status: int = arguments.run(arguments)
    except WorkbenchError as problem:
        if arguments.debug:
            raise
        _complain(str(problem))
        return _status_of(problem)
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody left to complain to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mcp-workbench",
        description="A strict client for many MCP servers, and fake servers that misbehave.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.set_defaults(verb=None, debug=False)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_report(verbs)
    _add_call(verbs)
    _add_trace(verbs)
    add_pin(verbs, _verb)
    add_lint(verbs, _verb)
    add_grade(verbs, _verb)
    add_replay(verbs, _verb)
    add_discover(verbs, _verb)
    add_compare(verbs, _verb)
    _verb(verbs, "fake", _fake, "Run a fake server (NAME --stdio), or --list them all.")
    add_lab(verbs, _verb)
    return parser


def _verb(verbs: Any, name: str, run: Any, help: str) -> argparse.ArgumentParser:
    example = f"Example: mcp-workbench {_EXAMPLES[name]}" if name in _EXAMPLES else None
    parser: argparse.ArgumentParser = verbs.add_parser(
        name, help=help, description=help, epilog=example
    )
    parser.set_defaults(verb=name, run=run)
    parser.add_argument("--debug", action="store_true", help="show a traceback on failure")
    return parser


def _add_report(verbs: Any) -> None:
    report = _verb(verbs, "report", _report, "Connect every peer and print the startup report.")
    report.add_argument("config", help="an mcp.json")
    form = report.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    report.add_argument("--policy", choices=_POLICIES, default=_POLICIES[0], help="merge policy")
    _add_locked(report)


def _add_call(verbs: Any) -> None:
    call = _verb(verbs, "call", _call, "Call one tool by its canonical name.")
    call.add_argument("config", help="an mcp.json")
    call.add_argument("name", help="canonical tool name, as the report shows it")
    call.add_argument("arguments", nargs="?", default="{}", help="the arguments, a JSON object")
    call.add_argument("--json", action="store_true", help="print the whole result as JSON")
    call.add_argument("--timeout", type=float, metavar="S", help="seconds until the call ends")
    call.add_argument("--policy", choices=_POLICIES, default=_POLICIES[0], help="merge policy")
    _add_locked(call)


def _add_trace(verbs: Any) -> None:
    trace = _verb(verbs, "trace", _trace, "Negotiate with one peer and print each frame.")
    trace.add_argument("config", help="an mcp.json")
    trace.add_argument("peer", help="name of the peer")
    trace.add_argument("--frames", action="store_true", help="print the serialized bytes too")
    trace.add_argument("--mermaid", action="store_true", help="print a Mermaid diagram instead")
    _add_locked(trace)


def _add_locked(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--locked", action="store_true", help="demand the lock that pin writes")
    add_record(parser)


# -- the verbs -------------------------------------------------------------------------


def _report(arguments: argparse.Namespace) -> int:
    client = _client(arguments)
    with recording(arguments.record, client), client:
        client.connect_all()
        client.discover_tools()
        client.merge()
        report = client.report()
    if arguments.json:
        print(report.to_json())  # noqa: T201 - stdout is this command's product
    elif arguments.markdown:
        print(report.to_markdown())  # noqa: T201
    else:
        from workbench.views.terminal import print_report

        print_report(report, sys.stdout)
    return OK if all(peer.status == "ready" for peer in report.peers) else NOT_READY


def _call(arguments: argparse.Namespace) -> int:
    given = _json_object(arguments.arguments)
    if arguments.timeout is not None and arguments.timeout <= 0:
        raise _bad_input(f"--timeout {arguments.timeout:g} is not positive", "Give seconds > 0.")
    client = _client(arguments)
    with recording(arguments.record, client), client:
        result = client.call(arguments.name, given, timeout_s=arguments.timeout)
        clean = client.journal.redactor.tree(result.raw)
    if arguments.json:
        print(json.dumps(clean, indent=2))  # noqa: T201
    else:
        for line in client.journal.redactor.clean(result.text).split("\n"):
            print(visible(line))  # noqa: T201
    if result.is_error:
        _complain(f"{result.peer}: the tool says it failed")
        return CALL_FAILED
    return OK


def _trace(arguments: argparse.Namespace) -> int:
    config = _load(arguments.config)
    names = [peer.name for peer in config.peers]
    if arguments.peer not in names:
        raise _bad_input(
            f"no peer named {visible(arguments.peer, 60)!r} in {arguments.config}",
            f"{_nearest(arguments.peer, names)}Its peers: {', '.join(names) or 'none'}.",
        )
    only = tuple(peer for peer in config.peers if peer.name == arguments.peer)
    # The other pinned peers are not missing, only not asked for: no warnings of the lock.
    options = {"merge_policy": _POLICIES[0], "locked": arguments.locked}
    client = MultiServerClient.from_config(_only(config, only), **options)
    with recording(arguments.record, client), client:
        report = client.connect_all()
        journal = client.journal
    if arguments.mermaid:
        print(journal.to_mermaid())  # noqa: T201
    else:
        print(journal.to_text(frames=arguments.frames))  # noqa: T201
        row = report.peers[0]
        verdict = f"{row.era} {row.version}" if row.status == "ready" else "unavailable"
        print(f"verdict: {verdict} [{row.rule}] {row.reason} {row.hint}".rstrip())  # noqa: T201
    return OK if report.peers[0].status == "ready" else NOT_READY


def _fake(arguments: argparse.Namespace) -> NoReturn:
    # The fakes are a program of their own; the harness knows nothing of them.
    os.execv(sys.executable, [sys.executable, "-m", "fakes", *arguments.rest])


# -- inside ----------------------------------------------------------------------------


def _load(path: str) -> WorkbenchConfig:
    config = load_config(path)
    for warning in config.warnings:
        _say(f"warning: {warning}")
    return config


def _only(config: WorkbenchConfig, peers: tuple[Any, ...]) -> WorkbenchConfig:
    from msgspec.structs import replace

    return replace(config, peers=peers)


def _client(arguments: argparse.Namespace) -> MultiServerClient:
    config = _load(arguments.config)
    options = {"merge_policy": arguments.policy, "locked": arguments.locked}
    client = MultiServerClient.from_config(config, **options)
    for warning in client.warnings[len(config.warnings) :]:
        _say(f"warning: {warning}")
    return client


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as problem:
        raise _bad_input(f"the arguments are no JSON: {problem}", """Try '{"q": "x"}'.""") from None
    if not isinstance(value, dict):
        raise _bad_input("the arguments are no JSON object", """Try '{"q": "x"}'.""")
    return value


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=3)
    return f"Did you mean {' or '.join(close)}? " if close else ""


def _bad_input(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))


def _status_of(problem: WorkbenchError) -> int:
    if isinstance(problem, PeerAway):
        return NOT_READY
    if isinstance(problem, ConfigError | MenuError | NameCollision | MisuseError):
        return BAD_INPUT
    return CALL_FAILED


def _complain(line: str) -> None:
    _say(f"mcp-workbench: {visible(line)}")


def _say(line: str) -> None:
    print(visible(line), file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
