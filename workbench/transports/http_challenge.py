"""What a server asks for with 401 or 403, safe to show.

Takes:  the WWW-Authenticate headers of a response
Gives:  one short text: the scheme, and the few parameters that tell a reader what to do
Never:  shows a parameter that is not on the list: a nonce or a token may stand there

Spec: 2026-07-28 basic/authorization; RFC 9110 section 11.6.1, RFC 9728.
"""

import re
from collections.abc import Iterable
from typing import Final

from workbench.core.config.config_secrets import public_url
from workbench.core.text.visible import visible

_SHOWN: Final = ("error", "scope", "realm", "resource_metadata")
_PARAMETER: Final = re.compile(r'([\w-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_SCHEME: Final = re.compile(r"\s*([\w!#$%&'*+.^`|~-]{1,40})(?:\s|$)")
_LONGEST: Final = 2_000


def challenge_text(headers: Iterable[str]) -> str:
    """Return the challenges of a response as one line, or "no challenge"."""
    return "; ".join(_one(header[:_LONGEST]) for header in headers) or "no challenge"


def _one(header: str) -> str:
    scheme = _SCHEME.match(header)
    if scheme is None:
        return "an unreadable challenge"
    found: dict[str, str] = {}
    for name, quoted, bare in _PARAMETER.findall(header[scheme.end() :]):
        found.setdefault(name.lower(), quoted or bare)
    shown = [f"{name}={_value(name, found[name])}" for name in _SHOWN if name in found]
    return " ".join([visible(scheme.group(1)), *shown])


def _value(name: str, value: str) -> str:
    text = public_url(value) if name == "resource_metadata" else value
    return visible(text, 80)
