"""What a fake is when it behaves: its eras, its tools, its hints. Plain data.

Takes:  the parameters of `modern(...)`, `legacy(...)` and `dual_era(...)`
Gives:  a `Server`, part of the JSON form of a fake
Never:  decides anything; `eras` does
"""

from typing import Any, Literal

from msgspec import Struct

from fakes.errors import ScriptError
from fakes.tape import Tape
from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS

Refusal = Literal[
    "method-not-found",
    "invalid-params",
    "invalid-request",
    "internal-error",
    "server-error",
    "not-initialized",
    "zero",
    "one",
    "silent",
    "exit",
]
"""How a legacy server takes a request it has not been initialized for; all occur for real."""


class Server(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One server, described."""

    era: Literal["modern", "legacy", "dual"] = "modern"
    kind: Literal["tools", "everything"] = "tools"
    """"everything" also serves prompts, resources, completion and rounds of input."""
    tools: tuple[str | dict[str, Any], ...] = ()
    """Names, or whole definitions that are sent as they are, in this order."""
    versions: tuple[str, ...] = MODERN_REVISIONS
    """Modern revisions, as they are announced."""
    revisions: tuple[str, ...] = LEGACY_REVISIONS
    """Legacy revisions, oldest first; an unknown request is answered with the last."""
    refusal: Refusal = "method-not-found"
    page_size: int = 0
    """Tools per page; 0 sends all at once."""
    discover_ttl_ms: int = 3_600_000
    discover_scope: str = "public"
    list_ttl_ms: int = 3_600_000
    list_scope: str = "public"
    list_changed: bool = False
    """Whether it declares, and serves, notifications about its tool list."""
    version: str = "1.0.0"
    """Its own version, not the protocol's."""
    instructions: str = ""
    tape: Tape | None = None
    """What a recorded server said; it takes the place of every answer of its own."""

    def __post_init__(self) -> None:
        """Check the numbers and lists.

        Raises:
            ScriptError: if the server could not even be honest.
        """
        if self.page_size < 0:
            raise ScriptError(f"page_size must be 0 or more tools, not {self.page_size}")
        if self.era != "legacy" and not self.versions:
            raise ScriptError("a modern server needs at least one version")
        if self.era != "modern" and not self.revisions:
            raise ScriptError("a legacy server needs at least one revision")

    def definitions(self) -> list[dict[str, Any]]:
        """Return the tools as they are declared on the wire."""
        return [define(tool) if isinstance(tool, str) else tool for tool in self.tools]

    def capabilities(self, era: str = "modern") -> dict[str, Any]:
        """Return what it declares in an era."""
        declared: dict[str, Any] = {"tools": {"listChanged": True} if self.list_changed else {}}
        if self.kind == "everything":
            declared |= {"prompts": {"listChanged": True}, "resources": {}, "completions": {}}
            if era == "legacy":
                declared |= {"resources": {"subscribe": True}, "logging": {}}
        return declared

    def news(self) -> dict[str, bool]:
        """Return the members of a listen filter that it agrees to."""
        kinds = {"toolsListChanged": True} if self.list_changed else {}
        return kinds | ({"promptsListChanged": True} if self.kind == "everything" else {})


def define(name: str, description: str = "") -> dict[str, Any]:
    """Return an honest definition of a tool that takes one optional string, `q`."""
    return {
        "name": name,
        "description": description or f"Echoes its arguments, as {name}.",
        "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
    }
