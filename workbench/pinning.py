"""The lock's front door: a file beside the configuration, and a guard before every start.

Takes:  the path of an `mcp.json`, or a configuration read from one
Gives:  the lock beside it; a `Guard` that lets through what is as pinned
Never:  weakens a lock by itself: one that cannot be read stops everything

Source: design section 5; seed skill, refusal rules.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Final

from workbench.core.config.config import PeerConfig, WorkbenchConfig
from workbench.core.config.place import config_error
from workbench.core.errors import Failure
from workbench.core.pins.lock_text import lock_text, read_lock_text, unusable
from workbench.core.pins.pins import Lock, refusal, unused
from workbench.core.text.visible import visible
from workbench.transports.base import Endpoint
from workbench.transports.fingerprint import Fingerprint
from workbench.transports.pinned import PinnedEndpoint
from workbench.transports.recipes import UnreachableEndpoint

MOST_BYTES: Final = 64 * 1024 * 1024
"""Longest lock that is read; ten thousand tools need a tenth of it."""
NO_LOCK: Final = "PIN-04"
NOT_WRITTEN: Final = "PIN-06"


def lock_path(config: str | os.PathLike[str]) -> str:
    """Return where the lock of a configuration file is: `mcp.json` has `mcp.lock.json`."""
    file = os.path.abspath(os.path.expanduser(os.fspath(config)))
    stem, ending = os.path.splitext(file)
    return f"{stem}.lock.json" if ending == ".json" else f"{file}.lock.json"


def accept_command(config: str | os.PathLike[str]) -> str:
    """Return the command that accepts what is there now, as text to show."""
    return f"mcp-workbench pin {visible(os.fspath(config)) or 'mcp.json'}"


def read_lock(path: str | os.PathLike[str], config: str | os.PathLike[str] = "") -> Lock | None:
    """Read a lock; None when there is no such file.

    Args:
        path: the lock.
        config: the configuration it belongs to, for the hint.

    Raises:
        ConfigError: if it cannot be read, is of an unknown version, or was edited.
    """
    source, accept = os.fspath(path), accept_command(config)
    try:
        with open(source, "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        # A link that leads nowhere is a lock that is gone, not a lock that never was.
        if os.path.islink(source):
            raise unusable(source, "the link leads nowhere", accept) from None
        return None
    except OSError as problem:
        raise unusable(source, visible(problem.strerror or str(problem), 200), accept) from None
    if len(content) > MOST_BYTES:
        raise unusable(source, f"longer than {MOST_BYTES} bytes", accept)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise unusable(source, "it is not UTF-8", accept) from None
    return read_lock_text(text, source, accept)


def write_lock(path: str | os.PathLike[str], lock: Lock) -> None:
    """Write a lock whole or not at all: a reader never sees half of it.

    Raises:
        ConfigError: if the folder cannot be written.
    """
    target = os.fspath(path)
    # In the same folder, so that it can take the old one's place in one step.
    draft = f"{target}.{os.getpid()}.new"
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(lock_text(lock))
        os.replace(draft, target)
    except OSError as problem:
        if os.path.exists(draft):
            os.unlink(draft)
        raise config_error(
            f"{visible(target)}: the lock was not written: {visible(problem.strerror or '', 200)}",
            "Give a configuration in a folder you may write.",
            NOT_WRITTEN,
        ) from None


def guard_of(config: WorkbenchConfig, *, locked: bool) -> "Guard | None":
    """Return the guard for the lock beside a configuration; None when there is none.

    Args:
        config: read from a file; one built in code has no lock.
        locked: demand a lock.

    Raises:
        ConfigError: if a lock is demanded and missing, or there and unusable.
    """
    path = lock_path(config.source) if config.source else ""
    lock = read_lock(path, config.source) if path else None
    if lock is not None:
        return Guard(lock, config.source, config.secrets)
    if locked:
        raise config_error(
            f"{visible(config.source) or 'this configuration'} has no lock"
            + (f": there is no {visible(path)}" if path else ""),
            f"Write one with: {accept_command(config.source)}",
            NO_LOCK,
        )
    return None


class Guard:
    """Lets through what is as pinned.

    Args:
        lock: what was accepted.
        source: the configuration, for hints.
        secrets: what to hide besides each peer's own secrets.
        environ: where programs are looked up; None means this process's.
    """

    def __init__(
        self,
        lock: Lock,
        source: str = "",
        secrets: Iterable[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.lock = lock
        self._secrets = tuple(secrets)
        self._accept = accept_command(source)
        self._environ = os.environ if environ is None else environ

    def endpoint(self, config: PeerConfig, endpoint: Endpoint) -> Endpoint:
        """Check one peer now, and see to it that it is checked before each start.

        Returns:
            The endpoint itself, one that checks and delegates, or one that only says why
            the peer must not be reached.
        """
        if config.command is None and config.url is None:
            return endpoint  # in memory: there is nothing to start and no address
        checked = Fingerprint(config, self._environ, self._secrets)

        def check() -> Failure | None:
            return refusal(self.lock, config.name, checked.take(), self._accept)

        refused = check()
        if refused is not None:
            return UnreachableEndpoint(endpoint.kind, endpoint.identity, refused)
        # Behind an address nothing of ours can change between now and then.
        return endpoint if config.command is None else PinnedEndpoint(endpoint, check)

    def refusal(self, config: PeerConfig) -> Failure | None:
        """Say why a peer must not be reached now; None means that it is as pinned."""
        checked = Fingerprint(config, self._environ, self._secrets)
        return refusal(self.lock, config.name, checked.take(), self._accept)

    def warnings(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return one line for each pinned peer that the configuration does not have."""
        return tuple(
            f"the lock holds the peer {visible(name, 80)}, the configuration does not; "
            f"forget it with: {self._accept}"
            for name in unused(self.lock, names)
        )
