"""Canaries: texts that nobody may see, and every way out through which somebody might."""

import io
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from IPython.core.ultratb import AutoFormattedTB
from rich.console import Console
from rich.pretty import Pretty
from rich.traceback import Traceback

from workbench import MultiServerClient, notebook
from workbench.core.errors import WorkbenchError
from workbench.core.text.redact import Redactor
from workbench.views.display import frame_of, html_of
from workbench.views.error_line import error_line
from workbench.views.panels.merge import MergePanel


class Found(AssertionError):
    """Raised when a canary has got out."""


def held(exits: Mapping[str, Any], canaries: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return where a canary got out, and from which place it came."""
    return [
        (where, place)
        for where, shown in exits.items()
        for place, canary in canaries.items()
        if canary in str(shown)
    ]


def check(exits: Mapping[str, Any], canaries: Mapping[str, str]) -> None:
    """Raise if any way out holds any canary."""
    found = held(exits, canaries)
    if found:
        raise Found(found)


@contextmanager
def nothing_hidden() -> Iterator[None]:
    """Let every canary out while the block lasts: a check that finds none then is no check."""
    clean, tree = Redactor.clean, Redactor.tree
    Redactor.clean = lambda self, text: text  # type: ignore[method-assign]
    Redactor.tree = lambda self, value, depth=0: value  # type: ignore[method-assign]
    try:
        yield
    finally:
        Redactor.clean, Redactor.tree = clean, tree  # type: ignore[method-assign]


def exits_of(client: MultiServerClient, query: str = "canary look") -> dict[str, Any]:
    """Return everything that a client shows of itself and of its peers."""
    menu, listings = client.menu, client.discover_tools()
    assert menu is not None
    values = {
        "report": client.report(),
        "row": next(row for row in client.report().peers if row.peer == "peer"),
        "journal": client.journal,
        "outcomes": client.outcomes,
        "cache": client.cache,
        "drifts": client.drift,
        "change": client.menu_change,
        "findings": client.journal.lint(),
        "menu": menu,
        "collisions": menu.collisions,
        "shortlist": menu.search(query, max_chars=4_000),
        "listings": listings,
        "prompts": client.list_prompts(),
        "server": {name: client.discover_server(name) for name in _ready(client)},
        "merge panel": MergePanel(listings),
    }
    exits: dict[str, Any] = {"configs": repr(client.configs), "client": repr(client)}
    for name, value in values.items():
        exits |= {f"{name}: {way}": shown for way, shown in views_of(value)}
    exits["frames"] = client.journal.to_text(frames=True)
    exits["entries"] = client.journal.entries()
    return exits


def views_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what each way to look at a value shows."""
    yield "repr", repr(value)
    screen = io.StringIO()
    Console(file=screen, width=400).print(value, Pretty(value))
    yield "rich", screen.getvalue()
    if isinstance(value, dict):
        for name, one in value.items():
            words = notebook._WORDS.get(type(one), repr)
            yield f"{name} in a notebook", words(one)
        return
    for way in ("to_text", "to_markdown", "to_mermaid", "to_json", "to_jsonl"):
        if hasattr(value, way):
            yield way, getattr(value, way)()
    if isinstance(value, MergePanel):
        parts = [value.widget, *value.widget.children]
        yield "as widgets", [part.get_state() for part in parts]
        return
    yield "as a page", html_of(value)
    yield "as a frame", frame_of(value).to_csv()
    if type(value) in notebook._WORDS:
        yield "in a notebook", notebook._WORDS[type(value)](value)


def exits_of_error(error: BaseException) -> dict[str, Any]:
    """Return every form in which an exception is usually seen."""
    screen = io.StringIO()
    trace = Traceback.from_exception(type(error), error, error.__traceback__, width=400)
    Console(file=screen, width=400).print(trace)
    shell = AutoFormattedTB(mode="Context", tb_offset=0)
    failure = error.failure if isinstance(error, WorkbenchError) else None
    return {
        "str": str(error),
        "repr": repr(error),
        "one line": error_line(error),
        "failure": [repr(failure), failure and failure.line(), failure and failure.data],
        "traceback": "".join(traceback.format_exception(error)),
        "traceback by rich": screen.getvalue(),
        "traceback in a notebook": shell.text(type(error), error, error.__traceback__),
    }


def named(prefix: str, exits: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same exits under longer names."""
    return {f"{prefix}: {name}": shown for name, shown in exits.items()}


def check_loud(exits: Mapping[str, Any], canaries: Mapping[str, str], but: Iterable[str]) -> None:
    """Check that `nothing_hidden` let each canary out, and something through each exit.

    Args:
        exits: as they were collected.
        canaries: as in `check`.
        but: starts of the names of exits that show no text of a peer anyway.

    Raises:
        AssertionError: names the exits that a check could never fail for.
    """
    found = held(exits, canaries)
    assert {place for _, place in found} == set(canaries), "a canary that nobody repeats"
    silent = {where for where in exits if not where.startswith(tuple(but))}
    silent -= {where for where, _ in found}
    assert silent == set(), f"exits that can show nothing: {sorted(silent)}"


def _ready(client: MultiServerClient) -> list[str]:
    return [row.peer for row in client.report().peers if row.status == "ready"]
