"""`mcp-workbench pin`: accept what the peers are now, in a lock beside the configuration.

Takes:  the arguments of the command
Gives:  the lock, a line a peer on stdout, and the exit status
Never:  starts anything that is not what it is about to pin, and never carries the permission
        to be legacy over to another command or endpoint by itself

Source: design sections 5 and 6.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.configuration import load_config
from workbench.core.config.config import PeerConfig, WorkbenchConfig
from workbench.core.config.place import config_error
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.pins.drift import changes, pin_tools
from workbench.core.pins.pins import (
    Lock,
    PeerPin,
    Text,
    argument,
    by_name_only,
    differences,
    retargeted,
    unused,
)
from workbench.core.report import StartupReport
from workbench.core.text.redact import Redactor
from workbench.core.text.visible import visible
from workbench.core.tool import Listing
from workbench.pinning import accept_command, lock_path, read_lock, write_lock
from workbench.sync_client import MultiServerClient
from workbench.transports.fingerprint import Fingerprint, uncovered

OK: Final = 0
NOT_READY: Final = 3
LEGACY: Final = "PIN-07"

Verb = Callable[..., argparse.ArgumentParser]


class Plan(Struct, frozen=True, kw_only=True):
    """What is about to be pinned."""

    config: WorkbenchConfig
    path: str
    """Where the lock is written."""
    before: Lock | None
    """The lock that is replaced."""
    lock: Lock
    """The new one, still without tools."""


def add_pin(verbs: Any, verb: Verb) -> None:
    """Add the command to a parser.

    Args:
        verbs: where commands are added.
        verb: adds one, as the other commands are added.
    """
    pin = verb(verbs, "pin", run, "Accept what the peers are now, in a lock beside CONFIG.")
    pin.add_argument("config", help="an mcp.json; its lock is mcp.lock.json")
    pin.add_argument(
        "--allow-legacy",
        action="append",
        default=[],
        metavar="PEER",
        help="repeat the permission for a peer whose command or endpoint changed",
    )
    pin.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="PEER:N",
        help="argument N of PEER, from 0, names data that changes: do not pin its content",
    )


def run(arguments: argparse.Namespace) -> int:
    """Pin, and return the exit status: 0, or 3 when some peer is not ready.

    Raises:
        ConfigError: if nothing was pinned; says why.
    """
    plan = plan_of(arguments.config, arguments.allow_legacy, arguments.data)
    for warning in plan.config.warnings:
        print(visible(f"warning: {warning}"), file=sys.stderr)  # noqa: T201
    lock, report, redactor = _with_tools(plan)
    write_lock(plan.path, lock)
    for line in (*_said(plan, lock, report), *_moving(plan)):
        print(visible(redactor.clean(line)))  # noqa: T201 - stdout is this command's product
    return OK if report.all_ready else NOT_READY


def plan_of(path: str, allow_legacy: Sequence[str] = (), data: Sequence[str] = ()) -> Plan:
    """Read the configuration, the lock that is there, and every file; start nothing.

    Args:
        path: the configuration.
        allow_legacy: peers whose permission is repeated.
        data: "peer:index" of each argument that names data.

    Raises:
        ConfigError: if something is wrong, unreadable, or needs a permission.
    """
    config = load_config(path)
    target = lock_path(path)
    before = read_lock(target, path)
    peers = {peer.name: peer for peer in config.peers}
    _check_allowed(allow_legacy, peers)
    free = _data(data, peers, before)
    pins = {}
    for name, peer in sorted(peers.items()):
        pin = Fingerprint(peer, os.environ, config.secrets).take()
        roles = _free_roles(pin, free.get(name, ()), before, name)
        _check_readable(name, pin, roles)
        pins[name] = by_name_only(pin, roles)
    if before is not None:
        _check_legacy(before, pins, allow_legacy, path)
    return Plan(config=config, path=target, before=before, lock=Lock(pins))


def _with_tools(plan: Plan) -> tuple[Lock, StartupReport, Redactor]:
    """Connect every peer under the new lock, and add the digests of its tools."""
    # As if its tools were known, so that a file the peer makes while it runs is no obstacle.
    running = Lock({name: replace(pin, tools={}) for name, pin in plan.lock.peers.items()})
    with MultiServerClient.from_config(plan.config, lock=running) as client:
        client.connect_all()
        listings = client.discover_tools()
        report = client.report()
        redactor = client.journal.redactor
    peers = {
        name: replace(pin, tools=_tools(listings.get(name), redactor))
        for name, pin in plan.lock.peers.items()
    }
    return Lock(peers), report, redactor


def _tools(listing: Listing | None, redactor: Redactor) -> Any:
    # A list that was cut has no end to compare with.
    if listing is None or listing.failure is not None or not listing.complete:
        return None
    return pin_tools(listing, redactor)


def _check_allowed(names: Iterable[str], peers: Mapping[str, PeerConfig]) -> None:
    for name in names:
        peer = peers.get(name)
        if peer is None:
            raise _wrong(f"--allow-legacy {name}: there is no such peer", _peers(peers))
        if not peer.allow_legacy:
            raise _wrong(
                f"--allow-legacy {name}: the configuration does not allow it",
                'Set "allow_legacy": true for this peer first.',
            )


def _data(
    given: Iterable[str], peers: Mapping[str, PeerConfig], before: Lock | None
) -> dict[str, list[str]]:
    free: dict[str, list[str]] = {}
    for text in given:
        name, _, index = text.rpartition(":")
        if name not in peers:
            raise _wrong(f"--data {text}: there is no peer {name!r}", _peers(peers))
        if not (index.isascii() and index.isdigit() and int(index) < len(peers[name].args)):
            raise _wrong(
                f"--data {text}: {name} has no argument {index!r}",
                f"It has {len(peers[name].args)}, counted from 0.",
            )
        free.setdefault(name, []).append(argument(int(index)))
    return free


def _free_roles(
    pin: PeerPin, given: Iterable[str], before: Lock | None, name: str
) -> tuple[str, ...]:
    """Return the files whose content is left free: named now, or before and still the same."""
    old = before.peers.get(name) if before is not None else None
    kept = [] if old is None or old.args != pin.args else list(old.files.items())
    still = [
        role
        for role, file in kept
        if file.sha256 is None and role in pin.files and pin.files[role].path == file.path
    ]
    return (*given, *still)


def _check_readable(name: str, pin: PeerPin, free: Iterable[str]) -> None:
    for role, file in pin.files.items():
        if file.sha256 is None and role not in free:
            raise _wrong(
                f"{name}: {role} {_shown(file.path)} cannot be read, so it cannot be pinned",
                "Give this user the right to read it.",
            )


def _check_legacy(
    before: Lock, pins: Mapping[str, PeerPin], allowed: Sequence[str], path: str
) -> None:
    needed = [
        name
        for name, pin in pins.items()
        if pin.allow_legacy
        and name not in allowed
        and (old := before.peers.get(name)) is not None
        and old.allow_legacy
        and retargeted(old, pin)
    ]
    if needed:
        flags = " ".join(f"--allow-legacy {name}" for name in needed)
        raise config_error(
            f"{', '.join(needed)}: the command or endpoint changed, and allow_legacy was given "
            "to the pinned one",
            f"If it holds for the new one too: {accept_command(path)} {flags}",
            LEGACY,
        )


def _said(plan: Plan, lock: Lock, report: StartupReport) -> list[str]:
    lines = [f"{plan.path}: pinned {', '.join(lock.peers) or 'no peer'}"]
    rows = {row.peer: row for row in report.peers}
    configs = {peer.name: peer for peer in plan.config.peers}
    for name, pin in lock.peers.items():
        lines += _about(name, pin, configs[name])
        if pin.tools is None:
            lines.append(f"{name}: pinned without tools: {rows[name].reason or 'no list'}")
        lines += _news(name, pin, plan.before)
    if plan.before is not None:
        lines += [f"{name}: forgotten" for name in unused(plan.before, lock.peers)]
    return lines


def _about(name: str, pin: PeerPin, config: PeerConfig) -> list[str]:
    target = pin.endpoint if pin.command is None else pin.command
    count = "no list of tools" if pin.tools is None else f"tools: {len(pin.tools)}"
    files = ", ".join(
        f"{role}{'' if file.sha256 else ' (by name only)'}" for role, file in pin.files.items()
    )
    legacy = "; legacy allowed" if pin.allow_legacy else ""
    said = [f"{name}: {_shown(target or '')}; {files or 'no files'}; {count}{legacy}"]
    if left := uncovered(config):
        said.append(f"{name}: not covered: {', '.join(left)}")
    return said


def _news(name: str, pin: PeerPin, before: Lock | None) -> list[str]:
    if before is None:
        return []
    old = before.peers.get(name)
    if old is None:
        return [f"{name}: new"]
    said = [f"{name}: accepted: {line}" for line in differences(old, pin)]
    if old.tools is not None and pin.tools is not None:
        for tool in sorted({*old.tools, *pin.tools}):
            if old.tools.get(tool) != pin.tools.get(tool):
                what = ", ".join(changes(old.tools.get(tool), pin.tools.get(tool)))
                said.append(f"{name}: accepted: the tool {visible(tool, 80)}: {what}")
    return said


def _moving(plan: Plan) -> list[str]:
    """Say which files changed while their peer ran: the next start would be refused."""
    said = []
    for peer in plan.config.peers:
        pin = plan.lock.peers[peer.name]
        now = Fingerprint(peer, os.environ, plan.config.secrets).take()
        for index in range(len(pin.args)):
            before, after = (one.files.get(argument(index)) for one in (pin, now))
            if before and after and before.sha256 and before.sha256 != after.sha256:
                said.append(
                    f"{peer.name}: {argument(index)} changed while the peer ran; "
                    f"if it is data, pin again with --data {peer.name}:{index}"
                )
    return said


def _peers(peers: Mapping[str, PeerConfig]) -> str:
    return f"Its peers: {', '.join(peers) or 'none'}."


def _shown(text: Text) -> str:
    return text if isinstance(text, str) else text.shown


def _wrong(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=visible(detail), hint=hint))
