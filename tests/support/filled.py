"""Values of ours with one hostile text in every place a text may stand.

Takes:  a type made of structs, tuples, dictionaries and plain values; a text
Gives:  an instance whose every text is that text, however the type grows
Never:  leaves out a field because nobody thought of it
"""

import types
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from workbench.comparison.gatherings import SITUATIONS, Gathered
from workbench.comparison.seen import Seen
from workbench.comparison.together import Together
from workbench.comparison.values import Comparison, Row
from workbench.comparison.visits import Visit, Visits
from workbench.core.journal.journal import Journal
from workbench.core.menu.menu import Collision, Collisions, Menu, MenuItem
from workbench.core.menu.menu_change import MenuChange
from workbench.core.menu.shortlist import Match, Shortlist
from workbench.core.outcome import Ended, Outcomes
from workbench.core.pins.drift_watch import DriftNote, Drifts
from workbench.core.report import PeerReport, StartupReport
from workbench.core.results.cache_content import CacheContent
from workbench.core.rulebook.rulebook import Rulebook
from workbench.core.rulebook.rules import RULES
from workbench.core.text.redact import Redactor
from workbench.core.tool import Tool
from workbench.core.wire.codec import encode
from workbench.lint.findings import Finding, Findings

__all__ = ["MAKERS", "filled"]


def filled(kind: Any, text: str) -> Any:
    """Return a value of this type with the text everywhere."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Collisions:
        return Collisions([filled(Collision, text)])
    if kind in _SPECIAL:
        return _SPECIAL[kind](text)
    if origin is Literal:
        return inner[0]
    if origin in (Union, types.UnionType):
        return filled(next(one for one in inner if one is not type(None)), text)
    if origin in (tuple, list):
        return origin([filled(inner[0], text)])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {filled(inner[0], text): filled(inner[1], text)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = get_type_hints(kind)
        return kind(**{name: filled(hints[name], text) for name in kind.__struct_fields__})
    raise AssertionError(f"nothing is known of {kind!r}: add it to filled.py")


def _journal(text: str) -> Journal:
    record = Journal()
    data = text.encode("utf-8", "surrogatepass")
    spoken = data.decode("utf-8", "replace")  # no JSON on a wire holds half a pair
    record.opened(0.0, text, text)
    record.sent(0.0, text, encode({"jsonrpc": "2.0", "id": spoken, "method": spoken}))
    record.received(0.0, text, encode({"jsonrpc": "2.0", "id": spoken, "result": {"a": spoken}}))
    record.received(0.0, text, data)
    record.decided(0.0, text, text, text, text, text, text)
    record.stray(0.0, text, text, data)
    record.closed(0.0, text, text)
    return record


def _outcomes(text: str) -> Outcomes:
    outcomes = Outcomes()
    outcomes.add(peer=text, method=text, name=text, ended=Ended.REFUSED, rule=text, detail=text)
    return outcomes


def _tool(text: str) -> Tool:
    schema = {"type": "object", "properties": {text: {"type": "string", "description": text}}}
    shown = {"name": text, "title": text, "description": text, "inputSchema": schema}
    return Tool(name=text, definition={**shown, "annotations": {"title": text}})


def _report(text: str) -> StartupReport:
    return StartupReport(
        peers=(filled(PeerReport, text),), collisions=(filled(Collision, text),), policy=text
    )


def _match(text: str) -> Match:
    return Match(item=filled(MenuItem, text), score=1.0, text=text, outcome="in")


def _comparison(text: str) -> Comparison:
    seen = dict.fromkeys(Comparison().clients, filled(Seen, text))
    row = Row(name=text, about=text, seen=seen)
    return Comparison(
        rows=(row,), versions={text: text}, measured_on=text, together=_together(text)
    )


def _together(text: str) -> Together:
    seen = dict.fromkeys(Together().clients, filled(Gathered, text))
    return Together(seen={SITUATIONS[0].name: seen})


def _visits(text: str) -> Visits:
    clients = Comparison().clients[:1]
    seen = {text: dict.fromkeys(clients, filled(Visit, text))}
    return Visits(seen=seen, clients=clients, versions={text: text}, measured_on=text)


_RULE: Final = next(iter(RULES))
"""Findings name rules of ours, and nothing a server says."""

_SPECIAL: Final[dict[Any, Callable[[str], Any]]] = {
    str: lambda text: text,
    int: lambda _: 1,
    float: lambda _: 1.0,
    bool: lambda _: True,
    Any: lambda text: text,
    Tool: _tool,
    Redactor: lambda _: None,
    Match: _match,
    Finding: lambda text: Finding(number=1, peer=text, by="server", rule=_RULE, what=text),
}

MAKERS: Final[dict[type, Callable[[str], Any]]] = {
    StartupReport: _report,
    PeerReport: lambda text: filled(PeerReport, text),
    Journal: _journal,
    Outcomes: _outcomes,
    Rulebook: lambda _: Rulebook(),  # every word of it is ours
    Drifts: lambda text: Drifts([filled(DriftNote, text)]),
    CacheContent: lambda text: filled(CacheContent, text),
    Menu: lambda text: filled(Menu, text),
    MenuChange: lambda text: filled(MenuChange, text),
    Findings: lambda text: filled(Findings, text),
    Shortlist: lambda text: filled(Shortlist, text),
    Comparison: _comparison,
    Together: _together,
    Visits: _visits,
    Collisions: lambda text: Collisions([filled(Collision, text)]),
}
"""A value of every kind that has a table or a page, made of one text."""
