"""The keys of a configuration file: ours, other clients', and misspelt ones.

Takes:  a key as written, and its place
Gives:  nothing for a key of ours, a warning for a harmless one
Never:  lets a misspelt key pass that decides whom we trust; that one is an error

A misspelt timeout costs time, so a warning is enough. A misspelt `auth_context` would share
a private list, and a misspelt `disabled` would start a program that was meant to stay off.
Source: seed skill item 1, "an explicit allow_legacy flag"; case N13, "unknown keys warn with
the nearest valid one".
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

from workbench.core.config.place import Place
from workbench.core.text.visible import visible

NEAR_MISS: Final = "CONF-05"

GUARDED: Final = (
    "accept_missing_result_type",
    "allow_legacy",
    "auth_context",
    "disabled",
    "env_allowlist",
    "legacy_revisions",
    "modern_revisions",
    "share_public",
    "trust_annotations",
)
"""Keys whose misspelling is refused."""

SERVER_KEYS: Final = frozenset(GUARDED) | {
    *("args", "command", "cwd", "env", "headers", "type", "url"),
    *("call_timeout_s", "discovery_timeout_ms", "legacy_probe_timeout_ms", "startup_grace_ms"),
    "enabled",
}
"""Every key one server may have."""

TOP_KEYS: Final = frozenset({"mcpServers", "servers", "$schema"})
"""Every key of the document itself."""

OTHERS: Final[Mapping[str, str]] = {
    "alwaysAllow": "",
    "autoApprove": "",
    "description": "",
    "gallery": "",
    "icon": "",
    "init_timeout": "here it is discovery_timeout_ms",
    "initTimeout": "here it is discovery_timeout_ms",
    "inputs": "",
    "name": "here the name is the key of the server",
    "timeout": "here it is call_timeout_s",
    "tools": "",
    "transport": "here it is type",
    "transportType": "here it is type",
    "trust": "here it is trust_annotations",
    "version": "",
}
"""Keys of other clients, and what they are called here; "" where we have no such thing."""

_ALMOST: Final = 0.8
"""Likeness from which a key counts as a misspelling; 1.0 is equality."""


def remark_on(key: str, known: Iterable[str], place: Place) -> str | None:
    """Return the warning for a key that means nothing here, or None for a known key.

    Args:
        key: the key as written.
        known: the valid keys at this place.
        place: the key's own place.

    Raises:
        ConfigError: if the key is almost one of `GUARDED`.
    """
    known = sorted(known)
    if key in known:
        return None
    meant = nearest(key, GUARDED, _ALMOST)
    if meant is not None and key not in OTHERS:
        raise place.fault(
            f"this key would be ignored, and {meant} decides whom this client trusts",
            f"Write {meant} for a server, or remove the key."
            if meant in known
            else f"There is no {meant} for all servers; write it for one server.",
            NEAR_MISS,
        )
    if key in OTHERS:
        here = f"; {OTHERS[key]}" if OTHERS[key] else ""
        return place.said(f"a key of other clients, ignored{here}")
    near = nearest(key, known, 0.6)
    advice = f"; did you mean {near}?" if near else ""
    return place.said(f"unknown key, ignored{advice}")


def nearest(key: str, known: Iterable[str], cutoff: float) -> str | None:
    """Return the key of `known` that is most like `key`, or None.

    Args:
        key: the key as written.
        known: the valid keys.
        cutoff: least likeness, from 0 to 1; case and word separators make no difference.
    """
    plain = {_squashed(name): name for name in known}
    found = difflib.get_close_matches(_squashed(visible(key, 80)), plain, n=1, cutoff=cutoff)
    return plain[found[0]] if found else None


def _squashed(key: str) -> str:
    """Return the key without the differences between allow_legacy and allowLegacy."""
    return key.casefold().replace("_", "").replace("-", "").replace(" ", "").replace(".", "")
