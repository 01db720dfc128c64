"""What was pinned of each peer, and how what is there now differs from it.

Takes:  the checked configuration of a peer, and the facts found about its files
Gives:  `PeerPin` and `Lock` values, readable differences, the `Failure` that refuses
Never:  reads a file, and never holds a secret: a text that contains one is kept as a slow
        digest and a form that is safe to show

Two texts with the same digest are the same text, so a changed secret is noticed although
nobody can read it. Source: design section 5; seed skill item 1, "a pinned command or
endpoint"; seed skill, refusal rules.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.config.config import PeerConfig
from workbench.core.config.config_secrets import public_url
from workbench.core.errors import Failure, Kind
from workbench.core.pins.drift import ToolPin
from workbench.core.text.redact import Redactor
from workbench.core.text.visible import visible

DIFFERS: Final = "PIN-02"
NOT_PINNED: Final = "PIN-03"

EXECUTABLE: Final = "executable"
INTERPRETER: Final = "interpreter"

_ROUNDS: Final = 50_000
"""Rounds of PBKDF2 for a hidden text: a lock is often committed, and a short secret behind
a plain hash could be found by trying. Costs about 20 ms, once for each hidden text."""
_SHOWN: Final = 200
_HEAD: Final = 12
"""Digits of a digest shown in a difference."""


class Hidden(Struct, frozen=True, forbid_unknown_fields=True):
    """A text that contains a secret."""

    digest: str
    """`pbkdf2-sha256:` and hexadecimal digits; other for the same text in another place."""
    shown: str
    """The text without the secret."""


Text: TypeAlias = str | Hidden


class FilePin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file that decides what is started."""

    path: Text
    """Real path, every link followed."""
    sha256: str | None = None
    """Of the content. In a lock, None: data that may change. As a fact, None: unreadable."""


class PeerPin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One peer, as pinned or as found."""

    kind: Literal["stdio", "http"]
    allow_legacy: bool
    """Bound to the pinned command or endpoint; another one does not inherit it."""
    command: Text | None = None
    """Absolute path that is started, links kept; as written when no such program was found."""
    args: tuple[Text, ...] = ()
    files: dict[str, FilePin] = {}
    """`executable`, `interpreter` (behind "#!"), and `args[0]`… where one names a file."""
    env: tuple[str, ...] = ()
    """Names the configuration sets for the process, sorted; no values."""
    env_allowlist: tuple[str, ...] = ()
    """Names handed on from our own environment, sorted."""
    cwd: Text | None = None
    endpoint: Text | None = None
    headers: tuple[str, ...] = ()
    """Names of the headers sent, sorted; no values."""
    tools: dict[str, ToolPin] | None = None
    """By local name; None when the peer was not ready while it was pinned."""


class Lock(Struct, frozen=True):
    """All pinned peers."""

    peers: dict[str, PeerPin]

    @property
    def tools(self) -> dict[str, dict[str, ToolPin] | None]:
        """The pinned tools of each peer; None where it was not ready."""
        return {name: pin.tools for name, pin in self.peers.items()}


class Hider:
    """Replaces the texts of one peer that contain a secret.

    Args:
        config: the peer.
        secrets: what to hide besides the peer's own secrets.
    """

    def __init__(self, config: PeerConfig, secrets: Iterable[str] = ()) -> None:
        self._name = config.name
        self._redactor = Redactor((*config.secrets(), *secrets))

    def text(self, where: str, text: str) -> Text:
        """Return the text, hidden when it contains a secret."""
        return self._hidden(where, text, self._redactor.clean(text))

    def url(self, where: str, url: str) -> Text:
        """Return a url, hidden when it has user info, a query value or a fragment."""
        return self._hidden(where, url, self._redactor.clean(public_url(url)))

    def _hidden(self, where: str, text: str, shown: str) -> Text:
        if shown == text:
            return text
        salt = f"mcp-workbench lock\0{self._name}\0{where}".encode()
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.pbkdf2_hmac("sha256", data, salt, _ROUNDS).hex()
        return Hidden(digest=f"pbkdf2-sha256:{digest}", shown=shown)


def declared(config: PeerConfig, hider: Hider | None = None) -> PeerPin:
    """Return what a configuration alone says about a peer: everything but its files."""
    hide = hider or Hider(config)
    common = PeerPin(kind=config.kind, allow_legacy=config.allow_legacy)
    if config.url is not None:
        return replace(
            common,
            endpoint=hide.url("endpoint", config.url),
            headers=tuple(sorted(config.headers)),
        )
    return replace(
        common,
        command=None if config.command is None else hide.text("command", config.command),
        args=tuple(hide.text(argument(i), arg) for i, arg in enumerate(config.args)),
        env=tuple(sorted(config.env)),
        env_allowlist=tuple(sorted(set(config.env_allowlist))),
        cwd=None if config.cwd is None else hide.text("cwd", config.cwd),
    )


def argument(index: int) -> str:
    """Return the name under which the argument at `index` stands in a lock."""
    return f"args[{index}]"


def differences(pin: PeerPin, facts: PeerPin) -> tuple[str, ...]:
    """Say in words how a peer differs from its pin; nothing when it does not.

    Args:
        pin: what was accepted.
        facts: what is there now; its tools do not matter here.
    """
    return (*_elsewhere(pin, facts), *_around(pin, facts))


def retargeted(pin: PeerPin, facts: PeerPin) -> bool:
    """Return whether another program or endpoint is reached than the pinned one."""
    return next(_elsewhere(pin, facts), None) is not None


def refusal(lock: Lock, peer: str, facts: PeerPin, accept: str) -> Failure | None:
    """Return why a peer must not be reached, or None when it is as pinned.

    Args:
        lock: what was accepted.
        peer: whose facts they are.
        facts: what is there now.
        accept: the command that accepts a change, for the hint.
    """
    pin = lock.peers.get(peer)
    if pin is None:
        said, rule = "the lock does not hold this peer", NOT_PINNED
    else:
        said, rule = "; ".join(differences(pin, facts)), DIFFERS
        if not said:
            return None
        said = f"differs from the lock: {said}"
    return Failure(
        kind=Kind.COULD_NOT_START,
        peer=peer,
        stage="transport",
        rule=rule,
        detail=said,
        hint=f"Nothing was started or sent. If this change is yours, accept it with: {accept}",
    )


def unused(lock: Lock, names: Iterable[str]) -> tuple[str, ...]:
    """Return the pinned peers that the configuration does not have, sorted."""
    return tuple(sorted(set(lock.peers) - set(names)))


def _elsewhere(pin: PeerPin, facts: PeerPin) -> Iterator[str]:
    """Yield what makes it another program or endpoint."""
    for what in ("kind", "command", "endpoint", "cwd"):
        before, after = getattr(pin, what), getattr(facts, what)
        if before != after:
            label = "transport" if what == "kind" else what
            yield _changed(label, before, after)
    if len(pin.args) != len(facts.args):
        yield _changed("args", list(map(_plain, pin.args)), list(map(_plain, facts.args)))
    else:
        for index, (before, after) in enumerate(zip(pin.args, facts.args, strict=True)):
            if before != after:
                yield _changed(argument(index), before, after)
    for role in sorted({*pin.files, *facts.files}):
        yield from _file(role, pin, facts)


def _file(role: str, pin: PeerPin, facts: PeerPin) -> Iterator[str]:
    before, after = pin.files.get(role), facts.files.get(role)
    if before is None and after is not None:
        # A peer that was ready without this file may have made it: a database, a log.
        if pin.tools is None or role in (EXECUTABLE, INTERPRETER):
            yield f"{role} was no file, is {_quoted(after.path)}"
    elif before is not None and after is None:
        yield f"{role} was {_quoted(before.path)}, is missing"
    elif before is not None and after is not None:
        if before.path != after.path:
            yield _changed(role, before.path, after.path)
        if before.sha256 is not None and before.sha256 != after.sha256:
            now = "cannot be read" if after.sha256 is None else f"is {_head(after.sha256)}"
            yield f"{role} {_quoted(after.path)}: sha256 was {_head(before.sha256)}, {now}"


def _around(pin: PeerPin, facts: PeerPin) -> Iterator[str]:
    """Yield what the same program or endpoint gets besides."""
    for what in ("env", "env_allowlist", "headers"):
        before, after = set(getattr(pin, what)), set(getattr(facts, what))
        more = [f"+{visible(name, 80)}" for name in sorted(after - before)]
        less = [f"-{visible(name, 80)}" for name in sorted(before - after)]
        if more or less:
            yield f"{what} names changed: {' '.join(more + less)}"
    if pin.allow_legacy != facts.allow_legacy:
        was, now = (str(one.allow_legacy).lower() for one in (pin, facts))
        yield f"allow_legacy was {was}, is {now}"


def _changed(label: str, before: object, after: object) -> str:
    if isinstance(before, Hidden) and isinstance(after, Hidden) and before.shown == after.shown:
        return f"{label} is still {_quoted(after)}, with another hidden value"
    return f"{label} was {_quoted(before)}, is {_quoted(after)}"


def _plain(text: Text) -> str:
    return text.shown if isinstance(text, Hidden) else text


def _quoted(value: object) -> str:
    if value is None:
        return "not set"
    plain = value.shown if isinstance(value, Hidden) else value
    return visible(json.dumps(plain, ensure_ascii=False), _SHOWN)


def _head(digest: str) -> str:
    return f"{visible(digest[:_HEAD])}…"


def by_name_only(pin: PeerPin, roles: Iterable[str]) -> PeerPin:
    """Return the pin with the content of these files left free: they hold data."""
    files: Mapping[str, FilePin] = {
        role: replace(pin.files[role], sha256=None) for role in roles if role in pin.files
    }
    return replace(pin, files={**pin.files, **files})
