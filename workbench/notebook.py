"""The front door for notebook cells: the teaching names, readable values, shown failures.

Takes:  nothing; import it in the first cell
Gives:  a dozen names, displays for values whose `repr` is too long for a cell, and a few
        words for cells: `expect_error`, `show_error`, `show_rules`, `show_text`,
        `allow_nested_loops`
Never:  patches an event loop unless `allow_nested_loops()` is called

Source: design sections 4 and 10; field cases J03, J04.
"""

import os
import textwrap
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from types import TracebackType
from typing import Any, Final, Self

from workbench import (
    RECOGNIZED_MODERN_ERRORS,
    RULES,
    AsyncMultiServerClient,
    Journal,
    ManualClock,
    MultiServerClient,
    PeerConfig,
    WorkbenchError,
    load_config,
    modern_request,
)
from workbench.classroom.acting import example_arguments
from workbench.classroom.panel import InstructorPanel
from workbench.classroom.rehearsal import RehearsalClient
from workbench.comparison import Comparison, kept
from workbench.core.call import ToolResult
from workbench.core.errors import NameCollision, UnknownName
from workbench.core.menu.menu import Menu
from workbench.core.menu.offers import Offers
from workbench.core.negotiate.moment import Moment
from workbench.core.recovery.recover import Lost, may_repeat
from workbench.core.recovery.restart import delay_s
from workbench.core.rulebook.rule import Rule
from workbench.core.stepped.scene import scene_of
from workbench.core.text.visible import visible
from workbench.core.tool import Listing
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.framing import LineFramer
from workbench.drivers.recovery_stepper import RecoveryStepper
from workbench.nested_loops import allow_nested_loops, running_shell
from workbench.rules import rulebook
from workbench.stepping import DiscoveryPanel, LegacyPanel, Stepper
from workbench.views.error_line import error_line
from workbench.views.html import table
from workbench.views.panels.merge import MergePanel
from workbench.views.panels.progress import ProgressPanel
from workbench.views.panels.recovery import RecoveryPanel
from workbench.views.panels.retry import RetryPanel

__all__ = [
    "RECOGNIZED_MODERN_ERRORS",
    "RULES",
    "AsyncMultiServerClient",
    "DiscoveryPanel",
    "InstructorPanel",
    "Journal",
    "LegacyPanel",
    "LineFramer",
    "Lost",
    "ManualClock",
    "MergePanel",
    "MultiServerClient",
    "NameCollision",
    "PeerConfig",
    "ProgressPanel",
    "RecoveryPanel",
    "RecoveryStepper",
    "RehearsalClient",
    "RetryPanel",
    "Stepper",
    "UnknownName",
    "WorkbenchError",
    "allow_nested_loops",
    "compare_now",
    "comparison",
    "decode",
    "delay_s",
    "encode",
    "example_arguments",
    "expect_error",
    "install_displays",
    "load_config",
    "may_repeat",
    "modern_request",
    "rulebook",
    "show_error",
    "show_rules",
    "show_text",
]

SHOWN_WIDTH: Final = 72
"""Longest line that is printed, in characters: what fits on half a screen. JupyterLab breaks
a longer one in the middle of a word."""

MENU_COLUMNS: Final = ("Canonical name", "Owner", "Owner's own name", "Alias for a model")


# -- other clients, without a network --------------------------------------------------


def comparison() -> Comparison:
    """Return what other clients and this one made of the faults, as it was measured last.

    The data is part of the package; `mcp-workbench compare` measures anew.
    """
    return kept()


def compare_now(
    faults: Iterable[str], clients: Sequence[str] = ("workbench", "workbench-legacy")
) -> Comparison:
    """Measure some faults, or situations of several peers, here and now.

    Args:
        faults: starts of their names, such as "P11", "H06" or "M04".
        clients: also "mcp" and "fastmcp", which are installed into environments of their own
            below the user's folder for caches when they are missing; that needs a network.

    Raises:
        ConfigError: if nothing has such a name.
        CouldNotStart: if a client cannot be installed.
    """
    from workbench.comparison.environments import cache_folder
    from workbench.comparison.fresh import measured
    from workbench.comparison.laboratory import Laboratory
    from workbench.comparison.running import Runner

    day, folder = date.today().isoformat(), cache_folder(os.environ)
    return measured(faults, clients, lambda runs: Laboratory(folder, Runner()), day)


# -- failures, shown -------------------------------------------------------------------


def show_error(error: BaseException) -> None:
    """Print an error as safe text: its type, what was seen, the rule, what to do."""
    show_text(error_line(error))


def show_text(*texts: str) -> None:
    """Print sentences in lines that fit on half a screen, safe to look at.

    Args:
        texts: each begins a line of its own; what it goes on in is set in.
    """
    for text in texts:
        print(_wrapped(visible(text), "  "))  # noqa: T201 - a cell's output is what this is for


def show_rules(rules: Iterable[Rule]) -> None:
    """Print rules, each with its id in front: `show_rules(rulebook("ERA"))`.

    Args:
        rules: a rulebook, or rules picked from `RULES`.
    """
    chosen = list(rules)
    width = max((len(rule.id) for rule in chosen), default=0) + 1
    for rule in chosen:
        line = f"{rule.id:<{width}}{rule.sentence}"
        print(_wrapped(line, " " * width))  # noqa: T201 - as above


class expect_error:
    """Run a block that must fail, and show how it fails: `with expect_error(NameCollision):`.

    The cell fails when nothing is raised, and when something else is raised; a tag such as
    "raises-exception" would let both pass.

    Args:
        kind: the type that must be raised.
    """

    def __init__(self, kind: type[Exception] = WorkbenchError) -> None:
        self._kind = kind
        self.error: Exception | None = None
        """What was raised, once the block has ended."""

    def __enter__(self) -> Self:
        """Return this object, for its `error`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Show the expected error, let any other through.

        Raises:
            AssertionError: if nothing was raised.
        """
        if error is None:
            raise AssertionError(f"{self._kind.__name__} was expected, and nothing was raised")
        if not isinstance(error, self._kind):
            return False
        self.error = error
        show_error(error)
        return True


# -- values, shown ---------------------------------------------------------------------


def install_displays() -> bool:
    """Register short displays of menus, listings, results and rules with a running IPython.

    Done on import. Reports, journals and diagrams bring their own.

    Returns:
        Whether there was an IPython to register with.
    """
    formatter = getattr(running_shell(), "display_formatter", None)
    if formatter is None:
        return False
    for kind, words in _WORDS.items():
        formatter.formatters["text/plain"].for_type(kind, _printer(words))
    formatter.formatters["text/html"].for_type(Menu, _menu_html)
    return True


def _printer(words: Callable[[Any], str]) -> Callable[[Any, Any, bool], None]:
    def show(value: Any, printer: Any, cycle: bool) -> None:
        for place, line in enumerate(words(value).split("\n")):
            if place:
                printer.break_()
            printer.text(line)

    return show


def _menu_rows(menu: Menu) -> list[tuple[str, ...]]:
    keys = ("canonical", "peer", "local", "alias")
    return [tuple(row[key] for key in keys) for row in menu.to_rows()]


def _menu_html(menu: Menu) -> str:
    caption = f"Menu: {len(menu.items)} tools; merge policy {menu.policy}"
    return table(caption, MENU_COLUMNS, _menu_rows(menu))


def _menu_text(menu: Menu) -> str:
    rows = [MENU_COLUMNS, *(tuple(map(visible, row)) for row in _menu_rows(menu))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _listing_text(listing: Listing) -> str:
    if listing.failure is not None:
        return f"<Listing: {visible(listing.cleaned(listing.failure.detail))}>"
    names = [visible(listing.cleaned(tool.name)) for tool in listing.tools]
    return f"<Listing: {', '.join(names) or 'no tools'}>"


def _offers_text(offers: Offers) -> str:
    if offers.failure is not None:
        return f"<Offers: {visible(offers.cleaned(offers.failure.detail))}>"
    return f"<Offers: {', '.join(map(visible, offers.cleaned(offers.keys))) or 'none'}>"


def _result_text(result: ToolResult) -> str:
    result = result.veiled()
    verb = "says it failed" if result.is_error else "answered"
    said = "\n".join(map(visible, result.text.split("\n")))
    return f"{visible(result.tool)} of {visible(result.peer)} {verb}:\n{said}"


def _rule_text(rule: Rule) -> str:
    said = _wrapped(f"{rule.id}: {rule.sentence}", "  ")
    return f"{said}\n  enforced in workbench.{rule.where}"


def _wrapped(text: str, indent: str) -> str:
    """Return text in lines of `SHOWN_WIDTH`; a longer word stays whole, so it can be copied."""
    return textwrap.fill(
        text,
        SHOWN_WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _moment_text(moment: Moment) -> str:
    return scene_of(moment).to_text()


_WORDS: Final[dict[type[Any], Callable[[Any], str]]] = {
    Menu: _menu_text,
    Listing: _listing_text,
    Offers: _offers_text,
    ToolResult: _result_text,
    Rule: _rule_text,
    Moment: _moment_text,
}


# -- nested loops, only when asked for -------------------------------------------------


install_displays()
