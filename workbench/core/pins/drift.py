"""How a listing differs from the tools that were pinned.

Takes:  a `Listing`, and a `Lock`
Gives:  digests of definitions; one `Drift` for each tool that is not as it was
Never:  compares wordings: one changed character in a description is a change, because a
        model reads it

Canonical JSON here is: keys sorted, no spaces, everything beyond ASCII escaped.
Source: fault matrix C13; design section 5.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from workbench.core.text.json_text import canonical_text
from workbench.core.text.redact import Redactor
from workbench.core.text.visible import visible
from workbench.core.tool import Listing, Tool

Part: TypeAlias = Literal["description", "schema", "annotations", "other"]

_PARTS: Final[dict[str, Part]] = {
    "title": "description",
    "description": "description",
    "icons": "description",
    "inputSchema": "schema",
    "outputSchema": "schema",
    "annotations": "annotations",
}
"""Key of a definition -> the part it belongs to; any other key is "other"."""
PARTS: Final[tuple[Part, ...]] = ("description", "schema", "annotations", "other")


class ToolPin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool's definition as digests."""

    sha256: str
    """Of the whole definition as canonical JSON."""
    parts: dict[str, str]
    """Of each of `PARTS` that the definition has; says which part of it changed."""


class Drift(Struct, frozen=True, kw_only=True):
    """One tool that is not as it was pinned, or as it was accepted."""

    peer: str
    name: str
    """The local name as the peer sent it, untrusted."""
    changed: tuple[str, ...]
    """Some of `PARTS`, or only "added", or only "removed"."""
    since: Literal["pinned", "accepted"] = "pinned"
    details: tuple[str, ...] = ()
    """The differences, safe to show; none where only digests are known."""

    def line(self) -> str:
        """Return the drift as one safe sentence without a full stop."""
        name = visible(self.name, 80)
        if self.changed in (("added",), ("removed",)):
            return f"the tool {name} was {self.changed[0]} since the peer was {self.since}"
        told = f" ({'; '.join(self.details)})" if self.details else ""
        parts = ", ".join(self.changed)
        return f"the tool {name} changed since it was {self.since}: {visible(parts + told)}"


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form, hexadecimal."""
    return hashlib.sha256(canonical_text(value).encode("ascii")).hexdigest()


def pin_tool(tool: Tool) -> ToolPin:
    """Return the digests of one definition."""
    parts = _parted(tool.declared)
    return ToolPin(
        sha256=digest_of(tool.declared),
        parts={part: digest_of(value) for part, value in sorted(parts.items())},
    )


def parts_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which of `PARTS` differ between two definitions that are not the same."""
    old, new = _parted(before), _parted(after)
    found = (part for part in PARTS if digest_of(old.get(part)) != digest_of(new.get(part)))
    return tuple(found) or ("other",)


def _parted(definition: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    parts: dict[str, dict[str, Any]] = {}
    for key, value in definition.items():
        if key != "name":
            parts.setdefault(_PARTS.get(key, "other"), {})[key] = value
    return parts


def pin_tools(listing: Listing, redactor: Redactor) -> dict[str, ToolPin]:
    """Return the digests of every tool by local name, sorted.

    Args:
        listing: a complete listing.
        redactor: hides a secret that the peer put into a name; such a tool then counts as
            changed for ever, which is right.
    """
    tools = sorted(listing.tools, key=lambda tool: tool.name)
    return {redactor.clean(tool.name): pin_tool(tool) for tool in tools}


def drift_of(pinned: dict[str, ToolPin] | None, listing: Listing) -> tuple[Drift, ...]:
    """Return what changed, sorted by name.

    Args:
        pinned: the peer's tools as pinned; None when it was not ready then, which leaves
            nothing to compare with.
        listing: what the peer offers now; one that failed shows no drift, and one that was
            cut shows no removed tools.
    """
    if pinned is None or listing.failure is not None:
        return ()
    found = {tool.name: pin_tool(tool) for tool in listing.tools}
    names = sorted({*pinned, *found} if listing.complete else found)
    drifts = ((name, changes(pinned.get(name), found.get(name))) for name in names)
    return tuple(
        Drift(peer=listing.peer, name=name, changed=changed) for name, changed in drifts if changed
    )


def changes(before: ToolPin | None, after: ToolPin | None) -> tuple[str, ...]:
    """Return what differs between two pins of one tool, as `Drift.changed` says it."""
    if before is None:
        return ("added",) if after is not None else ()
    if after is None:
        return ("removed",)
    if before.sha256 == after.sha256:
        return ()
    parts = tuple(part for part in PARTS if before.parts.get(part) != after.parts.get(part))
    return parts or ("other",)
