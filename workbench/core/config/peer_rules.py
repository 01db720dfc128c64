"""The rules a peer's configuration keeps, whether it was read from a file or built in code.

Takes:  single values of a configuration, and their place
Gives:  nothing when a value is fine
Never:  shows a value that may be secret: not an environment value, not a header, not a url

Source: design section 5, "both must be positive"; seed skill item 1; case N06.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from workbench.core.config.place import Place
from workbench.core.text.visible import visible

NAME: Final = "CONF-06"
LONGEST_NAME: Final = 64
"""Characters; a model-safe tool name has no more, and the peer's name is only a part of it."""
LONGEST_WAIT_S: Final = 86_400.0
"""One day; a longer wait is a misplaced unit, and no timer has to be trusted with it."""

_ABSURD: Final = 1e15
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def check_name(name: str, place: Place) -> None:
    """Check a peer's name: it becomes a part of canonical tool names and of every report.

    Raises:
        ConfigError: if it is empty, too long, not printable, or holds a "/".
    """
    if not name:
        raise place.fault("the name of a peer is empty", "Give it a name.", NAME)
    if len(name) > LONGEST_NAME:
        raise place.fault(
            f"the name has {len(name)} characters, at most {LONGEST_NAME} are allowed",
            "Shorten the name.",
            NAME,
        )
    if "/" in name:
        raise place.fault(
            'the name holds a "/", which separates a peer from its tool in canonical names',
            'Use "-" or "_" instead.',
            NAME,
        )
    if visible(name) != name:
        raise place.fault("the name holds a character that cannot be seen", "Remove it.", NAME)
    if name != name.strip():
        raise place.fault("the name begins or ends with a space", "Remove the space.", NAME)


def check_distinct(names: Iterable[str], place: Place) -> None:
    """Check that no two names differ in case or in Unicode normalization only.

    Raises:
        ConfigError: names the first pair.
    """
    seen: dict[str, str] = {}
    for name in names:
        key = folded(name)
        if key in seen:
            raise place.fault(
                f"the names {visible(seen[key])!r} and {visible(name)!r} are the same "
                "but for their case or their form",
                "Rename one of the two.",
                NAME,
            )
        seen[key] = name


def taken_by(name: str, names: Iterable[str]) -> str | None:
    """Return which of the names is the same as `name` to a reader, if there is one."""
    same = folded(name)
    return next((known for known in names if folded(known) == same), None)


def folded(name: str) -> str:
    """Return what names that look the same to a reader have in common."""
    return _nfc(_nfc(name).casefold())


def check_wait(value: float, longest: float, place: Place, *, zero: bool = False) -> None:
    """Check a timeout: positive (or zero where that means none), finite, and not absurd.

    Raises:
        ConfigError: with the value, which is no secret.
    """
    # An endless number fails the comparison too, and NaN fails every one.
    if value <= longest and (value > 0 or (zero and value == 0)):
        return
    lowest = "from 0" if zero else "more than 0"
    seen = f"{value}" if abs(value) < _ABSURD else "a number far from that"
    raise place.fault(f"expected {lowest} and at most {longest:.0f}, got {seen}")


def check_revisions(chosen: Sequence[str], table: tuple[str, ...], place: Place) -> None:
    """Check that the revisions are some of `table`, oldest first, each once.

    Raises:
        ConfigError: names the first one that is not in the table.
    """
    hint = f"Known: {', '.join(table)}."
    if not chosen:
        raise place.fault("expected at least one revision, got none", hint)
    for index, revision in enumerate(chosen):
        if revision not in table:
            seen = visible(revision, 40)
            raise place.item(index).fault(f"expected a known revision, got {seen!r}", hint)
    if tuple(chosen) != in_order(chosen, table):
        raise place.fault("expected the revisions oldest first and each once", hint)


def check_preview(chosen: Sequence[str], legacy: tuple[str, ...], place: Place) -> None:
    """Check modern revisions given in code, where a coming one may be tried out.

    The order given is the order of preference, the last one first. A file takes only known
    revisions: there, another one is a slip of the pen.

    Raises:
        ConfigError: if there is none, one is legacy, or one comes twice.
    """
    if not chosen:
        raise place.fault("expected at least one revision, got none")
    for index, revision in enumerate(chosen):
        if revision in legacy:
            raise place.item(index).fault(f"{revision} is a legacy revision")
        if not revision or visible(revision, LONGEST_NAME) != revision:
            raise place.item(index).fault("expected a revision such as 2026-07-28")
    if len(set(chosen)) != len(chosen):
        raise place.fault("expected each revision once")


def in_order(chosen: Iterable[str], table: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen revisions in the order of `table`, each once, unknown ones last."""
    once = dict.fromkeys(chosen)
    return (*(one for one in table if one in once), *(one for one in once if one not in table))


def check_url(url: str, place: Place) -> None:
    """Check that a url is absolute, over HTTP, and of printable characters.

    Raises:
        ConfigError: without the url, which may hold a key.
    """
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    # urlsplit drops some control characters silently; what is sent must be what was checked.
    if not sound or _CONTROL.search(url) or any(char.isspace() for char in url):
        raise place.fault(
            "expected an absolute http or https address",
            'For example "https://example.com/mcp".',
        )


def check_process(
    command: str | None, args: Sequence[str], cwd: str | None, env: Mapping[str, str], place: Place
) -> None:
    """Check what a process is started with; a NUL would cut it short or stop the start.

    Raises:
        ConfigError: if the command is empty, or a text cannot be handed to a process.
    """
    if command is not None and not command.strip():
        raise place.key("command").fault("expected the name or path of a program, got nothing")
    for key, value in (("command", command), ("cwd", cwd)):
        _refuse_nul(value or "", place.key(key))
    for index, value in enumerate(args):
        _refuse_nul(value, place.key("args").item(index))
    for name, value in env.items():
        # In "TOKEN=…" as a key, what follows the sign is a value and is not shown.
        here = place.key("env").key(name.partition("=")[0])
        check_variable(name, here)
        _refuse_nul(value, here)


def check_variable(name: str, place: Place) -> None:
    """Check the name of an environment variable; "*" is none, there is no wildcard.

    Raises:
        ConfigError: if no variable can have that name.
    """
    if not name or "=" in name or "*" in name or visible(name) != name:
        raise place.fault("expected the name of an environment variable")


def check_headers(headers: Mapping[str, str], place: Place) -> None:
    """Check names and values of HTTP headers; a line break would start another header.

    Raises:
        ConfigError: without the value.
    """
    for name, value in headers.items():
        # In "Authorization: …" as a key, what follows the colon is a value and is not shown.
        here = place.key(name.partition(":")[0])
        if not _HEADER_NAME.fullmatch(name):
            raise here.fault("expected the name of an HTTP header")
        if _CONTROL.search(value.replace("\t", "")):
            raise here.fault(
                "the value holds a control character",
                "Check the variable for a line break at its end.",
            )
    check_distinct(headers, place)


def _refuse_nul(value: str, place: Place) -> None:
    if "\0" in value:
        raise place.fault("the value holds a NUL character", "Remove it.")


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
