"""Which values of a configuration are secret, and how a field is shown without them.

Takes:  environment values, header values, a url, arguments, values that came from variables
Gives:  the values to hide everywhere; texts of fields that hide them already
Never:  guesses from a value: an argument is secret when its option, its header or its place
        in an address says so

An argument is what a process list shows to everybody on the machine, so a key belongs into
`env`; but configurations with `--api-key …` exist, and their keys are hidden all the same.
Values shorter than four characters are not collected, and neither are the words of JSON:
hiding each "1" or each "true" would mangle every text and hide no secret.
Source: case X01, "redact by known values (env, headers, url userinfo/query)".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from workbench.core.text.redact import MARK, SHORTEST, Redactor

_WORDS: Final = frozenset({"true", "false", "null", "none"})
_SECRET_NAME: Final = re.compile(
    r"(?:^|[-_.])(?:api[-_]?key|access[-_]?key|secret[-_]?key|account[-_]?key|token|bearer|secret"
    r"|password|passwd|passphrase|pwd|credentials?|pat)$",
    re.IGNORECASE,
)
"""How the name of an option ends whose value is a secret. Not "key" alone: often a file."""
_HEADER_OPTIONS: Final = frozenset({"-H", "--header", "--headers"})
_SECRET_HEADER: Final = re.compile(
    r"^\s*(?:proxy-)?(?:authorization|cookie|[\w-]*(?:key|token|secret))\s*[:=]\s*(?P<value>.+)$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"^-{0,2}(?P<name>[A-Za-z][\w.-]*)[=:](?P<value>.+)$", re.DOTALL)


def secrets_of(
    env: Mapping[str, str],
    headers: Mapping[str, str],
    url: str | None,
    from_environment: Iterable[str] = (),
    args: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return every secret value once, sorted; a url's are given as written and decoded."""
    return worth_hiding(
        (
            *env.values(),
            *headers.values(),
            *_secrets_in_url(url or ""),
            *from_environment,
            *_secrets_in_args(args),
        )
    )


def worth_hiding(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values that are long enough to be secrets and are no word of JSON, sorted."""
    return tuple(
        sorted({one for one in values if len(one) >= SHORTEST and one.casefold() not in _WORDS})
    )


def public_value(name: str, value: Any, redactor: Redactor) -> Any:
    """Return the value of one field of a configuration, without secrets.

    Args:
        name: the field's name; `env`, `headers` and `url` hide their values of any length.
        value: the field's value.
        redactor: what else to hide.
    """
    if name in ("env", "headers") and isinstance(value, Mapping):
        return dict.fromkeys(value, MARK)
    if name == "url" and isinstance(value, str):
        value = public_url(value)
    return redactor.tree(value)


def public_url(url: str) -> str:
    """Return a url that is safe to show: without user info, query values and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return MARK
    _, at, host = parts.netloc.rpartition("@")
    # A piece without "=" is a value, not a name.
    query = "&".join(
        name + equals + MARK if equals else MARK
        for name, equals, _ in (pair.partition("=") for pair in parts.query.split("&") if pair)
    )
    return urlunsplit((parts.scheme, (MARK + at if at else "") + host, parts.path, query, ""))


def _secrets_in_args(args: Sequence[str]) -> Iterator[str]:
    """Yield the values behind options that name a secret: `--token X`, `--token=X`, `-H "K: X"`."""
    before = ""
    for arg in args:
        yield from _secrets_in_address(arg)
        if before in _HEADER_OPTIONS:
            yield from _value_of_header(arg)
        elif _is_secret_option(before) and not arg.startswith("-"):
            yield arg
        found = _NAMED.match(arg)
        if found is not None:
            option = arg[: found.start("value") - 1]
            if option in _HEADER_OPTIONS:
                yield from _value_of_header(found["value"])
            elif _SECRET_NAME.search(found["name"]):
                yield found["value"]
        before = arg


def _is_secret_option(text: str) -> bool:
    return text.startswith("-") and "=" not in text and _SECRET_NAME.search(text) is not None


def _value_of_header(text: str) -> Iterator[str]:
    found = _SECRET_HEADER.match(text)
    if found is not None:
        yield found["value"].strip()


def _secrets_in_address(text: str) -> Iterator[str]:
    """Yield the password of an address, such as a database's, and what its query calls secret."""
    if "://" not in text:
        return
    try:
        parts = urlsplit(text)
    except ValueError:
        return
    user_info, _, _ = parts.netloc.rpartition("@")
    _, colon, password = user_info.partition(":")
    if colon:
        yield from (password, unquote(password))
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        if _SECRET_NAME.search(name):
            yield from (value, unquote_plus(value))


def _secrets_in_url(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        yield url
        return
    user_info, _, _ = parts.netloc.rpartition("@")
    for part in (user_info, *user_info.split(":", 1)):
        yield from (part, unquote(part))
    for pair in parts.query.split("&"):
        name, equals, value = pair.partition("=")
        raw = value if equals else name
        yield from (raw, unquote(raw), unquote_plus(raw))
    yield from (parts.fragment, unquote(parts.fragment))
