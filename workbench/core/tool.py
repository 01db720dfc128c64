"""One tool, and one peer's list of tools, as values.

Spec: 2026-07-28 server/tools, "Tool".
"""

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias, final

from msgspec import Struct

from workbench.core.errors import Failure
from workbench.core.text.frozen import read_only, thawed
from workbench.core.text.veiled import Veiled

CacheScope: TypeAlias = Literal["public", "private"]


class _Declared(Struct, frozen=True, kw_only=True, dict=True):
    name: str
    definition: dict[str, Any]


_AS_GIVEN: Final = _Declared.__dict__["definition"].__get__


@final
class Tool(_Declared, frozen=True, kw_only=True):
    """A tool as its peer declared it; `name` is the local name.

    Nobody looks at most of the tools in a long list, and a copy of each would take longer
    than reading them all. So the read-only copy is made when somebody looks.
    """

    @property  # type: ignore[misc]
    def definition(self) -> dict[str, Any]:
        """The whole declaration as received, read-only."""
        copy: dict[str, Any] | None = self.__dict__.get("copy")
        if copy is None:
            copy = self.__dict__["copy"] = read_only(self.declared)
        return copy

    @property
    def declared(self) -> dict[str, Any]:
        """The same, as it was given: to be compared or sent, and never to be handed out."""
        given: dict[str, Any] = _AS_GIVEN(self)
        return given

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tool":
        """Return a tool whose definition can be edited, as in any deep copy."""
        loose = Tool(name=self.name, definition=thawed(self.declared))
        loose.__dict__["copy"] = loose.declared
        return loose

    @property
    def description(self) -> str:
        """The peer's description, untrusted text, or ""."""
        text = self.definition.get("description")
        return text if isinstance(text, str) else ""

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, an object schema."""
        schema = self.definition["inputSchema"]
        assert isinstance(schema, dict)  # checked when the listing was read
        return schema

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the structured result, or None."""
        schema = self.definition.get("outputSchema")
        return schema if isinstance(schema, dict) else None


def declarations(tools: Iterable[Tool]) -> dict[str, Any]:
    """Return `Tool.declared` of each tool by its name; of very many, in no time."""
    chosen = tuple(tools)
    return dict(zip([tool.name for tool in chosen], map(_AS_GIVEN, chosen), strict=True))


@final
class Dropped(Struct, frozen=True, kw_only=True):
    """A declaration that was left out of a listing, and why."""

    name: str
    """The local name as safe text, or a description when it had none."""
    reason: str
    rule: str


class Listing(Veiled, frozen=True, kw_only=True, eq=False):
    """What one peer offers, after every check; order is the peer's own.

    It is shown without the secrets of its client; the tools in it are as they were declared.
    """

    peer: str
    tools: tuple[Tool, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    cache_scope: CacheScope = "private"
    """Absent or unknown scopes count as private."""
    ttl_ms: int | None = None
    """The shortest lifetime of a page; None or 0 means that a page is asked for each time."""
    received_at: float = 0.0
    """Clock seconds when the oldest page arrived; each page is fresh by its own time."""
    complete: bool = True
    """False when the walk over the pages was cut; such a list is never cached."""
    failure: Failure | None = None
    """Why there is no list at all; `tools` is then empty."""
    stale: str = ""
    """Why an old list stands in for one that failed; "" for a list as it was received."""
