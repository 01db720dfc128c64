"""The text of `mcp.lock.json`.

Takes:  a `Lock`, or the text of a file
Gives:  the same text for the same lock, byte for byte; or the lock
Never:  reads a version it does not know, a key it does not know, or a text edited by hand

The seal is a digest of the rest. It is no signature: it shows an edit or a bad merge, not
an attacker, who can seal again. Source: design section 5.
"""

import json
from typing import Any, Final

import msgspec

from workbench.core.config.place import config_error
from workbench.core.errors import ConfigError
from workbench.core.pins.drift import digest_of
from workbench.core.pins.pins import Lock, PeerPin
from workbench.core.text.json_text import json_text
from workbench.core.text.visible import visible

VERSION: Final = 1
UNUSABLE: Final = "PIN-05"


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    peers: dict[str, PeerPin]
    seal: str
    version: int


def lock_text(lock: Lock) -> str:
    """Return the text of a lock: sorted, indented, with a line end."""
    peers = msgspec.to_builtins(lock.peers)
    document = {"peers": peers, "seal": _seal(peers), "version": VERSION}
    # Sorted by a round trip, because the escapes of json_text keep the order they are given.
    ordered: Any = json.loads(json.dumps(document, sort_keys=True))
    return json_text(ordered, indent=2) + "\n"


def read_lock_text(text: str, source: str, accept: str) -> Lock:
    """Read the text of a lock.

    Args:
        text: the whole file.
        source: its path as the reader knows it, for the error.
        accept: the command that writes a new one, for the hint.

    Raises:
        ConfigError: if it is no lock of a known version, or was edited.
    """
    try:
        # Bounded: no text this deep is a lock, and none may end the interpreter.
        loose = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, ValueError) as problem:
        raise unusable(source, f"no JSON: {visible(str(problem), 120)}", accept) from None
    version = loose.get("version") if isinstance(loose, dict) else None
    if type(version) is not int:
        raise unusable(source, "no lock: the key version is missing or no number", accept)
    if version != VERSION:
        hint = f"version {version}, and only version {VERSION} is known"
        raise unusable(source, hint, accept)
    try:
        document = msgspec.convert(loose, _Document, strict=True)
    except msgspec.ValidationError as problem:
        raise unusable(source, visible(str(problem), 200), accept) from None
    if document.seal != _seal(loose["peers"]):
        raise unusable(source, "changed since it was written: the seal does not fit", accept)
    return Lock(document.peers)


def unusable(source: str, what: str, accept: str) -> ConfigError:
    """Build the error for a lock that cannot be used, ready to raise."""
    return config_error(
        f"{visible(source)}: the lock was not read: {what}",
        f"Restore it, or delete it and pin again: {accept}",
        UNUSABLE,
    )


def _seal(peers: Any) -> str:
    return f"sha256:{digest_of(peers)}"
