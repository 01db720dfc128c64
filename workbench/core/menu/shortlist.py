"""The best tools for a query that fit a budget of characters, whole ones only.

Takes:  the tools of a menu, their ranking, and how many characters there are
Gives:  `Shortlist`: which tools are in, which had to stay out, and the JSON text of those in
Never:  exceeds the budget by a character, and never cuts or changes a declaration

A model pays for every character of a tool's definition, so the budget is counted on the
text that is handed over: brackets, commas and all. Tools are taken in order of rank; one
that does not fit is passed over, and a smaller one after it may still fit.
Source: seed card, "Project: MCP Tool Discovery Workbench".
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final, Protocol, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.menu.alias import shown_alias
from workbench.core.menu.model_tools import ModelApi, Offered, tool_definitions
from workbench.core.text.json_text import json_text
from workbench.core.text.shown import Shown
from workbench.core.text.veiled import Veiled
from workbench.core.text.visible import visible

SMALLEST: Final = 2
"""Characters of an answer without a tool: `[]`."""
_NAME_ROOM: Final = 48
T = TypeVar("T")
_WHY: Final = {"in": "", "over": "does not fit", "beyond": "beyond the limit"}


class Choice(Offered, Protocol):
    """What is needed of an item of the menu."""

    @property
    def canonical(self) -> str:
        """The name it is called by."""


class Match(Struct, frozen=True):
    """One tool that answers the query."""

    item: Any
    """The item of the menu."""
    score: float
    """Higher is better; comparable within one query alone."""
    text: str
    """Its whole declaration as JSON, under its canonical name."""
    outcome: str
    """"in", "over" (it did not fit what was left) or "beyond" (enough were chosen)."""

    @property
    def name(self) -> str:
        """The canonical name."""
        return str(self.item.canonical)

    @property
    def chars(self) -> int:
        """Length of the declaration in characters."""
        return len(self.text)


class Shortlist(Shown, Veiled, frozen=True, dict=True, eq=False):
    """What a query found, best first, and what of it fits.

    `text`, `definitions` and `for_model` are what a model gets, as it was declared; the views
    go without the secrets of the client.
    """

    query: str
    max_chars: int | None
    """The budget for `text`, or None for none."""
    matches: tuple[Match, ...] = ()

    @cached_property
    def chosen(self) -> tuple[Match, ...]:
        """Return the matches that are in."""
        return tuple(match for match in self.matches if match.outcome == "in")

    @cached_property
    def text(self) -> str:
        """The chosen declarations as one JSON array, never longer than the budget."""
        return f"[{','.join(match.text for match in self.chosen)}]"

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the chosen tools, best first."""
        return tuple(match.name for match in self.chosen)

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """The chosen declarations as values, under canonical names; treat as read-only."""
        return [definition_of(match.item) for match in self.chosen]

    def for_model(self, api: ModelApi) -> list[dict[str, Any]]:
        """Return the chosen tools as a model interface takes them; see `Menu.for_model`.

        The budget was counted on `text`, which is another form of the same.
        """
        return tool_definitions([match.item for match in self.chosen], api)

    def veiled(self) -> Self:
        """Return it with every known secret in it replaced, to be shown."""
        clean = super().veiled()
        pairs = zip(clean.matches, self.matches, strict=True)
        shown = [replace(one, item=without_alias(one.item, raw.item)) for one, raw in pairs]
        return clean if clean is self else replace(clean, matches=tuple(shown))

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return one line a match: score, characters, name, and why it is not in."""
        if not self.matches:
            return f"nothing matches “{visible(self.cleaned(self.query), 80)}”"
        lines = ["  score  chars  tool"]
        lines += [
            f"{match.score:7.2f} {match.chars:6}  {visible(self.cleaned(match.name), _NAME_ROOM)}"
            + (f"  ({_WHY[match.outcome]})" if _WHY[match.outcome] else "")
            for match in self.matches
        ]
        budget = "no budget" if self.max_chars is None else f"of {self.max_chars}"
        many = "1 tool" if len(self.chosen) == 1 else f"{len(self.chosen)} tools"
        lines.append(f"{many} in {len(self.text)} characters ({budget})")
        return "\n".join(lines)


def without_alias(shown: T, item: T) -> T:
    """Return a cleaned item without its alias, if its name had to be cleaned."""
    given, clean = getattr(item, "canonical", ""), getattr(shown, "canonical", "")
    alias = getattr(item, "alias", "")
    safe = shown_alias(alias, given, clean)
    return shown if safe == alias else replace(shown, alias=safe)  # type: ignore[type-var]


def definition_of(item: Choice) -> dict[str, Any]:
    """Return a tool's declaration as it is, except for the name, which is the canonical one."""
    return {**item.tool.definition, "name": item.canonical}


def shortlist(
    query: str,
    items: Sequence[Choice],
    ranking: Iterable[tuple[int, float]],
    max_chars: int | None = None,
    limit: int | None = None,
) -> Shortlist:
    """Fill a budget with the best tools.

    Args:
        query: what was asked, for the reader.
        items: of the menu.
        ranking: positions among the items and scores, best first.
        max_chars: characters of the JSON array that is handed over; None means no budget.
        limit: most tools; None means no limit.

    Raises:
        MisuseError: if the budget has no room for an empty array, or the limit is negative.
    """
    if max_chars is not None and max_chars < SMALLEST:
        raise _misuse(f"a budget of {max_chars} characters", f"Give at least {SMALLEST}.")
    if limit is not None and limit < 1:
        raise _misuse(f"a limit of {limit} tools", "Give at least 1.")
    matches: list[Match] = []
    used, chosen = SMALLEST, 0
    for position, score in ranking:
        item = items[position]
        text = json_text(definition_of(item))
        needed = len(text) + (1 if chosen else 0)
        if limit is not None and chosen >= limit:
            outcome = "beyond"
        elif max_chars is not None and used + needed > max_chars:
            outcome = "over"
        else:
            outcome = "in"
            used, chosen = used + needed, chosen + 1
        matches.append(Match(item=item, score=score, text=text, outcome=outcome))
    return Shortlist(query=query, max_chars=max_chars, matches=tuple(matches))


def _misuse(what: str, hint: str) -> MisuseError:
    detail = f"{what} is too small"
    return MisuseError(Failure(kind=Kind.MISUSE, stage="discover", detail=detail, hint=hint))
