"""Which values of a configuration are secret, and how a field is shown without them.

Takes:  environment values, header values, a url, values that came from variables
Gives:  the values to hide everywhere; texts of fields that hide them already
Never:  guesses: a key written straight into an argument is not known to be one

Values shorter than four characters are not collected, and neither are the words of JSON:
hiding each "1" or each "true" would mangle every text and hide no secret.
Source: case X01, "redact by known values (env, headers, url userinfo/query)".
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from workbench.core.text.redact import MARK, SHORTEST, Redactor

_WORDS: Final = frozenset({"true", "false", "null", "none"})


def secrets_of(
    env: Mapping[str, str],
    headers: Mapping[str, str],
    url: str | None,
    from_environment: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return every secret value once, sorted; a url's are given as written and decoded."""
    return worth_hiding(
        (*env.values(), *headers.values(), *_secrets_in_url(url or ""), *from_environment)
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
